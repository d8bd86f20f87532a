"""Matrices packed for products inside generated loops."""

import numpy as np
import pytest
from proa.backend import loops
from proa.backend.loops import compiler
from proa.backend.recurrent.blocks import (
    asking_block_product,
    asking_block_product_across,
    block_product,
    block_product_across,
    pack,
    wide_block_product,
    wide_block_product_across,
)

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
    both = pack(x, np.asfortranarray(x))
    np.testing.assert_array_equal(both, np.concatenate([wanted, wanted], axis=1))


@loops.kernel
def _one_by_one(a, b, across, start, one, wide, asking, rows, depth):
    for _ in range(1):
        for p in range(4):
            block_product(a, depth, rows, b + p * depth * 16, depth, start + p * 16, 0, one + p * 16, 64)
            block_product_across(across, b + p * depth * 16, depth, one + (256 + p * 16), 64)
        wide_block_product(a, depth, rows, b, depth * 16, depth, start, 0, wide, 64)
        wide_block_product_across(across, b, depth * 16, depth, wide + 256, 64)
        asking_block_product(a, depth, rows, b, depth * 16, depth, start, 0, asking, 64, a, b)
        asking_block_product_across(across, b, depth * 16, depth, asking + 256, 64, across, 16, a, b)


@pytest.mark.parametrize("rows", [4, 3])
def test_four_panels_at_a_time_have_the_bits_of_each(rows):
    normal = np.random.default_rng(rows).normal
    a, across = normal(size=(rows, 37)).astype("float32"), normal(size=(37, 16)).astype("float32")
    b = normal(size=(37, 64)).astype("float32")
    start, (one, wide, asking) = normal(size=64).astype("float32"), np.zeros((3, 2, 4, 64), "float32")
    _one_by_one(a, pack(b), across, start, one, wide, asking, rows, 37)
    np.testing.assert_array_equal(one, wide)
    np.testing.assert_array_equal(one, asking)
    np.testing.assert_allclose(one[0, :rows], start + a @ b, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(one[1], across[:, :4].T @ b, rtol=1e-4, atol=1e-5)


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
