"""Every public function with one axis: counted from the end it means the same, and out of range it is refused."""

import inspect

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from checks import as_list
from proa.core.flags import flags_guard

X = np.random.default_rng(0).permutation(24).reshape(2, 3, 4) / 24.0 + 0.1
PLACES = np.array([1, 0])
#: What a function takes besides x and the axis.
MORE = {
    "concat": lambda x: {"x": [x] * 2}, "stack": lambda x: {"x": [x] * 2},
    "split": lambda x: {"num_or_sections": 1}, "chunk": lambda x: {"chunks": 1}, "kthvalue": lambda x: {"k": 2},
    "quantile": lambda x: {"q": 0.5}, "nanquantile": lambda x: {"q": 0.5}, "topk": lambda x: {"k": 2},
    "gather": lambda x: {"index": paddle.to_tensor(PLACES)},
    "index_select": lambda x: {"index": paddle.to_tensor(PLACES)},
    "index_add": lambda x: {"index": paddle.to_tensor([0]), "value": None},
    "index_fill": lambda x: {"index": paddle.to_tensor(PLACES), "value": 9.0},
    "repeat_interleave": lambda x: {"repeats": 2}, "roll": lambda x: {"shifts": 1},
    "take_along_axis": lambda x: {"indices": paddle.zeros(x.shape, "int64")},
    "put_along_axis": lambda x: {"indices": paddle.zeros(x.shape, "int64"), "values": 5.0},
    "renorm": lambda x: {"p": 2.0, "max_norm": 1.0}, "unflatten": lambda x: {"shape": [-1, 1]},
    "unfold": lambda x: {"size": 2, "step": 1}, "select_scatter": lambda x: {"index": 0, "values": None},
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


def call(name, axis, x=X):
    x, function = paddle.to_tensor(x), FUNCTIONS[name]
    given = MORE[name](x) if name in MORE else {}
    first = next(iter(inspect.signature(function).parameters))
    return as_list(function(**{first: x, **given, "axis": axis}))


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


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_out_of_range_of_large_arrays_by_generated_loops(dtype):
    """Loops are told sizes before, along and behind a dimension, and would compute with those of another."""
    large, scores = np.ones((33, 64, 33), dtype), paddle.ones([33, 64, 33])
    labels = paddle.zeros([33, 64, 1], "int64")
    calls = {**{name: lambda axis, name=name: call(name, axis, large) for name in FUNCTIONS},
             "cross_entropy": lambda axis: F.cross_entropy(scores, labels, axis=axis),
             "stack": lambda axis: paddle.stack([paddle.to_tensor(large)] * 2, axis + (1 if axis > 0 else -1)),
             "cosine_similarity": lambda axis: F.cosine_similarity(*[paddle.to_tensor(large)] * 2, axis=axis),
             "Unflatten": lambda axis: paddle.nn.Unflatten(axis, [-1, 1])(paddle.to_tensor(large))}
    taken = []
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        for name, function in calls.items():
            for axis in (3, 4, -4, -7):
                try:
                    function(axis)
                    taken.append((name, axis))
                except (ValueError, IndexError, TypeError):  # TypeError: not of integers
                    pass
    assert not taken


ALONG_AN_AXIS = {
    "cumsum": lambda x, axis: paddle.cumsum(x, axis),
    "cumprod": lambda x, axis: paddle.cumprod(x, axis),
    "logcumsumexp": lambda x, axis: paddle.logcumsumexp(x, axis),
    "cummax": lambda x, axis: paddle.cummax(x, axis)[0],
    "cummin": lambda x, axis: paddle.cummin(x, axis)[0],
    "sort": lambda x, axis: paddle.sort(x, axis),
    "topk": lambda x, axis: paddle.topk(x, 1, axis)[0],
    "kthvalue": lambda x, axis: paddle.kthvalue(x, 1, axis)[0],
    "median": lambda x, axis: paddle.median(x, axis),
    "nanmedian": lambda x, axis: paddle.nanmedian(x, axis),
    "logsumexp": lambda x, axis: paddle.logsumexp(x, axis),
    "take_along_axis": lambda x, axis: paddle.take_along_axis(x, paddle.zeros([], "int64"), axis),
}


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ALONG_AN_AXIS)
def test_a_value_without_dimensions_counts_as_one_along_an_axis(name, axis):
    x = paddle.to_tensor(0.5, stop_gradient=False)
    y = ALONG_AN_AXIS[name](x, axis)
    assert y.shape == [] and float(y) == pytest.approx(0.5)
    (slope,) = paddle.grad(y, x, create_graph=True)
    assert slope.shape == [] and float(slope) == 1.0


@pytest.mark.parametrize("name", ALONG_AN_AXIS)
def test_and_so_it_does_in_a_program(name):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [], "float32")
        x.stop_gradient = False
        y = ALONG_AN_AXIS[name](x, 0)
        (slope,) = paddle.static.gradients([y], [x])
    got = paddle.static.Executor().run(main, feed={"x": np.array(0.5, "float32")}, fetch_list=[y, slope])
    assert tuple(y.shape) == () and [part.shape for part in got] == [(), ()]
    np.testing.assert_allclose(got, [0.5, 1.0], rtol=1e-6)


def test_a_running_sum_of_a_flattened_number_is_a_row_of_one():
    assert paddle.cumsum(paddle.to_tensor(0.5)).shape == [1]


def test_a_mask_without_dimensions_has_its_gradient_in_a_program():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [], "float32")
        x.stop_gradient = False
        (slope,) = paddle.static.gradients([paddle.masked_select(x, x > 0.0)], [x])
    run = paddle.static.Executor().run
    assert [float(run(main, feed={"x": np.array(value, "float32")}, fetch_list=[slope])[0])
            for value in (0.5, -0.5)] == [1.0, 0.0]


def test_an_axis_may_be_a_tensor_of_one_element():
    x, axis = paddle.to_tensor([[1.0, 5.0], [4.0, 2.0]]), paddle.to_tensor(0)
    values, places = paddle.topk(x, 1, axis)
    assert values.tolist() == [[4.0, 5.0]] and places.tolist() == [[1, 0]]
    assert paddle.diff(x, axis=axis).tolist() == [[3.0, -3.0]]


def test_no_axis_in_a_list_is_every_axis_of_a_quantile():
    assert float(paddle.quantile(paddle.to_tensor([[0.0, 1.0], [2.0, 4.0]]), 0.5, [])) == 1.5


def test_quantiles_of_no_rows_have_their_shape():
    x = paddle.zeros([0, 3, 1, 4])
    assert paddle.quantile(x, 0.3, [2, 3]).shape == paddle.nanquantile(x, 0.3, [2, 3]).shape == [0, 3]
    assert paddle.quantile(x, 0.3, [1, 2], True).shape == [0, 1, 1, 4]
    x.stop_gradient = False
    paddle.jit.to_static(lambda x: paddle.nanmedian(x, 1), full_graph=True)(x).sum().backward()
    assert x.grad.shape == [0, 3, 1, 4]


def test_positions_in_a_column_select_as_those_in_a_row():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], stop_gradient=False)
    chosen = paddle.index_select(x, paddle.to_tensor([[2], [0]]))
    assert chosen.tolist() == [[5.0, 6.0], [1.0, 2.0]]
    chosen.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]


def test_a_choice_of_float64_without_dimensions_has_its_gradients():
    x = paddle.to_tensor(np.array(0.6), stop_gradient=False)
    y = paddle.to_tensor(np.array(0.5), stop_gradient=False)
    (paddle.where(x > 0.0, x, y) * 3.0).backward()
    assert (float(x.grad), float(y.grad)) == (3.0, 0.0)
    [gradient] = paddle.grad(paddle.nanmean(x), x)
    assert float(gradient) == 1.0


def test_axes_are_any_sequence():
    x = paddle.to_tensor(X)
    assert paddle.transpose(x, range(2, -1, -1)).shape == [4, 3, 2]
    for call in (paddle.prod, paddle.amax, paddle.logsumexp, lambda x, axes: (x > 0).all(axes), paddle.flip):
        np.testing.assert_array_equal(call(x, range(1, 3)).numpy(), call(x, [1, 2]).numpy())
    with pytest.raises(TypeError):
        paddle.prod(x, "12")


def test_no_axis_to_unsqueeze():
    x = paddle.to_tensor(X)
    assert paddle.unsqueeze(x, None).shape == x.unsqueeze(axis=None).shape == [2, 3, 4]


@pytest.mark.parametrize("axis", [[1], 1, [-1]])
def test_gradient_of_concat_along_an_axis_that_is_a_tensor(axis):
    x, y = (paddle.ones([2, size]) for size in (3, 1))
    x.stop_gradient = y.stop_gradient = False
    (paddle.concat([x, y], axis=paddle.to_tensor(axis, "int32")) * paddle.arange(4, dtype="float32")).sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 2.0]] * 2 and y.grad.tolist() == [[3.0]] * 2


def test_unstack_along_an_axis_in_a_tensor_has_a_gradient():
    x = paddle.to_tensor([[1.0, 2.0, 2.0], [3.0, 3.0, 1.0]], stop_gradient=False)
    first, second, _ = paddle.unstack(x, axis=paddle.to_tensor(1))
    (first * second).sum().backward()
    assert x.grad.tolist() == [[2.0, 1.0, 0.0], [3.0, 3.0, 0.0]]


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "prod", "std", "var", "any", "amax", "count_nonzero"])
def test_keepdim_that_is_none_is_false(reduce):
    x = paddle.ones([2, 3], "bool" if reduce == "any" else "float32")
    assert getattr(paddle, reduce)(x, axis=1, keepdim=None).shape == [2]
