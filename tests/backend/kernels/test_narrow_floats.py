"""16-bit floats to float32 and back by loops: NumPy's bits, and ml_dtypes'."""

import numpy as np
import pytest
from comparing import needs_loops, normal
from proa.backend.kernels.narrow_floats import converted
from proa.core import dtype as dt
from proa.core.flags import flags_guard

pytestmark = needs_loops
ALL = np.arange(1 << 16, dtype="uint16")


@pytest.fixture(params=["float16", "bfloat16"])
def narrow(request):
    if request.param == "bfloat16":
        pytest.importorskip("ml_dtypes")
    return dt.convert_dtype(request.param).dtype


def same(found, wanted):
    bits = f"uint{8 * wanted.itemsize}"
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    nan = np.isnan(wanted.astype("float32"))
    np.testing.assert_array_equal(np.isnan(found.astype("float32")), nan)
    np.testing.assert_array_equal(found.view(bits)[~nan], wanted.view(bits)[~nan])


def test_every_number_of_16_bits(narrow):
    x = ALL.view(narrow)
    with np.errstate(invalid="ignore"):  # NumPy asks some processors, which tell of signalling NaNs
        same(converted(x, np.dtype("float32")), x.astype("float32"))
        same(converted(x.astype("float32"), narrow), x)


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e-7, 1e-39, 3e4, 1e38])
def test_rounding(narrow, scale):
    with np.errstate(all="ignore"):
        wide = ALL.view(narrow).astype("float32")
        between = np.concatenate([np.nextafter(wide, np.float32(np.inf)), np.nextafter(wide, np.float32(0)),
                                  (wide[:-1] + wide[1:]) / 2, normal(20000) * np.float32(scale)])
        same(converted(between, narrow), between.astype(narrow))


def test_arrays_in_any_order_and_small_ones(narrow):
    x = normal(60, 70)
    same(converted(x.T, narrow), x.T.astype(narrow))
    same(converted(x[:3, :3], narrow), x[:3, :3].astype(narrow))
    same(converted(x.T.astype(narrow), np.dtype("float32")), x.T.astype(narrow).astype("float32"))


def test_other_dtypes_are_numpys(narrow):
    x = np.arange(4000, dtype="int32")
    same(converted(x, narrow), x.astype(narrow))
    assert converted(x.astype(narrow), np.dtype("int32")).dtype == np.int32
    assert converted(x.astype("int16"), np.dtype("float32")).dtype == np.float32
    with flags_guard({"FLAGS_cpu_engines": ""}):
        same(converted(x.astype("float32"), narrow), x.astype(narrow))
