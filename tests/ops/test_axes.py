"""Every public function with one axis: counted from the end it means the same, and out of range it is refused."""

import inspect

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from checks import as_list

X = np.random.default_rng(0).permutation(24).reshape(2, 3, 4) / 24.0 + 0.1
PLACES = np.array([1, 0])
#: What a function takes besides x and the axis.
MORE = {
    "concat": lambda: {"x": [paddle.to_tensor(X)] * 2}, "stack": lambda: {"x": [paddle.to_tensor(X)] * 2},
    "split": lambda: {"num_or_sections": 1}, "chunk": lambda: {"chunks": 1}, "kthvalue": lambda: {"k": 2},
    "quantile": lambda: {"q": 0.5}, "nanquantile": lambda: {"q": 0.5}, "topk": lambda: {"k": 2},
    "gather": lambda: {"index": paddle.to_tensor(PLACES)}, "index_select": lambda: {"index": paddle.to_tensor(PLACES)},
    "index_add": lambda: {"index": paddle.to_tensor([0]), "value": None},
    "index_fill": lambda: {"index": paddle.to_tensor(PLACES), "value": 9.0},
    "repeat_interleave": lambda: {"repeats": 2}, "roll": lambda: {"shifts": 1},
    "take_along_axis": lambda: {"indices": paddle.to_tensor(np.zeros((2, 3, 4), "int64"))},
    "put_along_axis": lambda: {"indices": paddle.to_tensor(np.zeros((2, 3, 4), "int64")), "values": 5.0},
    "renorm": lambda: {"p": 2.0, "max_norm": 1.0}, "unflatten": lambda: {"shape": [-1, 1]},
    "unfold": lambda: {"size": 2, "step": 1}, "select_scatter": lambda: {"index": 0, "values": None},
    "trapezoid": dict, "cumulative_trapezoid": dict,
}
#: Functions whose `axis` is something else, by why.
OTHERWISE = {
    "several inputs whose shapes depend on the axis: their records": {
        "index_add", "select_scatter", "diagonal_scatter", "tensordot", "maxout"},
    "the axis of the result, or the first of two": {"stack", "unsqueeze", "diagonal", "trace", "dist", "cross"},
    "an axis that must have a size of its own": {"squeeze", "glu", "gumbel_softmax", "dropout", "rrelu"},
    "an axis that must be of another kind": {"softmax_with_cross_entropy", "cross_entropy", "cosine_similarity"},
}


def _functions():
    excused = set().union(*OTHERWISE.values())
    for module in (paddle, F):
        for name in sorted(dir(module)):
            function = getattr(module, name, None)
            if name.startswith("_") or name.endswith("_") or not inspect.isfunction(function) or name in excused:
                continue
            if "axis" in inspect.signature(function).parameters:
                yield name, function


FUNCTIONS = dict(_functions())


def call(name, axis):
    function, given = FUNCTIONS[name], MORE.get(name, dict)()
    first = next(iter(inspect.signature(function).parameters))
    return as_list(function(**{first: paddle.to_tensor(X), **given, "axis": axis}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_counted_from_the_end(name):
    for axis in range(3):
        for found, expected in zip(call(name, axis - 3), call(name, axis), strict=True):
            assert found.shape == expected.shape
            np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_out_of_range(name):
    for axis in (3, -4):
        with pytest.raises((ValueError, IndexError)):
            call(name, axis)
