# ruff: noqa: F821, F841, F842, UP037
"""Functions as people write them: names that come, go, hide and are shared.

`CASES` holds each with the argument tuples to try. Nothing here knows that it will be converted.
"""

import functools

CASES = []


def case(*argument_sets):
    def note(function):
        CASES.append((function, [a if isinstance(a, tuple) else (a,) for a in argument_sets]))
        return function

    return note


@case(3, 0)
def unbound(n):
    for i in range(n):
        y = i
    return y


@case(True, False)
def unbound_if(c):
    if c:
        y = 1
    return y


@case(True, False)
def unbound_if_is_none(c):
    if c:
        y = None
    return y is None


@case(True, False)
def del_name(c):
    y = 1
    if c:
        del y
    return y


@case(True, False)
def del_then_set(c):
    y = 1
    if c:
        del y
        y = 3
    del y
    y = 4
    return y


@case(0, 1)
def except_name(x):
    e = "before"
    try:
        if x:
            raise ValueError("boo")
    except ValueError as e:
        m = str(e)
    if x:
        return m
    return e


@case(0, 1)
def except_name_unbound(x):
    e = "before"
    if True:
        try:
            if x:
                raise ValueError("boo")
        except ValueError as e:
            pass
    return e


@case(5)
def late_binding(n):
    fs = []
    for i in range(n):
        if i % 2:
            j = i
            fs.append(lambda: (i, j))
    return [f() for f in fs]


@case(4)
def nonlocal_counter(n):
    count = 0
    def bump(k=1):
        nonlocal count
        if k > 1:
            count += k
        else:
            count += 1
        return count
    for i in range(n):
        bump(i)
    while count < 20:
        bump()
    return count


@case(6)
def inner_recursion(n):
    def fib(k):
        if k < 2:
            return k
        return fib(k - 1) + fib(k - 2)
    return fib(n)


@case(5)
def aug_unbound(n):
    for i in range(n):
        s += i
    return s


G = 10


@case(3)
def global_write(n):
    global G
    G = 10
    for i in range(n):
        G += i
    if G > 11:
        G = -G
    return G


@case(3)
def global_in_branch(n):
    if n:
        global H
        H = n
    return H


@case(2)
def annotated(n):
    x: int
    y: list = []
    if n:
        x: int = 3
        y: "what" = [x]
        z: int
    return x, y


@case(2)
def local_class(n):
    k = 1
    if n:
        k = n
        class A:
            v = k
            w = [k for _ in range(2)]
            def get(self, m):
                if m > 1:
                    return self.v
                return super().__repr__()[:0]
    return A().get(2), A().get(0), A.w


@case(5)
def imports(n):
    if n:
        import math as m
        from os import path
    else:
        m = None
    return m.floor(n + .5), path.join("a", "b")


@case(3)
def target_tuple(n):
    for i, (a, *b) in enumerate([(1, 2, 3), (4, 5)]):
        if i == n:
            break
    d = {}
    for d["k"] in range(n):
        pass
    return i, a, b, d


class Box:
    pass


@case(3)
def attributes(n):
    b = Box()
    b.n = 0
    b.inner = Box()
    for i in range(n):
        b.n += i
        if i == 1:
            b.inner.v = i
        b.list = [i]
    return b.n, b.inner.v, b.list


@case(3)
def attribute_error(n):
    b = Box()
    if n:
        b.x = 1
    return b.y


@case(3)
def shadow_builtin(n):
    len = lambda x: "mine"
    range = [1, 2]
    for i in range:
        n += i
    return len("abc"), n


@case(3)
def locals_use(n):
    a = 1
    return sorted(k for k in locals() if not k.startswith("_"))


@case(3)
def conditional_def(n):
    if n > 2:
        def g(x):
            return x + n
    else:
        def g(x):
            return x - n
    return g(1)


@case(3)
def decorated_inner(n):
    calls = []
    def deco(f):
        @functools.wraps(f)
        def w(*a, **k):
            calls.append(f.__name__)
            return f(*a, **k)
        return w
    @deco
    def g(x):
        if x:
            return x
        return "zero"
    return g(n), g(0), calls, g.__name__


@case(0, 1)
def swap_in_branch(n):
    a, b = 1, 2
    if n:
        a, b = b, a
    c = a - b
    return c


@case((3, 4))
def tuple_assign(a, b):
    while a:
        a, b = b % a, a
    (x, y), *z = [(a, b), 3, 4]
    return x, y, z


@case(2)
def docstring(n):
    """A docstring."""
    if n:
        return docstring.__doc__
    return None


@case(2)
def only_doc(n):
    """Only that."""


@case(2)
def lambda_default(n):
    f = [lambda x=i: x if x else -1 for i in range(n)]
    return [g() for g in f]


@case(3)
def deleted_item(n):
    d = {"a": 1, "b": 2}
    xs = list(range(5))
    if n:
        del d["a"], xs[0], xs[:1]
    return d, xs
