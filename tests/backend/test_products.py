"""Large products of NumPy's on the threads of loops, and how many threads its BLAS has meanwhile."""

import os
import threading

import numpy as np
import pytest
from proa.backend import blas, products
from proa.backend.linear_algebra import linalg
from proa.ops.core import native

needs_parts = pytest.mark.skipif(
    native.module is None or blas.address_of("cblas_dgemm") is None or blas.get_num_threads() in (None, 1),
    reason="without the compiled form, NumPy's OpenBLAS or a second thread, NumPy computes")


def _drawn(shape, dtype, rng):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith("c") else x).astype(dtype)


def _laid(x, way):
    """The same elements, laid otherwise."""
    if way == "turned":
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if way == "within rows":
        return np.concatenate([x, x], -1)[..., :x.shape[-1]]
    if way == "every second":
        return np.repeat(x, 2, -1)[..., ::2]
    return x[..., ::-1, :] if way == "backwards" else x


@pytest.fixture
def counted(monkeypatch):
    """How many threads BLAS had in each product that was shared, and whether it was taken."""
    seen, shared = [], products.shared[0]

    def looking(x, y, out, gemm):
        taken = shared(x, y, out, gemm)
        seen.append((blas.get_num_threads(), taken))
        return taken

    monkeypatch.setattr(products, "shared", [looking])
    return seen


@needs_parts
@pytest.mark.parametrize("dtype, exact", [
    ("float32", 1e-4), ("float64", 1e-12), ("complex64", 1e-4), ("complex128", 1e-12)])
@pytest.mark.parametrize("x_shape, y_shape", [
    ((100, 70), (70, 90)), ((7, 300), (300, 200)), ((1000, 17), (17, 16)), ((5, 40, 60), (5, 60, 50)),
    ((2, 3, 40, 60), (60, 50)), ((40, 60), (4, 60, 50)), ((3, 1, 40, 60), (4, 60, 50))])
@pytest.mark.parametrize("way", ["by rows", "turned", "within rows", "every second", "backwards"])
def test_a_large_product_is_numpys(counted, dtype, exact, x_shape, y_shape, way):
    rng = np.random.default_rng(0)
    x, y = _laid(_drawn(x_shape, dtype, rng), way), _laid(_drawn(y_shape, dtype, rng), way)
    before = blas.get_num_threads()
    made = products.matmul(np, x, y)
    assert made.dtype == dtype and made.flags.c_contiguous
    np.testing.assert_allclose(made, np.matmul(x, y), rtol=exact, atol=exact * np.sqrt(x.shape[-1]))
    if max(x.size * y.shape[-1], y.size * x.shape[-2]) > products.LARGE:
        assert counted[-1] == (1, True), "not computed by our threads, each with BLAS on one"
    assert blas.get_num_threads() == before


@needs_parts
def test_into_an_array(counted):
    rng = np.random.default_rng(0)
    x, y, out = (rng.standard_normal((80, 80)) for _ in range(3))
    assert products.matmul(np, x, y, out) is out and counted
    np.testing.assert_allclose(out, x @ y, rtol=1e-12, atol=1e-12)
    turned = np.empty((80, 80)).T
    assert products.matmul(np, x, y, turned) is turned
    np.testing.assert_allclose(turned, x @ y, rtol=1e-12, atol=1e-12)


@needs_parts
def test_what_is_left_to_numpy(counted):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((90, 100))
    np.testing.assert_array_equal(products.matmul(np, x, x.T), x @ x.T)  # which is symmetric to the bit
    products.matmul(np, x[:10], x.T)
    products.matmul(np, x.astype("float16"), x.T.astype("float16"))
    products.matmul(np, x.astype("float32"), x.T.copy())
    assert not counted
    with pytest.raises(ValueError, match="mismatch"):
        products.matmul(np, x, x)


@needs_parts
def test_threads_of_blas_come_back():
    before = blas.get_num_threads()
    with blas.one_thread:
        assert blas.get_num_threads() == 1
        with blas.one_thread:
            assert blas.get_num_threads() == 1
        assert blas.get_num_threads() == 1
    assert blas.get_num_threads() == before
    with blas.one_thread:
        blas.set_num_threads(before + 1)
        assert blas.get_num_threads() == 1
    assert blas.get_num_threads() == before + 1
    blas.set_num_threads(before)


@needs_parts
def test_threads_of_blas_come_back_from_several_threads():
    before, x = blas.get_num_threads(), np.random.default_rng(0).standard_normal((80, 80))
    wanted, wrong = x @ x, []

    def work():
        for _ in range(200):
            if not np.allclose(products.matmul(np, x, x), wanted):
                wrong.append(x)
            linalg(np).inv(x[:20, :20])

    running = [threading.Thread(target=work) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not wrong and blas.get_num_threads() == before


@needs_parts
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_is_forked_meanwhile_has_all_its_threads():
    before = blas.get_num_threads()
    with blas.one_thread:
        child = os.fork()
        if not child:
            fine = blas.get_num_threads() == before
            with blas.one_thread:
                fine = fine and blas.get_num_threads() == 1
            os._exit(0 if fine and blas.get_num_threads() == before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@needs_parts
@pytest.mark.parametrize("size, threads", [(100, 1), (600, None)])
def test_small_decompositions_are_computed_on_one_thread(monkeypatch, size, threads):
    seen, real = [], np.linalg.inv
    monkeypatch.setattr(np.linalg, "inv", lambda x: seen.append(blas.get_num_threads()) or real(x))
    host = type(linalg(np))()  # one that has not looked at numpy.linalg yet
    host.inv(np.eye(size))
    assert seen == [threads or blas.get_num_threads()]
