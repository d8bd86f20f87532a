"""An accelerated kernel against the NumPy kernel of its operator, called with the same arrays."""

import numpy as np
import pytest
from proa.backend.loops import is_ready
from proa.core.flags import flags_guard
from proa.ops.core.operator import find

needs_loops = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")


def normal(*shape, seed=0, dtype="float32"):
    """Normally distributed values."""
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def channels_last(x):
    """The same values, whose channels lie behind the places in memory."""
    order = (0, *range(2, x.ndim), 1)
    return np.ascontiguousarray(x.transpose(order)).transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def agree(type, accelerated, *inputs, rtol=3e-6, atol=2e-6, **attrs):
    """Checks that the kernel does not decline, and gives the shapes, dtypes and values that NumPy's gives.

    It declines when loops are not wanted. Gives its results.
    """
    with flags_guard({"FLAGS_cpu_engines": ""}):
        assert accelerated(*_copies(inputs), **attrs) is NotImplemented
    with flags_guard({"FLAGS_cpu_engines": "loops"}):
        found = accelerated(*_copies(inputs), **attrs)
    assert found is not NotImplemented
    with np.errstate(all="ignore"):
        wanted = find(type).kernel(np, *_copies(inputs), **attrs)
    for a, b in zip(_flat(found), _flat(wanted), strict=True):
        if b is None:
            assert a is None
            continue
        assert np.shape(a) == np.shape(b) and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
    return found


def _copies(values):
    """The inputs, so that a kernel may change them."""
    return [None if x is None else list(map(_copy, x)) if isinstance(x, list) else _copy(x) for x in values]


def _copy(x):
    return x if 0 in x.strides else np.copy(x, order="K")


def _flat(results):
    found = []
    for result in results if isinstance(results, tuple) else (results,):
        found += result if isinstance(result, list) else [result]
    return found
