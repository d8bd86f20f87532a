"""Names that packages import from Paddle's corners: what they find there does what it is for."""

import os
import tarfile
import zipfile

import numpy as np
import proa as paddle
import pytest
from proa.base.dygraph.base import param_guard, program_desc_tracing_guard
from proa.base.framework import non_static_only, static_only
from proa.dygraph.lazy import LazyInitHelper, lazy_init_helper
from proa.io.dataloader.dataloader_iter import _DataLoaderIterBase, default_collate_fn, default_convert_fn
from proa.nn.layer.layers import HookRemoveHelper
from proa.utils import download
from proa.utils.download import _decompress


def test_functions_of_one_mode():
    assert non_static_only(lambda: 1)() == 1
    with pytest.raises(RuntimeError, match="enable_static"):
        static_only(lambda: 1)()
    paddle.enable_static()
    try:
        assert static_only(lambda: 1)() == 1
        with pytest.raises(RuntimeError, match="disable_static"):
            non_static_only(lambda: 1)()
    finally:
        paddle.disable_static()
    with param_guard({}), program_desc_tracing_guard(False):
        pass


def test_what_puts_samples_together_is_beside_what_goes_over_them():
    x, n = default_collate_fn([([1.0, 2.0], 3), ([4.0, 5.0], 6)])
    assert [part.tolist() for part in x] == [[1.0, 4.0], [2.0, 5.0]] and n.tolist() == [3, 6]
    assert default_convert_fn(np.float32([1.0])).tolist() == [1.0]


def test_batches_are_asked_for_by_next():
    batches = iter(paddle.io.DataLoader(paddle.io.TensorDataset([paddle.arange(3)]), batch_size=2))
    assert batches.next()[0].tolist() == [0, 1] and batches.next()[0].tolist() == [2]
    with pytest.raises(StopIteration):
        batches.next()


def test_dtypes_have_numpy_s_other_names():
    names = {"byte": "int8", "ubyte": "uint8", "short": "int16", "intc": "int32", "longlong": "int64",
             "single": "float32"}
    assert {name: paddle.ones([1]).cast(name).dtype.name for name in names} == names


def test_names_that_packages_reach_below_the_public_ones():
    assert paddle.tensor.random.gaussian([2], 1.5, 0.0).tolist() == [1.5, 1.5]
    assert paddle.device._convert_to_place("cpu") == paddle.CPUPlace()
    assert download.logger.name == download.__name__


def test_parameters_that_are_filled_later_can_be_asked_about():
    assert not lazy_init_helper().state
    with paddle.LazyGuard():
        assert lazy_init_helper().state and lazy_init_helper()._state  # ppdiffusers asks for the latter
    helper = LazyInitHelper()
    helper.enable()
    try:
        assert helper.state and float(paddle.nn.Linear(2, 2).weight.abs().sum()) == 0
    finally:
        helper.disable()
    assert not helper.state and float(paddle.nn.Linear(2, 2).weight.abs().sum()) > 0


def test_a_handle_for_a_hook_that_is_put_there_by_hand():
    hooks = {}
    handle = HookRemoveHelper(hooks)
    hooks[handle._hook_id] = print
    handle.remove()
    assert not hooks and HookRemoveHelper(hooks)._hook_id != handle._hook_id


def test_what_goes_over_batches_is_recognized():
    assert isinstance(iter(paddle.io.DataLoader(paddle.io.TensorDataset([paddle.ones([2, 1])]))), _DataLoaderIterBase)


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize("names, place", [(["one.txt"], "one.txt"), (["top/a", "top/b/c"], "top"),
                                          (["a", "b"], "data")])
def test_archives_are_unpacked_beside_themselves(tmp_path, kind, names, place):
    archive = str(tmp_path / f"data.{kind}")
    (tmp_path / "text").write_text("told")
    opened = tarfile.open(archive, "w") if kind == "tar" else zipfile.ZipFile(archive, "w")
    with opened as file:
        for name in names:
            (file.add if kind == "tar" else file.write)(tmp_path / "text", name)
    assert _decompress(archive) == str(tmp_path / place)
    inside = names[0] if len(names) == 1 or place == "top" else f"data/{names[0]}"
    assert (tmp_path / inside).read_text() == "told"


def test_an_archive_that_would_fill_the_disk_is_not_unpacked(tmp_path, monkeypatch):
    path = str(tmp_path / "bomb.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/zeros", bytes(1 << 21))
    monkeypatch.setattr(download, "_ALWAYS_UNPACKED", 1 << 20)
    with pytest.raises(ValueError, match="would unpack to 2097152 bytes, more than .*Nothing was unpacked"):
        _decompress(path)
    assert os.listdir(tmp_path) == ["bomb.zip"]
    monkeypatch.setattr(download, "_ALWAYS_UNPACKED", 1 << 30)
    assert _decompress(path) == str(tmp_path / "a")


def test_archives_that_lead_elsewhere(tmp_path):
    archive = str(tmp_path / "bad.zip")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../out.txt", "told")
    with pytest.raises(ValueError, match="leads out"):
        _decompress(archive)
    with pytest.raises(TypeError, match="zip or tar"):
        (tmp_path / "plain").write_text("x")
        _decompress(str(tmp_path / "plain"))


def test_compiling_is_refused_with_a_way_out():
    extension = paddle.utils.cpp_extension
    for call in (lambda: extension.load("name", ["a.cc"]), lambda: extension.setup(name="name"),
                 lambda: extension.CppExtension(["a.cc"]), lambda: extension.CUDAExtension(["a.cu"]),
                 lambda: extension.BuildExtension.with_options(), lambda: extension.BuildExtension(),
                 lambda: extension.load_op_meta_info_and_register_op("a.so")):
        with pytest.raises(NotImplementedError, match="PyLayer"):
            call()
    assert isinstance(extension.cpp_extension.CUDA_HOME, str) and extension.get_build_directory()


def test_floats_of_eight_bits_are_kept_moved_and_cast():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = paddle.to_tensor([1.0, 2.6, -3.0])
    for dtype, wanted in ((paddle.float8_e4m3fn, [1.0, 2.5, -3.0]), (paddle.float8_e5m2, [1.0, 2.5, -3.0])):
        narrow = x.astype(dtype)
        assert narrow.dtype is dtype and narrow.element_size() == 1 and narrow.numpy().dtype.name == dtype.name
        assert narrow.astype("float32").tolist() == wanted
        assert paddle.concat([narrow, narrow])[2:4].reshape([1, 2]).astype("float32").tolist() == [[-3.0, 1.0]]
        assert "2.5" in str(narrow) and paddle.zeros([2], dtype.name).dtype is dtype
    back = paddle.to_tensor(np.array([1.0], ml_dtypes.float8_e5m2))
    assert back.dtype is paddle.float8_e5m2


def test_what_packages_ask_of_the_corners():
    from proa.distributed.parallel import ParallelEnv, parallel_helper
    from proa.nn.functional.flash_attention import _select_sdp

    assert not parallel_helper._is_parallel_ctx_initialized() and ParallelEnv().rank == 0
    assert paddle.framework._current_expected_place_() == paddle.CPUPlace() and _select_sdp(8) == "math"
    assert not isinstance(paddle.ones([1]), paddle.pir.Value)
    with pytest.raises(NotImplementedError, match="paddle.static.Program"):
        paddle.pir.OpResult()
    core = paddle.framework.core
    assert core.default_cpu_generator() is paddle.seed(3) and core.get_custom_device_count("npu") == 0
    core.set_prim_eager_enabled(True)
    assert core._is_eager_prim_enabled()
    core.set_prim_eager_enabled(False)
    assert not core._is_eager_prim_enabled()


def test_a_tensor_by_its_class_and_the_words_of_packages():
    array = np.ones([2, 2], "float32")
    made = paddle.Tensor(array, zero_copy=True)
    array[0, 0] = 5
    assert made.tolist() == [[1, 1], [1, 1]] and not made.persistable and made._is_initialized()
    named = paddle.Tensor(value=array, place=paddle.CPUPlace(), name="kept", persistable=True, stop_gradient=False)
    assert (named.name, named.persistable, named.stop_gradient, named.dtype) == ("kept", True, False, paddle.float32)


def test_a_tensor_is_converted_in_place():
    x = paddle.to_tensor([1.0, 2.5], dtype="float64")
    assert x._to(dtype=paddle.float32) is x and x.dtype is paddle.float32 and x.tolist() == [1.0, 2.5]
    weight = paddle.nn.Linear(1, 1).weight
    assert weight._to("cpu", "float64") is weight and weight.dtype is paddle.float64 and not weight.stop_gradient


def test_changes_between_padded_sequences():
    found = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [4, 4, 4], [1, 1, 1]])
    wanted = paddle.to_tensor([[1, 3, 4, 1], [4, 5, 8, 1], [7, 7, 7, 1], [1, 1, 1, 1]])
    lengths = paddle.to_tensor([3] * 4), paddle.to_tensor([4] * 4)
    far, count = paddle.nn.functional.loss.edit_distance(found, wanted, True, None, *lengths)
    assert far.tolist() == [[0.75], [0.5], [1.0], [0.25]] and count.tolist() == [4]
    with pytest.raises(ValueError, match="sequences"):
        paddle.nn.functional.loss.edit_distance(found, wanted, ignored_tokens=[1])


def test_programs_of_primitive_operators():
    """`enable_prim` is kept; derivatives in both directions are there with it and without."""
    autograd, static = paddle.incubate.autograd, paddle.static
    main, startup = static.Program(), static.Program()
    paddle.enable_static()
    autograd.enable_prim()
    try:
        assert autograd.prim_enabled()
        with static.program_guard(main, startup):
            x = static.data("x", [2])
            x.stop_gradient = False
            y = x * x * x
            backward, forward = autograd.grad(y, x), autograd.forward_grad(y, x)
            autograd.prim2orig(main.block(0))
        found = static.Executor().run(main, feed={"x": np.array([1.0, 2.0], "float32")},
                                      fetch_list=[backward, forward])
    finally:
        autograd.disable_prim()
        paddle.disable_static()
    assert not autograd.prim_enabled()
    assert [value.tolist() for value in found] == [[3.0, 12.0], [3.0, 12.0]]


def test_modules_that_their_packages_give():
    assert paddle.vision.models._utils.IntermediateLayerGetter and paddle.hapi.hub.load
    assert paddle.incubate.nn.loss.identity_loss and paddle.nn.initializer.lazy_init.LazyInitHelper
    summed = paddle.incubate.layers.partial_sum([paddle.ones([2, 3]), paddle.ones([2, 3])], 1)
    assert summed.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert paddle.profiler.TracerEventType["UserDefined"].value == 7
    assert not hasattr(paddle.vision.models, "nothing")


def test_layers_of_older_names():
    common = paddle.static.nn.common
    x = paddle.to_tensor([[1.0, 2.0, 5.0]], stop_gradient=False)
    y = common.continuous_value_model(x, x[:, :2].detach())
    y.sum().backward()
    np.testing.assert_allclose(y.numpy(), [[np.log(2), np.log(3) - np.log(2), 5]], 1e-6)
    assert x.grad.tolist() == [[1.0, 2.0, 1.0]]
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        x, offset, mask = (paddle.static.data(name, [2, n, size, size])
                           for name, n, size in (("x", 3, 8), ("offset", 18, 6), ("mask", 9, 6)))
        assert common.deformable_conv(x, offset, mask, 4, 3).shape == (2, 4, 6, 6)
        assert common.deformable_conv(x, offset, mask, 4, 3, modulated=False).shape == (2, 4, 6, 6)


def test_functions_that_are_called_before_a_model_is_saved(tmp_path):
    from proa.jit.api import _clear_save_pre_hooks, _register_save_pre_hook

    seen = []

    def hook(layer, input_spec, configs):
        seen.append((layer, len(input_spec), configs))
    layer, spec = paddle.nn.Linear(2, 3), [paddle.static.InputSpec([None, 2])]
    held = _register_save_pre_hook(hook)
    assert _register_save_pre_hook(hook) is not held
    paddle.jit.save(layer, str(tmp_path / "m"), spec)
    held.remove()
    paddle.jit.save(layer, str(tmp_path / "m"), spec)
    assert seen == [(layer, 1, {})]
    _register_save_pre_hook(hook)
    _clear_save_pre_hooks()
    paddle.jit.save(layer, str(tmp_path / "m"), spec)
    assert len(seen) == 1
