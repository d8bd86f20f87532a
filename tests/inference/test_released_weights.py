"""A Predictor lets the arrays of weights go that are packed: the same results in less memory, whatever comes later.

So it does where they wait in the file until they are packed, and where the file is so new that all is read at once.
"""

import contextlib
import gc
import os
import threading

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.backend import loops, onednn
from proa.core.files import CorruptFileError
from proa.core.flags import flags_guard
from proa.inference import stored_values
from proa.static import InputSpec
from proa.static.compiler.frozen_weight import FrozenWeight, array_of, lent_array

pytestmark = pytest.mark.skipif(not onednn.is_ready(), reason="oneDNN is not installed")


WAITING = hasattr(os, "preadv")


@pytest.fixture(autouse=True, params=["all is read at once", "weights wait in their file"])
def waiting(request, monkeypatch):
    """Whether weights wait in the file."""
    waits = request.param.startswith("weights") and WAITING
    monkeypatch.setattr(stored_values, "_SETTLED", -1e9 if waits else 1e9)
    return waits


class Pictures(paddle.nn.Layer):
    """Convolutions with batch norms behind them, of groups, too, and two products."""

    def __init__(self):
        super().__init__()
        self.convolutions = paddle.nn.LayerList([
            paddle.nn.Conv2D(3, 32, 3, padding=1), paddle.nn.Conv2D(32, 32, 3, padding=1, groups=32),
            paddle.nn.Conv2D(32, 64, 1, bias_attr=False), paddle.nn.Conv2D(64, 64, 3, padding=1, groups=4)])
        self.norms = paddle.nn.LayerList([paddle.nn.BatchNorm2D(n) for n in (32, 32, 64)])
        self.up, self.down = paddle.nn.Linear(64, 512), paddle.nn.Linear(512, 640)
        for norm in self.norms:
            for parameter in (norm.weight, norm.bias, norm._mean, norm._variance):
                parameter.set_value(paddle.rand(parameter.shape) + 0.5)

    def forward(self, x):
        for convolution, norm in zip(self.convolutions, self.norms):
            x = paddle.nn.functional.relu(norm(convolution(x)))
        x = self.convolutions[3](x).transpose([0, 2, 3, 1])
        return self.down(paddle.nn.functional.gelu(self.up(x)))


class Words(paddle.nn.Layer):
    """Attention, whose products of one value are one."""

    def __init__(self):
        super().__init__()
        self.encoder = paddle.nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0)

    def forward(self, x):
        return self.encoder(x)


def opened(layer, spec, folder):
    paddle.seed(3)
    net = layer()
    net.eval()
    prefix = str(folder / "model")
    paddle.jit.save(net, prefix, input_spec=[InputSpec(spec, name="x")])
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    return predictor, net, inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))


def check(predictor, net, shape, seed=0):
    x = np.random.default_rng(seed).standard_normal(shape, dtype="float32")
    found = predictor.run([x])[0].numpy()
    with paddle.no_grad():
        expected = net(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    return found


def weights(predictor):
    return {name: value for name, value in predictor._model._values.items() if type(value) is FrozenWeight}


SIZES = {Pictures: [(2, 3, 20, 22), (1, 3, 40, 17), (2, 3, 12, 9), (1, 3, 20, 22), (3, 3, 31, 8), (1, 3, 64, 64)],
         Words: [(1, 128, 256), (1, 41, 256), (2, 19, 256), (1, 103, 256), (3, 77, 256), (1, 64, 256)]}
OPEN = {Pictures: [None, 3, None, None], Words: [None, None, 256]}


@pytest.mark.parametrize("layer", SIZES)
def test_packed_weights_are_released_and_the_results_stay(layer, tmp_path):
    predictor, net, other = opened(layer, OPEN[layer], tmp_path)
    for shape in SIZES[layer] * 2:
        check(predictor, net, shape)
    held = weights(predictor)
    assert len(held) >= 5, held
    assert all(weight.is_released for weight in held.values()), held
    originals = weights(other)  # of a model that has not run
    for name, weight in held.items():
        if not weight._state.is_scaled:
            np.testing.assert_array_equal(weight.array(), originals[name].array())


@pytest.mark.parametrize("layer", SIZES)
def test_engines_that_are_turned_off_later_get_the_weights(layer, tmp_path):
    predictor, net, _ = opened(layer, OPEN[layer], tmp_path)
    shape = SIZES[layer][0]
    found = check(predictor, net, shape)
    for engines in ("", "loops", "onednn,loops"):
        with flags_guard({"FLAGS_cpu_engines": engines}):
            for _ in range(4):
                np.testing.assert_allclose(check(predictor, net, shape), found, rtol=1e-4, atol=1e-5)


def test_sizes_that_the_file_does_not_have_get_the_weights(tmp_path):
    predictor, net, _ = opened(Pictures, [1, 3, 24, 24], tmp_path)
    for shape in [(1, 3, 24, 24), (2, 3, 16, 18), (1, 3, 24, 24), (1, 3, 33, 9), (2, 3, 16, 18)]:
        check(predictor, net, shape)
    assert len(predictor._model._plans) == 3


def test_first_runs_in_several_threads(tmp_path):
    for layer in SIZES:
        predictor, net, _ = opened(layer, OPEN[layer], tmp_path)
        failed = []

        def work(number, predictor=predictor, net=net, layer=layer, failed=failed):
            clone = predictor.clone()
            try:
                for shape in SIZES[layer][number % 3:]:
                    check(clone, net, shape, number)
            except BaseException as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed


def test_what_is_needed_often_stays():
    made = []
    weight = FrozenWeight(np.ones((2, 3), "float32"))
    assert array_of(weight).shape == (2, 3) == weight.shape and array_of(7) == 7
    weight.release(lambda: made.append(1) or np.ones((2, 3), "float32"))
    assert weight.is_released
    for _ in range(6):
        weight.array()
    assert len(made) == 3 and not weight.is_released
    weight.release(lambda: None)
    assert not weight.is_released


def test_a_scaled_weight_is_not_given_without_its_scale():
    weight, scale = FrozenWeight(np.ones((2, 3), "float32")), np.float32([2, 3])
    assert weight.scaled_by(scale)[1] is scale
    weight.release(lambda: np.full((2, 3), 2, "float32"), is_scaled=True)
    assert weight.scaled_by(scale)[1] is None
    with pytest.raises(RuntimeError, match="batch norm"):
        weight.array()


class Rows(paddle.nn.Layer):
    """Two products of whatever number of rows."""

    def __init__(self):
        super().__init__()
        self.up, self.down = paddle.nn.Linear(640, 512), paddle.nn.Linear(512, 640, bias_attr=False)

    def forward(self, x):
        return self.down(paddle.nn.functional.hardswish(self.up(x)))


@pytest.mark.parametrize("after", [0, 1 << 18])
def test_a_single_row_needs_no_packed_weight(after, tmp_path):
    with flags_guard({"FLAGS_kernel_after_elements": after}):
        predictor, net, _ = opened(Rows, [None, 640], tmp_path)
        for rows in (1, 2, 1, 1, 2, 1):
            check(predictor, net, (rows, 640), rows)
        assert loops.is_ready() != all(weight.is_released for weight in weights(predictor).values())
        for rows in (64, 1, 2, 7, 1):
            check(predictor, net, (rows, 640), rows)
        assert all(weight.is_released for weight in weights(predictor).values()) and len(weights(predictor)) == 2


def shown(prefix, waits, rows=64):
    """A Predictor of `Rows` that has not run, what it has to give for some rows, and these."""
    net, x = Rows(), np.random.default_rng(0).standard_normal((rows, 640), dtype="float32")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 640], name="x")])
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    assert any(weight._state.stored for weight in weights(predictor).values()) == waits
    return predictor, net(paddle.to_tensor(x)).numpy(), x


def held(path):
    """How often this process has a file open."""
    places = (os.path.join("/proc/self/fd", number) for number in os.listdir("/proc/self/fd"))
    return sum(os.path.realpath(place).startswith(path) for place in places)


@pytest.mark.parametrize("change", ["removed", "replaced", "as it is"])
def test_a_file_that_is_removed_or_replaced_is_still_read(change, waiting, tmp_path):
    predictor, expected, x = shown(str(tmp_path / "model"), waiting)
    path = tmp_path / "model.pdiparams"
    if change == "replaced":
        (tmp_path / "other").write_bytes(bytes(path.stat().st_size))
        os.replace(tmp_path / "other", path)
    elif change == "removed":
        path.unlink()
    if os.path.isdir("/proc/self/fd"):
        assert held(str(path)) == waiting
    for rows in (1, 64, 1, 3):  # a single row wants a matrix as it lies
        np.testing.assert_allclose(predictor.run([x[:rows]])[0].numpy(), expected[:rows], rtol=1e-4, atol=1e-5)
    gc.collect()
    if os.path.isdir("/proc/self/fd"):
        assert held(str(path)) == 0


@pytest.mark.parametrize("content", [b"", b"short", None])
def test_a_file_that_is_written_over_is_told(content, waiting, tmp_path):
    predictor, expected, x = shown(str(tmp_path / "model"), waiting)
    path = tmp_path / "model.pdiparams"
    time = path.stat().st_mtime
    path.write_bytes(bytes(path.stat().st_size) if content is None else content)
    os.utime(path, (time + 5, time + 5))
    if not waiting:
        np.testing.assert_allclose(predictor.run([x])[0].numpy(), expected, rtol=1e-4, atol=1e-5)
        return
    with pytest.raises(RuntimeError, match="model.pdiparams.*was written over.*linear_.*w_0.*the Predictor anew"):
        predictor.run([x])


def test_a_file_that_ends_early_or_late_is_told_at_once(waiting, tmp_path):
    shown(str(tmp_path / "model"), waiting)
    path = tmp_path / "model.pdiparams"
    whole = path.read_bytes()
    for content in (whole[:-1], whole + b"x", whole[:len(whole) // 2], whole[:9]):
        path.write_bytes(content)
        with pytest.raises(CorruptFileError, match="model.pdiparams"):
            inference.create_predictor(inference.Config(str(tmp_path / "model.pdmodel"), str(path)))


def test_a_file_that_was_just_written_is_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_values, "_SETTLED", 2.0)
    shown(str(tmp_path / "model"), False)


def test_a_weight_in_a_file_is_lent_and_read():
    class Stored:
        shape, reads = (2, 3), []

        def read(self):
            self.reads.append("read")
            return np.ones((2, 3), "float32")

        @contextlib.contextmanager
        def lent(self):
            self.reads.append("lent")
            yield np.ones((2, 3), "float32")

    weight = FrozenWeight(Stored())
    assert (weight.ndim, weight.size, weight.nbytes, weight.dtype) == (2, 6, 24, "float32") and not weight.is_released
    with lent_array(weight) as array:
        assert array.sum() == 6
    assert [array_of(weight).sum() for _ in range(3)] == [6] * 3
    assert Stored.reads == ["lent", "read"] and not weight.is_released
