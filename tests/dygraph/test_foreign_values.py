"""Tensors among values that are none: NumPy's arrays and functions, Python's protocols, other libraries' memory."""

import ctypes
import math

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa import nn, static
from proa.utils import dlpack


def _eye(dtype="float32"):
    return np.eye(2, dtype=dtype)


def test_the_product_with_an_array():
    t = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    assert (t @ _eye()).tolist() == (_eye() @ t).tolist() == t.tolist()
    assert type(_eye() @ t) is paddle.Tensor
    (t @ np.array([[1.0], [2.0]], "float32")).sum().backward()
    assert t.grad.tolist() == [[1.0, 2.0], [1.0, 2.0]]


@pytest.mark.parametrize("layer, shape", [
    (nn.Linear(2, 3), [1, 2]), (nn.Conv2D(1, 1, 1), [1, 1, 2, 2]), (nn.ReLU(), [2]), (nn.LayerNorm(2), [1, 2]),
    (nn.Sequential(nn.Linear(2, 3), nn.ReLU()), [1, 2]), (nn.BatchNorm1D(2), [3, 2]), (nn.LSTM(2, 3), [1, 4, 2]),
    (nn.MaxPool2D(2), [1, 1, 4, 4]), (nn.Softmax(), [2]), (nn.Dropout(0.0), [2]), (nn.Flatten(), [1, 2, 2])])
def test_layers_take_arrays(layer, shape):
    x = np.linspace(-1, 1, math.prod(shape), dtype="float32").reshape(shape)
    found, wanted = layer(x), layer(paddle.to_tensor(x))
    if isinstance(found, tuple):
        found, wanted = found[0], wanted[0]
    np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_arrays_where_an_operator_takes_tensors():
    assert nn.Embedding(5, 3)(np.array([1, 2])).shape == [2, 3]
    assert float(nn.MSELoss()(np.ones([2], "float32"), paddle.zeros([2]))) == 1.0
    assert paddle.concat([np.ones([2], "float32"), paddle.zeros([1])]).tolist() == [1.0, 1.0, 0.0]
    assert F.relu(np.array([-1.0, 1.0], "float32")).tolist() == [0.0, 1.0]
    with pytest.raises(TypeError, match="dtype object cannot become a Tensor"):
        F.relu(np.array([None]))


def test_arrays_in_programs_and_converted_functions():
    layer = nn.Linear(2, 3)
    x = np.ones([1, 2], "float32")
    converted = paddle.jit.to_static(lambda t: layer(t) @ np.ones([3, 1], "float32"))
    wanted = layer(x) @ np.ones([3, 1], "float32")
    np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted.numpy(), rtol=1e-6)
    program = static.Program()
    with static.program_guard(program):
        given = static.data("x", [2, 2])
        with pytest.raises(TypeError, match="relu: the input X must be a Variable"):
            F.relu(-_eye())  # what a run is given belongs into its feed
        out = given @ paddle.to_tensor(_eye()) + F.relu(paddle.to_tensor(-_eye()))
    with static.scope_guard(static.Scope()):
        assert static.Executor().run(program, {"x": _eye() * 3}, [out])[0].tolist() == [[3.0, 0.0], [0.0, 3.0]]


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "std", "var", "prod", "any", "all", "amax", "amin"])
def test_reductions_of_numpy(name):
    function, t = getattr(np, name), paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]], stop_gradient=False)
    for options in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}):
        found = function(t, **options)
        np.testing.assert_array_equal(found, function(t.numpy(), **options))
        assert not isinstance(found, paddle.Tensor)
    out = np.empty(2, t.numpy().dtype if name not in ("any", "all") else bool)
    function(t, axis=0, out=out)
    np.testing.assert_array_equal(out, function(t.numpy(), axis=0))


def test_other_functions_of_numpy():
    t = paddle.to_tensor([[3.0, 1.0]])
    assert np.squeeze(t).shape == [2]  # the Tensor's own method, as in Paddle
    assert np.concatenate([t, t.numpy()]).shape == (2, 2)
    assert np.allclose(t, [[3.0, 1.0]]) and np.sort(t).tolist() == [[1.0, 3.0]]


def test_rounding_and_division_protocols():
    t = paddle.to_tensor([1.26, -2.34])
    assert round(t).tolist() == [1.0, -2.0]
    np.testing.assert_allclose(round(t, 1).numpy(), [1.3, -2.3], rtol=1e-6)
    assert round(paddle.to_tensor(2)).dtype == paddle.int64
    assert math.trunc(paddle.to_tensor(-1.6)) == -1 and math.floor(paddle.to_tensor(-1.6)) == -2
    assert [v.item() for v in divmod(paddle.to_tensor(7), 2)] == [3, 1]
    assert [v.item() for v in divmod(7, paddle.to_tensor(2))] == [3, 1]


def test_rounding_to_decimals():
    """As Python rounds: halves to the even digit, floats that are the nearest ones, integers that stay integers."""
    doubles = [0.125, 0.375, -0.125, 330.0049, 3.3, float("inf")]
    assert round(paddle.to_tensor(doubles, "float64"), 2).tolist() == [round(n, 2) for n in doubles]
    singles = paddle.to_tensor([3.295, 2.675, 1.005, 12345.675])
    np.testing.assert_array_equal(round(singles, 2).numpy(), np.float32([round(n, 2) for n in singles.tolist()]))
    whole = [15, 25, -15, -25, 1234]
    for digits in (-2, -1, 0, 1):
        assert round(paddle.to_tensor(whole), digits).tolist() == [round(n, digits) for n in whole]


def test_formats():
    assert f"{paddle.to_tensor(1.25):.1f} {paddle.to_tensor([1.25]):.3f} {paddle.to_tensor([[3]]):4d}" == (
        "1.2 1.250    3")
    assert f"{paddle.to_tensor([[1.0, 2.5]]):.2f}" == "[[1.00, 2.50]]"
    assert f"{paddle.to_tensor([1.0])}" == str(paddle.to_tensor([1.0]))


def test_what_is_no_tensor_is_told_of():
    with pytest.raises(TypeError, match=r"exp: must be given a Tensor. Received float 1.0"):
        paddle.exp(1.0)
    with pytest.raises(TypeError, match=r"elementwise_max: the input X must be a Tensor. Received float"):
        paddle.maximum(2.0, paddle.ones([2]))
    with pytest.raises(TypeError, match=r"tanh_\(x\): x must be a Tensor"):
        paddle.tanh_(1.0)


def test_other_packages_know_the_class_by_its_name():
    assert str(paddle.Tensor) == "<class 'paddle.Tensor'>"
    assert "paddle" in str(type(nn.Linear(1, 1).weight))

    class Mine(paddle.Tensor):
        pass

    assert "Mine" in str(Mine) and "paddle.Tensor" not in str(Mine)


def test_a_dtype_is_a_number_too():
    assert [int(dtype) for dtype in (paddle.bool, paddle.float32, paddle.int64)] == [0, 5, 3]
    assert paddle.bfloat16.value == 22


def test_places_by_the_module_of_devices():
    assert paddle.device.core is paddle.base.core and paddle.device.core.Place is paddle.base.core.Place
    assert paddle.device.framework.Parameter is paddle.base.framework.Parameter
    with pytest.raises(AttributeError, match="no attribute 'cores'"):
        _ = paddle.device.cores


def test_methods_by_the_names_of_python_2():
    x = paddle.to_tensor([2.0, 4.0])
    assert x.__div__(2.0).tolist() == [1.0, 2.0] and x.__rdiv__(4.0).tolist() == [2.0, 1.0]
    assert x[0].__nonzero__() and x[1].__long__() == 4


def test_methods_that_look_after_memory():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], stop_gradient=False)
    copied = x._copy_to(paddle.CPUPlace(), True)
    assert copied.name == x.name and copied.stop_gradient and copied.tolist() == x.tolist() and x._numel() == 6
    copied[0] = 9.0
    assert x.tolist()[0] == [1.0, 2.0]
    rows = x._slice(1, 3)
    rows[0] = 0.0
    assert rows.stop_gradient and rows.shape == [2, 2] and x.tolist() == [[1.0, 2.0], [0.0, 0.0], [5.0, 6.0]]
    assert x._grad_name() == "" and x._grad_value() is None
    (x * x).sum().backward()
    assert x._grad_name() == x.grad.name and x._grad_value().tolist() == x.grad.tolist()
    x._zero_grads()
    assert x.grad.tolist() == [[0.0, 0.0]] * 3
    x._copy_gradient_from(paddle.full([3, 2], 7.0))
    assert x.grad.tolist() == [[7.0, 7.0]] * 3
    weight = nn.Linear(1, 1).weight
    weight._set_grad_ivar(paddle.to_tensor([[3.0]]))
    assert weight.grad.tolist() == [[3.0]]
    versions = x._inplace_version(), copied.add_(copied)._inplace_version()
    assert versions == (x.inplace_version, copied.inplace_version)
    copied._clear()
    assert copied._numel() == 0


def test_a_curve_of_tensors(tmp_path):
    writer = pytest.importorskip("tensorboardX").SummaryWriter(str(tmp_path), write_to_disk=False)
    writer.add_scalar("loss", paddle.to_tensor(0.5), 0)
    writer.add_scalar("loss", paddle.to_tensor([0.5]), 1)
    writer.add_histogram("weights", nn.Linear(3, 3).weight, 1)
    writer.close()


def test_memory_is_shared_both_ways():
    t = paddle.to_tensor([1.0, 2.0])
    array = np.from_dlpack(t)
    assert array.tolist() == [1.0, 2.0] and array.ctypes.data == t.data_ptr()
    assert t.__dlpack_device__() == (1, 0)
    source = np.arange(3)
    for given in (source, source.__dlpack__()):
        shared = dlpack.from_dlpack(given)
        assert shared.tolist() == [0, 1, 2] and shared.data_ptr() == source.ctypes.data
    assert dlpack.from_dlpack(paddle.ones([2])).tolist() == [1.0, 1.0]


def test_a_capsule_is_taken_once():
    capsule = np.arange(3).__dlpack__()
    assert dlpack.from_dlpack(capsule).shape == [3]
    with pytest.raises(ValueError, match="can be taken once"):
        dlpack.from_dlpack(capsule)
    with pytest.raises(TypeError, match="Received list"):
        dlpack.from_dlpack([1])


def test_a_step_leaves_what_was_shared(monkeypatch):
    layer = nn.Linear(2, 2)
    shared = np.from_dlpack(layer.weight)
    before = shared.copy()
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    layer(np.ones([1, 2], "float32")).sum().backward()
    optimizer.step()
    np.testing.assert_array_equal(shared, before)
    assert ctypes.c_void_p(layer.weight.data_ptr()).value != shared.ctypes.data


def test_memory_shared_with_torch():
    torch = pytest.importorskip("torch")
    t = paddle.to_tensor([1.0, 2.0])
    assert torch.from_dlpack(t).tolist() == torch.utils.dlpack.from_dlpack(dlpack.to_dlpack(t)).tolist() == [1.0, 2.0]
    assert torch.from_dlpack(t).data_ptr() == t.data_ptr()
    given = torch.arange(3)
    for form in (given, torch.utils.dlpack.to_dlpack(given)):
        assert dlpack.from_dlpack(form).data_ptr() == given.data_ptr()
