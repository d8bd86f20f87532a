"""What a line of a plan calls for a group of elementwise operators: launches of the compiled form, or Python."""

import ctypes
import gc
import weakref

import numpy as np
import proa as paddle
import pytest
from proa.backend.loops import same_bits
from proa.backend.loops.elementwise import ElementwiseLoop
from proa.backend.threads import place_of_count
from proa.core.flags import flags_guard
from proa.ops.core import native

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not in use")


COUNTS = []  # lines read them for as long as they are there


def line_of_ours(threads=2):
    """A line, the number of threads that it sees, and what it has left to Python."""
    count, left = ctypes.c_int(threads), []
    COUNTS.append(count)
    return native.module.line_of_loops(lambda *given: left.append(given), ctypes.addressof(count)), count, left


def adding(seen):
    def code(threads, x, y, total, *numbers):
        seen.append((threads, numbers))
        np.add(x, y, out=total)
    return code


def test_a_launch_answers_for_arrays_that_lie_as_its_own():
    line, count, left = line_of_ours()
    x, y, seen = np.ones((2, 3), "float32"), np.full((2, 3), 2, "float32"), []
    assert line([x, y]) is None and len(left) == 1
    assert line.add([x, y], (x + y,), adding(seen), (6, 1))
    total, = line([x, y])
    assert type(total) is np.ndarray and total.tolist() == [[3.0] * 3] * 2 and total.base is None
    count.value = 5
    line([x, y])
    assert seen == [(2, (6, 1)), (5, (6, 1))] and line.served == 2 and len(left) == 1
    unaligned = np.zeros(25, "uint8")[1:].view("float32").reshape(2, 3)
    others = [[x, y.view("int32")], [x, unaligned],
              [x, y.astype("float64")], [x, y[:, :2]], [x[::-1], y], [x, np.float32(1)], [x], [x, y, y], [x, None],
              [x, np.ones((6, 4), "float32")[::3, 1:]], (x, y), x]
    for other in others:
        assert line(other) is None
    assert line(x, y) is None and line.served == 2 and len(left) == 2 + len(others)


def test_results_lie_as_those_that_were_made():
    line, _, _ = line_of_ours()
    x = np.arange(24, dtype="float32").reshape(2, 3, 4).transpose(0, 2, 1)
    assert line.add([x, x], (np.empty_like(x),), adding([]), ())
    total, = line([x, x])
    assert total.strides == x.strides and np.array_equal(total, 2 * x)
    scalar = np.ones((), "int64")
    assert line.add([scalar, scalar], (scalar,), adding([]), ())
    assert line([scalar, scalar])[0].shape == () and line([x, x])[0].shape == x.shape


def test_a_failure_of_the_code_comes_out():
    line, _, left = line_of_ours()
    x = np.ones(3, "float32")
    line.add([x, x], (x,), lambda *_: 1 / 0, ())
    with pytest.raises(ZeroDivisionError):
        line([x, x])
    assert not line.served and not left


def test_a_line_refuses_what_is_no_launch():
    line, _, left = line_of_ours()
    x = np.ones(3, "float32")
    unaligned = np.zeros(13, "uint8")[1:].view("float32")
    for array in (unaligned, x.astype(">f4"), np.array(["a"]), np.ones([1] * 9, "float32"), np.float32(1)):
        assert not line.add([x, array], (x,), adding([]), ())
        assert not line.add([x, x], (array,), adding([]), ())
    assert not line.add([x, x], (x,), adding([]), tuple(range(300)))
    for wrong in (((x, x), (x,), print, ()), ([x], [x], print, ()), ([x], (x,), None, ()), ([x], (x,), print)):
        with pytest.raises(TypeError):
            line.add(*wrong)
    for wrong in ((None, 1), (print, 0), (print,)):
        with pytest.raises(TypeError):
            native.module.line_of_loops(*wrong)
    assert [line.add([np.ones(n, "float32")], (x,), adding([]), ()) for n in range(40)].count(True) == 32
    assert line([x, x]) is None and len(left) == 1


def test_a_line_goes_with_what_it_leads_back_to():
    class Holder:
        def compute(self, arrays):
            return arrays

    holder = Holder()
    COUNTS.append(ctypes.c_int(1))
    holder.line = native.module.line_of_loops(holder.compute, ctypes.addressof(COUNTS[-1]))
    x = np.ones(3, "float32")
    holder.line.add([x], (x,), holder.compute, (1,))
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(not paddle.backend.loops.is_ready(), reason="machine code is not generated")
def test_a_converted_chain_is_computed_by_its_line(monkeypatch):
    lines = []
    monkeypatch.setattr(native, "module", _Watched(native.module, lines))

    def by_hand(x, w):
        return (x * w + 1).tanh() * x - w

    chain = paddle.jit.to_static(by_hand, full_graph=True)
    w = paddle.to_tensor([[0.5], [2.0]], stop_gradient=False)
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        for size in (3, 3, 4, 3, 4):
            x = paddle.arange(2 * size, dtype="float32").reshape([2, size])
            found = chain(x, w)
            assert np.allclose(found.numpy(), by_hand(x, w).numpy(), rtol=1e-6, atol=1e-6)
            found.sum().backward()
        w.clear_gradient()
        turned = paddle.to_tensor(np.asfortranarray(np.arange(6, dtype="float32").reshape(2, 3)))
        assert np.allclose(chain(turned, w).numpy(), by_hand(turned, w).numpy(), rtol=1e-6, atol=1e-6)
    assert lines and sum(line.served for line in lines) > 0


BODY = ["t2 = a0 + a1", "t3 = max(t2, 0.0)", "r0 = t3 / 3.0"]


def line_of_a_loop(body):
    """As a plan's group has it; and the loop."""
    loop = ElementwiseLoop(body, ["float32"])

    def otherwise(arrays):
        launch = loop.known(arrays)
        results = launch(arrays)
        if (code := launch.line(arrays)) is not None:
            line.add(arrays, results, code, launch.numbers)
        return results

    line = native.module.line_of_loops(otherwise, place_of_count())
    return line, loop


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shapes", [
    ((64, 200), (200,)), ((64, 200), (1, 200)), ((40, 5), (40, 5)), ((700, 300), (300,)), ((64, 64), (64,)),
    ((30, 700), (1,)), ((3, 4, 40), ()), ((64, 64), (64, 1)), ((300, 2), (2,)), ((0, 64), (64,)),
    ((2, 300, 400), (2, 300, 400))])
def test_before_there_is_machine_code_steps_have_numpys_bits(shapes, threads, monkeypatch):
    for name in ("WORTH_A_LOOK", "WORTH_ITS_MAKING"):
        monkeypatch.setattr(same_bits, name, np.inf)
    monkeypatch.setattr(same_bits, "_LARGE", 1 << 40)
    before = paddle.get_num_threads()
    paddle.set_num_threads(threads)
    x, y = (np.random.default_rng(0).standard_normal(shape, dtype="float32") for shape in shapes)
    x.reshape(-1)[:4] = [np.nan, np.inf, -0.0, -np.inf][:x.size]
    line, _ = line_of_a_loop(BODY)
    for _ in range(70):
        found, = line([x, y])
        np.testing.assert_array_equal(found, np.maximum(x + y, 0) / np.float32(3))
    paddle.set_num_threads(before)
    by_steps = y.size in (1, x.size) or y.shape[-1] == y.size >= 32
    assert line.served == (69 if by_steps else 0)


def test_steps_hand_on_to_machine_code(monkeypatch):
    x, y, made = np.ones((40, 40), "float32"), np.ones((40,), "float32"), []
    line, loop = line_of_a_loop(["r0 = (a0 + a1) * 11.0"])

    def machine(threads, x, y, result, *numbers):
        made.append(numbers)
        np.multiply(x + y, 11, out=result)

    line([x, y])
    source = next(iter(loop._launches.values())).source
    monkeypatch.setattr(source.same, "machine", None)
    monkeypatch.setattr(source.same, "by_now", lambda elements: machine if source.same.spent > 1.0 else None)
    for _ in range(200):
        line([x, y])
    spent = source.same.spent
    assert spent > 0 and not made and source.machine is None
    source.same.spent = 2.0
    for _ in range(70):
        assert (line([x, y])[0] == 22).all()
    assert len(made) > 5 and line.served == 270 and all(made)


def test_code_of_steps_refuses_what_is_none():
    make = native.module.code_of_steps
    assert make(b"", b"", 1, print) is None and make(b"\0\xff\x10\x11", b"", 1, print) is None
    code = make(b"\0\xff\x10\x11", b"", 2, None)
    x, code.left = np.ones(3, "float32"), 2
    code(1, x, x, result := np.empty(3, "float32"))
    assert result.tolist() == [2.0] * 3 and code.left == 1
    for wrong in [(1, x, x, np.empty(4, "float32")), (1, x, x.astype("float64"), result), (1, x), ()]:
        with pytest.raises(TypeError, match="nothing computes"):
            code(*wrong)
    assert code.left == 1


@pytest.mark.skipif(not paddle.backend.loops.is_ready(), reason="machine code is not generated")
def test_a_number_of_numpy_among_arrays_is_an_array():
    chain = paddle.jit.to_static(lambda x: ((x - x.mean()) * x.mean() + x.sum()) * 2, full_graph=True)
    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 4))
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        for _ in range(3):
            found = chain(x)
    assert np.allclose(found.numpy(), ((x - x.mean()) * x.mean() + x.sum()).numpy() * 2)


class _Watched:
    def __init__(self, module, lines):
        self._module, self._lines = module, lines

    def line_of_loops(self, *given):
        self._lines.append(self._module.line_of_loops(*given))
        return self._lines[-1]

    def __getattr__(self, name):
        return getattr(self._module, name)
