"""`fluid.contrib.slim.quantization`: training with whole numbers, by samples, of weights alone; numbers by formula.

PaddlePaddle 1.8.5 gives the same for the Programs of `test_trained_and_frozen` and `test_by_samples`.
"""

import os

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid.contrib.slim.quantization import (
    PostTrainingQuantization,
    QuantizationFreezePass,
    QuantizationTransformPass,
    WeightQuantization,
)

X = np.array([[0.1, -0.5, 0.9], [0.4, 0.25, -0.3]], "float32")
W = np.array([[0.5, -0.25], [1.0, 0.125], [-0.75, 0.3]], "float32")
PLACE = fluid.CPUPlace()


@pytest.fixture(autouse=True)
def fresh():
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()), \
            fluid.unique_name.guard():
        yield


def rounded(values, scale):
    return np.round(values / scale * 127) * scale / 127


def network():
    """x @ W, its Executor, and the result."""
    x = fluid.data("x", [None, 3])
    given = fluid.ParamAttr("w", fluid.initializer.NumpyArrayInitializer(W))
    y = fluid.layers.fc(x, 2, bias_attr=False, param_attr=given)
    exe = fluid.Executor(PLACE)
    exe.run(fluid.default_startup_program())
    return exe, y


def graph_of(program, for_test=False):
    return fluid.framework.IrGraph(fluid.core.Graph(program.desc), for_test=for_test)


def test_trained_and_frozen():
    exe, y = network()
    test = graph_of(fluid.default_main_program().clone(for_test=True), for_test=True)
    fluid.optimizer.SGD(0.0).minimize(fluid.layers.mean(y))
    exe.run(fluid.default_startup_program())
    main = graph_of(fluid.default_main_program())
    for graph in (main, test):
        QuantizationTransformPass(fluid.global_scope(), PLACE).apply(graph)
    expected = rounded(X, 0.9) @ rounded(W, 1.0)
    [got] = exe.run(fluid.CompiledProgram(main.graph), feed={"x": X}, fetch_list=[y.name])
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    QuantizationFreezePass(fluid.global_scope(), PLACE, 8, 8, "abs_max").apply(test)
    frozen = test.to_program()
    assert [op.type for op in frozen.global_block().ops] == [
        "fake_quantize_abs_max", "mul", "fake_dequantize_max_abs"]
    [got] = exe.run(frozen, feed={"x": X}, fetch_list=frozen.global_block().ops[-1].output("Out"))
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def saved(folder):
    exe, y = network()
    fluid.io.save_inference_model(str(folder), ["x"], [y], exe, model_filename="__model__",
                                  params_filename="__params__")
    return exe


@pytest.mark.parametrize("given", [
    {"sample_generator": lambda: ((row,) for row in X), "batch_size": 2}, {"batch_generator": lambda: iter([[X]])},
    {"sample_generator": lambda: ((row,) for row in X), "batch_size": 1, "batch_nums": 2},
    {"sample_generator": lambda: iter(X), "batch_size": 3}], ids=["samples", "batches", "two", "arrays"])
def test_by_samples(tmp_path, given):
    exe = saved(tmp_path / "model")
    quantizer = PostTrainingQuantization(
        executor=exe, scope=fluid.global_scope(), model_dir=str(tmp_path / "model"), model_filename="__model__",
        params_filename="__params__", algo="abs_max", weight_quantize_type="abs_max", **given)
    quantizer.quantize()
    quantizer.save_quantized_model(str(tmp_path / "whole"), "__model__", "__params__")
    assert sorted(os.listdir(tmp_path / "whole")) == ["__model__", "__params__"]
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "whole"), exe, "__model__", "__params__")
    [got] = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)
    np.testing.assert_allclose(got, rounded(X, 0.9) @ rounded(W, 1.0), rtol=1e-5)


def test_weights_alone(tmp_path):
    saved(tmp_path / "model")
    WeightQuantization(str(tmp_path / "model"), "__model__", "__params__").quantize_weight_to_int(
        str(tmp_path / "whole"), weight_quantize_type="abs_max", quantizable_op_type=["mul"], generate_test_model=True)
    assert sorted(os.listdir(tmp_path / "whole")) == ["quantized_model", "test_model"]


@pytest.mark.parametrize("names", [(None, None), ("__model__", "__params__")])
def test_weights_of_a_folder_of_1_8(tmp_path, names):
    exe, y = network()
    fluid.io.save_inference_model(str(tmp_path / "model"), ["x"], [y], exe, None, *names)
    small = WeightQuantization(str(tmp_path / "model"), *names)
    small.quantize_weight_to_int(str(tmp_path), *names, weight_quantize_type="abs_max", quantizable_op_type=["mul"],
                                 generate_test_model=True)
    small.convert_weight_to_fp16(str(tmp_path / "half"))
    assert (tmp_path / "quantized_model" / "__model__").is_file() and (tmp_path / "half" / "__model__").is_file()
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "test_model"), exe, *names)
    given, = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)
    np.testing.assert_allclose(given, X @ rounded(W, 1.0), rtol=1e-5)


def test_what_is_refused():
    with pytest.raises(ValueError, match="one of both gives the samples. Received neither"):
        PostTrainingQuantization(None, model_dir="model")
    with pytest.raises(ValueError, match="Received both"):
        PostTrainingQuantization(None, model_dir="model", sample_generator=iter, batch_generator=iter)
    with pytest.raises(AttributeError, match="the package paddleslim has pruning"):
        fluid.contrib.slim.Compressor
    with pytest.raises(NotImplementedError, match="paddle-mobile"):
        fluid.contrib.slim.quantization.TransformForMobilePass().apply(None)


def test_samples_of_another_number_of_values(tmp_path):
    exe = saved(tmp_path / "model")
    quantizer = PostTrainingQuantization(exe, model_dir=str(tmp_path / "model"), model_filename="__model__",
                                         params_filename="__params__", batch_generator=lambda: iter([[X, X]]))
    with pytest.raises(ValueError, match=r"inputs, \['x'\]. Received 2 values"):
        quantizer.quantize()


def losses(kind, window):
    """Of a network in which rounded values reach products by way of activations and a flattened image."""
    values = np.random.RandomState(0)

    def drawn(*shape):
        return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(
            values.uniform(-1, 1, shape).astype("float32")))

    x, label = fluid.data("x", [None, 1, 4, 4]), fluid.data("label", [None, 1], "int64")
    h = fluid.layers.conv2d(x, 2, 3, padding=1, act="relu", param_attr=drawn(2, 1, 3, 3))
    h = fluid.layers.fc(h, 4, act="tanh", param_attr=drawn(32, 4))
    h = fluid.layers.fc(h, 3, param_attr=drawn(4, 3))
    loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(h, label))
    fluid.optimizer.SGD(0.1).minimize(loss)
    exe = fluid.Executor(PLACE)
    exe.run(fluid.default_startup_program())
    main = graph_of(fluid.default_main_program())
    kept = fluid.global_scope()
    QuantizationTransformPass(kept, PLACE, activation_quantize_type=kind, window_size=window).apply(main)
    program, found = main.to_program(), []
    for step in range(6):
        batch = values.uniform(-1, 1, (3, 1, 4, 4)).astype("float32") * (6 - step)
        fed = {"x": batch, "label": values.randint(0, 3, (3, 1))}
        found.append(float(exe.run(program, feed=fed, fetch_list=[loss])[0][0]))
    return found


@pytest.mark.parametrize(("kind", "window", "expected"), [
    ("abs_max", 3, [2.08127, 1.7409, 0.88849, 1.39157, 1.41751, 1.06933]),
    ("moving_average_abs_max", 3, [1.88511, 1.62973, 0.88138, 1.48801, 1.38789, 0.95454]),
    ("range_abs_max", 3, [2.08127, 1.73449, 0.8881, 1.41093, 1.4087, 1.07387]),
    ("range_abs_max", 10, [2.08127, 1.73449, 0.8881, 1.41035, 1.40191, 1.09455]),
])
def test_training_is_that_of_1_8(kind, window, expected):
    """The numbers are PaddlePaddle 1.8.5's: products' gradients read rounded values, activations' those that were."""
    np.testing.assert_allclose(losses(kind, window), expected, atol=2e-5)


def test_a_window_has_steps():
    with pytest.raises(ValueError, match=r"\(window_size\): must be 1 step at least"):
        QuantizationTransformPass(activation_quantize_type="range_abs_max", window_size=0)


@pytest.mark.parametrize("kind", ["abs_max", "channel_wise_abs_max"])
def test_weights_are_quantized_by_what_they_are_now(kind):
    """As in 1.8.5: in evaluation, and frozen, by their magnitudes then, and not by those of the last training step."""
    main, startup = fluid.Program(), fluid.Program()
    images = {"x": np.linspace(-1, 1, 36).reshape(1, 1, 6, 6).astype("float32")}
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        given = fluid.layers.scale(fluid.layers.conv2d(fluid.data("x", [-1, 1, 6, 6]), 2, 3, bias_attr=False), 2.0)
        exe, place, scope = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace(), fluid.global_scope()
        exe.run(startup)
        graph = fluid.framework.IrGraph(fluid.core.Graph(main.desc), for_test=True)
        QuantizationTransformPass(scope, place, weight_quantize_type=kind).apply(graph)
        weight = scope.find_var("conv2d_0.w_0").get_tensor()
        for times in (1, 50):  # as a step that is far too long moves them
            weight.set(times * np.linspace(-1, 1, 18).reshape(2, 1, 3, 3).astype("float32"), place)
            wanted, = exe.run(main, feed=images, fetch_list=[given])
            found, = exe.run(graph.to_program(), feed=images, fetch_list=[given.name])
            np.testing.assert_allclose(found, wanted, atol=0.02 * np.abs(wanted).max())
        weight.set(np.linspace(1, 3, 18).reshape(2, 1, 3, 3).astype("float32"), place)
        wanted, = exe.run(main, feed=images, fetch_list=[given])
        QuantizationFreezePass(scope, place, weight_quantize_type=kind).apply(graph)
        found, = exe.run(graph.to_program(), feed=images, fetch_list=[given.name])
        np.testing.assert_allclose(found, wanted, atol=0.02 * np.abs(wanted).max())
