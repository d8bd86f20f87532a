"""Initializers that users write by Paddle's contract, and layers around what convolutions hold."""

import numpy as np
import proa as paddle
import pytest
from proa import fluid, nn, static
from proa.nn import functional as F
from proa.nn import initializer as I


class Called(I.Initializer):
    def __call__(self, var, block=None):
        inputs, outputs = self._compute_fans(var)
        I.Constant(1.0 / (inputs + outputs))(var, block)


class Forward(I.Initializer):
    def forward(self, var, block=None):
        var.set_value(np.full(var.shape, 3.0, "float32"))


class InPlace(I.Initializer):
    def forward(self, var, block=None):
        with paddle.no_grad():
            var[:] = 2.0
            return var


class OfOnes(I.Constant):
    """What it is made of says otherwise."""

    def forward(self, var, block=None):
        return I.Constant(4.0)(var, block)


class CalledOfOnes(I.Constant):
    def __call__(self, var, block=None):
        return I.Constant(5.0)(var, block)


class AsItsBase(I.Constant):
    def __call__(self, var, block=None):
        return super().__call__(var, block)


class AsItsBaseFills(I.Constant):
    def forward(self, var, block=None):
        return super().forward(var, block)


class WithValue:
    """No Initializer; what it holds is called as their method."""

    def __init__(self, value):
        self.value = value

    def __call__(self, var, block=None):
        return I.Constant(self.value)(var, block)


class Applied(I.Initializer):
    """Applies an operator to what it fills, by type and slots."""

    def __call__(self, var, block=None):
        block = block or static.default_main_program().global_block()
        return block.append_op(type="fill_constant", inputs={}, outputs={"Out": var},
                               attrs={"shape": list(var.shape), "value": 8.0, "dtype": var.dtype}, stop_gradient=True)


def filled_with_nines(var, block=None):
    I.Constant(9.0)(var, block)


@pytest.mark.parametrize("made, wanted", [
    (WithValue(1.5), 1.5), (Applied(), 8.0), (filled_with_nines, 9.0),
    (Called(), 0.125), (Forward(), 3.0), (InPlace(), 2.0), (OfOnes(1.0), 4.0), (CalledOfOnes(1.0), 5.0),
    (AsItsBase(6.0), 6.0), (AsItsBaseFills(7.0), 7.0)])
def test_a_parameter_is_filled(made, wanted):
    weight = nn.Linear(3, 5, weight_attr=paddle.ParamAttr(initializer=made)).weight
    assert weight.numpy().tolist() == np.full((3, 5), wanted, "float32").tolist()
    assert not weight.stop_gradient and weight.is_leaf
    other = nn.Linear(3, 5).weight
    made(other)
    assert other.numpy().tolist() == weight.numpy().tolist() and not other.stop_gradient and other.is_leaf
    with paddle.LazyGuard():
        lazy = nn.Linear(3, 5, weight_attr=made).weight
    lazy.initialize()
    assert lazy.numpy().tolist() == weight.numpy().tolist()


@pytest.mark.parametrize("made", [Called(), I.Constant(0.125)])
def test_in_a_program(made):
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        y = static.nn.fc(static.data("x", [None, 3]), 5, weight_attr=paddle.ParamAttr(initializer=made))
        exe.run(startup)
        found = exe.run(main, feed={"x": np.ones((1, 3), "float32")}, fetch_list=[y])[0]
    assert found.tolist() == [[0.375] * 5]


@pytest.mark.parametrize("made", [Called(), AsItsBaseFills(0.125), I.Constant(0.125), I.Assign(np.full((3, 5), 0.125))])
@pytest.mark.parametrize("of_startup", [True, False])
def test_of_a_block(made, of_startup):
    """What fills a variable stands in the block that was named, of another Program than the one being written."""
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        begun = startup.global_block()
        kept = [program.global_block().create_var(name="v", shape=[3, 5], dtype="float32", persistable=True)
                for program in ((main, startup) if of_startup else (main,))]
        made(kept[-1], begun)
        y = paddle.matmul(static.data("x", [None, 3]), kept[0])
        assert [op.type for op in main.global_block().ops] == ["matmul_v2"] and begun.var("v").persistable
        assert begun.ops[-1].output_arg_names == ["v"]
        exe.run(startup)
        assert exe.run(main, feed={"x": np.ones((1, 3), "float32")}, fetch_list=[y])[0].tolist() == [[0.375] * 5]


def test_what_defines_nothing_says_so():
    class Bare(I.Initializer):
        pass

    with pytest.raises(NotImplementedError, match=r"Bare must define value\(shape, dtype\), or forward\(var, block\)"):
        nn.Linear(1, 1, weight_attr=Bare())


class Standardized(nn.Conv2D):
    """Weight standardization, as it is written around a convolution of Paddle's."""

    def forward(self, x):
        weight = self.weight - self.weight.mean([1, 2, 3], keepdim=True)
        return F.conv2d(x, weight, self.bias, self._stride, self._updated_padding, self._dilation, self._groups,
                        self._data_format)


@pytest.mark.parametrize("padding, widths, algorithm", [  # as 2.6.2 answers
    (1, [1, 1], "EXPLICIT"), ([1, 2], [1, 2], "EXPLICIT"), ("SAME", [0, 0], "SAME"), ("valid", [0, 0], "VALID"),
    ([[0, 0], [0, 0], [1, 1], [2, 2]], [1, 2], "EXPLICIT"), ([1, 2, 3, 4], [1, 2, 3, 4], "EXPLICIT")])
def test_what_a_convolution_holds(padding, widths, algorithm):
    layer = Standardized(2, 3, 3, padding=padding)
    assert (layer._updated_padding, layer._padding_algorithm) == (widths, algorithm)
    assert not hasattr(layer, "_reversed_padding_repeated_twice")  # of other modes than zeros
    if algorithm == "EXPLICIT":
        x, centred = paddle.randn([1, 2, 6, 6]), layer.weight - layer.weight.mean([1, 2, 3], keepdim=True)
        expected = F.conv2d(x, centred, layer.bias, 1, padding)
        np.testing.assert_allclose(layer(x).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_what_is_padded_otherwise():
    layer = nn.Conv2D(2, 3, 3, padding=[1, 2], padding_mode="circular")
    assert layer._updated_padding == [0, 0] and layer._reversed_padding_repeated_twice == [2, 2, 1, 1]
    x = paddle.randn([1, 2, 6, 6])
    padded = F.pad(x, layer._reversed_padding_repeated_twice, "circular")
    expected = F.conv2d(padded, layer.weight, layer.bias, layer._stride, layer._updated_padding)
    np.testing.assert_allclose(layer(x).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.fixture
def for_all():
    """Initializers for all weights and biases, while a test runs."""
    I.set_global_initializer(I.Constant(0.5),
                                                 I.Constant(0.25))
    yield
    I.set_global_initializer(None)


def _begun(build):
    """The parameters of what `build` adds to a Program, by what each begins with; None for what differs within."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        build()
        static.Executor().run(startup)
        arrays = {p.name: np.asarray(static.global_scope().find_var(p.name).get_tensor())
                  for p in main.all_parameters()}
    return {name: float(array.flat[0]) if (array == array.flat[0]).all() else None for name, array in arrays.items()}


WEIGHT_AND_BIAS = {
    "fc": lambda: static.nn.fc(static.data("x", [2, 8]), 4),
    "conv2d": lambda: static.nn.conv2d(static.data("x", [2, 3, 8, 8]), 4, 3),
    "conv2d_transpose": lambda: static.nn.conv2d_transpose(static.data("x", [2, 3, 8, 8]), 4, filter_size=3),
    "layer_norm": lambda: static.nn.layer_norm(static.data("x", [2, 8])),
    "group_norm": lambda: static.nn.group_norm(static.data("x", [2, 4, 8, 8]), 2),
    "bilinear_tensor_product": lambda: static.nn.bilinear_tensor_product(
        static.data("x", [2, 8]), static.data("y", [2, 8]), 3),
    "fluid_fc": lambda: fluid.layers.fc(fluid.data("x", [2, 8]), 4),
    "fluid_conv2d": lambda: fluid.layers.conv2d(fluid.data("x", [2, 3, 8, 8]), 4, 3),
}


@pytest.mark.parametrize("layer", WEIGHT_AND_BIAS)
def test_initializers_for_all_are_for_the_layers_of_programs_too(for_all, layer):
    assert list(_begun(WEIGHT_AND_BIAS[layer]).values()) == [0.5, 0.25]


def test_initializers_for_all_come_before_a_default_and_behind_an_attr(for_all):
    one = I.Constant(1.0)

    def build():
        for make in (static.create_parameter, paddle.create_parameter):
            make([2, 3], "float32")
            make([3], "float32", is_bias=True)
            make([2, 3], "float32", default_initializer=one)
            make([2, 3], "float32", attr=paddle.ParamAttr(initializer=one))

    assert list(_begun(build).values()) == [0.5, 0.25, 0.5, 1.0] * 2
    assert paddle.create_parameter([2], "float32").tolist() == [0.5, 0.5]


def test_initializers_for_all_are_not_for_statistics(for_all):
    image = [2, 3, 8, 8]
    begun = _begun(lambda: static.nn.batch_norm(static.data("x", image)))
    assert list(begun.values()) == [0.5, 0.25, 0.0, 1.0]
    assert list(_begun(lambda: fluid.layers.batch_norm(fluid.data("x", image))).values()) == [0.5, 0.25, 0.0, 1.0]
    begun = _begun(lambda: static.nn.data_norm(static.data("x", [2, 8]), enable_scale_and_shift=True))
    assert sorted(begun.values()) == [0.0, 0.0, 1.0, 1e4, 1e4]
    begun = _begun(lambda: static.nn.spectral_norm(static.create_parameter([4, 5], "float32")))
    assert list(begun.values()) == [0.5, None, None]


def test_initializers_for_all_leave_a_loaded_1x_model_as_it_is(for_all, tmp_path):
    layer = paddle.nn.Linear(3, 2, weight_attr=I.Constant(2.0))
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[static.InputSpec([None, 3])])
    runner = fluid.dygraph.static_runner.StaticModelRunner(
        str(tmp_path), model_filename="m.pdmodel", params_filename="m.pdiparams")
    assert runner(paddle.ones([1, 3])).tolist() == [[6.25, 6.25]]


def test_what_is_set_for_all_parameters_is_set_for_vectors_of_the_power_method():
    I.set_global_initializer(I.Constant(0.5))
    try:
        layer = nn.SpectralNorm([3, 4])
    finally:
        I.set_global_initializer(None)
    assert layer.weight_u.tolist() == [0.5] * 3 and layer.weight_v.tolist() == [0.5] * 4
    assert nn.SpectralNorm([3, 4]).weight_u.tolist() != [0.5] * 3
