"""Places, flags, names and folders as programs written for Paddle ask for them."""

import os

import proa as paddle
import pytest
from proa.base import core, unique_name
from proa.utils import sysconfig


def test_places():
    place = paddle.ones([1]).place
    assert (place._type(), place.is_xpu_place(), place.is_ipu_place(), place._equals(paddle.CPUPlace())) == (
        1, False, False, True)
    empty = core.Place()
    empty.set_place(paddle.CPUPlace())
    assert empty.is_cpu_place() and empty == paddle.CPUPlace()


@pytest.mark.parametrize("name, value", [
    ("FLAGS_eager_delete_tensor_gb", 0.0), ("FLAGS_allocator_strategy", "auto_growth"),
    ("FLAGS_cpu_deterministic", False), ("FLAGS_use_stride_kernel", True), ("FLAGS_initial_cpu_memory_in_mb", 500),
    ("FLAGS_host_trace_level", 1)])
def test_flags_of_the_cpu_build(name, value):
    assert paddle.get_flags(name) == {name: value} and type(paddle.get_flags(name)[name]) is type(value)
    paddle.set_flags({name: value})


def test_names():
    old, _ = unique_name.switch()
    try:
        assert unique_name.generate("a") == "a_0" and unique_name.generator.ids["a"] == 1
        assert unique_name.generate_with_ignorable_key("a") == "dygraph_tmp_0"
    finally:
        assert unique_name.switch(old)[0].ids["a"] == 1


def test_folders():
    assert os.path.isabs(sysconfig.get_include()) and os.path.isabs(sysconfig.get_lib())
