"""Products that NumPy computes in parts until oneDNN's function for them is worth making its code."""

import numpy as np
import proa as paddle
import pytest
from proa.backend.loops.kernel import Due
from proa.backend.onednn import LARGE, early_product, is_ready, matmul
from proa.core.flags import flags_guard

module = __import__(matmul.__module__, fromlist=["_due"])


@pytest.fixture(autouse=True)
def nothing_asked_yet(monkeypatch):
    monkeypatch.setattr(module, "_due", Due())
    with flags_guard({"FLAGS_kernel_after_elements": 8_000_000}):
        yield


def matrices(*shapes):
    draw = np.random.default_rng(0).standard_normal
    return [draw(shape, dtype="float32") for shape in shapes]


@pytest.mark.parametrize("shapes", [((80, 32), (32, 128)), ((9, 300), (300, 100)), ((4, 20, 64), (64, 128)),
                                    ((2000, 64), (64, 64)), ((5, 250), (250, 262))])
@pytest.mark.parametrize("turned", [False, True])
def test_parts_are_the_product(shapes, turned):
    x, y = matrices(*shapes)
    if turned:
        x, y = x.swapaxes(-1, -2).copy().swapaxes(-1, -2), y.T.copy().T
    found = early_product(x, y)
    assert found.dtype == np.float32 and found.shape == (*x.shape[:-1], y.shape[1])
    np.testing.assert_allclose(found, x.astype("float64") @ y.astype("float64"), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shapes", [((64, 64), (64, 64)), ((2, 400), (400, 400)), ((3000, 64), (64, 64)),
                                    ((80, 32), (31, 128)), ((80,), (80, 9000)), ((2, 80, 32), (2, 32, 128))])
def test_small_flat_and_large_ones_are_left(shapes):
    assert early_product(*matrices(*shapes)) is NotImplemented


def test_other_dtypes_are_left():
    x, y = matrices((80, 32), (32, 128))
    assert early_product(x.astype("float64"), y.astype("float64")) is NotImplemented
    assert early_product(x, y.astype("float64")) is NotImplemented


def test_so_many_are_early():
    x, y = matrices((256, 64), (64, 256))  # 2^22 multiplications, 2^17 as elements, and 2^16 for the call
    times = 0
    while early_product(x, y) is not NotImplemented:
        times += 1
    assert times == 8_000_000 // (x.size * 256 // 32 + 65536)
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        module._due = Due()
        assert early_product(x, y) is NotImplemented


@pytest.mark.skipif(not is_ready(), reason="oneDNN is not installed")
def test_a_tensors_product_is_the_same_before_and_afterwards():
    x, y = map(paddle.to_tensor, matrices((80, 64), (64, 128)))
    assert x.shape[0] * 64 * 128 > LARGE
    results = [paddle.matmul(x, y).numpy() for _ in range(120)]
    turned = paddle.matmul(x.t().clone(), y.t().clone(), transpose_x=True, transpose_y=True).numpy()
    for result in (*results, turned):
        np.testing.assert_allclose(result, results[0], rtol=1e-4, atol=1e-4)
