"""Convolutions and products with packed weights, of any sizes: what they stand for, in every way that lies so."""

import gc
import itertools
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.backend import engines
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.core.operator import find
from proa.ops.core.spec import spec_of
from proa.static import InputSpec
from proa.static.compiler import epilogues
from proa.static.compiler.frozen_weight import FrozenWeight
from proa.static.compiler.packed_panels import PANELS, Panels, pack

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not there")
RANDOM = np.random.default_rng(0)
ACTIVATIONS = {"": lambda y: y, "relu": lambda y: np.maximum(y, 0),
               "hard_swish": lambda y: y * np.clip(y + 3, 0, 6) / 6}


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


def last(images):
    """Images with their channels side by side."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def expected(x, w, scale, bias, residual, strides, begin, end, dilations, by_channel, activation):
    wide = w.astype("float64") * (1 if scale is None else scale.reshape(-1, 1, 1, 1))
    padded = np.pad(x.astype("float64"), ((0, 0), (0, 0), (begin[0], end[0]), (begin[1], end[1])))
    shape = [(w.shape[n + 2] - 1) * dilations[n] + 1 for n in (0, 1)]
    windows = np.lib.stride_tricks.sliding_window_view(padded, shape, (2, 3))
    windows = windows[:, :, ::strides[0], ::strides[1], ::dilations[0], ::dilations[1]]
    letters = ("nchwij,cij->nchw", wide[:, 0]) if by_channel else ("nchwij,ocij->nohw", wide)
    y = np.einsum(letters[0], windows, letters[1])
    y += 0 if bias is None else bias[:, None, None]
    return ACTIVATIONS[activation](y + (0 if residual is None else residual))


def packed(w, scale, bias, windows, activation):
    return pack(w, scale, bias, (w, scale, bias), windows, activation)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"], autouse=True)
def threads(request):
    before = paddle.get_num_threads()
    paddle.set_num_threads(request.param)
    yield request.param
    paddle.set_num_threads(before)


SIZES = [(1, 3, 16, 9, 11), (2, 4, 70, 8, 8), (1, 5, 24, 7, 7), (3, 17, 130, 5, 6), (1, 40, 72, 14, 14),
         (1, 64, 48, 30, 9), (1, 96, 65, 13, 13), (1, 1, 8, 6, 6)]
WINDOWS = [((1, 1), (1, 1), (0, 0), (0, 0), (1, 1)), ((3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
           ((3, 2), (2, 1), (1, 0), (0, 2), (1, 1)), ((2, 3), (1, 3), (2, 1), (1, 2), (2, 2)),
           ((1, 1), (2, 2), (0, 0), (0, 0), (1, 1)), ((5, 5), (1, 1), (2, 2), (2, 2), (1, 1))]


def convolutions():
    """Every size with every window; what follows is drawn."""
    for n, (size, (window, strides, begin, end, dilations)) in enumerate(itertools.product(SIZES, WINDOWS)):
        images, channels, filters, height, width = size
        x, w = numbers(images, channels, height, width), numbers(filters, channels, *window)
        if n % 5 == 0:  # several parts of a panel, which begin within channels or at a window's element
            x, w = np.tile(x, (1, 30, 1, 1)), np.tile(w, (1, 30, 1, 1)) * np.float32(0.1)
        scale, bias = (numbers(filters) if n & bit else None for bit in (1, 2))
        out = [(size + b + e - (k - 1) * d - 1) // s + 1 for size, b, e, k, d, s in zip(
            (height, width), begin, end, window, dilations, strides, strict=True)]
        residual = last(numbers(images, filters, *out)) if n % 4 == 0 else None
        yield x, w, scale, bias, residual, (strides, begin, end, dilations, False), list(ACTIVATIONS)[n % 3]
        if n % 3:
            yield (numbers(images, filters, height, width), numbers(filters, 1, *window), scale, bias, residual,
                   (strides, begin, end, dilations, True), list(ACTIVATIONS)[n // 3 % 3])


def check_convolutions():
    for x, w, scale, bias, residual, windows, activation in convolutions():
        call = packed(w, scale, bias, windows, activation)
        wanted = expected(x, w, scale, bias, residual, *windows, activation)
        for images in (last(x), x):
            result = call(images, w, scale, bias, residual)
            if result is None:
                assert images is x and x.shape[1] > 1, "only images with their channels apart are refused"
                continue
            np.testing.assert_allclose(result, wanted, 1e-4, 1e-4 * max(1, np.abs(wanted).max()))
            assert result.strides[1] == 4
        np.testing.assert_allclose(call.unpacked(), w if scale is None else w * scale.reshape(-1, 1, 1, 1), 1e-6)


def check_products():
    sizes = [(3, 8, 8), (7, 33, 70), (40, 800, 129), (200, 64, 64), (1, 5, 3), (97, 1600, 48)]
    for n, (rows, k, count) in enumerate(sizes):
        x, w, bias = numbers(rows, k), numbers(k, count), numbers(count) if n % 2 else None
        for activation, residual in itertools.product(ACTIVATIONS, (None, numbers(rows, count))):
            call = pack(w, None, bias, (w, None, bias), activation=activation)
            wanted = x.astype("float64") @ w + (0 if bias is None else bias) + (0 if residual is None else residual)
            result = call(x, w, bias, residual)
            np.testing.assert_allclose(result, ACTIVATIONS[activation](wanted), 1e-4, 1e-3)
            assert result.flags.c_contiguous
        np.testing.assert_array_equal(call.unpacked(), w)
        np.testing.assert_array_equal(call(x.reshape(1, rows, 1, k), w, bias, None).shape, (1, rows, 1, count))


def test_convolutions_are_what_they_stand_for():
    check_convolutions()


def test_products_are_what_they_stand_for():
    check_products()


@pytest.mark.parametrize("most", ["32", "16"])
def test_with_shorter_vectors(most, threads):
    code = f"""if True:
        import proa
        from test_packed_panels import check_convolutions, check_products
        proa.set_num_threads({threads})
        check_convolutions()
        check_products()
        print("fine")
        """
    here = {"PROA_VECTOR_BYTES": most, "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | here, capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_numbers_that_are_none_and_those_without_end_go_on():
    x, w, bias = last(numbers(1, 8, 6, 6)), numbers(20, 8, 1, 1), numbers(20)
    x[0, 3, 2, 2], x[0, 1, 4, 4] = np.nan, np.inf
    for activation in ("", "relu", "hard_swish"):
        found = packed(w, None, bias, ((1, 1), (0, 0), (0, 0), (1, 1), False), activation)(x, w, None, bias, None)
        assert np.isnan(found[0, :, 2, 2]).all()
        with np.errstate(invalid="ignore"):
            wanted = ACTIVATIONS[activation](w[:, 1, 0, 0] * np.float32(np.inf))
        np.testing.assert_array_equal(found[0, :, 4, 4], wanted)


def test_what_it_does_not_take_it_leaves():
    w, bias, x = numbers(8, 4, 3, 3), numbers(8), last(numbers(2, 4, 6, 6))
    windows = (1, 1), (0, 0), (0, 0), (1, 1), False
    call = packed(w, None, bias, windows, "")
    assert call(x, w, None, bias, None).shape == (2, 8, 4, 4)
    for others in [(x, w.copy(), None, bias, None), (x, w, bias, bias, None), (x, w, None, None, None)]:
        assert call(*others) is None  # it was packed for others
    wide, small = last(numbers(2, 8, 6, 6)), last(numbers(2, 4, 2, 2))
    for images in (wide, small, x.astype("float64"), x[0], x[:0], None, [1.0]):
        assert call(images, w, None, bias, None) is None
    assert call(x, w, None, bias, numbers(2, 8, 4, 4)) is None  # not as the result lies
    with pytest.raises(TypeError, match="called with x, weight, scale, bias, residual"):
        call(x, w)
    for array in (w.astype("float64"), w[0], w[:, :, ::2], numbers(8), w[:0]):
        assert native.module.pack_weight(array, None, None, None, (w, None, None), *windows, 0, 1, (0, 0, 0)) is None
    assert pack(w, numbers(7), None, (w, None, None), windows) is None
    assert pack(w, None, numbers(9), (w, None, None), windows) is None
    with pytest.raises(TypeError, match="so many bytes"):
        native.module.pack_weight(w, None, None, np.empty, (w, None, None), *windows, 0, 1, (0, 0, 0))


def test_much_padding_takes_no_memory_of_its_own_and_large_windows_are_left():
    x, w = last(numbers(1, 3, 8, 8)), numbers(8, 3, 2, 2)
    far = (1 << 30, 1 << 30), (0, 0), ((1 << 30) - 8,) * 2, (1, 1), False  # 2^60 elements with the padding
    found = packed(w, None, None, far, "")(x, w, None, None, None)
    np.testing.assert_allclose(found, np.einsum("chw,ochw->o", x[0, :, :2, :2], w).reshape(1, 8, 1, 1), 1e-4, 1e-5)
    assert packed(numbers(1, 1, 40, 40), None, None, ((1, 1), (0, 0), (0, 0), (1, 1), False), "") is None


def test_a_weight_that_is_replaced_is_packed_anew_and_not_held():
    panels, bias, x = Panels(), numbers(80), numbers(9, 40)
    first, second = numbers(40, 80), numbers(40, 80)
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 60}):
        assert [panels.of(first, None, bias) for _ in range(2)] == [None, None]  # it is multiplied as it lies
        call = panels.of(first, None, bias)
        assert panels.of(second, None, bias) is None
        assert [panels.of(first, None, bias) for _ in range(2)] == [None, None]
        call = panels.of(first, None, bias)
    assert panels.of(first, None, bias) is call
    np.testing.assert_allclose(call(x, first, bias, None), x @ first + bias, 1e-4, 1e-4)
    with flags_guard({"FLAGS_kernel_after_elements": 0}):  # nothing is to be computed otherwise at first
        other = panels.of(second, None, bias)
    np.testing.assert_allclose(other(x, second, bias, None), x @ second + bias, 1e-4, 1e-4)
    held = weakref.ref(second)
    del second
    gc.collect()
    assert held() is None
    assert other(x, first, bias, None) is None


def test_a_frozen_weight_is_released_and_made_again():
    w, scale, panels = numbers(80, 60, 3, 3), numbers(80), Panels()
    frozen, bias = FrozenWeight(w), numbers(80)
    panels.of(frozen, scale, bias, ((1, 1), (1, 1), (1, 1), (1, 1), False), "relu")
    assert frozen.is_released
    np.testing.assert_allclose(frozen.scaled_by(scale)[0], w * scale.reshape(-1, 1, 1, 1), 1e-6)


class Net(paddle.nn.Layer):
    """Convolutions with what may follow them, and products."""

    def __init__(self):
        super().__init__()
        conv = paddle.nn.Conv2D
        self.first, self.norm = conv(3, 40, 5, stride=2, padding=2), paddle.nn.BatchNorm2D(40)
        self.deep, self.same, self.wide = conv(40, 40, 3, padding=1, groups=40), conv(40, 40, 1), conv(40, 72, 3)
        self.out, self.last = paddle.nn.Linear(72, 300), paddle.nn.Linear(300, 260)

    def forward(self, x):
        f = paddle.nn.functional
        x = f.hardswish(self.norm(self.first(x)))
        x = f.relu(self.same(f.swish(self.deep(x))) + x)
        x = f.sigmoid(self.wide(x)).transpose([0, 2, 3, 1])
        return f.gelu(self.last(f.relu(self.out(x)))).sum([1, 2])


def test_saved_and_converted_models_of_any_size(tmp_path):
    net, prefix = Net(), str(tmp_path / "net")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], name="x")])
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    converted = paddle.jit.to_static(net)
    for shape in [(1, 3, 31, 27), (2, 3, 18, 40), (1, 3, 31, 27), (4, 3, 24, 24)]:
        x = numbers(*shape)
        with paddle.no_grad(), flags_guard({"FLAGS_cpu_engines": ""}):
            wanted = Net.forward(net, paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(predictor.run([x])[0].numpy(), wanted, 1e-3, 1e-3)
        with paddle.no_grad():
            for _ in range(2):
                np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted, 1e-3, 1e-3)
    with paddle.no_grad():  # a step of training changes what is packed
        net.out.weight.set_value(net.out.weight * 2)
        with flags_guard({"FLAGS_cpu_engines": ""}):
            wanted = Net.forward(net, paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted, 1e-3, 1e-3)


@pytest.mark.skipif(not engines.is_usable(PANELS, engines.CPU), reason="the processor has no fused vectors")
def test_a_line_of_a_plan_calls_what_was_packed():
    x, w, use = last(numbers(1, 24, 9, 9)), FrozenWeight(numbers(40, 24, 1, 1)), epilogues.Packed()
    attrs = dict(packed=use, activation="relu", strides=[1, 1], paddings=[0, 0], dilations=[1, 1])
    line = find("fused_conv2d").kernels.select([spec_of(x), spec_of(numbers(*w.shape))], attrs).lines[0]
    first = line(x, w, None, None, None)
    assert line.served == 0
    for size in (9, 5, 12):
        images = last(numbers(2, 24, size, size))
        np.testing.assert_allclose(line(images, w, None, None, None), np.maximum(np.einsum(
            "nchw,oc->nohw", images, w.array()[:, :, 0, 0]), 0), 1e-4, 1e-4)
    assert line.served == 3
    np.testing.assert_array_equal(line(x, w, None, None, None), first)
    assert np.isfinite(line(np.ascontiguousarray(x), w, None, None, None)).all()  # brought into order in Python


def test_what_is_added_may_be_broadcast():
    x, w, attrs = numbers(1, 24, 9, 9), numbers(40, 24, 1, 1), dict(strides=[1, 1], paddings=[0, 0], dilations=[1, 1])
    whole = find("fused_conv2d").kernel(np, x, w, packed=epilogues.Packed(), **attrs)
    for shape in ((1,), (9, 9), (40, 1, 1), (1, 40, 1, 1)):
        added = numbers(*shape)
        found = find("fused_conv2d").kernels.on_host(np, x, w, None, None, added, packed=epilogues.Packed(), **attrs)
        np.testing.assert_allclose(found, whole + added, 1e-4, 1e-4)  # sums of 24 products


def test_several_threads_of_python_at_once():
    w, bias, x = numbers(300, 500), numbers(500), numbers(64, 300)
    call, wanted, wrong = pack(w, None, bias, (w, None, bias)), x @ w + bias, []

    def work():
        for _ in range(50):
            if not np.allclose(call(x, w, bias, None), wanted, 1e-3, 1e-3):
                wrong.append(1)

    several = [threading.Thread(target=work) for _ in range(4)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    assert not wrong
