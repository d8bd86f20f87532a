"""`paddle.onnx.export` of loops and branches that read what the others wrote."""

import importlib.util

import numpy as np
import proa as paddle
import pytest
from proa.static.files.inference_model import program_bytes, program_of

if importlib.util.find_spec("paddle2onnx") is None:
    pytest.skip("paddle2onnx is not installed", allow_module_level=True)
onnxruntime = pytest.importorskip("onnxruntime")

from onnx_runs import same  # noqa: E402  (it needs onnxruntime)


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


def test_numbered_names_of_a_loop(tmp_path):
    """PaddlePaddle 3's `.json` Programs are read with `x` and `x.1`, which is what the converter calls `x` inside."""
    prefix = str(tmp_path / "m")
    paddle.jit.save(paddle.jit.to_static(loop_then_branch), prefix, input_spec=[paddle.static.InputSpec([2, 3])])
    content = (tmp_path / "m.pdmodel").read_bytes()
    program = program_of(content, prefix)
    (loop,) = [op for op in program.global_block().ops if op.type == "while"]
    before, after = loop.input("X")[1], loop.input("Condition")[0] + ".1"
    program.global_block()._rename_var(before, after)
    for block in program.blocks:
        for op in block.ops:
            op.rename_input(before, after)
            op.rename_output(before, after)
    (tmp_path / "m.pdmodel").write_bytes(program_bytes(program))
    paddle.onnx.export(prefix, prefix)
    session = onnxruntime.InferenceSession(prefix + ".onnx")
    for value in (2.0, -4.0):
        x = np.full([2, 3], value, "float32")
        got, = session.run(None, {session.get_inputs()[0].name: x})
        np.testing.assert_allclose(got, loop_then_branch(paddle.to_tensor(x)).numpy())
