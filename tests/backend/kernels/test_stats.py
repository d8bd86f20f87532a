"""logsumexp, variance and norms as loops."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import reduce, stats
from proa.ops.math import statistics as operators  # noqa: F401 - declares operators

pytestmark = needs_loops
CASES = [((100, 100), []), ((100, 100), [1]), ((301, 99), [-1]), ((13, 15, 17), [1, 2]), ((200_001,), []),
         ((2, 70_000), [0, 1])]


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("shape,dim", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_variance(shape, dim, keep, dtype):
    for unbiased in (True, False):
        agree("variance", stats.variance, normal(*shape, dtype=dtype) + 5, dim=dim, keep_dim=keep, reduce_all=not dim,
              unbiased=unbiased, rtol=1e-5, atol=0)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("shape,dim", CASES)
def test_logsumexp(shape, dim, keep):
    x = normal(*shape) * 5
    agree("logsumexp", stats.logsumexp, x, axis=dim, keepdim=keep, reduce_all=not dim, rtol=1e-5)
    rows = x.reshape(-1, shape[-1])
    rows[0], x.flat[-1] = -np.inf, np.inf
    agree("logsumexp", stats.logsumexp, x, axis=dim, keepdim=keep, reduce_all=not dim, rtol=1e-5)
    x.flat[x.size // 2] = np.nan
    agree("logsumexp", stats.logsumexp, x, axis=dim, keepdim=keep, reduce_all=not dim, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape,dim", [*CASES, ((300, 40), [0]), ((40, 300, 20), [1]), ((20, 30, 40), [0, 2]),
                                       ((90_001, 3), [0])])
def test_norms_and_products(shape, dim, dtype):
    x = normal(*shape, dtype=dtype)
    for keep in (True, False):
        agree("frobenius_norm", stats.frobenius_norm, x, dim=dim, keep_dim=keep, reduce_all=not dim, rtol=1e-5)
        if len(dim) < 2:
            agree("p_norm", stats.p_norm, x, axis=dim[0] if dim else -1, keepdim=keep, asvector=not dim, rtol=1e-5)
        agree("reduce_prod", reduce.reduce_prod, 1 + x / 500, dim=dim, keep_dim=keep, reduce_all=not dim,
              rtol=1e-3 if dtype == "float32" else 1e-9)
    assert stats.p_norm(x, porder=1.0) is NotImplemented
