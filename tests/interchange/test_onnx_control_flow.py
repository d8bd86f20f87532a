"""`paddle.onnx.export` of loops and branches that read what the others wrote."""

import importlib.util

import numpy as np
import proa as paddle
import pytest

if importlib.util.find_spec("paddle2onnx") is None:
    pytest.skip("paddle2onnx is not installed", allow_module_level=True)
pytest.importorskip("onnxruntime")

from onnx_runs import same


def loop_then_branch(x):
    i = paddle.zeros([1])
    while i < 3:
        x = x + i
        i = i + 1
    if x.sum() > 0:
        x = x * 2 + i
    else:
        x = x - i
    return x


def branch_before_a_loop(x):
    y = x * 2
    if x.sum() > 0:
        z = y + 1
    else:
        z = y - 1
    i = paddle.zeros([1])
    while i < 2:
        z = z + y + x
        i = i + 1
    if x.max() > 0.5:
        z = z + y + x
    else:
        z = z - y - x
    return z


def loop_in_a_loop(x):
    i = paddle.zeros([1])
    while i < 3:
        j = paddle.zeros([1])
        while j < 2:
            x = x + j
            j = j + 1
        if x.sum() > 0:
            x = x - j
        else:
            x = x + 2 * j
        i = i + 1
    return x


def loop_in_a_branch(x):
    i = paddle.zeros([1])
    while i < 2:
        x = x + i
        i = i + 1
    if x.sum() > 0:
        k = paddle.zeros([1])
        while k < 2:
            x = x + i
            k = k + 1
    else:
        x = x - 1
    return x


def branch_in_a_branch(x):
    y = paddle.assign(x)
    if x.sum() > 0:
        if x.max() > 1:
            r = y + x
        else:
            r = y - x
    else:
        r = y
    return r


def left_early(x):
    for _ in range(5):
        if x.sum() > 3:
            break
        x = x + 1
    return x


def returned_early(x):
    if x.sum() > 0:
        return x * 2
    for _ in range(3):
        x = x - 1
        if x.min() < -3:
            return x
    return x + 100


@pytest.mark.parametrize("sizes", [[2, 3], [None, 3]])
@pytest.mark.parametrize("function", [
    loop_then_branch, branch_before_a_loop, loop_in_a_loop, loop_in_a_branch, branch_in_a_branch, left_early,
    returned_early])
def test_blocks_read_what_was_written_last(function, sizes, tmp_path):
    ways = [np.full([2, 3], value, "float32") for value in (2.0, 0.25, -0.25, -4.0)]
    same(function, [sizes], *[[value] for value in ways], folder=tmp_path)
