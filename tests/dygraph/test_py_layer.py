"""PyLayer: operations with a gradient of the user's own."""

import weakref

import numpy as np
import proa as paddle
import pytest
from proa.autograd import once_differentiable


class Cube(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x, factor=1.0):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * x * factor

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * x * x * 3.0 * ctx.factor


def test_gradient_is_the_users():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    Cube.apply(x, factor=2.0).backward()
    np.testing.assert_allclose(x.grad.numpy(), [24.0])


def test_second_order():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    [g] = paddle.grad(Cube.apply(x), x, create_graph=True)
    np.testing.assert_allclose(paddle.grad(g, x)[0].numpy(), [12.0])


def test_several_inputs_and_outputs_with_an_unused_one():
    class Two(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            return a + b, a * 2.0

        @staticmethod
        def backward(ctx, d_sum, d_double):
            return d_sum + d_double * 2.0, d_sum

    a = paddle.to_tensor([1.0], stop_gradient=False)
    b = paddle.to_tensor([1.0], stop_gradient=False)
    total, _ = Two.apply(a, b)
    total.backward()
    assert (float(a.grad), float(b.grad)) == (1.0, 1.0)


class Whole(paddle.autograd.PyLayer):
    """Whole numbers as such, with the gradient of what they stand for."""

    @staticmethod
    def forward(ctx, x):
        return (x * 4.0).round().astype("int32")

    @staticmethod
    def backward(ctx, dy):
        return dy.astype("float32") * 4.0


@pytest.mark.parametrize("converted", [False, True])
def test_whole_numbers_as_results_have_a_gradient(converted):
    """As in Paddle, unless `mark_non_differentiable` says otherwise."""
    x = paddle.to_tensor([0.3, 0.6], stop_gradient=False)
    function = lambda x: (Whole.apply(x).astype("float32") * paddle.to_tensor([2.0, 3.0])).sum()
    (paddle.jit.to_static(function, full_graph=True) if converted else function)(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [8.0, 12.0])
    assert not Whole.apply(x).stop_gradient


def test_wrong_number_and_kind_of_gradients():
    class Wrong(Cube):
        @staticmethod
        def backward(ctx, dy):
            return dy, dy

    class NoTensor(Cube):
        @staticmethod
        def backward(ctx, dy):
            return 1.0

    x = paddle.to_tensor([2.0], stop_gradient=False)
    with pytest.raises(ValueError, match="as many gradients"):
        Wrong.apply(x).backward()
    with pytest.raises(ValueError, match="Tensors or None"):
        NoTensor.apply(x).backward()


@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.parametrize("result", [None, 1, [None, 2.0]])
def test_forward_gives_a_tensor_whether_a_gradient_is_wanted_or_not(stops, result):
    class NoTensor(Cube):
        @staticmethod
        def forward(ctx, x):
            return result

    with pytest.raises(ValueError, match="NoTensor.forward must return at least one Tensor"):
        NoTensor.apply(paddle.to_tensor([2.0], stop_gradient=stops))


def test_nothing_recorded_without_need():
    assert Cube.apply(paddle.ones([1])).stop_gradient
    x = paddle.to_tensor([2.0], stop_gradient=False)
    with paddle.no_grad():
        assert Cube.apply(x).stop_gradient


def test_gradient_of_a_gradient_flows_through_a_saved_output():
    class Exp(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            y = paddle.exp(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, dy):
            return dy * ctx.saved_tensor()[0]

    x = paddle.to_tensor([0.5], stop_gradient=False)
    [first] = paddle.grad(Exp.apply(x), x, create_graph=True)
    [second] = paddle.grad(first, x)
    np.testing.assert_allclose(second.numpy(), np.exp([0.5]), rtol=1e-6)
    y = Exp.apply(x)
    kept = weakref.ref(y._edge.node)
    del y
    assert kept() is None  # what was saved does not keep the graph that it is part of


def test_gradients_of_stopped_inputs_may_be_left_out_and_lists_be_nested():
    class Product(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, pair, factor):
            return pair[0] * pair[1] * factor

        @staticmethod
        def backward(ctx, dy):
            return [dy * 2.0, dy * 3.0],

    a, b = (paddle.to_tensor([v], stop_gradient=False) for v in (1.0, 2.0))
    Product.apply([a, b], paddle.to_tensor([5.0])).backward()
    assert (float(a.grad), float(b.grad)) == (2.0, 3.0)
    with pytest.raises(ValueError, match="as many gradients"):
        Product.apply([a, b], paddle.to_tensor([5.0], stop_gradient=False)).backward()


GRADIENTS_OF_OTHER_SHAPES = [lambda dy: dy.sum(), lambda dy: dy[0], lambda dy: paddle.stack([dy, dy]),
                             lambda dy: dy.sum(0, keepdim=True), lambda dy: dy.reshape([3, 2])]


def with_backward(backward):
    class Given(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, dy):
            return backward(dy)

    return Given


@pytest.mark.parametrize("run", ["eager", "converted", "converted for unknown sizes"])
@pytest.mark.parametrize("backward", GRADIENTS_OF_OTHER_SHAPES)
def test_a_gradient_of_another_shape_is_an_error_that_says_where(run, backward):
    layer = with_backward(backward)

    def function(x):
        return layer.apply(x * 1.0)

    if run != "eager":
        spec = [paddle.static.InputSpec([None if "unknown" in run else 2, 3])]
        function = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    line = layer.backward.__code__.co_firstlineno
    given = list(backward(paddle.ones([2, 3])).shape)
    with pytest.raises(ValueError) as caught:
        function(paddle.ones([2, 3]) * paddle.create_parameter([3], "float32")).sum().backward()
    text = str(caught.value)
    if "unknown" in run and "cannot reshape" in text:  # only the run could tell
        assert "reshape_to_shape" in text and __file__ in text
    else:
        sizes = "[-1, 3]" if "unknown" in run else "[2, 3]"
        assert f'File "{__file__}", line {line}' in text and "Given.backward" in text and sizes in text
        assert "unknown" in run or f"Gradient 0 has shape {given}" in text


@pytest.mark.parametrize("given, size", [((), (1,)), ((1,), ()), ((1, 3), (3,)), ((3,), (3, 1))])
@pytest.mark.parametrize("converted", [False, True])
def test_a_gradient_takes_its_inputs_shape_where_only_dimensions_of_one_differ(given, size, converted):
    layer = with_backward(lambda dy: (dy * 3.0).reshape(given))
    function = paddle.jit.to_static(layer.apply, full_graph=True) if converted else layer.apply
    x = paddle.ones(size)
    x.stop_gradient = False
    function(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full(size, 3.0, "float32"))


@pytest.mark.parametrize("converted", [False, True])
def test_once_differentiable(converted):
    class Square(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, dy):
            (x,) = ctx.saved_tensor()
            if x.sum() > 0.0:
                return dy * 2.0 * x
            return dy * 5.0

    function = paddle.jit.to_static(Square.apply, full_graph=True) if converted else Square.apply
    for value, wanted in ((3.0, 6.0), (-3.0, 5.0)):
        x = paddle.to_tensor([value], stop_gradient=False)
        function(x).backward()
        assert x.grad.tolist() == [wanted]
    x = paddle.to_tensor([3.0], stop_gradient=False)
    (slope,) = paddle.grad(Square.apply(x), x, create_graph=True)
    assert not slope.stop_gradient and paddle.grad(slope, x, allow_unused=True) == [None]


class Tripled(paddle.autograd.PyLayer):
    """Gives back its input, whose gradient it makes three times as large."""

    @staticmethod
    def forward(ctx, x, in_place=True):
        ctx.save_for_backward(x)
        if not in_place:
            ctx.mark_not_inplace(x)
        return x

    @staticmethod
    def backward(ctx, dy):
        return dy * 3.0


@pytest.mark.parametrize("converted", [False, True])
def test_an_input_that_is_given_back_is_a_result_from_then_on(converted):
    def run(x):
        y = x * 2.0
        before = y * 7.0
        Tripled.apply(y)
        return y * 5.0 + before

    x = paddle.ones([3])
    x.stop_gradient = False
    (paddle.jit.to_static(run, full_graph=True) if converted else run)(x).sum().backward()
    assert x.grad.tolist() == [44.0] * 3


def test_what_is_given_back_is_the_input_itself_and_is_let_go():
    x = paddle.ones([3])
    x.stop_gradient = False
    y = x * 2.0
    part = y[0]
    z = Tripled.apply(y)
    assert z is y and y.inplace_version == 1
    (part + y.sum()).backward()
    assert x.grad.tolist() == [12.0, 6.0, 6.0]
    gone = weakref.ref(y)
    del y, z, part
    assert gone() is None


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 1.0])
def test_a_leaf_and_what_is_not_to_be_changed_stay_what_they_are(make):
    x = paddle.ones([3])
    x.stop_gradient = False
    y = make(x)
    z = Tripled.apply(y, y is x)
    assert z is not y
    (z + y).sum().backward()
    assert x.grad.tolist() == [4.0] * 3
