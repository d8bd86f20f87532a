"""`paddle.onnx.export`: what ONNX Runtime computes from the files is what the models compute here."""

import importlib.util

import numpy as np
import proa as paddle
import pytest
from proa.core.dtype import from_numpy_dtype
from proa.static import InputSpec
from proa.static.format.tensor_stream import write_combined

if importlib.util.find_spec("paddle2onnx") is None:
    pytest.skip("paddle2onnx is not installed", allow_module_level=True)
onnxruntime = pytest.importorskip("onnxruntime")


def _values(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def _run(path, *inputs):
    session = onnxruntime.InferenceSession(path)
    return session.run(None, {slot.name: value for slot, value in zip(session.get_inputs(), inputs, strict=True)})


def _same(net, *inputs, specs=None, folder):
    net.eval()
    paddle.onnx.export(net, str(folder / "model"), input_spec=specs or [
        InputSpec(list(value.shape), str(value.dtype)) for value in inputs])
    wanted = net(*[paddle.to_tensor(value) for value in inputs])
    wanted = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
    got = _run(str(folder / "model.onnx"), *inputs)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-4, atol=1e-5)


class Sentences(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.words = paddle.nn.Embedding(50, 32)
        self.encoder = paddle.nn.TransformerEncoder(paddle.nn.TransformerEncoderLayer(32, 4, 64), 2)

    def forward(self, words):
        return self.encoder(self.words(words))


class Recurrent(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = paddle.nn.LSTM(8, 16, 2, direction="bidirect")

    def forward(self, x):
        return self.lstm(x)[0]


class Branches(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(5, 5)

    def forward(self, x):
        x = self.fc(x)
        if x.mean() > 0:
            y = x * 2
        else:
            y = x - 1
        rounds = paddle.zeros([1], "int64")
        while rounds < 5:
            y = self.fc(y)
            rounds += 1
        return y


class Shuffled(paddle.nn.Layer):
    def forward(self, x):
        return paddle.nn.functional.channel_shuffle(x, 2)


def test_convolutions_of_any_batch(tmp_path):
    _same(paddle.vision.models.LeNet(), _values(2, 1, 28, 28), specs=[InputSpec([None, 1, 28, 28])], folder=tmp_path)


def test_a_network_of_any_size_of_image(tmp_path):
    _same(paddle.vision.models.shufflenet_v2_x0_25(), _values(1, 3, 64, 48),
          specs=[InputSpec([None, 3, None, None])], folder=tmp_path)


def test_attention_of_any_length(tmp_path):
    _same(Sentences(), np.random.default_rng(0).integers(0, 50, (2, 7)), specs=[InputSpec([None, None], "int64")],
          folder=tmp_path)


def test_recurrence(tmp_path):
    _same(Recurrent(), _values(2, 5, 8), folder=tmp_path)


def test_control_flow_goes_both_ways(tmp_path):
    net = Branches()
    for sign in (1, -1):
        net.fc.bias.set_value(np.full(5, 3.0 * sign, np.float32))
        _same(net, _values(2, 5), folder=tmp_path)


class OneWay(paddle.nn.Layer):
    def forward(self, x):
        if x.sum() > 0:
            y = x * 2
        return y + 1


def test_a_check_is_left_out_with_a_warning(tmp_path):
    with pytest.warns(UserWarning, match="no checks of values.*only one branch of this `if` gives `y` a value"):
        _same(OneWay(), np.ones([2, 3], "float32"), folder=tmp_path)


def test_a_function_without_parameters(tmp_path):
    paddle.onnx.export(lambda x: x * 2 + 1, str(tmp_path / "f"), input_spec=[InputSpec([None, 3])])
    np.testing.assert_allclose(_run(str(tmp_path / "f.onnx"), _values(4, 3))[0], _values(4, 3) * 2 + 1, rtol=1e-6)


def test_a_model_that_is_files_already(tmp_path):
    net = paddle.vision.models.LeNet()
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[InputSpec([None, 1, 28, 28])])
    for path in ("net", "net.pdmodel"):
        paddle.onnx.export(str(tmp_path / path), tmp_path / "again")
        x = _values(3, 1, 28, 28)
        np.testing.assert_allclose(_run(str(tmp_path / "again.onnx"), x)[0], net(paddle.to_tensor(x)).numpy(),
                                   rtol=1e-4, atol=1e-5)


def test_a_model_loaded_and_tuned(tmp_path):
    paddle.jit.save(paddle.nn.Linear(3, 2), str(tmp_path / "net"), input_spec=[InputSpec([None, 3])])
    loaded = paddle.jit.load(str(tmp_path / "net"))
    optimizer = paddle.optimizer.SGD(0.5, parameters=loaded.parameters())
    loaded(paddle.to_tensor(_values(4, 3))).sum().backward()
    optimizer.step()
    _same(loaded, _values(4, 3), folder=tmp_path)


def test_a_program(tmp_path):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
        paddle.enable_static()
        try:
            x = paddle.static.data("x", [None, 4])
            y = paddle.static.nn.fc(x, 3)
            executor = paddle.static.Executor()
            executor.run(startup)
            with pytest.raises(ValueError, match="feed_vars"):
                paddle.onnx.export(main, str(tmp_path / "program"))
            paddle.onnx.export(main, str(tmp_path / "program"), feed_vars=[x], fetch_vars=[y])
            wanted, = executor.run(main, feed={"x": _values(2, 4)}, fetch_list=[y])
        finally:
            paddle.disable_static()
    np.testing.assert_allclose(_run(str(tmp_path / "program.onnx"), _values(2, 4))[0], wanted, rtol=1e-5, atol=1e-6)


def test_an_operator_that_the_converter_does_not_know_is_named_and_nothing_is_written(tmp_path):
    with pytest.raises(NotImplementedError, match="operators lgamma"):
        paddle.onnx.export(lambda x: paddle.lgamma(x) + 1.0, str(tmp_path / "net"), input_spec=[InputSpec([1, 4])])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("given", "error"), [
    ({"opset_version": 3}, "opset_version"), ({"opset_version": "11"}, "opset_version"),
    ({"unheard_of": 1}, "unheard_of"), ({"deploy_backend": "ort"}, "one of .'onnxruntime'"),
])
def test_what_makes_no_sense_is_refused(tmp_path, given, error):
    with pytest.raises(ValueError, match=error):
        paddle.onnx.export(Shuffled(), str(tmp_path / "net"), input_spec=[InputSpec([1, 4, 6, 6])], **given)
    with pytest.raises(ValueError, match="FOLDER/NAME"):
        paddle.onnx.export(Shuffled(), str(tmp_path) + "/")
    with pytest.raises(FileNotFoundError, match="there is no model"):
        paddle.onnx.export(str(tmp_path / "absent"), str(tmp_path / "net"))


def test_a_damaged_model_is_told_and_nothing_is_written(tmp_path):
    (tmp_path / "net.pdmodel").write_bytes(b"\x0a\x99nonsense")
    with pytest.raises(ValueError, match="net.pdmodel: byte .* damaged"):
        paddle.onnx.export(str(tmp_path / "net"), str(tmp_path / "out"))
    assert not (tmp_path / "out.onnx").exists()


def test_a_file_that_is_no_model_is_told_by_its_reader(tmp_path):
    (tmp_path / "m.pdmodel").write_text("hello")
    with pytest.raises(ValueError, match="m.pdmodel: byte 0: this is no .pdmodel file; the file is text"):
        paddle.onnx.export(str(tmp_path / "m"), str(tmp_path / "m"))


def test_an_operator_that_the_converter_leaves_out_is_named(tmp_path):
    with pytest.raises(NotImplementedError, match="left out the operator rnn, which makes"):
        paddle.onnx.export(paddle.nn.SimpleRNN(3, 4), str(tmp_path / "rnn"), input_spec=[InputSpec([2, 5, 3])])


@pytest.mark.parametrize(("kind", "layers", "direction", "time_major"), [
    ("LSTM", 2, "bidirect", False), ("GRU", 3, "forward", False), ("LSTM", 2, "forward", True),
])
def test_the_states_of_all_layers(tmp_path, kind, layers, direction, time_major):
    """The converter gives those of the last layer where a recurrence has several."""
    class States(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.rnn = getattr(paddle.nn, kind)(6, 5, layers, direction=direction, time_major=time_major)

        def forward(self, x):
            y, states = self.rnn(x)
            return [y, *(states if kind == "LSTM" else [states])]

    _same(States(), _values(2, 4, 6), specs=[InputSpec([None, None, 6])], folder=tmp_path)


def test_lengths_of_sequences_are_refused(tmp_path):
    class Sequences(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.rnn = paddle.nn.GRU(6, 5)

        def forward(self, x, lengths):
            return self.rnn(x, sequence_length=lengths)[0]

    with pytest.raises(NotImplementedError, match=r"takes no notice of the lengths of sequences \('lengths'\)"):
        paddle.onnx.export(Sequences(), str(tmp_path / "rnn"), input_spec=[
            InputSpec([None, None, 6]), InputSpec([None], "int64", "lengths")])
    assert list(tmp_path.iterdir()) == []


def test_an_operator_of_a_version_that_the_converter_does_not_write_is_named(tmp_path):
    class Deformed(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = paddle.vision.ops.DeformConv2D(3, 2, 3)

        def forward(self, x, offsets):
            return self.conv(x, offsets, paddle.ones([1, 9, 3, 3]))

    with pytest.raises(NotImplementedError, match="deformable_conv needs version 19 of ONNX's operators"):
        paddle.onnx.export(Deformed(), str(tmp_path / "net"), input_spec=[
            InputSpec([1, 3, 5, 5]), InputSpec([1, 18, 3, 3])])


@pytest.mark.parametrize("kind", ["Avg", "Max"])
def test_adaptive_pooling_of_unknown_sizes_is_refused(tmp_path, kind):
    """The converter writes windows with a stride of 0, which ONNX Runtime does not open."""
    of_size = getattr(paddle.nn, f"Adaptive{kind}Pool2D")
    with pytest.raises(NotImplementedError, match=r"adaptive pooling to \[2, 2\].* shape \[-1, 3, -1, -1\]"):
        paddle.onnx.export(of_size(2), str(tmp_path / "net"), input_spec=[InputSpec([None, 3, None, None])])
    _same(of_size(2), _values(2, 3, 8, 6), specs=[InputSpec([None, 3, 8, 6])], folder=tmp_path)
    _same(of_size(1), _values(2, 3, 8, 6), specs=[InputSpec([None, 3, None, None])], folder=tmp_path)


def test_whole_weights_that_the_program_calls_floats(tmp_path):
    """As PaddlePaddle's files for Paddle Lite have them, whose values' file alone says that they are int8."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [1, 2, 4, 4])
        y = paddle.static.nn.conv2d(x, 3, 3, bias_attr=False)
    executor = paddle.static.Executor()
    executor.run(startup)
    (op,) = main.global_block().ops
    weight, scales = op.input("Filter")[0], [0.01, 0.02, 0.03]
    op._set_attr("quantize_weight_bits", 8)
    op._set_attr(weight + "_quant_scale", scales)
    prefix = str(tmp_path / "m")
    paddle.static.save_inference_model(prefix, [x], [y], executor, program=main)
    paddle.disable_static()
    numbers = np.random.default_rng(0).integers(-127, 128, (3, 2, 3, 3)).astype("int8")
    with open(prefix + ".pdiparams", "wb") as file:
        write_combined(file, [(numbers, from_numpy_dtype(numbers.dtype).number)])
    paddle.onnx.export(prefix, str(tmp_path / "model"))
    image = _values(1, 2, 4, 4)
    wanted = paddle.nn.functional.conv2d(paddle.to_tensor(image), paddle.to_tensor(
        numbers * np.float32(scales)[:, None, None, None]))
    np.testing.assert_allclose(_run(str(tmp_path / "model.onnx"), image)[0], wanted.numpy(), 1e-4, 1e-4)


_ENDING = """
import json, os, signal, sys
from proa.static.files.inference_model import program_of

call = json.loads(sys.argv[1])
with open(call["model_filename"], "rb") as file:
    operators = program_of(file.read(), "the model").global_block().ops
if "tanh" in [op.type for op in operators]:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_operator_that_the_converter_ends_at_without_a_word_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("proa.interchange.onnx._CONVERT", _ENDING)

    def function(x):
        return paddle.exp(paddle.sin(paddle.tanh(paddle.cos(x)) + 1) * 2)

    with pytest.raises(NotImplementedError, match=r"without a word \(signal 9\) at the operator tanh, which makes"):
        paddle.onnx.export(function, str(tmp_path / "model"), input_spec=[InputSpec([2])])


def test_an_end_that_no_operator_causes_is_told_as_it_is(monkeypatch, tmp_path):
    monkeypatch.setattr("proa.interchange.onnx._CONVERT", _ENDING.replace('"tanh" in', "len(operators) >= 0 or"))
    with pytest.raises(RuntimeError, match="ended with -9"):
        paddle.onnx.export(paddle.nn.Linear(2, 2), str(tmp_path / "model"), input_spec=[InputSpec([1, 2])])
