"""Functions as people write them: expressions, calls and comprehensions.

`CASES` holds each with the argument tuples to try. Nothing here knows that it will be converted.
"""

import functools

CASES = []


def case(*argument_sets):
    def note(function):
        CASES.append((function, [a if isinstance(a, tuple) else (a,) for a in argument_sets]))
        return function

    return note


@case(([3, 1, 2],))
def comprehension(xs):
    k = 2
    a = [x * k if x > 1 else -x for x in xs if x and not x == 7]
    b = {x: [y for y in range(x)] for x in xs}
    c = sorted({x % 2 for x in xs}, key=lambda v: -v)
    d = list(x + k for x in xs)
    return a, b, c, d


@case((1, 2, 3), (3, 2, 1))
def chained(a, b, c):
    return a < b < c, a <= b != c, 0 < a < 3, not a < b < c


@case((0, 5), (3, 0), ([], {}))
def shortcuts(a, b):
    return a and b, a or b, not a, (a or b) and "x", a if b else b


@case(0, 1)
def chain_once(x):
    log = []
    def t(v):
        log.append(v)
        return v
    r = t(1) < t(x) < t(5)
    return r, log


@case((-1,), (1,))
def assertion(x):
    assert x > 0, f"x must be positive, got {x}"
    return x


@case(({"a": 1},))
def kwargs_call(d):
    def f(x, /, *args, y=2, **kw):
        if args:
            x = args
        return x, y, kw
    return f(1), f(1, 2, 3), f(1, y=4, **d), f(*[1, 2], **d)


@case(4)
def partials(n):
    add = functools.partial(lambda a, b: a + b if b else a, n)
    return add(1), list(map(add, [1, 2])), functools.reduce(add.func, [1, 2, 3]), sum(filter(lambda v: v > 1, range(n)))


@case(([1, 2],))
def starred(xs):
    a, *b = xs
    return [*xs, *b], {**{"k": a}}, (lambda *q, **w: (q, w))(*xs, z=1)


@case(3)
def fstring(n):
    v = 1.5
    return f"{n if n else v!r:>{n + 5}} {v:.2f} {not n} {f'{n and v}'}"


class Box:
    pass


@case(2)
def shapes(n):
    b = Box()
    b.shape = [1, 2]
    b.shape = b.shape + [n]
    return b.shape, b.shape[-1]


@case(3)
def maxmin(n):
    found = max(range(n), key=lambda v: -v), min(n, 2), sum([n, 1]), any(v > 2 for v in range(n)), all([n, 0])
    return found, list(zip([1], [2], strict=True)), dict(enumerate("ab"))


@case(5)
def comprehension_closure(n):
    fs = [(lambda: i) for i in range(n)]
    return [f() for f in fs]


@case(2)
def star_return(n):
    a = [1, 2]
    if n:
        return *a, n
    return ()
