"""`paddle.utils`, `paddle.device` and `paddle.sysconfig`: what they give, and what they refuse."""

import os

import numpy as np
import proa as paddle
import pytest


def test_arrays_are_shared_with_other_libraries():
    array = np.arange(6, dtype="float32").reshape(2, 3)
    shared = paddle.utils.dlpack.from_dlpack(array)
    array[0, 0] = 9
    assert shared.numpy()[0, 0] == 9
    np.testing.assert_array_equal(np.from_dlpack(shared * 2), array * 2)
    assert type(paddle.utils.dlpack.to_dlpack(shared)).__name__ == "PyCapsule"  # all that some libraries take
    np.testing.assert_array_equal(
        paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(shared)).numpy(), array)
    with pytest.raises(TypeError, match="__dlpack__"):
        paddle.utils.dlpack.from_dlpack([1.0])
    with pytest.raises(TypeError, match="Tensor"):
        paddle.utils.dlpack.to_dlpack(array)


def test_versions():
    paddle.utils.require_version("2.6.2")
    with pytest.raises(RuntimeError, match="3.0 or higher"):
        paddle.utils.require_version("3.0")
    with pytest.raises(RuntimeError, match="1.0 to 2.0"):
        paddle.utils.require_version("1.0", "2.0")
    with pytest.raises(TypeError, match="string"):
        paddle.utils.require_version(3)
    with pytest.raises(ValueError, match="numbers and dots"):
        paddle.utils.require_version("two")


def test_a_module_that_is_missing():
    with pytest.raises(ImportError, match="pip install nowhere_to_be_found"):
        paddle.utils.try_import("nowhere_to_be_found")
    with pytest.raises(ImportError, match="own words"):
        paddle.utils.try_import("nowhere_to_be_found", "own words")


@pytest.mark.parametrize("level", [0, 1, 2])
def test_deprecated(level, recwarn):
    @paddle.utils.deprecated(update_to="paddle.new", since="2.0", reason="slow", level=level)
    def old():
        return 1

    if level == 2:
        with pytest.raises(RuntimeError, match="use paddle.new instead: slow"):
            old()
    else:
        assert old() == 1
        assert len(recwarn) == level
    assert "deprecated since 2.0" in old.__doc__


def test_devices_of_this_machine():
    devices = paddle.device.get_available_device()
    assert devices[0] == "cpu"
    assert len(devices) == 1 + paddle.device.cuda.device_count()
    assert not paddle.device.is_compiled_with_rocm()
    paddle.device.cuda.empty_cache()


@pytest.mark.skipif(paddle.device.cuda.device_count() > 0, reason="a CUDA device is there")
@pytest.mark.parametrize("needs_cuda", [
    paddle.device.cuda.get_device_properties, paddle.device.cuda.memory_allocated, paddle.device.cuda.memory_reserved,
    paddle.device.cuda.synchronize, paddle.device.Stream, paddle.device.current_stream,
    lambda: paddle.device.Stream("gpu:0"),
])
def test_what_needs_a_device_says_so(needs_cuda):
    with pytest.raises(RuntimeError, match="CUDA"):
        needs_cuda()


def test_folders_of_headers_are_named_and_do_not_exist():
    assert not os.path.exists(paddle.sysconfig.get_include()) and not os.path.exists(paddle.sysconfig.get_lib())


def test_memory_that_must_not_be_written_is_copied_for_who_cannot_be_told():
    x = paddle.to_tensor([[1.0, 2.0]]).expand([3, 2])
    assert not x._array.flags.writeable

    class Unversioned:
        def __dlpack__(self, **options):
            return paddle.utils.dlpack.to_dlpack(x)

        def __dlpack_device__(self):
            return 1, 0

    taken = np.from_dlpack(Unversioned())
    np.testing.assert_array_equal(taken, x.numpy())
    assert not np.shares_memory(taken, x._array)
