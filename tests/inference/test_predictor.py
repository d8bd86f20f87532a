"""Saved models run by name of input and output: handles, pools, threads, options."""

import gc
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.core.files import CorruptFileError
from proa.static import InputSpec
from proa.static.compiler.plan import Plan

CROSSING = Path(__file__).parent.parent / "crossing" / "fixtures"


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = paddle.nn.Conv2D(3, 4, 3, padding=1), paddle.nn.BatchNorm2D(4)
        self.fc = paddle.nn.Linear(4, 2)

    def forward(self, x, scale):
        h = paddle.nn.functional.relu(self.norm(self.conv(x)))
        h = h.mean([2, 3])
        return self.fc(h) * scale, h


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    paddle.seed(1)
    prefix = str(tmp_path_factory.mktemp("inference") / "net")
    net = Net()
    net.eval()
    paddle.jit.save(net, prefix, [InputSpec([None, 3, None, None], name="x"), InputSpec([1], name="scale")])
    return prefix, net


def images(count=2, seed=0):
    return np.random.RandomState(seed).rand(count, 3, 6, 5).astype("float32")


SCALE = np.array([2.0], "float32")


def config(prefix):
    return inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")


def fed(predictor, x):
    predictor.get_input_handle("x").copy_from_cpu(x)
    predictor.get_input_handle("scale").copy_from_cpu(SCALE)
    assert predictor.run() is True
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


def check(found, net, x):
    expected = net(paddle.to_tensor(x), paddle.to_tensor(SCALE))
    assert len(found) == 2
    for one, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, right.numpy(), rtol=1e-5, atol=1e-6)


def test_handles(saved):
    prefix, net = saved
    predictor = inference.create_predictor(config(prefix))
    assert predictor.get_input_names() == ["x", "scale"]
    for count in (2, 5):
        check(fed(predictor, images(count)), net, images(count))
    handle = predictor.get_input_handle("x")
    assert handle.shape() == [5, 3, 6, 5] and handle.type() == inference.DataType.FLOAT32 and handle.lod() == []
    output = predictor.get_output_handle(predictor.get_output_names()[0])
    first = output.copy_to_cpu()
    first[:] = 0
    assert output.copy_to_cpu().any() and output.shape() == [5, 2]
    with pytest.raises(RuntimeError, match="is an output"):
        output.copy_from_cpu(first)
    assert predictor.try_shrink_memory() == 0
    with pytest.raises(RuntimeError, match=r"predictor.run\(\) first"):
        output.copy_to_cpu()


def test_what_is_handed_over_is_copied_or_shared(saved):
    prefix, net = saved
    predictor = inference.create_predictor(config(prefix))
    x = images()
    handle = predictor.get_input_handle("x")
    predictor.get_input_handle("scale").share_external_data(paddle.to_tensor(SCALE))
    handle.copy_from_cpu(x)
    x *= 2
    predictor.run()
    check([predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()], net, x / 2)
    handle.share_external_data(x)
    x *= 2
    predictor.run()
    check([predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()], net, x)
    handle.reshape([4, 3, 5, 3])
    assert handle.shape() == [4, 3, 5, 3]
    handle.copy_from_cpu(x.reshape(-1)[:180].reshape(4, 45))
    assert handle.shape() == [4, 3, 5, 3]


def test_run_takes_and_gives_tensors(saved):
    prefix, net = saved
    predictor = inference.create_predictor(config(prefix))
    found = predictor.run([paddle.to_tensor(images()), SCALE])
    assert all(isinstance(value, paddle.Tensor) for value in found)
    check([value.numpy() for value in found], net, images())
    with pytest.raises(ValueError, match="takes .*Received 1"):
        predictor.run([images()])


def test_clones_run_in_threads(saved):
    prefix, net = saved
    pool = inference.PredictorPool(config(prefix), 3)
    with pytest.raises(IndexError):
        pool.retrive(3)
    found = {}

    def work(number):
        predictor = pool.retrive(number)
        found[number] = [fed(predictor, images(number + 1, seed)) for seed in range(10)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, results in found.items():
        for seed, result in enumerate(results):
            check(result, net, images(number + 1, seed))


def test_a_clone_has_values_of_its_own(saved):
    predictor = inference.create_predictor(config(saved[0]))
    fed(predictor, images())
    clone = predictor.clone()
    with pytest.raises(RuntimeError, match="hand it over"):
        clone.run()
    check(fed(clone, images(1)), saved[1], images(1))
    assert predictor.get_input_handle("x").shape() == [2, 3, 6, 5]


def test_mistakes_are_told_where_they_are_made(saved, tmp_path):
    prefix, _ = saved
    predictor = inference.create_predictor(config(prefix))
    fed(predictor, images())
    predictor.get_input_handle("x").copy_from_cpu(images()[0])
    with pytest.raises(ValueError, match=r"'x' takes shape \[-1, 3, -1, -1\].*Received shape \[3, 6, 5\].*conv"):
        predictor.run()
    with pytest.raises(TypeError, match="astype"):
        predictor.get_input_handle("scale").copy_from_cpu(np.ones(1, "complex64"))
    with pytest.raises(ValueError, match=r"no input 'y'. Its inputs: \['x', 'scale'\]"):
        predictor.get_input_handle("y")
    with pytest.raises(ValueError, match="level 0 must begin with 0"):
        predictor.get_input_handle("x").set_lod([[1, 2]])
    with pytest.raises(NotImplementedError, match="fused"):
        predictor.register_output_hook(print)
    with pytest.raises(TypeError, match="Config"):
        inference.create_predictor(prefix)
    with pytest.raises(ValueError, match="names no model"):
        inference.create_predictor(inference.Config())
    with pytest.raises(FileNotFoundError):
        inference.create_predictor(config(str(tmp_path / "nothing")))
    with pytest.raises(FileNotFoundError, match="no model in the folder"):
        inference.create_predictor(inference.Config(str(tmp_path)))
    file = tmp_path / "net.pdmodel"
    file.write_bytes(b"")
    with pytest.raises(NotADirectoryError, match=r"this is a file. Give the file of the parameters, too: .*net.pdip"):
        inference.create_predictor(inference.Config(str(file)))
    (tmp_path / "bad.pdmodel").write_bytes(b"no model")
    with pytest.raises(CorruptFileError, match="bad.pdmodel"):
        inference.create_predictor(config(str(tmp_path / "bad")))
    with pytest.raises(ValueError, match="at least 1"):
        inference.PredictorPool(config(prefix), 0)


def test_models_in_folders_and_in_memory(saved, tmp_path):
    from proa.static.files.inference_model import read_parameters, read_program
    from proa.static.format.tensor_stream import write_stream

    prefix, net = saved
    folder = str(Path(prefix).parent)
    check(fed(inference.create_predictor(inference.Config(folder)), images()), net, images())
    check(fed(inference.create_predictor(inference.Config(prefix)), images()), net, images())
    program = read_program(prefix + ".pdmodel")
    (tmp_path / "__model__").write_bytes(Path(prefix + ".pdmodel").read_bytes())
    for name, array in read_parameters(prefix + ".pdiparams", program).items():
        with open(tmp_path / name, "wb") as file:
            write_stream(file, array, 5)
    check(fed(inference.create_predictor(inference.Config(str(tmp_path))), images()), net, images())
    buffers = [Path(prefix + suffix).read_bytes() for suffix in (".pdmodel", ".pdiparams")]
    in_memory = inference.Config()
    in_memory.set_model_buffer(buffers[0], len(buffers[0]), buffers[1], len(buffers[1]))
    assert in_memory.model_from_memory()
    check(fed(inference.create_predictor(in_memory), images()), net, images())


def test_options(saved):
    told = config(saved[0])
    told.switch_ir_optim(False)
    told.enable_memory_optim()
    told.disable_glog_info()
    told.switch_use_feed_fetch_ops(False)
    told.switch_specify_input_names(True)
    told.pass_builder().delete_pass("fc_fuse_pass")
    assert not told.ir_optim() and told.glog_info_disabled() and told.specify_input_name()
    assert not told.use_gpu() and not told.tensorrt_engine_enabled()
    assert "ir_optim" in told.summary() and told.prog_file().endswith("net.pdmodel")
    with pytest.raises(RuntimeError, match="TensorRT"):
        told.enable_tensorrt_engine(1 << 20, 1, 3, inference.PrecisionType.Float32, False, False)
    with pytest.raises(RuntimeError, match="precision that they were saved in"):
        told.enable_quantizer()
    with pytest.raises(RuntimeError, match="precision"):
        told.enable_use_gpu(100, 0, inference.PrecisionType.Half)
    told.enable_use_gpu(100, 0)
    assert told.use_gpu() and told.gpu_device_id() == 0
    told.disable_gpu()
    before = paddle.get_num_threads()
    told.set_cpu_math_library_num_threads(1)
    inference.create_predictor(told)
    assert paddle.get_num_threads() == 1 == told.cpu_math_library_num_threads()
    paddle.set_num_threads(before)


def test_options_for_speed_that_there_is_not_are_told_and_let_pass(saved):
    told = config(saved[0])
    for name in ("enable_mkldnn_bfloat16", "enable_mkldnn_int8", "enable_onnxruntime", "enable_lite_engine"):
        with pytest.warns(UserWarning, match=f"{name}\\(\\) is without effect"):
            getattr(told, name)()
    with pytest.warns(UserWarning, match="Ranges of shapes are TensorRT's"):
        told.set_trt_dynamic_shape_info({"x": [1, 2]}, {"x": [4, 2]}, {"x": [2, 2]})
    inference.create_predictor(told)


def test_names_of_passes_are_kept(saved):
    passes = config(saved[0]).pass_builder()
    passes.append_pass("b")
    passes.insert_pass(0, "a")
    passes.delete_pass("fc_fuse_pass")
    passes.turn_on_debug()
    assert passes.all_passes() == ["a", "b"] and passes.debug_string() == "a\nb"
    passes.delete_pass(0)
    assert passes.all_passes() == ["b"]


def test_options_of_paddle_3(saved):
    told = config(saved[0])
    told.enable_new_ir()
    told.set_optimization_level(3)
    told.disable_onednn()
    assert told.new_ir_enabled() and not told.onednn_enabled() and not told.mkldnn_enabled()
    told.enable_onednn()
    told.set_onednn_cache_capacity(10)
    told.enable_cinn()
    told.use_optimized_model(True)
    told.enable_custom_passes([])
    assert told.onednn_enabled() and told.Float32 == inference.PrecisionType.Float32 == told.tensorrt_precision_mode()
    assert told.to_native_config() is told and told.shape_range_info_path() == ""
    with pytest.raises(RuntimeError, match="passes cannot be added"):
        told.enable_custom_passes(["auto_mixed_precision_pass"])
    inference.create_predictor(told)


def test_names():
    assert inference.get_version().startswith("version: ")
    assert inference.get_trt_compile_version() == inference.get_trt_runtime_version() == (0, 0, 0)
    assert inference.get_num_bytes_of_data_type(inference.DataType.BFLOAT16) == 2
    with pytest.raises(NotImplementedError, match="precision"):
        inference.convert_to_mixed_precision("", "", "", "", inference.PrecisionType.Half, inference.PlaceType.CPU)
    with pytest.raises(RuntimeError, match="Kunlun"):
        inference.XpuConfig()


@pytest.mark.parametrize("name", ["ResidualBlock", "TensorWhile", "static_net"])
def test_paddles_own_models(name):
    """The models that PaddlePaddle wrote for tests/crossing give the same as through the loader."""
    prefix = str(CROSSING / name)
    predictor = inference.create_predictor(config(prefix))
    layer = paddle.jit.load(prefix)
    layer.eval()
    block = layer.program().global_block()
    random = np.random.RandomState(3)
    arrays = [random.rand(*[2 if n < 0 else n for n in block.var(v).shape]).astype(block.var(v).dtype.dtype)
              for v in predictor.get_input_names()]
    expected = layer(*map(paddle.to_tensor, arrays))
    expected = expected if isinstance(expected, list) else [expected]
    for found, right in zip(predictor.run(arrays), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), right.numpy(), rtol=1e-5, atol=1e-6)


def test_sequences(tmp_path):
    main = paddle.static.Program()
    with paddle.static.program_guard(main), paddle.static.scope_guard(paddle.static.Scope()):
        x = paddle.static.data("x", [None, 2], lod_level=1)
        paddle.static.save_inference_model(str(tmp_path / "net"), [x], [x * 2], paddle.static.Executor())
    predictor = inference.create_predictor(config(str(tmp_path / "net")))
    handle = predictor.get_input_handle("x")
    output = predictor.get_output_handle(predictor.get_output_names()[0])
    for lod in ([[0, 2, 5]], [], [[0, 4, 5]]):
        handle.copy_from_cpu(np.ones((5, 2), "float32"))
        handle.set_lod(lod)
        predictor.run()
        assert output.lod() == handle.lod() == lod and output.copy_to_cpu().sum() == 20
    handle.copy_from_cpu(np.ones((4, 2), "float32"))
    with pytest.raises(ValueError, match="level 0 ends at 5, and there are 4 rows"):
        predictor.run()
    with pytest.raises(ValueError, match="has lod_level 1"):
        handle.set_lod([[0, 1], [0, 4]])
    with pytest.raises(ValueError, match="is an output"):
        output.set_lod([[0, 5]])


@pytest.mark.slow
def test_many_threads_and_changing_shapes_take_no_more_memory():
    """Clones in threads: equal results, and what runs leave behind does not grow, in a process of their own."""
    root = Path(__file__).parent.parent.parent
    said = subprocess.run([sys.executable, "-m", "tests.inference.under_load", "--threads", "8", "--runs", "4000"],
                          env={**os.environ, "FLAGS_kernel_after_elements": "0",  # the compiler, too, comes at once:
                               "FLAGS_kernel_cache_megabytes": "0"},  # with what is kept, it might come late
                          cwd=root, capture_output=True, text=True, check=True).stdout
    wrong, grown = re.search(r": (\d+) wrong, resident memory grew by (-?[\d.]+) MB", said).groups()
    assert int(wrong) == 0 and float(grown) < 30, said


def test_the_collector_rests_in_first_runs_alone(tmp_path, monkeypatch):
    prefix = str(tmp_path / "net")
    paddle.jit.save(paddle.nn.Linear(2, 3), prefix, input_spec=[InputSpec([None, 2], name="x")])
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    found, call = [], Plan.__call__
    monkeypatch.setattr(Plan, "__call__", lambda *given: found.append(gc.isenabled()) or call(*given))
    for _ in range(2):
        predictor.run([np.ones((1, 2), "float32")])
    assert found == [False, True] and gc.isenabled()


class Force(paddle.nn.Layer):
    """Gives a slope, which another term has where `x` says so; what is added has a row for each of x."""

    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(2, 4)

    def forward(self, x):
        x = x * 1.0
        energy = paddle.tanh(self.fc(x) + paddle.full([x.shape[0], 1], 0.1)).sum()
        if x.sum() > 0:
            force = paddle.grad(energy, x)[0]
        else:
            force = paddle.grad(energy * 2 + x.square().sum(), x)[0]
        return force


def test_gradients_taken_within_branches(tmp_path):
    prefix, net = str(tmp_path / "force"), Force()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 2], name="x")])
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    for x in (np.full([2, 2], 0.5, "float32"), np.full([3, 2], -0.5, "float32")):
        [found] = predictor.run([x])
        np.testing.assert_allclose(np.asarray(found), net(paddle.to_tensor(x, stop_gradient=False)).numpy(), rtol=1e-5)
