"""Functions as people write them: every way of leaving a loop, a branch or a function.

`CASES` holds each with the argument tuples to try. Nothing here knows that it will be converted.
"""

import contextlib
import itertools

CASES = []


def case(*argument_sets):
    def note(function):
        CASES.append((function, [a if isinstance(a, tuple) else (a,) for a in argument_sets]))
        return function

    return note


@case(1, -1, 0)
def early(x):
    if x > 0:
        return "pos"
    if x < 0:
        return "neg"
    return "zero"


@case(1, 5, 20)
def nested_partial(x):
    if x > 2:
        if x > 10:
            return "big"
        x = x + 1
    x = x * 2
    return x


@case(0, 3, 10)
def loop_return(n):
    for i in range(n):
        if i == 5:
            return ("found", i)
        if i == 100:
            break
    else:
        return "exhausted", n
    return None


@case(([1, 2, 3, 4],), ([],), ([3],))
def loop_else(xs):
    for x in xs:
        if x == 3:
            r = "yes"
            break
    else:
        r = "no"
    return r


@case(0, 1, 7)
def while_else(n):
    out = []
    while n:
        n -= 1
        if n == 3:
            continue
        out.append(n)
        if n == 2 and len(out) > 1:
            break
    else:
        out.append("else")
    return out, n


@case(0, 2)
def try_return(x):
    try:
        if x == 0:
            return 1 / x
        return x
    except ZeroDivisionError as e:
        return type(e).__name__
    finally:
        x = 7


@case(0, 2, 4)
def try_else(x):
    log = []
    try:
        if x == 2:
            return "body"
        v = 4 / x
    except ZeroDivisionError:
        log.append("except")
        if x == 0:
            return log
    else:
        log.append("else")
        if v == 1:
            return "else", log
    finally:
        log.append("finally")
    return "end", log


@case(0, 1)
def suppressed(x):
    with contextlib.suppress(ZeroDivisionError):
        return 1 / x
    return "suppressed"


@case(0, 1, 2)
def with_if(x):
    with contextlib.suppress(KeyError):
        if x == 1:
            raise KeyError
        if x == 2:
            return "two"
        y = 1
    if x == 1:
        return "no y"
    return y


@case(([[1, 2], [3, 4], [5]],))
def nested_loops(rows):
    out = []
    for row in rows:
        for v in row:
            if v == 2:
                continue
            if v == 4:
                break
            if v == 5:
                return "five", out
            out.append(v)
        else:
            out.append("end")
    return out


@case(3)
def while_true(n):
    i = 0
    while True:
        i += 1
        if i % 2:
            continue
        try:
            if i > n:
                break
        finally:
            i += 10
    return i


@case(3)
def finally_break(n):
    for i in range(n):
        try:
            x = 1 / (i - 1)
        except ZeroDivisionError:
            continue
        finally:
            n += 1
    return n, x


@case(2)
def return_in_finally(n):
    for i in range(n):
        try:
            raise ValueError
        finally:
            return i


@case(3)
def iterator_consumed(n):
    it = iter(range(10))
    for x in it:
        if x == n:
            break
    return list(it)


@case(3)
def infinite(n):
    for i in itertools.count():
        if i > n:
            return i


@case(0, 1, 2)
def loop_with_try_return(n):
    for i in range(3):
        try:
            if i == n:
                return "r", i
            if i == 1:
                continue
            raise KeyError(i)
        except KeyError:
            if n == 2:
                break
        finally:
            n = n
    return "end", i


@case(0, 1, 2)
def with_in_loop(n):
    log = []
    @contextlib.contextmanager
    def cm(k):
        log.append(("in", k))
        yield k
        log.append(("out", k))
    for i in range(3):
        with cm(i) as k, cm(-i):
            if i == n:
                continue
            if i == 2:
                break
            log.append(k)
        log.append("after")
    return log


@case(0, 1)
def gen_cleanup(n):
    log = []
    def files():
        for i in range(3):
            try:
                yield i
            finally:
                log.append(("close", i))
    for f in files():
        if f == n:
            return len(log), log
    return log


@case(3)
def while_flag(n):
    done = False
    while not done:
        n -= 1
        if n < 0:
            done = True
        else:
            continue
        n = 50
    return n


@case(({"x": 1},), ({},))
def dict_get(d):
    try:
        v = d["x"]
    except KeyError:
        v = None
    if v is None:
        return "none"
    elif v == 1:
        return "one"
    else:
        return "else"


@case(1, 2, 3)
def elif_chain(n):
    if n == 1:
        a = "one"
    elif n == 2:
        return "two"
    elif n == 3:
        a = "three"
        if a:
            a += "!"
    return a


@case(0, 1, 3)
def multi_with_loop_value(n):
    best = None
    for i, v in enumerate([3, 1, 2]):
        if best is None or v < best:
            best = v
            where = i
        if i == n:
            break
    return best, where


@case(3)
def exc_group(n):
    try:
        try:
            raise ValueError(n)
        except (TypeError, ValueError):
            if n:
                raise
    except ValueError as err:
        return err.args


@case(3)
def raise_from(n):
    try:
        if n:
            raise KeyError("inner")
    except KeyError as e:
        raise ValueError("outer") from e


@case(4)
def inner_generator(n):
    def gen(m):
        for i in range(m):
            if i == 2:
                continue
            yield i
            if i > 5:
                return
    total = 0
    for v in gen(n):
        total += v
        if total > 100:
            break
    return total, list(gen(10))


@case(3)
def walrus(n):
    out = []
    while (m := n) > 0:
        out.append(m)
        n -= 1
    if (k := len(out)) > 2 and (j := k + 1):
        return out, m, k, j
    return m


@case(([1, 2, 3],), ([],))
def walrus_any(xs):
    if any((last := x) > 2 for x in xs):
        return last
    return None


@case((1,), ([1, 2],), ({"a": 3},), ("s",))
def matching(v):
    match v:
        case int(n) if n > 0:
            return "int", n
        case [a, *rest]:
            r = a, rest
        case {"a": q, **kw}:
            r = q, kw
        case _:
            return "other"
    return r


@case(0, 1, 2, 3)
def break_and_return_in_finally(n):
    log = []
    for i in range(4):
        if i == n:
            break
        try:
            log.append(i)
        finally:
            if i == 2:
                return "finally", log
    return "end", log
