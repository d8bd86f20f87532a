"""What tests need of the processor: forms that NumPy's loops are faster than, without wide vectors, decline."""

import platform

import pytest

try:
    from numpy._core._multiarray_umath import __cpu_features__ as FEATURES
except ImportError:  # NumPy 1
    from numpy.core._multiarray_umath import __cpu_features__ as FEATURES

#: As `has_wide_vectors` in ops/core/_forms.c.
WIDE_VECTORS = platform.machine() not in ("x86_64", "AMD64") or bool(FEATURES["AVX2"] and FEATURES["FMA3"])
needs_wide_vectors = pytest.mark.skipif(not WIDE_VECTORS, reason="the processor has no AVX2")
