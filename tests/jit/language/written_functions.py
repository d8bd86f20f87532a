"""Functions of all kinds, calls of them, closures, and Python beside tensors."""

import contextlib
import functools

import numpy as np
from other_module import held_back, helper_of_another_module

from framework import case, paddle

X, NEGATIVE = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]


def sign(v):
    if v.sum() > 0:
        return v
    return -v


def calls_a_function(x):
    return sign(x) + sign(x - 3)


case(calls_a_function, X, NEGATIVE)


def calls_another_module(x):
    return helper_of_another_module(x) + 1


case(calls_another_module, X, NEGATIVE)


def held_back_from_conversion(x):
    return held_back(x)


case(held_back_from_conversion, X, NEGATIVE)


def lambdas(x):
    double = lambda v: v * 2 if v.sum() > 0 else v
    apply = lambda f, v: f(v)
    return apply(double, x) + apply(lambda v: v - 1, x)


case(lambdas, X, NEGATIVE)


def nested_functions(x):
    scale = x.mean()

    def inner(v, by=2.0):
        if v.sum() > 0:
            return v * by * scale
        return v - scale

    return inner(x) + inner(x, by=3.0)


case(nested_functions, X, NEGATIVE)


def nonlocal_state(x):
    total = x * 0
    count = 0

    def add(v):
        nonlocal total, count
        if v.sum() > 0:
            total = total + v
        else:
            total = total - v * 2
        count += 1

    add(x)
    add(x * 2 - 1)
    return total, count


case(nonlocal_state, X, NEGATIVE)


def with_arguments(x, *args, scale=1.0, **options):
    for a in args:
        x = x + a
    if options.get("negate", False):
        x = -x
    return x * scale


def stars_and_keywords(x):
    a = with_arguments(x, 1.0, 2.0, scale=3.0)
    b = with_arguments(x, *[x, x], **{"negate": True, "scale": 0.5})
    return a + b


case(stars_and_keywords, X, NEGATIVE)


def keyword_only(x, /, y=1.0, *, power=2):
    if x.mean() > y:
        return x ** power
    return x


def keyword_only_and_defaults(x):
    return keyword_only(x) + keyword_only(x, 0.0, power=3)


case(keyword_only_and_defaults, X, NEGATIVE)


def partials(x):
    cubed = functools.partial(keyword_only, y=0.0, power=3)
    return cubed(x)


case(partials, X, NEGATIVE)


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


@doubled
def decorated(x):
    if x.sum() > 0:
        return x
    return x - 1


def calls_a_decorated_function(x):
    return decorated(x)


case(calls_a_decorated_function, X, NEGATIVE)


@doubled
def is_decorated(x):
    if x.sum() > 0:
        return x
    return x - 1


case(is_decorated, X, NEGATIVE)


class Tools:
    factor = 3.0

    def __init__(self, by):
        self.by = by

    @staticmethod
    def positive(v):
        return v if v.sum() > 0 else -v

    @classmethod
    def scaled(cls, v):
        if v.sum() > 0:
            return v * cls.factor
        return v

    @property
    def twice(self):
        return self.by * 2

    def __call__(me, v):
        if v.max() > 2:
            return v + me.by
        return v - me.by


def methods_of_all_kinds(x):
    tools = Tools(0.5)
    return Tools.positive(x) + Tools.scaled(x) + tools(x) * tools.twice


case(methods_of_all_kinds, X, NEGATIVE)


def recursion_over_python(x):
    def fold(v, depth):
        if depth == 0:
            return v
        if v.sum() > 0:
            v = v * 0.5
        return fold(v + depth, depth - 1)

    return fold(x, 3)


case(recursion_over_python, X, NEGATIVE)


def with_statement(x):
    with paddle.no_grad():
        scale = x.mean() * 2
        if scale > 0:
            scale = scale + 1
    with contextlib.nullcontext():
        y = x * scale
    return y


case(with_statement, X, NEGATIVE)


def f_strings_and_print(x):
    name = f"{'scale'}_{2:03d}"
    table = {"scale_002": 2.0}
    return x * table[name]


case(f_strings_and_print, X, NEGATIVE)


def numpy_on_constants(x):
    table = np.arange(3, dtype="float32") * np.float32(2)
    k = int(np.prod([2, 3]))
    return x * paddle.to_tensor(table) + k


case(numpy_on_constants, X, NEGATIVE)


def to_tensor_inside(x):
    a = paddle.to_tensor([1.0, 0.5, 2.0])
    if x.sum() > 0:
        b = paddle.to_tensor(2.0)
    else:
        b = paddle.to_tensor(-1.0)
    return x * a + b


case(to_tensor_inside, X, NEGATIVE)


def isinstance_and_len(x):
    if isinstance(x, paddle.Tensor) and not isinstance(x, (int, float)):
        x = x + 1
    return x, len([1, 2]), len(x.shape)


case(isinstance_and_len, X, NEGATIVE)


def symbolic_shape(x):
    n = x.shape[0]
    y = x.reshape([n * 2])
    z = paddle.ones([n, 1]) * n
    if n > 2:
        y = y + 1
    return y, z, x.shape[1]


case(symbolic_shape, ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],), ([[1.0, 2.0]],), specs=[[-1, 2]])


def symbolic_len_and_loop(x):
    total = paddle.zeros([2])
    for i in range(len(x)):
        total = total + x[i] * i
    b, c = x.shape
    return total, x.reshape([c, b])


case(symbolic_len_and_loop, ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],), ([[1.0, 2.0]],), specs=[[-1, 2]])


def comprehensions(x):
    rows = [x * k for k in range(3) if k != 1]
    table = {k: v.sum() for k, v in zip("ab", rows)}
    signs = [(-1.0 if r.sum() < 0 else 1.0) * r for r in rows]
    return rows[1] + table["b"] + sum(signs)


case(comprehensions, X, NEGATIVE)


def map_and_filter(x):
    parts = list(map(lambda k: x * k, [1, 2]))
    kept = list(filter(lambda k: k > 1, [1, 2, 3]))
    return parts[0] + parts[1] + len(kept)


case(map_and_filter, X, NEGATIVE)


def exceptions_of_python(x):
    try:
        scale = {"a": 1.0}["b"]
    except KeyError:
        scale = 4.0
    finally:
        x = x + 1
    return x * scale


case(exceptions_of_python, X, NEGATIVE)


def deleting(x):
    t = x * 2
    if x.sum() > 0:
        y = t + 1
        del t
    else:
        y = x
    return y


case(deleting, X, NEGATIVE)


def globals_are_read_late(x):
    return x * LATE if x.sum() > 0 else x + LATE


case(globals_are_read_late, X, NEGATIVE)


LATE = 2.5


def numbers_have_no_gradient(x):
    mean = float(x.mean())
    return x * mean + float(x.sum()) * 2


case(numbers_have_no_gradient, [[1.0, 2.0], [3.0, 4.0]])
