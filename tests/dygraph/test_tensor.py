"""Tensor: making, reading, copying, printing, converting."""

import copy
import pickle

import numpy as np
import proa as paddle
import pytest


@pytest.mark.parametrize(("data", "dtype", "shape"), [
    (1, "int64", []), (1.5, "float32", []), (True, "bool", []), ([1, 2], "int64", [2]), ([1.0, 2], "float32", [2]),
    (1j, "complex64", []), (np.zeros((2, 3), "float64"), "float64", [2, 3]), (np.float16(1), "float16", []),
    ([[True]], "bool", [1, 1]), ([], "float32", [0]), (np.zeros(0, "int32"), "int32", [0]),
])
def test_dtype_and_shape_of_what_is_given(data, dtype, shape):
    tensor = paddle.to_tensor(data)
    assert tensor.dtype == dtype
    assert tensor.shape == shape


def test_default_dtype_decides_for_python_floats():
    paddle.set_default_dtype("float64")
    try:
        assert paddle.to_tensor(1.0).dtype == "float64"
        assert paddle.zeros([1]).dtype == "float64"
        assert paddle.to_tensor([np.float32(1), 2.0]).dtype == "float64"
        assert paddle.to_tensor([np.ones(2, "float32")]).dtype == "float64"
        assert paddle.to_tensor(np.float32(1)).dtype == "float32"
        assert paddle.to_tensor(1j).dtype == paddle.to_tensor([1.0, 2j]).dtype == "complex128"
    finally:
        paddle.set_default_dtype("float32")
    with pytest.raises(TypeError, match="floating"):
        paddle.set_default_dtype("int64")


def test_data_is_copied_in_and_out():
    source = np.ones(2, "float32")
    tensor = paddle.to_tensor(source)
    source[0] = 5
    tensor.numpy()[1] = 7
    assert tensor.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("data", ["text", [[1], [1, 2]], [object()], np.array(["a"])])
def test_what_cannot_become_a_tensor(data):
    with pytest.raises((TypeError, ValueError)):
        paddle.to_tensor(data)


def test_tensors_in_lists():
    parts = [paddle.ones([2]), paddle.zeros([2])]
    assert paddle.to_tensor(parts).shape == [2, 2]


def test_conversions_to_python():
    assert float(paddle.to_tensor([2.5])) == 2.5
    assert int(paddle.to_tensor(3)) == 3
    assert bool(paddle.to_tensor([0])) is False
    assert [10, 20, 30][paddle.to_tensor(1)] == 20
    with pytest.raises(TypeError):
        [10, 20][paddle.to_tensor(1.0)]
    with pytest.raises(ValueError, match="one element"):
        paddle.ones([2]).item()
    assert paddle.to_tensor([[1, 2]]).item(0, 1) == 2
    assert f"{paddle.to_tensor(1.23456):.2f}" == "1.23"


@pytest.mark.parametrize(("use", "says"), [
    (lambda x: 1 if x > 0 else 2, r"truth of a tensor.*shape=\[2\].*\.all\(\) or .*\.any\(\)"),
    (lambda x: x and 1, "truth of a tensor"), (lambda x: not x, "truth of a tensor"),
    (lambda x: bool(paddle.zeros([0])), r"shape=\[0\]"), (float, r"float\(x\).*x\[0\]"), (int, r"int\(x\)"),
    (lambda x: [1][x.astype("int64")], "tolist"), (lambda x: x.item(), r"item\(i\)"),
])
def test_several_elements_are_not_one(use, says):
    with pytest.raises(ValueError, match=says):
        use(paddle.to_tensor([1.0, 2.0]))


def test_len_and_iteration():
    tensor = paddle.to_tensor([[1, 2], [3, 4]])
    assert len(tensor) == 2
    assert [row.tolist() for row in tensor] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="0-d"):
        len(paddle.to_tensor(1))
    with pytest.raises(TypeError, match="0-d"):
        iter(paddle.to_tensor(1))


def test_numpy_operands_on_either_side():
    tensor, array = paddle.ones([2]), np.full(2, 3.0, "float32")
    for result in (tensor + array, array + tensor, array * tensor, tensor * np.float32(3)):
        assert isinstance(result, paddle.Tensor)
    assert (array - tensor).tolist() == [2.0, 2.0]
    np.testing.assert_allclose(np.asarray(tensor), [1, 1])
    assert np.sin(tensor.numpy()).dtype == np.float32


@pytest.mark.parametrize(("a", "b", "result"), [
    ("int32", "int64", "int64"), ("int64", "float32", "float32"), ("float32", "float64", "float64"),
    ("bool", "int64", "int64"), ("uint8", "int8", "int16"), ("float16", "float32", "float32"),
    ("float32", "complex64", "complex64"), ("float64", "complex64", "complex128"), ("bool", "float16", "float16"),
    ("float16", "bfloat16", "float32"), ("bfloat16", "float32", "float32"),
])
def test_promotion_is_symmetric(a, b, result):
    x, y = paddle.ones([1]).astype(a), paddle.ones([1]).astype(b)
    assert (x + y).dtype == result
    assert (y * x).dtype == result


@pytest.mark.parametrize(("dtype", "scalar", "result"), [
    ("float32", 2, "float32"), ("float32", 2.5, "float32"), ("int64", 2, "int64"), ("int64", 2.5, "float32"),
    ("float64", 2.5, "float64"), ("float16", 2.5, "float16"), ("int32", 2, "int32"), ("bool", 1, "int64"),
])
def test_scalars_are_weak(dtype, scalar, result):
    x = paddle.ones([2]).astype(dtype)
    assert (x + scalar).dtype == result
    assert (scalar * x).dtype == result
    assert (scalar - x).dtype == result
    np.testing.assert_allclose((scalar - x).astype("float64").numpy(), scalar - 1.0)


def test_integer_division_and_comparison():
    x = paddle.to_tensor([7, -7])
    assert (x / 2).tolist() == [3.5, -3.5]
    assert (x // 2).tolist() == [3, -4]
    assert (x % 4).tolist() == [3, 1]
    assert (x > 1.5).tolist() == [True, False]
    assert (1 < x).tolist() == [True, False]
    assert (x == 7).dtype == "bool"
    assert (2**paddle.to_tensor([1, 2])).tolist() == [2, 4]
    big = 2**53 + 1
    assert (paddle.to_tensor([0]) + big).tolist() == [big]


def test_detach_clone_and_deepcopy():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    assert x.detach().stop_gradient
    y = x.clone()
    y.backward()
    assert float(x.grad) == 1.0
    z = copy.deepcopy(x)
    assert not z.stop_gradient and z.grad is None and z is not x


def test_pickle_keeps_what_a_parameter_is():
    parameter = paddle.create_parameter([2], "float32", name="pickled")
    again = pickle.loads(pickle.dumps(parameter))
    assert type(again) is type(parameter) and again.name == "pickled" and not again.stop_gradient
    assert again.optimize_attr == {"learning_rate": 1.0}
    np.testing.assert_array_equal(again.numpy(), parameter.numpy())
    assert pickle.loads(pickle.dumps(paddle.ones([2]))).stop_gradient


@pytest.mark.parametrize(("call", "kind"), [
    (lambda: int(paddle.ones([2])), ValueError), (lambda: float(paddle.ones([2])), ValueError),
    (lambda: bool(paddle.ones([2])), ValueError), (lambda: [1][paddle.to_tensor([0, 0])], ValueError),
    (lambda: len(paddle.to_tensor(1)), TypeError), (lambda: list(paddle.to_tensor(1)), TypeError),
    (lambda: paddle.ones([1]).backward(np.ones(1)), TypeError),
], ids=["int", "float", "bool", "index", "len", "iter", "backward"])
def test_what_paddle_asserts_of_tensors(call, kind):
    for error in (AssertionError, kind):  # the first as in Paddle, the second as in Python
        with pytest.raises(error):
            call()


def test_set_value_checks_before_it_changes():
    x = paddle.ones([2])
    for kind in (ValueError, AssertionError):  # the second as in Paddle
        with pytest.raises(kind, match="shape"):
            x.set_value(np.zeros(3, "float32"))
        with pytest.raises(kind, match="dtype"):
            x.set_value(np.zeros(2, "float64"))
    assert x.tolist() == [1.0, 1.0]
    value = np.zeros(2, "float32")
    x.set_value(value)
    value[0] = 9
    assert x.tolist() == [0.0, 0.0]


def test_gradient_attribute():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    (x * 3.0).backward()
    assert x.gradient().tolist() == [3.0]
    x.clear_grad()
    assert float(x.grad) == 0.0
    x.clear_gradient(set_to_zero=False)
    assert x.grad is None
    with pytest.raises(ValueError, match="shape"):
        x.grad = paddle.ones([3])


@pytest.mark.parametrize(("tensor", "text"), [
    (lambda: paddle.to_tensor([1.0, 2.5]), "Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,\n"
                                           "       [1.        , 2.50000000])"),
    (lambda: paddle.to_tensor(3), "Tensor(shape=[], dtype=int64, place=Place(cpu), stop_gradient=True,\n       3)"),
    (lambda: paddle.to_tensor([True, False]), "Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,\n"
                                              "       [True , False])"),
    # as wide as those at the edges: six of a row, signs among them
    (lambda: paddle.to_tensor([1.0, 3.0, 16.0, -3.0]), "Tensor(shape=[4], dtype=float32, place=Place(cpu), "
     "stop_gradient=True,\n       [ 1.,  3., 16., -3.])"),
    (lambda: paddle.to_tensor([-3, 5, 15, 20, -22, 8, 6, 0]), "Tensor(shape=[8], dtype=int64, place=Place(cpu), "
     "stop_gradient=True,\n       [-3,  5, 15, 20, -22,  8,  6,  0])"),
    (lambda: paddle.full([2, 1, 9], 12345678, "int64"), "Tensor(shape=[2, 1, 9], dtype=int64, place=Place(cpu), "
     "stop_gradient=True,\n       [[[12345678, 12345678, 12345678, 12345678, 12345678, 12345678, 12345678,\n"
     "          12345678, 12345678]],\n\n"
     "        [[12345678, 12345678, 12345678, 12345678, 12345678, 12345678, 12345678,\n"
     "          12345678, 12345678]]])"),
    (lambda: paddle.linspace(-1, 1, 1001), "Tensor(shape=[1001], dtype=float32, place=Place(cpu), stop_gradient=True,\n"
     "       [-1.        , -0.99800003, -0.99599999, ...,  0.99599999,\n         0.99800003,  1.        ])"),
])
def test_repr_reads_as_paddles(tensor, text):
    assert repr(tensor()) == text


def test_errors_name_the_operator_and_what_was_received():
    with pytest.raises(ValueError, match=r"elementwise_add.*\[2\].*\[3\]"):
        paddle.ones([2]) + paddle.ones([3])
    with pytest.raises(TypeError, match="must be a Tensor"):
        paddle.matmul(paddle.ones([1]), "text")


def test_devices():
    assert paddle.get_device() == "cpu"
    assert paddle.set_device("cpu") == paddle.CPUPlace()
    assert paddle.ones([1]).cpu().place == paddle.CPUPlace()
    with pytest.raises(ValueError, match="device"):
        paddle.set_device("tpu")
    if not paddle.is_compiled_with_cuda():
        with pytest.raises(RuntimeError, match="proa\\[cuda12\\]"):
            paddle.ones([1]).cuda()


def test_data_gives_a_tensor_other_values():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert x.data is x
    y = x * x
    x.data = paddle.to_tensor([3.0, 4.0, 5.0])
    assert (x.tolist(), x.stop_gradient) == ([3.0, 4.0, 5.0], False)
    with pytest.raises(RuntimeError, match="changed in place"):
        y.sum().backward()
    with pytest.raises(TypeError, match="must be a Tensor"):
        x.data = [1.0]


def test_deep_copy_of_a_computed_tensor_is_a_leaf():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2
    twin = copy.deepcopy(y)
    assert (twin.tolist(), twin.is_leaf, twin.stop_gradient) == ([2.0, 4.0], True, False)
    twin.sum().backward()
    assert twin.grad.tolist() == [1.0, 1.0] and x.grad is None


def test_view_as_a_dtype_of_another_size():
    x = paddle.ones([2, 2])
    assert x.view("uint8").tolist() == [[0, 0, 128, 63] * 2] * 2
    assert x.view("uint8").view("float32").tolist() == x.tolist()
    assert x.t().view("int64").shape == [2, 1]
    for odd in (paddle.ones([3, 1]), paddle.ones([])):
        with pytest.raises(ValueError, match="last dimension"):
            odd.view("float64")


def test_the_gradient_by_the_name_that_scripts_print_it_by():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert x._grad_ivar() is None
    (x * x).sum().backward()
    assert x._grad_ivar().tolist() == x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("write", [
    lambda y: y.zero_(), lambda y: y.fill_(3.0), lambda y: y.uniform_(), lambda y: y.normal_(),
    lambda y: y.exponential_(), lambda y: y.cauchy_(), lambda y: y.geometric_(0.5)],
    ids="zero_ fill_ uniform_ normal_ exponential_ cauchy_ geometric_".split())
@pytest.mark.parametrize("staged", [False, True])
def test_what_is_written_over_gets_zeros_as_its_gradient(write, staged):
    def total(x):
        y = x * 2
        write(y)
        return y.sum()

    x = paddle.to_tensor([1.0, np.inf], stop_gradient=False)
    (paddle.jit.to_static(total, full_graph=True) if staged else total)(x).backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_writing_over_a_value_without_gradients_leaves_it_so():
    y = paddle.ones([2])
    assert y.zero_().stop_gradient and y.fill_(2.0).uniform_().stop_gradient


def test_a_leaf_takes_what_is_assigned_and_stays_a_leaf_unless_that_has_gradients():
    w = paddle.to_tensor([5.0, 5.0], stop_gradient=False)
    for value in (np.array([1.0, 2.0], "float32"), paddle.to_tensor([1.0, 2.0])):
        w.clear_grad()
        assert paddle.assign(value, output=w) is w
        (w * 3).sum().backward()
        assert w.tolist() == [1.0, 2.0] and w.is_leaf and w.grad.tolist() == [3.0, 3.0]
    w, x = paddle.create_parameter([2], "float32"), paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    paddle.assign(x * 2, output=w)
    (w * 3).sum().backward()
    assert w.tolist() == [2.0, 4.0] and not w.is_leaf and w.grad is None and x.grad.tolist() == [6.0, 6.0]


def test_an_assigned_constant_leaves_the_way_of_gradients_as_set_value_does():
    x = paddle.to_tensor([5.0, 5.0], stop_gradient=False)
    y = x * 2
    paddle.assign(paddle.to_tensor([1.0, 2.0]), output=y)
    (y * y).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]


def test_what_is_assigned_and_its_source_are_changed_apart():
    source = paddle.to_tensor([1.0, 2.0])
    w = paddle.create_parameter([2], "float32")
    paddle.assign(source, output=w)
    (w * w).sum().backward()
    paddle.optimizer.SGD(0.25, parameters=[w]).step()
    assert w.tolist() == [0.5, 1.0] and source.tolist() == [1.0, 2.0]
    source.zero_()
    assert w.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("error", [ValueError, RuntimeError])
def test_a_leaf_that_is_changed_in_place(error):
    """Paddle's error is a ValueError, others' a RuntimeError."""
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(error, match="no place to go"):
        x.exp_()
    with paddle.no_grad():
        assert x.zero_().tolist() == [0.0]


def test_sums_of_bytes():
    """PaddlePaddle 2.6.2's answers."""
    assert paddle.to_tensor([1.0, 2.0])._md5sum() == "057a7f5ab69cb695657046b18832c330"
    assert paddle.to_tensor([[1], [2]])._md5sum() == "ca57733a518406f3197f92ec197b0a0a"


def test_stopping_a_computed_value_makes_no_leaf_of_it():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2.0
    y.stop_gradient = True
    assert not y.is_leaf and y.detach().is_leaf and (y * 3.0).is_leaf
    y.add_(y)
    assert y.stop_gradient and not y.is_leaf
    with paddle.no_grad():
        assert (x * 2.0).is_leaf
