"""Padding with own elements, dimensions made anew after tables, maxima of windows after tables; triangles."""

import numpy as np
import proa as paddle
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import copying, padding, resampling, window_maxima
from proa.core.flags import flags_guard
from proa.ops.nn import pool_kernels
from proa.ops.vision import resample_tables

pytestmark = needs_loops
F = paddle.nn.functional


def with_and_without(function):
    """What a function gives with loops, and without."""
    found = []
    for engines in ("loops", ""):
        with flags_guard({"FLAGS_cpu_engines": engines}):
            found.append(function())
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("widths", [[1, 2, 3, 4], [5, 0, 0, 0], [0, 3, 2, 0]])
def test_padding_with_own_elements(mode, widths, dtype):
    x = normal(2, 3, 11, 17, dtype=dtype)
    for images in (x, x[:, :, ::-1, ::2]):
        found, wanted = with_and_without(lambda images=images: F.pad(paddle.to_tensor(images), widths, mode).numpy())
        np.testing.assert_array_equal(found, wanted)
    assert padding.framed(x, np.arange(11), np.arange(17), 0) is not NotImplemented
    assert padding.framed(x.astype("int32"), np.arange(11), np.arange(17), 0) is NotImplemented


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("tables", [resample_tables.table, resample_tables.transposed])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("axis", [2, 3])
def test_dimensions_after_tables(axis, kind, tables, dtype):
    sizes = (11, 29)
    x = normal(3, 4, 11, 11, dtype=dtype) if tables is resample_tables.table else normal(3, 4, 29, 29, dtype=dtype)
    taps = tables(kind, *sizes, 0.0, True, 0)
    found = resampling.weighted(x, axis, taps)
    with flags_guard({"FLAGS_cpu_engines": ""}):
        assert resampling.weighted(x, axis, taps) is NotImplemented
        wanted = resample_tables.resampled(np, x, axis, taps)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert found.dtype == x.dtype and found.shape == wanted.shape


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes,out", [((23, 19), (5, 7)), ((8, 6), (8, 6)), ((9, 7, 5), (2, 3, 4)), ((30,), (7,))])
def test_maxima_of_windows(sizes, out, dtype):
    x = np.round(normal(2, 7, *sizes, dtype=dtype) * 3)  # equal ones among them
    x.flat[::41] = np.nan
    tables = pool_kernels.adaptive_tables(sizes, out)
    for found, wanted in zip(*with_and_without(lambda: pool_kernels.max_with_positions(np, x, tables)), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    assert window_maxima.maxima(np.zeros((2, 7, 900), "int32"), np.zeros((1, 1), "int32")) is NotImplemented


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("diagonal", [0, 3, -4, 90, -90])
def test_triangles(diagonal, lower, dtype):
    for x in (normal(3, 20, 31, dtype=dtype), normal(40, 17, dtype=dtype).T):
        agree("tril_triu", copying.triangle, x, diagonal=diagonal, lower=lower, rtol=0, atol=0)
