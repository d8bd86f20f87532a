"""The gradient of max pooling as a loop against the NumPy kernel: windows that overlap, padding, ties, NaN."""

import numpy as np
import pytest
from proa.backend.kernels import max_pool
from proa.backend.loops import is_ready
from proa.ops.nn.pool import pool2d_op, pool_grad_op

pytestmark = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")


@pytest.mark.parametrize("kernel,stride,padding", [(2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 0)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("channels_last", [False, True])
def test_equals_the_plain_kernel(kernel, stride, padding, dtype, channels_last, monkeypatch):
    monkeypatch.setattr(max_pool, "_LEAST", 0)
    monkeypatch.setattr(max_pool, "_LEAST_CHANNELS", 0)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, (2, 5, 9, 8)).astype(dtype)  # with many equal elements
    x[0, 0, 0, 0] = np.nan
    if channels_last:
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    attrs = dict(pooling_type="max", ksize=[kernel] * 2, strides=[stride] * 2, paddings=[padding] * 2)
    out = pool2d_op.kernel(np, x, **attrs)
    g = rng.normal(size=out.shape).astype(dtype)
    np.testing.assert_allclose(pool_grad_op.kernel_for(np)(np, x, out, g, **attrs),
                               pool_grad_op.kernel(np, x, out, g, **attrs), rtol=1e-6, atol=1e-6)
