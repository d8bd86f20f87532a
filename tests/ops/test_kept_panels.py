"""Eager convolutions and products by panels: which weights are kept in them, for how long, and what may change them."""

import gc
import itertools

import numpy as np
import proa as paddle
import pytest
from proa.backend import engines
from proa.core.flags import flags_guard
from proa.ops.core import kept_panels
from proa.ops.core.panels import FILTERS, PANELS, Windows
from proa.ops.linalg.matrix_product import matmul_op
from proa.ops.nn import conv

pytestmark = pytest.mark.skipif(not engines.is_usable(PANELS, engines.CPU), reason="the processor has no fused vectors")
F = paddle.nn.functional
RANDOM = np.random.default_rng(0)
ROUNDING = {"rtol": 1e-4, "atol": 1e-4}  # of sums of some hundred products in float32, in any order
OF_MANY = {"rtol": 1e-3, "atol": 2e-3}  # of up to 2**18


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch):
    for name in ("_FILTERS", "_CHANNELS", "_LARGE"):
        monkeypatch.setattr(conv, name, 1)


@pytest.fixture(autouse=True)
def none_kept():
    gc.collect()
    before = dict(kept_panels._entries)
    kept_panels._entries.clear()
    yield
    kept_panels._entries.clear()
    kept_panels._entries.update(before)


def kept():
    return [entry for entry in kept_panels._entries.values() if entry.call is not None]


def test_a_filter_is_kept_from_its_third_use_on_for_as_long_as_it_lives():
    x, layer = paddle.to_tensor(numbers(2, 24, 9, 9)), paddle.nn.Conv2D(24, 70, 3, padding=1, bias_attr=False)
    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = layer(x).numpy()
    results = []
    for uses in range(1, 6):
        results.append(layer(x).numpy())
        assert len(kept()) == (uses >= 3)
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    np.testing.assert_allclose(results[0], wanted, 1e-4, 1e-4)
    layer.weight.set_value(layer.weight * 2)
    np.testing.assert_allclose(layer(x).numpy(), 2 * wanted, 1e-4, 1e-4)
    assert not kept()
    for _ in range(3):
        layer(x)
    assert len(kept()) == 1
    del layer
    gc.collect()
    assert not kept_panels._entries


def test_steps_of_training_keep_nothing():
    layer, x = paddle.nn.Conv2D(3, 8, 3), paddle.to_tensor(numbers(2, 3, 8, 8))
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    for _ in range(5):
        layer(x).sum().backward()
        sgd.step()
        sgd.clear_grad()
        assert not kept() and len(kept_panels._entries) <= 1


def test_narrow_filters_are_left_to_oneDNN(monkeypatch):
    monkeypatch.undo()
    for channels, filters, panels in ((3, 64, 0), (8, 16, 0), (8, 64, 1)):
        layer, x = paddle.nn.Conv2D(channels, filters, 3), paddle.to_tensor(numbers(1, channels, 8, 8))
        for _ in range(3):
            layer(x)
        assert len(kept()) == panels


def test_one_filter_with_several_windows():
    x, w = paddle.to_tensor(numbers(1, 4, 12, 12)), paddle.to_tensor(numbers(8, 4, 3, 3))
    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = [F.conv2d(x, w, stride=s, dilation=d).numpy() for s, d in itertools.product((1, 2), (1, 2))]
    for _ in range(4):
        for (s, d), right in zip(itertools.product((1, 2), (1, 2)), wanted, strict=True):
            np.testing.assert_allclose(F.conv2d(x, w, stride=s, dilation=d).numpy(), right, 1e-4, 1e-4)


def test_there_is_a_bound_and_memory_of_others_is_not_trusted():
    w, foreign = numbers(8, 4, 3, 3), np.frombuffer(bytearray(numbers(8, 4, 3, 3).tobytes()), "float32")
    foreign = foreign.reshape(8, 4, 3, 3)
    with flags_guard({"FLAGS_kept_panels_megabytes": 0}):
        assert [kept_panels.of(w, FILTERS, Windows()) for _ in range(4)] == [None] * 4
    assert kept_panels.of(w, FILTERS, Windows()) is not None
    assert [kept_panels.of(foreign, FILTERS, Windows()) for _ in range(4)] == [None] * 4


@pytest.mark.parametrize("stride, padding, dilation, kernel", [
    (1, 1, 1, 3), (1, 0, 1, 1), (1, [1, 2], 1, (3, 2)), (1, 2, 2, 3), (2, 1, 1, 3), (1, 4, 1, 3), (1, "SAME", 1, 2),
    (1, [[0, 0], [0, 0], [2, 0], [1, 2]], 1, 3)])
@pytest.mark.parametrize("data_format", ["NCHW", "NHWC"])
@pytest.mark.parametrize("groups", [1, 8])
def test_gradients_are_those_of_numpy(stride, padding, dilation, kernel, data_format, groups):
    kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
    if data_format == "NHWC" and isinstance(padding, list) and isinstance(padding[0], list):
        padding = [padding[0], *padding[2:], padding[1]]
    x, w = numbers(2, 8, 10, 11), numbers(16, 8 // groups, *kernel)
    if data_format == "NHWC":
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))

    def computed():
        images, filters = (paddle.to_tensor(a, stop_gradient=False) for a in (x, w))
        y = F.conv2d(images, filters, None, stride, padding, dilation, groups, data_format)
        gx, gw = paddle.grad((y * y).sum(), [images, filters], create_graph=True)
        again = paddle.grad((gx * gx).sum() + (gw * gw).sum(), [images, filters])
        return [a.numpy() for a in (y, gx, gw, *again)]

    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = computed()
    for found, right in zip(computed(), wanted, strict=True):
        np.testing.assert_allclose(found, right, 1e-3, 1e-4 * np.abs(right).max())


# products

def test_a_matrix_is_kept_from_its_third_use_on_and_all_uses_give_the_same_bits():
    x, w = numbers(3, 40, 96), numbers(96, 130)
    layer = paddle.nn.Linear(96, 130, bias_attr=False)
    layer.weight.set_value(w)
    results = []
    for uses in range(1, 6):
        results.append(layer(paddle.to_tensor(x)).numpy())
        assert len(kept()) == (uses >= 3)
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    np.testing.assert_allclose(results[0], x @ w, 1e-4, 1e-4)
    layer.weight.set_value(2 * w)
    np.testing.assert_allclose(layer(paddle.to_tensor(x)).numpy(), 2 * (x @ w), 1e-4, 1e-4)
    assert not kept()


@pytest.mark.parametrize("rows", [1, 2, 6, 7, 8, 9, 17, 191, 192, 193, 500])
@pytest.mark.parametrize("columns", [8, 64, 200, 256])
def test_rows_do_not_depend_on_those_that_come_with_them(rows, columns):
    """However many rows there are: read where they lie, brought over at once, or kept."""
    inner = 2**18 // columns + 5
    x, w = numbers(rows, inner), paddle.to_tensor(numbers(inner, columns))
    found = [paddle.matmul(paddle.to_tensor(x), w).numpy() for _ in range(4)]
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])
    half = paddle.matmul(paddle.to_tensor(x[: rows // 2 + 1]), w).numpy()
    np.testing.assert_array_equal(half, found[0][: rows // 2 + 1])
    np.testing.assert_allclose(found[0], x.astype("float64") @ w.numpy().astype("float64"), **OF_MANY)


def test_converted_code_gives_the_bits_of_eager_code():
    x, layer = paddle.to_tensor(numbers(50, 128)), paddle.nn.Linear(128, 192)
    wanted = layer(x).numpy()
    x.stop_gradient = False
    converted = paddle.jit.to_static(lambda x: layer(x).exp(), full_graph=True)
    for _ in range(4):
        np.testing.assert_allclose(converted(x).numpy(), np.exp(wanted), 1e-6)


def test_what_the_engines_do_not_name_is_not_used():
    x, w = paddle.to_tensor(numbers(64, 128)), paddle.to_tensor(numbers(128, 128))
    for _ in range(3):
        paddle.matmul(x, w)
    assert kept()
    kept_panels._entries.clear()
    with flags_guard({"FLAGS_cpu_engines": "loops,onednn"}):
        for _ in range(4):
            paddle.matmul(x, w)
        assert not kept_panels._entries
    paddle.matmul(x, w)
    assert kept_panels._entries


def test_matrices_that_are_turned_lie_otherwise_or_are_vectors():
    x, w = numbers(40, 128), numbers(128, 128)
    for given in (w.T, np.asfortranarray(w), numbers(128, 256)[:, ::2]):
        for _ in range(4):
            found = paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(given)).numpy()
            np.testing.assert_allclose(found, x @ given, **ROUNDING)
    t, kernel = paddle.to_tensor(w), matmul_op.kernels.on_host
    for _ in range(4):
        np.testing.assert_allclose(t.matmul(t, transpose_y=True).numpy(), w @ w.T, **ROUNDING)
        np.testing.assert_allclose(t.matmul(t, transpose_x=True).numpy(), w.T @ w, **ROUNDING)
        np.testing.assert_allclose(kernel(np, x, w.T.copy().T, trans_x=False, trans_y=False), x @ w, **ROUNDING)
        np.testing.assert_allclose(kernel(np, x[:, ::-1], w, trans_x=False, trans_y=False), x[:, ::-1] @ w, **ROUNDING)
        large = numbers(2**12)
        np.testing.assert_allclose(kernel(np, large, np.outer(large, large[:128]), trans_x=False, trans_y=False),
                                   large @ np.outer(large, large[:128]), rtol=1e-3, atol=1e-2)


def _change_what_is_fed(x, w):
    paddle.enable_static()
    main, exe = paddle.static.Program(), paddle.static.Executor()
    with paddle.static.program_guard(main, paddle.static.Program()):
        y = paddle.matmul(*(paddle.static.data(name, list(a.shape)) for name, a in (("x", x), ("w", w))))
    paddle.disable_static()

    def run():
        return exe.run(main, feed={"x": x, "w": w}, fetch_list=[y])[0]

    for _ in range(4):
        run()
    w[1] = 7.0
    return run(), x @ w


def _change_what_another_library_holds(x, w):
    t, given = paddle.to_tensor(w), paddle.to_tensor(x)
    for _ in range(4):
        given @ t
    shared = np.from_dlpack(t)
    given @ t
    shared[1] = 7.0
    for _ in range(3):
        found = (given @ t).numpy()
    assert not kept()
    return found, x @ t.numpy()


def _change_a_view(x, w):
    t, given = paddle.to_tensor(w), paddle.to_tensor(x)
    for _ in range(4):
        given @ t
    t.view([w.size])[200:300] = 7.0
    return (given @ t).numpy(), x @ t.numpy()


def _change_what_a_predictor_is_handed(x, w):
    net = paddle.jit.to_static(lambda x, w: paddle.matmul(x, w), full_graph=True, input_spec=[
        paddle.static.InputSpec(list(a.shape), "float32", name) for name, a in (("x", x), ("w", w))])
    paddle.jit.save(net, "product")
    predictor = paddle.inference.create_predictor(paddle.inference.Config("product.pdmodel", "product.pdiparams"))
    for name, array in (("x", x), ("w", w)):
        predictor.get_input_handle(name).share_external_data(array)

    def run():
        predictor.run()
        return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()

    for _ in range(4):
        run()
    w[1] = 7.0
    return run(), x @ w


@pytest.mark.parametrize("change", [_change_what_is_fed, _change_what_another_library_holds, _change_a_view,
                                    _change_what_a_predictor_is_handed])
def test_what_is_changed_is_multiplied_as_it_is(change, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, wanted = change(numbers(40, 96), numbers(96, 130))
    np.testing.assert_allclose(found, wanted, **ROUNDING)


def test_a_training_step_keeps_no_matrix_and_one_that_is_used_again_within_it_is_kept():
    layer, x = paddle.nn.Linear(128, 128), paddle.to_tensor(numbers(40, 128))
    sgd = paddle.optimizer.SGD(0.01, parameters=layer.parameters())
    for _ in range(5):
        layer(x).mean().backward()
        sgd.step()
        sgd.clear_grad()
        assert not kept()
    h = x
    for _ in range(5):
        h = paddle.tanh(layer(h))
    assert len(kept()) == 1
    with flags_guard({"FLAGS_cpu_engines": ""}):
        plain = x
        for _ in range(5):
            plain = paddle.tanh(layer(plain))
    np.testing.assert_allclose(h.numpy(), plain.numpy(), 1e-4, 1e-4)
