"""Functions of whole numbers by their operators' types, as PaddlePaddle 2.6.2 computes them: float32, in any size."""

import numpy as np
import proa as paddle
import pytest


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("size", [3, 70000])
@pytest.mark.parametrize("type", ["exp", "expm1", "log", "log2", "log10", "log1p"])
def test_results_are_float32(type, size, dtype):
    program = paddle.static.Program()
    block = program.global_block()
    block.create_var(name="x", shape=[size], dtype=dtype)
    out = block.create_var(name="y")
    block.append_op(type, {"X": "x"}, {"Out": "y"})
    found, = paddle.static.Executor().run(program, feed={"x": np.full(size, 2, dtype)}, fetch_list=["y"])
    assert found.dtype == np.float32 and out.dtype == paddle.float32
    np.testing.assert_allclose(found, np.full(size, getattr(np, type)(2.0)), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "complex64"])
def test_other_dtypes_stay(dtype):
    assert paddle.exp(paddle.ones([3]).astype(dtype)).dtype == getattr(paddle, dtype)
