"""Truth values of Python that only a run knows, `bool(x)` and `not x`: they are bools, and count as 1 and 0."""

import numpy as np
import proa as paddle
import pytest


def counted(x):
    a, b = bool(x.sum() > 0), not x.max() > 2
    return a + b, a - b, a * b, a + 1, 3 * a, sum([a, b, a]), sum(bool(v > 0) for v in x), (x > 0) + a


def as_numbers(x):
    a = bool(x.sum() > 0)
    return x * a, x + (a + a), x * (a * 2)


def compared(x):
    a, b = bool(x.sum() > 0), bool(x.max() > 2)
    return a == b, a < b, a & b, a ^ b, a | b


def told_apart(x):
    a, c = bool(x.sum() > 0), x.sum() > 0
    kinds = isinstance(a, bool), isinstance(not c, bool), isinstance(c, bool), isinstance(a, int), type(a) is bool
    return x * sum(kind * 2**n for n, kind in enumerate(kinds))


def are_constants(x):
    a, c, d = bool(x.sum() > 0), x.sum() > 0, False
    if x.max() > 2:
        d = True
    y = x + 1 if a is True else x
    if d is not False:
        y = y * 3
    return y, y * 2 if c is True else y, x * (isinstance(d, bool) + 1), None is True


@pytest.mark.parametrize("function", [are_constants, counted, as_numbers, compared, told_apart])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_as_without_conversion(function, dtype):
    for values in ([1, 2, 3], [-1, -2, 1], [-1, -2, 8]):
        x = paddle.to_tensor(values, dtype)
        found, expected = paddle.jit.to_static(function, full_graph=True)(x), function(x)
        for one, other in zip(paddle.utils.flatten(found), paddle.utils.flatten(expected), strict=True):
            assert np.asarray(one).tolist() == np.asarray(other).tolist()
            assert np.asarray(one).dtype == np.asarray(other).dtype
