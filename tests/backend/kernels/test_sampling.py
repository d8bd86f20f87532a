"""Images at places between their elements, and the gradients of that, as loops."""

import numpy as np
import proa as paddle
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import sampling
from proa.core.flags import flags_guard

pytestmark = needs_loops
F = paddle.nn.functional


def places(shape, size, dtype):
    found = np.random.default_rng(size).uniform(-2.5, size + 1.5, shape).astype(dtype)
    found.flat[:12] = [-1, 0, size - 1, size, size - 2, 0.5, -0.5, size - 0.5, np.nan, np.inf, -1e30, 1e30]
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape,out", [((2, 3, 9, 13), (300,)), ((3, 1, 1, 700), (4, 5)), ((1, 20, 30, 1), (7, 70))])
def test_samples_and_gradients(shape, out, dtype):
    x, g = normal(*shape, dtype=dtype), normal(*shape[:2], *out, seed=1, dtype=dtype)
    down, along = (places((shape[0], *out), size, dtype) for size in shape[2:])
    exact = {"rtol": 1e-4, "atol": 1e-4}
    agree("sample_at_places", sampling.sampled, x, down, along, **exact)
    agree("slopes_at_places", sampling.slopes, g, x, down, along, **exact)
    finite = [np.where(np.isfinite(p), p, 0.25).astype(dtype) for p in (down, along)]
    agree("spread_at_places", sampling.spread, g, x, *finite, **exact)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_grid_sample_with_and_without_loops(mode, padding_mode, align_corners):
    found = []
    for engines in ("", "loops"):
        with flags_guard({"FLAGS_cpu_engines": engines}):
            x = paddle.to_tensor(normal(2, 4, 17, 11), stop_gradient=False)
            grid = paddle.to_tensor(normal(2, 12, 15, 2, seed=1), stop_gradient=False)
            y = F.grid_sample(x, grid, mode, padding_mode, align_corners)
            (y * paddle.to_tensor(normal(*y.shape, seed=2))).sum().backward()
            found.append([y.numpy(), x.grad.numpy(), grid.grad.numpy()])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)
