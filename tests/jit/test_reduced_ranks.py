"""Values that have more dimensions on one way than on another, reduced along their last dimensions: the gradients."""

import numpy as np
import proa as paddle
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:[\\s\\S]*Give it one number of dimensions in both branches")


def wider(x):
    if x.mean() > 0:
        y = x.unsqueeze(0)
    else:
        y = x * 3
    return y


def narrower(x):
    if x.mean() > 0:
        y = x.sum(0)
    else:
        y = x * 3
    return y


REDUCTIONS = {
    "sum": lambda y: y.sum(-1), "mean": lambda y: y.mean(-1), "max": lambda y: y.max(-1), "amin": lambda y: y.amin(-1),
    "logsumexp": lambda y: paddle.logsumexp(y, -1), "var": lambda y: y.var(-1), "norm": lambda y: y.norm(p=3, axis=-1)}


def over_two(x):
    return wider(x).mean([-2, -1])


def over_first_and_last(x):
    return (wider(x).unsqueeze(1) * paddle.ones([2, 1, 1])).sum([-1, -3])


def derivatives(function, values):
    x = paddle.to_tensor(values.astype("float32"), stop_gradient=False)
    y = function(x)
    (y * paddle.cos(paddle.arange(y.size, dtype="float32")).reshape(y.shape)).sum().backward()
    return y.numpy(), x.grad.numpy()


def assert_as_written(function):
    converted = paddle.jit.to_static(function, input_spec=[paddle.static.InputSpec([None, 3])], full_graph=True)
    for values in (np.sin(np.arange(12)).reshape(4, 3) + 0.7, np.sin(np.arange(6)).reshape(2, 3) - 1.7):
        for found, expected in zip(derivatives(converted, values), derivatives(function, values), strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("reduction", sorted(REDUCTIONS))
@pytest.mark.parametrize("chosen", [wider, narrower])
def test_gradients_find_the_dimension_from_the_end(reduction, chosen):
    reduced = REDUCTIONS[reduction]

    def function(x):
        return reduced(chosen(x))

    assert_as_written(function)


@pytest.mark.parametrize("function", [over_two, over_first_and_last])
def test_gradients_find_several_dimensions_from_the_end(function):
    assert_as_written(function)


def test_a_normalization_counted_from_the_front_is_an_error_where_nothing_is_left_to_normalize():
    @paddle.jit.to_static(full_graph=True, input_spec=[paddle.static.InputSpec([None, 3])])
    def function(x):
        if x.mean() > 0:
            y = x.sum(0)
        else:
            y = x * 3
        return paddle.nn.functional.layer_norm(y, 3)

    assert function(-paddle.ones([4, 3])).shape == [4, 3]
    for rows in (4, 4000):
        with pytest.raises(ValueError, match=r"a dimension behind the first 1.*shape \[3\]"):
            function(paddle.ones([rows, 3]))


@pytest.mark.parametrize("asked", [lambda y: y[..., 1], lambda y: paddle.split(y, 3, axis=-1)[0], lambda y: y.prod(),
                                   lambda y: paddle.median(y, -1), lambda y: paddle.moveaxis(y, 0, -1)])
def test_what_needs_the_number_of_dimensions_says_so(asked):
    """Where the Program was built it was the larger one; the error tells both, and what to do."""
    def function(x):
        return asked(narrower(x))

    converted = paddle.jit.to_static(function, full_graph=True)
    converted(paddle.full([3, 3], -1.0))
    told = "is 1 in this run, and was 2 [\\s\\S]*the same number"
    with pytest.raises((IndexError, ValueError, RuntimeError), match=told):
        x = paddle.ones([3, 3])
        x.stop_gradient = False
        converted(x).sum().backward()


def told_by_rank(x):
    y = wider(x)
    return y * y.ndim


def told_by_methods(x):
    y = wider(x)
    return y * y.dim() + y.ndimension()


def widened_by_rank(x):
    y = wider(x)
    if y.ndim == 2:
        y = y.unsqueeze(0)
    return y.sum(0)


def told_by_its_shape(x):
    y = wider(x)
    return y * len(y.shape) + paddle.rank(y) * narrower(x)


def sizes_from_the_end(x):
    y = narrower(x)
    return y * y.shape[-1] + y.reshape([-1, y.shape[-1]]).sum()


def chosen_by_its_shape(x):
    y = narrower(x)
    if len(y.shape) == 1:
        y = y * 2
    return y * y.shape[0]


@pytest.mark.parametrize("function", [told_by_rank, told_by_methods, widened_by_rank, told_by_its_shape,
                                      sizes_from_the_end, chosen_by_its_shape])
def test_the_number_of_dimensions_is_that_of_the_run(function):
    assert_as_written(function)


@pytest.mark.parametrize("use", [lambda y: y.shape[:-1], lambda y: y.shape == [3], lambda y: y.shape != [3],
                                 lambda y: (2, 3) == y.shape], ids=["part", "equal", "unequal", "reflected"])
def test_a_shape_of_several_lengths_is_not_taken_for_the_longest(use):
    def function(x):
        y = narrower(x)
        return y * len([1, 2] if use(y) else [1])

    with pytest.raises(RuntimeError, match="how many sizes there are is known only when"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2, 3]))


@pytest.mark.parametrize("function", [paddle.atleast_2d, paddle.atleast_3d])
def test_dimensions_are_not_added_to_a_number_that_a_tensor_decides(function):
    with pytest.raises(RuntimeError, match="adds what is missing: how many sizes there are is known only when"):
        paddle.jit.to_static(lambda x: function(narrower(x)), full_graph=True)(paddle.ones([2, 3]))
