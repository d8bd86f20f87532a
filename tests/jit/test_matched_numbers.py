"""`match` of a number that only a run knows, against numbers: part of the Program, and as Python has it."""

import numpy as np
import proa as paddle
import pytest
from proa.static import InputSpec


def returned(x):
    match int(x.sum()):
        case 3:
            return x * 2
        case 4 | -1:
            return x * 3
        case 5 | 6.0 as n:
            return x * n
    return x


def bound(x):
    match int(x.sum()):
        case 3 | 5:
            y = x * 2
        case n:
            y = x * n
    return y


def of_a_size(x):
    match x.shape[0]:
        case 2:
            return x * 2
        case size if size > 3:
            return x * size
        case _:
            return x


def guarded(x):
    match int(x.sum()):
        case 3 if x.min() > 0:
            x = x + 1
        case 3 | 4 if x.max() > 100:
            x = x + 2
        case 3:
            x = x + 3
        case _:
            x = x + 4
    return x


def jumping(x):
    total = x.sum() * 0
    for v in x:
        match int(v):
            case 0:
                continue
            case 7:
                break
            case 1 | 2 as n:
                total = total + n * 10
            case _:
                total = total + v
    return total


def of_other_things(x):
    found = 0
    for each in (1, 1.0, True, None, "a", [1], x.shape):
        match each:
            case 1:
                found += 1
            case 2.5 | -3:
                found += 100
            case other:
                found += 10 if other is None else 20
    return x * found


def mixed(x):
    for each in (1, "a", (2, 3)):
        match each:
            case 1:
                x = x + 1
            case "a":
                x = x * 2
            case (2, n):
                x = x + n
    return x


def compared(x):
    """What Python's comparison of sizes gives is a bool, which no tensor is."""
    for each in (x.shape[0] > 2, 1 < x.shape[0] < 4, x.shape[0] in (2, 5), x.shape[0] == 3 or x.shape[0] == 2):
        match each:
            case bool():
                x = x + 1
            case _:
                x = x * 100
        x = x * 2 if isinstance(each, bool) and type(each) is bool else x - 100
        x = x * (1 - each) + each * 2 + -each
    return x


def constants(x):
    for each in (x.shape[0] > 2, x.sum() > 2, not x.sum() > 2, None, x.shape[0], 1):
        match each:
            case False | None:
                x = x + 1
            case True:
                x = x * 2
            case 3:
                x = x - 4
            case _:
                x = x + 5
    return x


def constants_after_a_turn(x):
    found = None
    for v in x:
        match found:
            case None:
                found = v
            case before:
                found = before * 2 + v
    return found


def bound_by_a_class(x):
    for each in (x.shape[0] > 2, x.shape[0], x.shape[0] / 2):
        match each:
            case bool(_):
                x = x * 2
            case int(n):
                x = x + n
            case float(n):
                x = x - n
    return x


class Pair:
    def __init__(self, first):
        self.first = first


def of_classes(x):
    for each in (int(x.sum()), float(x.sum()), x.sum() > 0, not x.sum() > 9, x.shape[0], "a", x, Pair(x), None):
        match each:
            case bool():
                x = x + 1
            case int() | str():
                x = x * 2
            case float() as number:
                x = x + number
            case paddle.Tensor():
                x = x - 3
            case Pair():
                x = x * each.first
            case _:
                x = x + 5
    return x


EXAMPLES = [[1, 2], [2, 2], [-3, 2], [2, 3], [2, 4], [4, 5], [-1, 4], [0, 3, 0], [1, 2, 0, 5, 7, 9], [0.5], [200, -197]]


@pytest.mark.parametrize("function", [returned, bound, of_a_size, guarded, jumping, of_other_things, of_classes,
                                      mixed, compared, constants, constants_after_a_turn,
                                      bound_by_a_class])
def test_as_written(function):
    converted = paddle.jit.to_static(function, input_spec=[InputSpec([None])], full_graph=True)
    for example in EXAMPLES:
        x = paddle.to_tensor(np.array(example, "float32"))
        np.testing.assert_array_equal(converted(x).numpy(), function(x).numpy())
