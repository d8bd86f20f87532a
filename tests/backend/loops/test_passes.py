"""A body as calls of NumPy gives the bits that machine code gives."""

import sys

import numpy as np
import pytest
from proa.backend.loops import elementwise, is_ready, same_bits
from proa.backend.loops import passes as passes_module
from proa.backend.loops.elementwise import ElementwiseLoop
from proa.backend.loops.kernel import Kernel
from proa.backend.loops.passes import passes
from proa.core.flags import flags_guard

pytestmark = [pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed"),
              pytest.mark.usefixtures("as_around_kernels")]

BODIES = [
    ["t2 = a0 * 1.7 + a1", "t3 = t2 * t2 - a0 / 3.0", "r0 = f32(t3)"],
    ["r0 = max(a0, 0.0) * (1.0 / 3)", "r1 = -a1 if a0 > 0.5 else a1 * 2"],
    ["t0 = copysign(a0, a1) * truncate(a0)", "r0 = a0 * t0 + sqrt(abs(a1)) ** 2"],
    ["r0 = min(max(a0, -1.0), 6.0) / 6.0 if not (a0 < 0 or a1 == 2) else 0.25"],
    ["t2 = a0 - a1", "t3 = t2 / a1", "r0 = t3", "r1 = t2"],
    ["r0 = max(a0, 1.0 + 0.5) - min(a1, (1 - 3) * 2.0)", "r1 = max(a0, -(0.25 / 2)) * -(2 - 5.5)"],
    ["r0 = 1.0 if a0 >= a1 else 0.0", "r1 = floor(a0 * 3) + ceil(a1) + nearest(a0 * a1)"],
]


def arrays(dtype, transposed):
    values = np.random.default_rng(0).standard_normal((2, 7, 33)) * 3
    values[0, 0, :6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0]
    values[1, 0, :3] = [-0.0, 0.0, np.nan]
    x, y = values.astype(dtype)
    return (x.T, y.T) if transposed else (x, y)


@pytest.fixture
def nothing_kept(monkeypatch):
    """Neither in this process nor on disk."""
    elementwise._code.cache_clear()
    monkeypatch.setattr(Kernel, "kept", lambda self, *types: None)
    monkeypatch.setattr(same_bits, "WORTH_THE_COMPILER", 0.0)
    yield monkeypatch
    elementwise._code.cache_clear()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("body", BODIES)
def test_numpy_and_machine_code_give_the_same_bits(body, dtype, transposed, nothing_kept):
    body = [line.replace("f32(", f"f{dtype[-2:]}(") for line in body]
    outputs = [dtype] * sum(line.startswith("r") for line in body)
    given = arrays(dtype, transposed)
    first = ElementwiseLoop(body, outputs)
    by_numpy = first(*given)
    (launch,) = first._launches.values()
    assert launch.code is None and launch.source.same.spent > 0
    nothing_kept.setattr(same_bits, "WORTH_ITS_MAKING", 0.0)
    elementwise._code.cache_clear()
    by_code = ElementwiseLoop(body, outputs)(*given)
    for a, b in zip(by_numpy, by_code, strict=True):
        assert a.strides == b.strides
        np.testing.assert_array_equal(a.view(f"i{a.itemsize}"), b.view(f"i{b.itemsize}"))


def test_masks_count_as_numbers_and_broadcast(nothing_kept):
    x = np.linspace(-2, 2, 12, dtype="float32").reshape(3, 4)
    mask, row = x > 0, np.arange(4, dtype="uint8")
    body = ["t0 = a0 * (a1 * 1.25) + a2", "r0 = t0 if a1 else -a0"]
    by_numpy, = ElementwiseLoop(body, ["float32"])(x, mask, row)
    nothing_kept.setattr(same_bits, "WORTH_ITS_MAKING", 0.0)
    elementwise._code.cache_clear()
    by_code, = ElementwiseLoop(body, ["float32"])(x, mask, row)
    np.testing.assert_array_equal(by_numpy, by_code)
    np.testing.assert_array_equal(by_numpy, np.where(mask, np.float32(1.25) * x * mask + row, -x))


@pytest.mark.parametrize("shapes", [
    [(1, 1, 1), (31, 40), (1,)],  # walked as one dimension
    [(), (3, 7, 5, 11), (7, 1, 1)],
    [(3, 1, 5, 1), (3, 7, 5, 11), (11,)],
    [(40, 1), (40, 100), (100,)],
    [(2, 300), (2, 1), (300,)],  # a row is longer than a block
])
@pytest.mark.parametrize("apart", [False, True])
def test_blocks_give_what_the_whole_gives(shapes, apart, monkeypatch):
    """Operands that broadcast, and results that lie in another order than their dimensions."""
    draw = np.random.default_rng(0).standard_normal
    given = [draw(shape[::-1], dtype="float32").T if apart else draw(shape, dtype="float32") for shape in shapes]
    run = passes(["t0 = a0 * a1 + a2", "r0 = t0 / 6.0", "r1 = t0 > 0.5"], [a.dtype for a in given], ["f32*", "u8*"])
    shape, order = np.broadcast_shapes(*shapes), "F" if apart else "C"
    found = {}
    for block in (1 << 20, 128):
        monkeypatch.setattr(passes_module, "_BLOCK", block)
        found[block] = [np.empty(shape, "float32", order), np.empty(shape, "uint8", order)]
        run(given, found[block])
    for whole, parts in zip(*found.values(), strict=True):
        np.testing.assert_array_equal(whole, parts)
    np.testing.assert_array_equal(found[128][0], (given[0] * given[1] + given[2]) / np.float32(6))


def test_machine_code_comes_when_numpy_has_taken_its_time(nothing_kept):
    loop, x = ElementwiseLoop(["r0 = a0 * 2.0 + 1.0"], ["float32"]), np.ones(1000, "float32")
    nothing_kept.setattr(same_bits, "WORTH_ITS_MAKING", 1.2e-5)
    codes = []
    for _ in range(4):
        loop(x)
        codes.append(next(iter(loop._launches.values())).code)
    assert codes[0] is None and codes[-1] is not None


def test_the_compiler_is_imported_when_all_code_together_is_worth_it(nothing_kept):
    made, x = [], np.ones(8, "float32")
    nothing_kept.setattr(same_bits, "WORTH_ITS_MAKING", 1e-5)
    nothing_kept.setattr(same_bits, "WORTH_THE_COMPILER", 0.5)
    nothing_kept.setattr(same_bits._All, "spent", 0.0)
    nothing_kept.delitem(sys.modules, "llvmlite.binding", raising=False)
    nothing_kept.setattr(Kernel, "typed", lambda self, *types: made.append(types))
    loop = ElementwiseLoop(["r0 = a0 * 7.0 + 0.25"], ["float32"])
    for _ in range(3):
        loop(x)
    assert not made
    same_bits._All.spent += 0.5  # by other code
    loop(x)
    assert made
    elementwise._code.cache_clear()


@pytest.mark.parametrize("line", ["r0 = max(a0, a1)", "r0 = min(a0, 0.0)", "r0 = a2 + a2", "r0 = a0 * (a2 * 2)",
                                  "r0 = a0 * (1.0 / 0)", "r0 = max(a0, 1e999 - 1e999)", "r0 = max(a0, 2.0, 1.0)",
                                  "r0 = a2 if a2 else a2", "r0 = tanh(a0)", "r0 = x0 * 2.0",
                                  "t0 = a0 * a1 + 1.0; r0 = t0 * sigmoid(t0)"])
def test_what_numpy_may_compute_otherwise_is_left_to_machine_code(line):
    dtypes = [np.dtype(name) for name in ("float32", "float32", "uint8")]
    assert passes(line.split("; "), dtypes, ["f32*"]) is None


@pytest.mark.parametrize("line", ["r0 = tanh(a0) + a1", "r0 = max(a0, a1)"])
def test_what_numpy_computes_otherwise_is_due_after_so_many_elements(line, nothing_kept):
    x, y = arrays("float32", False)
    loop = ElementwiseLoop([line], ["float32"])
    with flags_guard({"FLAGS_kernel_after_elements": 3 * (65536 + x.size)}):
        assert [loop(x, y) is None for _ in range(4)] == [True, True, False, False]


@pytest.mark.parametrize("size,calls", [(1 << 17, 1), (8, 2)])
def test_machine_code_is_looked_for_on_disk_when_that_is_worth_it(size, calls, monkeypatch):
    elementwise._code.cache_clear()
    looks = []
    monkeypatch.setattr(Kernel, "kept", lambda self, *types: looks.append(types))
    monkeypatch.setattr(same_bits, "WORTH_A_LOOK", 1e-5)
    loop, x = ElementwiseLoop(["r0 = a0 * 3.0 + 0.5"], ["float32"]), np.ones(size, "float32")
    for _ in range(4):
        loop(x)
        calls -= 1
        assert len(looks) == (calls <= 0)
    elementwise._code.cache_clear()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_choices_have_the_bits_of_what_was_chosen(dtype):
    random = np.random.default_rng(4)
    mask = random.random((60, 50)) < 0.5
    one, other = random.standard_normal((2, 60, 50)).astype(dtype)
    one[0, :4] = np.nan, -0.0, np.inf, 0.0
    number, row = np.dtype(dtype).type(0.25), other[:1]
    for chosen in ((one, other), (one, number), (number, row), (number, -number), (other.T.copy().T, one)):
        for part in (mask, mask[:3], mask[:, :1]):
            given = [each[:len(part), :part.shape[1]] if each.ndim else each for each in chosen]
            found, wanted = passes_module._chosen(part, *given), np.where(part, *given)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape and found.tobytes() == wanted.tobytes()
