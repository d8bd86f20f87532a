"""Numbers for axes, sizes and repeats as one-element tensors, NumPy scalars and arrays; labels of odd shapes."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa import nn

X = paddle.arange(6, dtype="float32").reshape([2, 3])


def number(n, dtype="int64"):
    return paddle.to_tensor(n, dtype)


@pytest.mark.parametrize("call, wanted", [
    (lambda: paddle.zeros(number(2)), [2]), (lambda: paddle.ones(number(2)), [2]),
    (lambda: paddle.full(number(2), 1.0), [2]), (lambda: paddle.rand(number(2)), [2]),
    (lambda: paddle.empty(number(2)), [2]), (lambda: paddle.unsqueeze(X, number(0)), [1, 2, 3]),
    (lambda: paddle.stack([X, X], number(1)), [2, 2, 3]), (lambda: paddle.transpose(X, np.array([1, 0])), [3, 2]),
    (lambda: paddle.sum(X, np.array([0, 1])), []), (lambda: paddle.max(X, np.array([1])), [2]),
    (lambda: F.adaptive_avg_pool2d(paddle.ones([1, 1, 4, 4]), number([2, 3])), [1, 1, 2, 3]),
    (lambda: F.adaptive_avg_pool2d(paddle.ones([1, 1, 4, 4]), np.int64(2)), [1, 1, 2, 2]),
    (lambda: paddle.tensordot(X, X.t(), number([[1], [0]])), [2, 2]),
    (lambda: paddle.tensordot(X, X.t(), [number([1]), number([0])]), [2, 2]),
    (lambda: paddle.tensordot(X, X.t(), number(1)), [2, 2]),
    (lambda: paddle.linalg.matrix_power(paddle.eye(2), np.int64(2)), [2, 2]),
    (lambda: F.layer_norm(X, np.int64(3)), [2, 3]), (lambda: nn.LayerNorm(np.int64(3))(X), [2, 3]),
    (lambda: F.conv2d_transpose(paddle.ones([1, 1, 4, 4]), paddle.ones([1, 1, 2, 2]), stride=2,
                                output_size=np.int64(9)), [1, 1, 9, 9]),
    (lambda: paddle.bincount(number([1, 2]), minlength=number([4])), [4]), (lambda: paddle.arange(number([3])), [3]),
    (lambda: paddle.cumsum(X, number([1])), [2, 3]), (lambda: paddle.argmax(X, number([1])), [2]),
    (lambda: paddle.flatten(X, number(0), np.int64(1)), [6]),
    (lambda: F.pad(X[None], np.array([1, 1]), data_format="NCL"), [1, 2, 5]),
])
def test_sizes_and_axes(call, wanted):
    assert call().shape == wanted


@pytest.mark.parametrize("call", [
    lambda x: paddle.cross(x, x * x, number(-1)), lambda x: paddle.logit(x, number(0.25, "float32")),
    lambda x: paddle.triu(x, number(1)), lambda x: paddle.tril(x, np.float64(1.0)),
    lambda x: paddle.cumulative_trapezoid(x, axis=number(-1)), lambda x: paddle.trapezoid(x, axis=number([0])),
    lambda x: paddle.renorm(x, number(2), number(0), np.float32(0.5)), lambda x: paddle.norm(x, np.float32(3)),
    lambda x: paddle.linalg.norm(x, np.int64(3), axis=[0, 1]),
])
def test_gradients_with_numbers_as_tensors(call):
    x = paddle.to_tensor([[0.1, 0.4, 0.7], [0.8, 0.3, 0.6]], stop_gradient=False)
    call(x).sum().backward()
    assert x.grad.isfinite().all().item()


@pytest.mark.parametrize("function", [paddle.tril, paddle.triu])
@pytest.mark.parametrize("diagonal", [0.5, np.float64(0.5), np.float32(1.5)])
def test_a_diagonal_between_two_is_none(function, diagonal):
    with pytest.raises(ValueError, match="whole"):
        function(paddle.ones([2, 2]), diagonal)


def test_tolerances_as_tensors():
    x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.1, 2.1])
    assert paddle.allclose(x, y, atol=number(0.5, "float64")).item()
    assert paddle.isclose(x, y, rtol=number(0.06, "float64")).tolist() == [False, True]


@pytest.mark.parametrize("p, wanted", [(2, [2.466486, 3.565098]), (2.0, [2.466486, 3.565098]),
                                       (1.5, [2.637254, 3.815909])])
def test_a_dimension_of_multigammaln(p, wanted):
    np.testing.assert_allclose(paddle.multigammaln(paddle.to_tensor([3.5, 4.0]), p).numpy(), wanted, 1e-5)


def test_a_single_number():
    paddle.seed(1)
    x = paddle.to_tensor(2.0)
    assert F.alpha_dropout(x).shape == []
    assert F.gumbel_softmax(x, hard=True).tolist() == 1.0


def test_class_numbers_in_a_column():
    x = F.log_softmax(paddle.to_tensor([[1.0, 2.0], [3.0, 1.0]]))
    flat, column = paddle.to_tensor([0, 1]), paddle.to_tensor([[0], [1]])
    for reduction in ("mean", "sum", "none"):
        np.testing.assert_array_equal(F.nll_loss(x, column, reduction=reduction).numpy(),
                                      F.nll_loss(x, flat, reduction=reduction).numpy())
    assert nn.NLLLoss()(x, column.astype("int32")).shape == []
    with pytest.raises(ValueError, match="nll_loss"):
        F.nll_loss(x, paddle.zeros([2, 2], "int64"))


def test_values_of_another_shape_with_as_many_elements():
    for value in (np.arange(6.0), [0, 1, 2, 3, 4, 5], X.reshape([3, 2])):
        layer = nn.Linear(2, 3, weight_attr=nn.initializer.Assign(value))
        assert layer.weight.tolist() == X.tolist()


def test_values_of_another_number_of_elements_give_a_new_parameter_their_shape():
    """As Paddle does, and paddleclip's positional embedding counts on it."""
    for value in (np.ones((5, 3), "float32"), [[1, 1, 1]] * 5, paddle.ones([5, 3])):
        with pytest.warns(UserWarning, match=r"\[5, 3\]: the parameter has the value's"):
            p = nn.Layer().create_parameter([3], default_initializer=nn.initializer.Assign(value))
        assert p.shape == [5, 3] and type(p) is paddle.base.framework.EagerParamBase
        (p * paddle.ones([3])).sum().backward()
        assert p.grad.shape == [5, 3]
    weight = nn.Linear(2, 3).weight
    with pytest.raises(ValueError, match=r"has the shape \[5\].*has \[2, 3\]"), pytest.warns(UserWarning):
        nn.initializer.Assign(np.ones(5))(weight)
    assert weight.shape == [2, 3]


def test_values_of_another_number_of_elements_in_a_program():
    main, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    with paddle.static.program_guard(main, startup), pytest.warns(UserWarning, match="the parameter has the value's"):
        p = paddle.static.create_parameter([3], "float32", default_initializer=nn.initializer.Assign(np.ones((2, 3))))
        y = p + 1.0
    paddle.disable_static()
    assert p.shape == (2, 3) and y.shape == (2, 3)
    with paddle.static.scope_guard(paddle.static.Scope()):
        executor = paddle.static.Executor()
        executor.run(startup)
        assert executor.run(main, fetch_list=[y])[0].tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize("name, options", [
    ("reshape_", {"shape": [3, 2]}), ("tanh_", {}), ("squeeze_", {"axis": 0}), ("unsqueeze_", {"axis": 0}),
    ("sin_", {}), ("cast_", {"dtype": "int32"}), ("tril_", {}), ("transpose_", {"perm": [1, 0]}),
    ("logical_not_", {}), ("pow_", {"y": 2}),
    ("scatter_", {"index": number([1]), "updates": paddle.ones([1, 3])}), ("multiply_", {"y": X}),
    ("masked_fill_", {"mask": X > 2, "value": 9.0})])
def test_forms_in_place_by_keyword(name, options):
    plain = getattr(paddle, name[:-1])(X, **options)
    x = X.clone()
    assert getattr(paddle, name)(x=x, **options) is x
    np.testing.assert_array_equal(x.numpy(), plain.numpy())


def test_forms_in_place_that_are_methods_only():
    x = X.clone() / 8
    paddle.Tensor.erfinv_(x=x)
    paddle.Tensor.lerp_(x=x, y=x * 2, weight=0.5)
    np.testing.assert_allclose(x.numpy(), 1.5 * paddle.erfinv(X / 8).numpy(), rtol=1e-6)
    x = paddle.ones([2, 2])
    assert paddle.t_(input=x) is x
    with pytest.raises(TypeError, match="Received nothing"):
        paddle.tanh_()


def test_a_layer_norm_of_one_dimension_has_one_in_front_in_files():
    x = paddle.static.InputSpec([4], "float32")
    static = paddle.jit.to_static(nn.LayerNorm(4), input_spec=[x], full_graph=True)
    (op,) = [op for op in static.forward.main_program.global_block().ops if op.type == "layer_norm"]
    assert op.attr("begin_norm_axis") == 1
    assert static(paddle.ones([4])).shape == [4]
