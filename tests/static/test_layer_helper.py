"""Operators that users' code applies by their types: LayerHelper in Programs, _legacy_C_ops at once."""

import numpy as np
import proa as paddle
import pytest
from proa import fluid
from proa.common_ops_import import LayerHelper, Variable, check_dtype, check_type, check_variable_and_dtype

C_ops = paddle._legacy_C_ops


@pytest.fixture
def static_mode_on(programs):
    paddle.enable_static()
    yield programs
    paddle.disable_static()


def doubled(x):
    """A layer as packages write it: one branch for each mode."""
    if paddle.in_dynamic_mode():
        return C_ops.scale(x, "scale", 2.0, "bias", 1.0, "use_cudnn", False)
    helper = LayerHelper("scale", **locals())
    check_variable_and_dtype(x, "x", ["float32", "float64"], "scale")
    out = helper.create_variable_for_type_inference(x.dtype)
    helper.append_op(type="scale", inputs={"X": x}, outputs={"Out": [out]}, attrs={"scale": 2.0, "bias": 1.0,
                                                                                  "use_cudnn": False})
    return out


def test_a_layer_of_two_branches():
    x = paddle.randn([2, 3])
    expected = x.numpy() * 2 + 1
    np.testing.assert_allclose(doubled(x).numpy(), expected, rtol=1e-6)
    static = paddle.jit.to_static(lambda x: doubled(x).tanh(), full_graph=True)
    x.stop_gradient = False
    out = static(x)
    np.testing.assert_allclose(out.numpy(), np.tanh(expected), rtol=1e-5, atol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * (1 - np.tanh(expected) ** 2), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("helper_class", [LayerHelper, fluid.layer_helper.LayerHelper])
def test_a_dtype_by_its_number_in_files(static_mode_on, helper_class):
    helper = helper_class("full")
    out = helper.create_variable_for_type_inference("int64")
    helper.append_op(type="fill_constant", outputs={"Out": [out]}, attrs={"shape": (2,), "value": 3.0, "dtype": 3})
    [found] = paddle.static.Executor().run(static_mode_on[0], fetch_list=[out])
    assert found.tolist() == [3, 3] and found.dtype == np.int64


def test_several_results_and_inputs(static_mode_on):
    program, _ = static_mode_on
    x = paddle.static.data("x", [3, 4])
    helper = LayerHelper("sorting")
    out, index = (helper.create_variable_for_type_inference(d) for d in ("float32", "int64"))
    helper.append_op("argsort", {"X": [x]}, {"Out": out, "Indices": index}, {"axis": 1}, stop_gradient=True)
    weight = helper.create_parameter(paddle.ParamAttr(name="w"), [4, 2], "float32")
    both = helper.create_variable_for_type_inference("float32")
    helper.append_op("concat", {"X": [x, out]}, {"Out": both}, {"axis": 0})
    assert out.stop_gradient and both.shape == (6, 4) and weight.shape == (4, 2)
    given = np.random.RandomState(0).rand(3, 4).astype("float32")
    found = paddle.static.Executor().run(program, {"x": given}, [out, index, both])
    np.testing.assert_array_equal(found[0], np.sort(given, 1))
    np.testing.assert_array_equal(found[1], np.argsort(given, 1))
    np.testing.assert_array_equal(found[2], np.concatenate([given, found[0]]))


def test_results_of_files_alone_are_none():
    out, shape = C_ops.reshape2(paddle.ones([2, 3]), None, None, "shape", [3, 2])
    assert out.shape == [3, 2] and shape is None
    out, index = C_ops.argsort(paddle.to_tensor([2.0, 1.0]), "axis", 0, "descending", False)
    assert out.tolist() == [1, 2] and index.tolist() == [1, 0]


def test_what_is_refused(static_mode_on):
    with pytest.raises(AttributeError, match="no operator"):
        C_ops.no_such_thing
    with pytest.raises(TypeError, match="takes the inputs"):
        C_ops.scale(1, 2, 3, 4)
    with pytest.raises(TypeError, match=r"argsort has the attributes .*'axes'"):
        C_ops.argsort(paddle.ones([2]), "axes", 0, "use_cudnn", False)
    x = paddle.static.data("refused", [1])
    with pytest.raises(TypeError, match="Received .'factor'"):
        LayerHelper("f").append_op("scale", {"X": x}, {}, {"factor": 2.0, "op_device": "cpu"})
    with pytest.raises(ValueError, match="Y"):
        LayerHelper("f").append_op("relu", {"Y": x}, {})
    helper = LayerHelper("f")
    two = [helper.create_variable_for_type_inference("float32") for _ in range(2)]
    with pytest.raises(ValueError, match="'Out' has 1 results. Received 2"):
        helper.append_op("relu", {"X": x}, {"Out": two})
    with pytest.raises(TypeError, match=r"f\(x\): must be Variable"):
        check_type(1, "x", Variable, "f")
    with pytest.raises(TypeError, match="int64"):
        check_dtype("float32", "x", ["int64"], "f")
    with pytest.raises(TypeError, match="float32"):
        check_variable_and_dtype(x, "x", ["int32"], "f")


def test_nothing_is_checked_in_dynamic_mode():
    check_type(1, "x", Variable, "f")


def biased_tanh(x, weight):
    helper = LayerHelper("mine", act="tanh", bias_attr=paddle.nn.initializer.Constant(0.5))
    out = helper.create_variable_for_type_inference("float32")
    helper.append_op(type="mul", inputs={"X": x, "Y": weight}, outputs={"Out": out}, attrs={"x_num_col_dims": 1})
    return helper.append_activation(helper.append_bias_op(out))


def test_operators_are_computed_at_once_in_eager_code():
    """As in Paddle: the helper's variables are Tensors, and gradients flow."""
    x, weight = paddle.randn([3, 2]), paddle.create_parameter([2, 4], "float32")
    out = biased_tanh(x, weight)
    expected = np.tanh(x.numpy() @ weight.numpy() + 0.5)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5)
    out.sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), x.numpy().T @ (1 - expected ** 2), rtol=1e-4, atol=1e-6)


def test_operators_of_tensors_are_computed_at_once_within_program_guard():
    """So layers flatten their weights once, under a guard of the startup Program."""
    x, y = paddle.ones([2]), paddle.full([3], 2.0)
    flat, helper = paddle.zeros([5]), LayerHelper("rnn")
    startup = paddle.static.Program()
    with paddle.static.program_guard(startup, startup):
        helper.append_op(type="coalesce_tensor", inputs={"Input": [x, y]},
                         outputs={"Output": [x, y], "FusedOutput": [flat]},
                         attrs={"copy_data": True, "use_align": False, "dtype": x.dtype})
    assert flat.tolist() == [1.0, 1.0, 2.0, 2.0, 2.0] and not startup.global_block().ops


class Products(paddle.nn.Layer):
    """A layer as they were written for the first dynamic modes."""

    def __init__(self):
        super().__init__()
        self.weight = self._helper.create_parameter(paddle.ParamAttr(), [2, 2], self._helper.get_default_dtype())

    def forward(self, x):
        out = self._helper.create_variable_for_type_inference("float32")
        self._helper.append_op(type="mul", inputs={"X": x, "Y": self.weight}, outputs={"Out": out})
        return self._helper.append_activation(out, act="tanh")


def test_a_layer_s_own_helper():
    layer, x = Products(), paddle.randn([3, 2])
    expected = np.tanh(x.numpy() @ layer.weight.numpy())
    assert layer.weight.name.startswith(layer.full_name() + ".w_")
    out = layer(x)
    out.sum().backward()
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(layer.weight.grad.numpy(), x.numpy().T @ (1 - expected ** 2), rtol=1e-4, atol=1e-6)
    static = paddle.jit.to_static(layer, full_graph=True)
    np.testing.assert_allclose(static(x).numpy(), expected, rtol=1e-5)


def test_bias_and_activation_in_a_program(static_mode_on):
    x = np.random.rand(3, 2).astype("float32")
    out = biased_tanh(paddle.static.data("x", [-1, 2]), paddle.assign(np.ones((2, 4), "float32")))
    exe = paddle.static.Executor()
    exe.run(static_mode_on[1])
    [found] = exe.run(static_mode_on[0], feed={"x": x}, fetch_list=[out])
    np.testing.assert_allclose(found, np.tanh(x.sum(1, keepdims=True) + np.full(4, 0.5)), rtol=1e-5)


def test_a_layer_s_inputs_as_packages_ask_for_them(static_mode_on):
    with paddle.static.program_guard(paddle.static.Program()):
        x, y = (paddle.static.data(name, [2], dtype) for name, dtype in (("x", "float32"), ("y", "int64")))
        helper = LayerHelper("mine", input=x, both=[x, y], param_attr="w", bias_attr=False)
        assert helper.input() is x and helper.multiple_input("both") == [x, y] and helper.multiple_input("none") == []
        assert helper.input_dtype() == paddle.float32 and helper.input_dtype("none") is None
        assert helper.param_attr.name == "w" and helper.bias_attr is False
        with pytest.raises(ValueError, match="one dtype"):
            helper.input_dtype("both")
        with pytest.raises(ValueError, match="takes one. Received 2"):
            helper.input("both")
