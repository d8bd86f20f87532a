"""Quantization of Programs: by samples, in training, of weights alone; beside what PaddlePaddle 2.6.2 gave."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.core.dtype import from_numpy_dtype
from proa.static import quantization
from proa.static.format.tensor_stream import write_combined

FIXTURES = Path(__file__).parents[2] / "fixtures" / "static" / "quantization"
runs = module_at(FIXTURES / "runs.py")
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def _compare(found, name):
    wanted = np.array(ANSWERS[name])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("algo", runs.METHODS)
def test_by_samples(algo, whole):
    _compare(runs.by_samples(paddle, algo, whole), f"by_samples {algo} {whole}")


@pytest.mark.parametrize("name", runs.CONFIGS)
def test_training(name):
    _compare(runs.trained(paddle, runs.CONFIGS[name]), f"trained {name}")


@pytest.mark.parametrize("bits", [8, 16])
def test_weights_alone(bits):
    _compare(runs.weights_alone(paddle, bits), f"weights_alone {bits}")


def test_a_file_of_whole_weights_runs_as_its_floats(tmp_path):
    built = runs._Built(paddle)
    with paddle.static.scope_guard(built.scope):
        paddle.static.save_inference_model(str(tmp_path / "m" / "m"), [built.x], [built.y], built.executor,
                                           program=built.test)
    for kind in ("abs_max", "channel_wise_abs_max"):
        small = quantization.WeightQuantization(str(tmp_path / "m"), "m.pdmodel", "m.pdiparams")
        small.quantize_weight_to_int(str(tmp_path / kind), weight_quantize_type=kind, generate_test_model=True)
        x = runs._inputs(1)[0]["x"]
        found, wanted = (runs._from_file(paddle, built.executor, str(tmp_path / kind / each / "model"), x)
                         for each in ("quantized_model", "test_model"))
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels", [1, 4])
def test_whole_weights_that_the_program_calls_floats_are_multiplied(tmp_path, channels):
    """As PaddlePaddle's own files have them: int8 in the values' file, float32 in the Program, scales as attributes."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [1, 3, 5, 5])
        y = paddle.static.nn.conv2d(x, 4, 3, bias_attr=False)
    executor = paddle.static.Executor()
    executor.run(startup)
    (op,) = main.global_block().ops
    weight = op.input("Filter")[0]
    numbers = np.random.default_rng(0).integers(-127, 128, (4, 3, 3, 3)).astype("int8")
    scales = np.linspace(0.01, 0.02, channels, dtype="float32")
    op._set_attr("quantize_weight_bits", 8)
    op._set_attr(weight + "_quant_scale", scales.tolist())
    prefix = str(tmp_path / "m")
    image = np.random.default_rng(1).random((1, 3, 5, 5), "float32")
    floats = numbers * scales.reshape(-1, 1, 1, 1)
    for stored in (numbers, floats):  # a test model has the attributes, too
        paddle.static.global_scope().find_var(weight).get_tensor().set(floats, paddle.CPUPlace())
        (wanted,) = executor.run(main, {"x": image}, [y])
        paddle.static.save_inference_model(prefix, [x], [y], executor, program=main)
        with open(prefix + ".pdiparams", "wb") as file:
            write_combined(file, [(stored, from_numpy_dtype(stored.dtype).number)])
        assert b"quantize_weight_bits" in (tmp_path / "m.pdmodel").read_bytes()
        found = runs._from_file(paddle, executor, prefix, image)
        np.testing.assert_allclose(np.ravel(found), wanted.ravel(), 1e-5, 1e-4)
        for _ in range(2):  # opened, and kept
            predictor = paddle.inference.create_predictor(paddle.inference.Config(
                prefix + ".pdmodel", prefix + ".pdiparams"))
            predictor.get_input_handle("x").copy_from_cpu(image)
            predictor.run()
            found = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
            np.testing.assert_allclose(np.ravel(found), wanted.ravel(), 1e-5, 1e-4)
    with open(prefix + ".pdiparams", "wb") as file:
        write_combined(file, [(numbers[:3], from_numpy_dtype(numbers.dtype).number)])
    if channels > 1:
        with pytest.raises(ValueError, match="3 channels.*4 scales"):
            runs._from_file(paddle, executor, prefix, image)


def test_the_converted_program_has_small_weights():
    built = runs._Built(paddle)
    with paddle.static.scope_guard(built.scope):
        test = quantization.quant_aware(built.test, paddle.CPUPlace(), for_test=True)
        built.executor.run(test, feed=runs._inputs(1)[0], fetch_list=[built.y])
        final = quantization.convert(test, paddle.CPUPlace())
    assert final.global_block().var("c1.w_0").dtype == paddle.int8
    assert built.scope.array("c1.w_0").dtype == np.int8
    assert built.test.global_block().var("c1.w_0").dtype == paddle.float32


def test_what_is_skipped_stays():
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data("x", [2, 3])
        with paddle.static.name_scope("skip_quant"):
            h = paddle.static.nn.fc(x, 3)
        paddle.static.nn.fc(h, 2)
    made = quantization.quant_aware(main, scope=paddle.static.Scope(), return_program=True)
    products = [op.input("Y")[0] for op in made.global_block().ops if op.type == "mul"]
    assert [name.endswith("dequantized") for name in products] == [False, True]


@pytest.mark.parametrize(("options", "message"), [
    ({"algo": "median"}, r"\(algo\): must be one of"),
    ({"data_loader": None}, r"\(data_loader\): samples are needed"),
    ({"quantizable_op_type": ["fft"]}, "cannot be quantized"),
])
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        quantization.PostTrainingQuantizationProgram(None, paddle.static.Program(), **{"data_loader": [], **options})


@pytest.mark.parametrize("options", [{"round_type": "adaround"}, {"bias_correction": True}, {"optimize_model": True}])
def test_what_is_not_known(options):
    with pytest.raises(NotImplementedError, match="is not known here"):
        quantization.PostTrainingQuantizationProgram(None, paddle.static.Program(), data_loader=[], **options)


def test_no_batch_measures_nothing():
    built = runs._Built(paddle)
    with paddle.static.scope_guard(built.scope):
        quantizer = quantization.PostTrainingQuantizationProgram(built.executor, built.test, [built.x], [built.y],
                                                                 data_loader=[])
        with pytest.raises(ValueError, match="it gave no batch"):
            quantizer.quantize()


def test_functions_of_ones_own():
    with pytest.raises(NotImplementedError, match="weight_quantize_func"):
        quantization.QuantizationTransformPass(weight_quantize_func=abs)


def test_gradients_of_a_pool_are_of_the_rounded_values():
    """Maxima are found by what they are equal to: of the values that were not rounded hardly one is."""
    main, startup, scope = paddle.static.Program(), paddle.static.Program(), paddle.static.Scope()
    with paddle.static.scope_guard(scope), paddle.static.program_guard(main, startup):
        weight = paddle.static.create_parameter([1, 1, 4, 4], "float32", name="values")
        paddle.static.append_backward(paddle.nn.functional.max_pool2d(weight * 1.0, 2).sum())
        graph = paddle.framework.IrGraph(paddle.framework.core.Graph(main.desc))
        quantization.AddQuantDequantPassV2(scope=scope, quantizable_op_type=["pool2d"]).apply(graph)
        exe = paddle.static.Executor()
        exe.run(startup)
        scope.find_var("values").get_tensor().set(
            np.random.RandomState(0).rand(1, 1, 4, 4).astype("float32"), paddle.CPUPlace())
        exe.run(graph.to_program())
        found = exe.run(graph.to_program(), fetch_list=["values@GRAD"])[0]
    assert found.sum() == 4.0 and found.max() == 1.0


def test_kinds_of_weights_scales_are_checked():
    with pytest.raises(ValueError, match="weight_quantize_type"):
        quantization.QuantizationTransformPass(weight_quantize_type="foo")


@pytest.mark.parametrize("kind", ["moving_average_abs_max", "abs_max", "range_abs_max"])
def test_the_later_pass_follows_inputs_whatever_it_is_told(kind):
    """The number is PaddlePaddle 2.6.2's for all three."""
    main, startup, scope = paddle.static.Program(), paddle.static.Program(), paddle.static.Scope()
    constant = paddle.nn.initializer.Constant
    with paddle.static.program_guard(main, startup), paddle.static.scope_guard(scope):
        x = paddle.static.data("x", [2, 6])
        y = paddle.static.nn.fc(x, 1, weight_attr=constant(0.3), bias_attr=False)
        executor = paddle.static.Executor()
        executor.run(startup)
        graph = paddle.base.framework.IrGraph(paddle.base.core.Graph(main.desc), for_test=False)
        quantization.QuantizationTransformPassV2(scope, paddle.CPUPlace(), activation_quantize_type=kind).apply(graph)
        program = graph.to_program()
        for step in range(2):
            feed = {"x": np.linspace(-1, 2 + step, 12, dtype="float32").reshape(2, 6)}
            (found,) = executor.run(program, feed, [y.name])
    np.testing.assert_allclose(np.ravel(found), [-0.16176003, 3.264611], 1e-5)


def test_names_by_the_modules_that_paddle_has_them_in():
    from proa.static.quantization.post_training_quantization import PostTrainingQuantization, WeightQuantization
    from proa.static.quantization.quantization_pass import AddQuantDequantForResidual, QuantizationTransformPassV2

    assert PostTrainingQuantization is quantization.PostTrainingQuantization
    assert WeightQuantization is quantization.WeightQuantization
    assert QuantizationTransformPassV2 is quantization.quantization_pass.QuantizationTransformPassV2
    assert AddQuantDequantForResidual.__module__.endswith("passes")
