"""Matrices packed for products inside generated loops."""

import numpy as np
import pytest
from proa.backend import loops
from proa.backend.loops import compiler
from proa.backend.recurrent.blocks import block_product, pack, two_block_product

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="there are no generated loops")


@pytest.mark.parametrize("columns", [16, 21, 48])
def test_packed_in_panels(columns):
    x = np.random.default_rng(columns).normal(size=(7, columns)).astype("float32")
    panels = -(-columns // 16)
    wanted = np.pad(x, [(0, 0), (0, 16 * panels - columns)]).reshape(7, panels, 16).swapaxes(0, 1)
    for given in (x, np.asfortranarray(x)):
        found = pack(given)
        assert found.flags.c_contiguous and found.shape == (panels, 7, 16)
        np.testing.assert_array_equal(found, wanted)


@loops.kernel
def _one_by_one(a, b, one, two, rows, depth, apart):
    for _ in range(1):
        block_product(a, depth, rows, b, depth, one, 16)
        block_product(a + apart * depth, depth, rows - apart, b, depth, one + apart * 16, 16)
        two_block_product(a, depth, rows, apart, b, depth, two, 16)


@pytest.mark.parametrize("rows, apart", [(8, 4), (7, 4), (12, 8)])
def test_two_blocks_have_the_bits_of_each(rows, apart):
    normal = np.random.default_rng(rows).normal
    a, b = normal(size=(rows, 37)).astype("float32"), normal(size=(37, 16)).astype("float32")
    one, two = np.zeros((2, 16, 16), "float32")
    _one_by_one(a, b, one, two, rows, 37, apart)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one[:4], a[:4] @ b, rtol=1e-4, atol=1e-5)


def test_blocks_ask_no_llvm_how_wide_vectors_are(monkeypatch):
    """Modules are imported where there is none, too, and where the system tells nothing of the processor."""
    def missing(*_):
        raise FileNotFoundError

    monkeypatch.setattr(compiler, "_text", missing)
    monkeypatch.setattr(compiler, "_target", missing)
    compiler._described.cache_clear()
    try:
        assert compiler.has_wide_vectors.__wrapped__() is False
    finally:
        compiler._described.cache_clear()


@pytest.mark.parametrize(("vendor", "flags", "wide"), [
    ("GenuineIntel", "avx2 avx512f avx512vl", False),  # Skylake, Cascade Lake: slower clocks with such vectors
    ("GenuineIntel", "avx2 avx512f avx512vbmi avx512_vbmi2", True),  # from Ice Lake on
    ("AuthenticAMD", "avx2 avx512f", True), ("AuthenticAMD", "avx2", False)])
def test_vectors_are_wide_where_the_processor_keeps_its_clock(vendor, flags, wide, monkeypatch):
    monkeypatch.setattr(compiler, "_described", lambda: (f"vendor_id\t: {vendor}", f"flags\t\t: fpu {flags}"))
    assert compiler.has_wide_vectors.__wrapped__() is wide
