"""Tapes: many small computations by one call, and calls that a tape is not for."""

import threading

import numpy as np
import pytest
from proa.backend import loops, onednn
from proa.backend.loops.elementwise import ElementwiseLoop
from proa.backend.loops.tape import LARGEST, Declined, Tape

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason=loops.obstacle())

F32, F64 = np.dtype("float32"), np.dtype("float64")


def _values(*shape, dtype=F32):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("of_x", [False, True])
@pytest.mark.parametrize("of_y", [False, True])
@pytest.mark.parametrize("blas", [True, False])
def test_products(dtype, of_x, of_y, blas, monkeypatch):
    if not blas:
        monkeypatch.setattr("proa.backend.loops.tape._gemm", lambda kind: None)
    for m, k, n in ((3, 5, 4), (1, 7, 2), (6, 1, 9), (17, 33, 40)):
        x = _values(*((k, m) if of_x else (m, k)), dtype=dtype)
        y = _values(*((n, k) if of_y else (k, n)), dtype=dtype)
        tape = Tape([(x.shape, dtype), (y.shape, dtype)])
        found, = tape.finished([tape.product(*tape.given, of_x, of_y)])([x, y])
        np.testing.assert_allclose(found, (x.T if of_x else x) @ (y.T if of_y else y), rtol=1e-4, atol=1e-5)


by_onednn = pytest.mark.skipif(not onednn.is_ready(), reason="products of this size are oneDNN's")


@by_onednn
@pytest.mark.parametrize("of_x", [False, True])
@pytest.mark.parametrize("of_y", [False, True])
def test_large_products(of_x, of_y):
    for m, k, n in ((16, 128, 512), (40, 512, 33), (1, 1024, 600)):
        x = _values(*((k, m) if of_x else (m, k)))
        y = _values(*((n, k) if of_y else (k, n)))
        tape = Tape([(x.shape, F32), (y.shape, F32)])
        first = tape.product(*tape.given, of_x, of_y)
        run = tape.finished([first, tape.product(*tape.given, of_x, of_y)])
        kept = y.copy()
        for found in run([x, y]):
            np.testing.assert_allclose(found, (x.T if of_x else x) @ (y.T if of_y else y), rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(y, kept)
    assert (run.size > 0) == (of_y and k % 512 == 0)  # rows that lie badly are copied apart, once


@pytest.mark.parametrize("sizes, dtype", [((128, 128, 128), F32), ((16, 128, 512), F64)])
def test_products_for_several_threads_are_none_for_a_tape(sizes, dtype):
    m, k, n = sizes
    tape = Tape([((m, k), dtype), ((k, n), dtype)])
    with pytest.raises(Declined):
        tape.product(*tape.given, False, False)


@by_onednn
def test_a_copy_apart_is_forgotten_with_the_attempt_that_made_it():
    tape = Tape([((64, 512), F32), ((64, 512), F32), ((16, 512), F32)])
    other, y, x = tape.given
    with pytest.raises(Declined), tape.attempt():
        tape.product(x, y, False, True)
        tape.new((LARGEST + 1,), F32)
    arrays = [_values(64, 512), _values(64, 512) * 2, _values(16, 512)]
    found, = tape.finished([tape.product(x, y, False, True)])(arrays)
    np.testing.assert_allclose(found, arrays[2] @ arrays[1].T, rtol=1e-4, atol=1e-4)


def test_steps_share_memory_and_results_do_not():
    loop = ElementwiseLoop(["r0 = a0 * 2.0 + a1"], ["float32"])
    tape = Tape([((4, 6), F32), ((6,), F32)])
    x, shift = tape.given
    values = [x]
    for _ in range(50):
        values += tape.elementwise(loop, [values[-1], shift])
    last = tape.summed(values[-1], (6,), 1, 4, 6, 4.0)
    run = tape.finished([values[3], last, values[3], x])
    assert run.size <= 4 * 64 * 4  # two or three values at a time, not fifty
    arrays = [_values(4, 6), _values(6) * 1e-3]
    results = run(arrays)
    expected = [arrays[0]]
    for _ in range(50):
        expected.append(expected[-1] * np.float32(2) + arrays[1])
    np.testing.assert_allclose(results[0], expected[3], rtol=1e-6)
    np.testing.assert_allclose(results[1], expected[-1].mean(0), rtol=1e-5)
    np.testing.assert_array_equal(results[2], results[0])
    np.testing.assert_array_equal(results[3], arrays[0])
    assert not any(np.shares_memory(a, b) for n, a in enumerate(results) for b in [*results[:n], *arrays])


def test_it_looks_at_what_it_is_given():
    tape = Tape([((2, 3), F32)])
    run = tape.finished([tape.summed(tape.given[0], (3,), 1, 2, 3, 1.0)])
    x = _values(2, 3)
    assert run([x])[0].tolist() == (x[0] + x[1]).tolist()
    for other in (_values(3, 2), x.astype(F64), _values(3, 2).T, x.astype(">f4"), np.float32(2), x.tolist(),
                  x.view(type("Other", (np.ndarray,), {})), _values(2, 3, 1), np.frombuffer(b"\0" * 25, F32, 6, 1)
                  .reshape(2, 3)):
        assert run([other]) is None
    with pytest.raises(TypeError):
        run([x, x])


def test_parts_and_copies():
    tape = Tape([((4, 3), F32)])
    x, = tape.given
    second = tape.part(x, 3, (3,))
    both = tape.new((2, 3), F32)
    tape.copy(second, both, 1, 3, (0, 0), (0, 0))
    tape.copy(x, both, 1, 3, (9, 0), (3, 0))
    turned = tape.new((3, 2), F32)
    tape.taken(both, turned, np.array([0, 3, 1, 4, 2, 5]))
    run = tape.finished([second, tape.part(both, 3, (3, 1)), turned, tape.reshaped(turned, (6,))])
    array = _values(4, 3)
    one, last, found, flat = run([array])
    np.testing.assert_array_equal(one, array[1])
    np.testing.assert_array_equal(last, array[3][:, None])
    np.testing.assert_array_equal(found, array[[1, 3]].T)
    np.testing.assert_array_equal(flat, found.ravel())
    array[1] = 0  # what came out is no part of what went in
    assert one.any()


def test_an_attempt_that_fails_leaves_nothing():
    tape = Tape([((2, 2), F32)])
    x, = tape.given
    with pytest.raises(Declined), tape.attempt():
        tape.give((3,), F32)
        tape.product(x, x, False, False)
        tape.new((LARGEST + 1,), F32)
    assert len(tape) == 0 and tape.given == [x]
    found, = tape.finished([tape.product(x, x, False, True)])([np.ones((2, 2), F32)])
    assert found.tolist() == [[2, 2], [2, 2]]


def test_numbers_and_nothing():
    tape = Tape()
    run = tape.finished([tape.filled((2,), F32, 1.5), tape.filled((), np.dtype("int64"), 7),
                         tape.filled((0, 3), F64, 1.0)])
    one, seven, nothing = run([])
    assert one.tolist() == [1.5, 1.5] and seven.shape == () and seven == 7 and nothing.shape == (0, 3)


def test_threads_have_their_own_memory():
    loop = ElementwiseLoop(["r0 = a0 + 1.0"], ["float32"])
    tape = Tape([((64, 64), F32)])
    value = tape.given[0]
    for _ in range(200):
        value, = tape.elementwise(loop, [value])
    run = tape.finished([value])
    wrong = []

    def compute(number):
        array = np.full((64, 64), number, F32)
        for _ in range(20):
            if not (run([array])[0] == number + 200).all():
                wrong.append(number)

    threads = [threading.Thread(target=compute, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
