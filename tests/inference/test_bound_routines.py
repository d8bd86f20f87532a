"""A saved model's convolutions as the compiled form calls them: the same bits as by Python, or its way again."""

import ctypes
import threading

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.backend import loops, onednn
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.static import InputSpec
from proa.static.compiler import epilogues

pytestmark = pytest.mark.skipif(not onednn.is_ready() or native.module is None or not loops.is_ready(),
                                reason="needs oneDNN, llvmlite and the compiled form")
SHAPES = [(1, 3, 24, 20), (2, 3, 24, 20), (1, 3, 9, 33)]


class Pictures(paddle.nn.Layer):
    """Convolutions with relu, with another activation, of groups, and with a sum; a batch norm."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = paddle.nn.Conv2D(3, 32, 3, padding=1, stride=2), paddle.nn.BatchNorm2D(32)
        self.deep = paddle.nn.Conv2D(32, 32, 3, padding=1, groups=32, bias_attr=False)
        self.last = paddle.nn.Conv2D(32, 32, 1)

    def forward(self, x):
        x = paddle.nn.functional.hardswish(self.norm(self.first(x)))
        return paddle.nn.functional.relu(self.last(paddle.nn.functional.relu(self.deep(x))) + x)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(epilogues, "_OFTEN", 0)
    with flags_guard({"FLAGS_cpu_engines": "onednn,loops"}):
        yield


@pytest.fixture
def opened(tmp_path):
    paddle.seed(4)
    net, prefix = Pictures(), str(tmp_path / "model")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], name="x")])
    return lambda: inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))


@pytest.fixture
def calls(monkeypatch):
    """Of each call of a convolution's line, whether a routine answered it."""
    found, before = [], epilogues.Packed.line

    def line(self, otherwise):
        made = before(self, otherwise)
        if made is None:
            return None

        def call(*operands):
            served = made.served
            result = made(*operands)
            found.append(made.served > served)
            return result

        return call

    monkeypatch.setattr(epilogues.Packed, "line", line)
    return found


def image(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype="float32")


def by_python(opened, monkeypatch, images):
    with monkeypatch.context() as patched:
        patched.setattr(native, "module", None)
        predictor = opened()
        return [predictor.run([x])[0].numpy() for x in images]


def test_the_same_bits(opened, calls, monkeypatch):
    images = [image(shape, n) for n, shape in enumerate(SHAPES * 5)]
    expected = by_python(opened, monkeypatch, images)
    assert not calls
    predictor = opened()
    kept = [predictor.run([x])[0].numpy() for x in images]
    for found, wanted in zip(kept, expected, strict=True):  # after all runs: no result shares another's memory
        np.testing.assert_array_equal(found, wanted)
    assert sum(calls) >= 3 * len(SHAPES)


def test_it_is_bound_when_it_is_used_often_and_not_tried_each_time(opened, calls, monkeypatch):
    monkeypatch.setattr(epilogues, "_OFTEN", 3)
    predictor, x, tried = opened(), image(SHAPES[0]), []
    for _ in range(5):
        predictor.run([x])
    assert not any(calls)  # the first call prepares, three are counted, the fifth binds
    calls.clear()
    predictor.run([x])
    assert calls and all(calls)
    monkeypatch.setattr(epilogues, "_bound", lambda *_: tried.append(1))
    for _ in range(20):
        predictor.run([image(SHAPES[1])])
    assert len(tried) == 3  # once for each convolution


def test_relu_keeps_nan_and_makes_zero_of_negative_infinity(opened, calls):
    predictor = opened()
    x = image(SHAPES[0])
    for _ in range(3):
        predictor.run([x])
    before = len(calls)
    x[0, 1, 3, 3] = np.nan
    found = predictor.run([x])[0].numpy()
    assert len(calls) > before and all(calls[before:])
    assert np.isnan(found).any() and (found[~np.isnan(found)] >= 0).all()


def test_images_that_lie_otherwise_go_by_python(opened, calls):
    predictor = opened()
    x = image(SHAPES[0])
    for _ in range(3):
        expected = predictor.run([x])[0].numpy()
    calls.clear()
    for other in (np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2), np.repeat(x, 2, 3)[..., ::2]):
        np.testing.assert_array_equal(predictor.run([other])[0].numpy(), expected)
    assert calls.count(False) == 2


def test_threads_and_engines_that_change(opened, calls):
    predictor = opened()
    x, before = image(SHAPES[0]), paddle.get_num_threads()
    expected = predictor.run([x])[0].numpy()
    try:
        for count in (1, 2, 8, 1, 3, 3, 3):
            paddle.set_num_threads(count)
            np.testing.assert_allclose(predictor.run([x])[0].numpy(), expected, rtol=1e-5, atol=1e-6)
    finally:
        paddle.set_num_threads(before)
    for _ in range(3):
        predictor.run([x])
    calls.clear()
    with flags_guard({"FLAGS_cpu_engines": "loops"}):
        np.testing.assert_allclose(predictor.run([x])[0].numpy(), expected, rtol=1e-4, atol=1e-5)
    assert not calls


def test_several_threads_at_a_time(opened, monkeypatch):
    images = [image((4, 3, 64, 64), n) for n in range(4)]
    expected = by_python(opened, monkeypatch, images)
    predictor, failed = opened(), []

    def work(number):
        clone = predictor.clone()
        for _ in range(30):
            if not np.array_equal(clone.run([images[number]])[0].numpy(), expected[number]):
                failed.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_what_it_is_bound_to(opened, calls):
    """Of an array, which may be updated, nothing is held; another weight is another routine."""
    layer = Pictures()
    layer.eval()
    function, x = paddle.jit.to_static(layer), paddle.to_tensor(image(SHAPES[0]))
    with paddle.no_grad():
        for _ in range(5):
            function(x)
    assert calls and not any(calls)


@pytest.mark.parametrize("changed, error", [
    ({0: (0, 0, 0, 0)}, ValueError), ({1: 0}, ValueError), ({2: 0}, ValueError), ({3: ()}, ValueError),
    ({3: ((1, 2, 3),) * 5}, ValueError), ({3: ((1, 2),)}, TypeError), ({3: (1,)}, TypeError),
    ({3: [(1, 2, 3)]}, TypeError),
    ({4: (0, 0, 9)}, ValueError), ({4: (9, 9, 9)}, ValueError), ({5: (1, None, 1)}, TypeError),
    ({5: (np.zeros(3), None, np.zeros((1, 1, 1, 1)))}, TypeError), ({0: (1, 2, 3)}, TypeError), ({7: None}, TypeError)])
def test_what_is_no_routine_is_refused(changed, error):
    array = np.zeros((1, 1, 1, 1), "float32")
    given = [(1, 1, 1, 1), 1, 1, ((1, 2, 3),), (9, 0, 9), (array, None, array), (1, 2, 3), (None, None, None), None]
    bound = native.module.bound_routine(*given)  # is not called
    with pytest.raises(TypeError):
        bound(array)
    assert bound(array, 1, 2, 4, None) is None and bound(array[:, 0], 1, 2, 3, None) is None
    assert bound(array.astype("float64"), 1, 2, 3, None) is None and bound(array, 1, 2, 3, array) is None
    for place, value in changed.items():
        given[place] = value
    with pytest.raises(error):
        native.module.bound_routine(*given)


def library_of_ours(x, status=0, after=(None, None, None)):
    """A routine over functions of our own, and the notes that they take of their calls."""
    noted, cells = [], {}

    def execute(primitive, stream, count, arguments):
        noted.append(("execute", primitive, stream, count, arguments, cells["bound"](x, 1, 2, 3, None)))
        return status

    integer, pointer = ctypes.c_int, ctypes.c_size_t
    functions = (ctypes.CFUNCTYPE(integer, pointer, pointer, integer, pointer)(execute),
                 ctypes.CFUNCTYPE(integer, pointer, pointer)(lambda memory, at: noted.append((memory, at)) or 0),
                 ctypes.CFUNCTYPE(integer)(lambda: 5),
                 ctypes.CFUNCTYPE(None, integer)(lambda count: noted.append(("threads", count))))
    cells["bound"] = native.module.bound_routine(
        tuple(ctypes.cast(f, ctypes.c_void_p).value for f in functions), 7, 2, ((21, 3, 22), (31, 1, 32)), (40, 0, 42),
        (x, None, x), (1, 2, 3), after, functions)
    return cells["bound"], noted


def test_what_a_call_does():
    x = np.zeros((1, 3, 2, 2), "float32").transpose(0, 3, 1, 2)
    bound, noted = library_of_ours(x)
    result = bound(x, 1, 2, 3, None)
    assert result.shape == x.shape and result.strides == x.strides and result.flags.writeable
    assert noted == [(40, x.ctypes.data), (42, result.ctypes.data), ("threads", 2),
                     ("execute", 21, 7, 3, 22, None),  # another call meanwhile gives nothing: the scratchpad is in use
                     ("execute", 31, 7, 1, 32, None)]
    noted.clear()
    assert bound(x, 1, 2, 3, None) is not None and noted  # and afterwards it does again


def test_a_call_that_fails_gives_nothing():
    x = np.zeros((1, 3, 2, 2), "float32")
    bound, noted = library_of_ours(x, status=5)
    assert bound(x, 1, 2, 3, None) is None and len(noted) == 4


def test_what_follows_takes_the_threads_the_result_and_the_size():
    x, taken = np.zeros((1, 3, 2, 2), "float32").transpose(0, 3, 1, 2), []
    bound, _ = library_of_ours(x, after=(lambda *given: taken.append(given), 4, 12))
    result = bound(x, 1, 2, 3, None)
    (threads, found, size), = taken
    assert (threads, size) == (4, 12) and found is result and result.base is None and result.flags.aligned
    bound, _ = library_of_ours(x, after=(lambda *_: 1 / 0, 4, 12))
    with pytest.raises(ZeroDivisionError):
        bound(x, 1, 2, 3, None)


COUNTS = []  # lines read them for as long as they are there


def line_of_ours():
    """A line, the number of threads that it sees, and what it has left to Python."""
    count, left = ctypes.c_int(2), []
    COUNTS.append(count)
    return native.module.line_of_routines(lambda *given: left.append(given), ctypes.addressof(count)), count, left


def test_a_line_calls_the_routine_that_fits():
    x, y = np.zeros((1, 3, 2, 2), "float32"), np.zeros((1, 3, 5, 2), "float32")
    line, count, left = line_of_ours()
    line(x, 1, 2, 3, None)
    assert len(left) == 1 and not line.served
    for image in (x, y):
        line.add(library_of_ours(image)[0], 2)
    for image in (x, y, y, x):
        assert line(image, 1, 2, 3, None).shape == image.shape
    assert line.served == 4 and len(left) == 1
    count.value = 3  # threads that nothing was bound for
    line(x, 1, 2, 3, None)
    count.value = 2
    line(x, 7, 2, 3, None)  # another weight
    line(x.astype("float64"), 1, 2, 3, None)
    line(x[..., :1], 1, 2, 3, None)
    line(None, 1, 2, 3, None)
    line(x, 1, 2, 3)
    assert line.served == 4 and len(left) == 7
    line.forget()
    line(x, 1, 2, 3, None)
    assert line.served == 4 and len(left) == 8


def test_a_line_has_room_for_so_many_routines_and_lets_them_go():
    line, _, left = line_of_ours()
    images = [np.zeros((1, 1, 1, 1 + n), "float32") for n in range(40)]
    for image in images:
        line.add(library_of_ours(image)[0], 2)
    assert line(images[-1], 1, 2, 3, None) is not None and not left
    assert line(images[0], 1, 2, 3, None) is None and left  # which made room
    for wrong in ((images[0], 2), (None, 2), (library_of_ours(images[0])[0],)):
        with pytest.raises(TypeError):
            line.add(*wrong)
    for wrong in ((None, 1), (print, 0), (print,)):
        with pytest.raises(TypeError):
            native.module.line_of_routines(*wrong)


def test_a_routine_that_fails_leaves_the_line_to_python():
    x = np.zeros((1, 3, 2, 2), "float32")
    line, _, left = line_of_ours()
    line.add(library_of_ours(x, status=5)[0], 2)
    assert line(x, 1, 2, 3, None) is None and len(left) == 1 and not line.served


def test_lines_are_bound_again_when_engines_change(opened, calls):
    predictor, x = opened(), image(SHAPES[0])
    for _ in range(4):
        expected = predictor.run([x])[0].numpy()
    assert calls[-1]
    with flags_guard({"FLAGS_cpu_engines": "onednn"}):
        predictor.run([x])
    calls.clear()
    for _ in range(4):
        found = predictor.run([x])[0].numpy()
    np.testing.assert_array_equal(found, expected)
    assert not calls[0] and calls[-1]


def test_a_line_is_the_same_for_code_that_is_made_anew():
    """Segments are tried when a plan has run often: where there are none the lines before them go on being called."""
    packed = epilogues.Packed()
    assert packed.line(print) is packed.line(print)
