"""`jit.save`, `jit.load`, `save`, `load`: every way in and out, and what happens to bad files."""

import io
import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn, static
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError
from proa.static import InputSpec


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2D(2)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(2 * 4 * 4, 3)

    def forward(self, x):
        x = nn.functional.relu(self.norm(self.conv(x)))
        x = self.drop(x)
        return self.head(paddle.flatten(x, 1))


SPEC = [InputSpec([None, 1, 4, 4], "float32", "image")]


def images(rows=3, seed=0):
    return paddle.to_tensor(np.random.RandomState(seed).rand(rows, 1, 4, 4).astype("float32"))


@pytest.fixture
def saved(tmp_path):
    net = Net()
    for seed in range(3):
        net(images(seed=seed))  # statistics of its own
    prefix = str(tmp_path / "models" / "net")
    paddle.jit.save(net, prefix, input_spec=SPEC)
    net.eval()
    return net, prefix


def test_files_and_their_contents(saved):
    net, prefix = saved
    assert sorted(os.listdir(os.path.dirname(prefix))) == ["net.pdiparams", "net.pdiparams.info", "net.pdmodel"]
    with open(prefix + ".pdiparams.info", "rb") as file:
        info = pickle.load(file)
    weight = net.conv.weight
    assert info[weight.name] == {"structured_name": "conv.weight", "stop_gradient": False, "trainable": True}
    assert info[net.norm._mean.name]["trainable"] is False
    assert net.training is False


def test_loaded_layer_predicts_the_same(saved):
    net, prefix = saved
    loaded = paddle.jit.load(prefix)
    assert isinstance(loaded, paddle.jit.TranslatedLayer) and isinstance(loaded, nn.Layer)
    for rows in (1, 5):
        np.testing.assert_allclose(loaded(images(rows)).numpy(), net(images(rows)).numpy(), rtol=1e-5, atol=1e-6)
    assert set(loaded.state_dict()) == set(net.state_dict())
    assert not {p.name for p in loaded.parameters()} & {p.name for p in net.parameters()}


def test_another_process_predicts_the_same(saved, tmp_path):
    net, prefix = saved
    script = ("import sys, numpy, proa as paddle\n"
              "layer = paddle.jit.load(sys.argv[1])\n"
              "x = numpy.random.RandomState(0).rand(3, 1, 4, 4).astype('float32')\n"
              "numpy.save(sys.argv[2], layer(paddle.to_tensor(x)).numpy())")
    out = str(tmp_path / "out.npy")
    subprocess.run([sys.executable, "-c", script, prefix, out], check=True)
    np.testing.assert_allclose(np.load(out), net(images()).numpy(), rtol=1e-5, atol=1e-6)


def test_fine_tuning_changes_what_training_changes(saved, tmp_path):
    net, prefix = saved
    loaded = paddle.jit.load(prefix)
    loaded.train()
    a, b = loaded(images()).numpy(), loaded(images()).numpy()
    assert np.abs(a - b).max() > 0, "dropout is back"
    mean = loaded.state_dict()["norm._mean"].numpy()
    adam = paddle.optimizer.Adam(0.02, parameters=loaded.parameters())
    target = paddle.to_tensor(np.eye(3, dtype="float32"))
    losses = []
    for _ in range(60):
        loss = ((loaded(images()) - target) ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert np.mean(losses[-5:]) < 0.5 * losses[0]
    assert np.abs(loaded.state_dict()["norm._mean"].numpy() - mean).max() > 0, "statistics move again"
    again = str(tmp_path / "tuned")
    paddle.jit.save(loaded, again, input_spec=[images()])
    loaded.eval()
    np.testing.assert_allclose(paddle.jit.load(again)(images()).numpy(), loaded(images()).numpy(), rtol=1e-5, atol=1e-6)
    fresh = Net()
    fresh.eval()
    fresh.set_state_dict(paddle.load(again))
    np.testing.assert_allclose(fresh(images()).numpy(), loaded(images()).numpy(), rtol=1e-5, atol=1e-6)


def test_training_a_loaded_layer_equals_training_the_original(tmp_path):
    class Plain(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(1, 2, 3, padding=1)
            self.norm = nn.BatchNorm2D(2)

        def forward(self, x):
            return self.norm(self.conv(x)).mean([2, 3])

    net = Plain()
    paddle.jit.save(net, str(tmp_path / "p"), input_spec=SPEC)
    loaded = paddle.jit.load(str(tmp_path / "p"))
    losses = []
    for layer in (net, loaded):
        layer.train()
        sgd = paddle.optimizer.Momentum(0.1, parameters=layer.parameters())
        found = []
        for seed in range(5):
            loss = (layer(images(seed=seed)) - 1.0).square().mean()
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            found.append(float(loss))
        losses.append(found)
    np.testing.assert_allclose(*losses, rtol=1e-4)


def test_example_tensors_instead_of_specs(tmp_path):
    net = Net()
    net.eval()
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[images()])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(images()).numpy(), net(images()).numpy(),
                               rtol=1e-5, atol=1e-6)


def test_several_methods_make_five_files(tmp_path):
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 3)

        @paddle.jit.to_static(input_spec=[InputSpec([None, 2], "float32")])
        def forward(self, x):
            return self.a(x)

        @paddle.jit.to_static(input_spec=[InputSpec([None, 2], "float32")])
        def other(self, x):
            return self.b(self.a(x))

    net = Two()
    paddle.jit.save(net, str(tmp_path / "two"))
    assert sorted(os.listdir(tmp_path)) == ["two.other.pdiparams", "two.other.pdmodel", "two.pdiparams",
                                            "two.pdiparams.info", "two.pdmodel"]
    loaded = paddle.jit.load(str(tmp_path / "two"))
    x = paddle.ones([1, 2])
    np.testing.assert_allclose(loaded.other(x).numpy(), net.other(x).numpy(), rtol=1e-6)
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)
    assert set(paddle.load(str(tmp_path / "two"))) == {"a.weight", "a.bias", "b.weight", "b.bias"}
    with pytest.raises(ValueError, match="input_spec"):
        paddle.jit.save(net, str(tmp_path / "x"), input_spec=[InputSpec([None, 2])])


def test_functions_with_and_without_tensors_of_their_own(tmp_path):
    def plain(inputs):
        return paddle.tanh(inputs)

    paddle.jit.save(plain, str(tmp_path / "f"), input_spec=[InputSpec([None, 6], "float32", "x")])
    assert os.listdir(tmp_path) == ["f.pdmodel"]
    x = paddle.rand([3, 6])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "f"))(x).numpy(), np.tanh(x.numpy()), rtol=1e-6)
    table = paddle.rand([6])
    paddle.jit.save(lambda y: y * table, str(tmp_path / "g"), input_spec=[InputSpec([None, 6], "float32", "y")])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "g"))(x).numpy(), (x * table).numpy(), rtol=1e-6)


def test_tensor_conditions_and_loops_go_into_the_file(tmp_path):
    class Loop(nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            y = self.linear(x)
            if y.sum() > 0:
                y = y * 3.0
            else:
                y = -y
            while y.abs().sum() < 50.0:
                y = y * 1.7 + x
            return y

    net = Loop()
    paddle.jit.save(net, str(tmp_path / "loop"), input_spec=[InputSpec([None, 2], "float32")])
    loaded = paddle.jit.load(str(tmp_path / "loop"))
    for scale in (1.0, -1.0, 5.0):
        x = paddle.to_tensor([[scale, 0.5]])
        y = paddle.to_tensor([[scale, 0.5]])
        x.stop_gradient = y.stop_gradient = False
        a, b = net(x), loaded(y)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)
        a.sum().backward()
        b.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-5)


def test_a_loaded_layer_within_another_one(saved, tmp_path):
    _, prefix = saved

    class Wrapped(nn.Layer):
        def __init__(self):
            super().__init__()
            self.body = paddle.jit.load(prefix)
            self.head = nn.Linear(3, 2)

        def forward(self, x):
            return self.head(self.body(x))

    net = Wrapped()
    net.eval()
    paddle.jit.save(net, str(tmp_path / "wrapped"), input_spec=SPEC)
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "wrapped"))(images()).numpy(), net(images()).numpy(),
                               rtol=1e-5, atol=1e-6)


def test_misuse_is_told(tmp_path):
    with pytest.raises(ValueError, match="input_spec is needed"):
        paddle.jit.save(Net(), str(tmp_path / "m"))
    with pytest.raises(TypeError, match="Layer or a function"):
        paddle.jit.save(3, str(tmp_path / "m"))
    with pytest.raises(ValueError, match="FOLDER/NAME"):
        paddle.jit.save(Net(), str(tmp_path) + "/", input_spec=SPEC)
    with pytest.raises(ValueError, match="unknown options"):
        paddle.jit.save(Net(), str(tmp_path / "m"), input_spec=SPEC, compress=True)
    assert os.listdir(tmp_path) == []
    with pytest.raises(FileNotFoundError, match=r"nothing\.pdmodel"):
        paddle.jit.load(str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="nothing"):
        paddle.load(str(tmp_path / "nothing"))


def test_wrong_inputs_of_a_loaded_layer(saved):
    _, prefix = saved
    loaded = paddle.jit.load(prefix)
    with pytest.raises(ValueError, match=r"'image' takes shape \[-1, 1, 4, 4\].*Received shape \[2, 4\]"):
        loaded(paddle.ones([2, 4]))
    with pytest.raises(ValueError, match="float64"):
        loaded(images().astype("float64"))
    with pytest.raises(TypeError, match="1 inputs"):
        loaded(images(), images())


@pytest.mark.parametrize("suffix", [".pdmodel", ".pdiparams", ".pdiparams.info"])
@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "longer"])
def test_damaged_files_are_named(saved, suffix, damage):
    _, prefix = saved
    path = prefix + suffix
    with open(path, "rb") as file:
        data = file.read()
    changed = {"truncated": data[: len(data) // 2], "garbage": os.urandom(len(data)), "empty": b"",
               "longer": data + b"\x00\x01\x02"}[damage]
    with open(path, "wb") as file:
        file.write(changed)
    with pytest.raises((CorruptFileError, UnsafePickleError), match=os.path.basename(path).replace(".", r"\.")):
        paddle.jit.load(prefix)


def test_missing_parameters_are_named(saved):
    _, prefix = saved
    os.remove(prefix + ".pdiparams")
    with pytest.raises(FileNotFoundError, match="pdiparams"):
        paddle.jit.load(prefix)


def test_info_that_runs_code_is_refused(saved, tmp_path):
    _, prefix = saved
    mark = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return os.system, (f"touch {mark}",)

    for path, read in ((prefix + ".pdiparams.info", lambda: paddle.jit.load(prefix)),
                       (str(tmp_path / "x.pdparams"), lambda: paddle.load(str(tmp_path / "x.pdparams")))):
        with open(path, "wb") as file:
            pickle.dump({"w": Evil()}, file, protocol=2)
        with pytest.raises(UnsafePickleError, match="system"):
            read()
    assert not mark.exists()


# paddle.save and paddle.load


def test_state_dicts_round_trip(tmp_path):
    with paddle.utils.unique_name.guard():
        net = Net()
    adam = paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 3), parameters=net.parameters())
    net(images()).mean().backward()
    adam.step()
    adam._learning_rate.step()
    paddle.save(net.state_dict(), str(tmp_path / "net.pdparams"))
    paddle.save(adam.state_dict(), str(tmp_path / "net.pdopt"))
    with paddle.utils.unique_name.guard():
        other = Net()
    again = paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 3), parameters=other.parameters())
    assert other.set_state_dict(paddle.load(str(tmp_path / "net.pdparams"))) == ([], [])
    again.set_state_dict(paddle.load(str(tmp_path / "net.pdopt")))
    for layer, optimizer in ((net, adam), (other, again)):
        layer.eval()
        layer.clear_gradients()
        layer(images(seed=9)).mean().backward()
        optimizer.step()
    for a, b in zip(net.parameters(), other.parameters()):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)
    assert again._learning_rate.last_epoch == 1


def test_the_file_holds_arrays_and_the_table_of_names(tmp_path):
    layer = nn.Linear(2, 2)
    paddle.save(layer.state_dict(), str(tmp_path / "l.pdparams"))
    with open(tmp_path / "l.pdparams", "rb") as file:
        raw = pickle.load(file)
    assert isinstance(raw["weight"], np.ndarray)
    assert raw["StructuredToParameterName@@"] == {"weight": layer.weight.name, "bias": layer.bias.name}
    assert "StructuredToParameterName@@" in paddle.load(str(tmp_path / "l.pdparams"), keep_name_table=True)
    assert isinstance(paddle.load(str(tmp_path / "l.pdparams"), return_numpy=True)["weight"], np.ndarray)


@pytest.mark.parametrize("obj", [
    lambda: paddle.ones([2, 2]), lambda: [paddle.ones([1]), 3, "text", None],
    lambda: {"a": {"b": (paddle.zeros([2]), 1.5)}, "epoch": 3}, lambda: paddle.ones([2]).astype("bfloat16"),
    lambda: {"w": paddle.ones([2]).astype("bfloat16")},
])
@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_nested_objects_round_trip(tmp_path, obj, protocol):
    def plain(value):
        if isinstance(value, paddle.Tensor):
            return (value.dtype.name, value.astype("float32").tolist())
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(plain(v) for v in value)
        return value

    paddle.save(obj(), str(tmp_path / "o"), protocol=protocol)
    assert plain(paddle.load(str(tmp_path / "o"))) == plain(obj())
    buffer = io.BytesIO()
    paddle.save(obj(), buffer, protocol=protocol)
    buffer.seek(0)
    assert plain(paddle.load(buffer)) == plain(obj())


def test_programs_and_their_state(tmp_path):
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        out = static.nn.fc(static.data("x", [None, 4]), 3)
        exe = static.Executor()
        exe.run(startup)
        paddle.save(main, str(tmp_path / "temp" / "model.pdmodel"))
        paddle.save(main.state_dict(), str(tmp_path / "temp" / "model.pdparams"))
        [before] = exe.run(main, feed={"x": np.ones((2, 4), "float32")}, fetch_list=[out])
    with static.scope_guard(static.Scope()):
        program = paddle.load(str(tmp_path / "temp" / "model.pdmodel"))
        program.set_state_dict(paddle.load(str(tmp_path / "temp" / "model.pdparams")))
        [after] = static.Executor().run(program, feed={"x": np.ones((2, 4), "float32")}, fetch_list=[out.name])
    np.testing.assert_array_equal(before, after)


def test_inference_models_are_pruned(tmp_path):
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x, label = static.data("x", [None, 4]), static.data("y", [None, 3])
        out = static.nn.fc(x, 3)
        paddle.optimizer.Adam(0.1).minimize(paddle.mean((out - label) ** 2))
        exe = static.Executor()
        exe.run(startup)
        feed = {"x": np.random.rand(5, 4).astype("float32"), "y": np.zeros((5, 3), "float32")}
        exe.run(main, feed=feed, fetch_list=[])
        [before] = exe.run(main.clone(for_test=True), feed=feed, fetch_list=[out.name])
        static.save_inference_model(str(tmp_path / "infer"), [x], [out], exe)
        with pytest.raises(ValueError, match="'y'"):
            static.save_inference_model(str(tmp_path / "bad"), [x], [paddle.mean(out - label)], exe)
    assert sorted(os.listdir(tmp_path)) == ["infer.pdiparams", "infer.pdmodel"]
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / "infer"), static.Executor())
        assert feeds == ["x"]
        assert [op.type for op in program.global_block().ops] == ["feed", "mul", "elementwise_add", "fetch"]
        [after] = static.Executor().run(program, feed={"x": feed["x"]}, fetch_list=fetches)
    np.testing.assert_allclose(before, after, rtol=1e-6)
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "infer"))(paddle.to_tensor(feed["x"])).numpy(), before,
                               rtol=1e-6)


def test_state_dicts_that_do_not_fit(tmp_path):
    layer = nn.Linear(2, 3)
    before = layer.weight.numpy()
    with pytest.warns(UserWarning, match=r"left out.*weight: the layer has \[2, 3\], the state \[9\]"):
        found = layer.set_state_dict({"bias": np.ones(3, "float32"), "weight": np.ones(9, "float32")})
    assert found == (["weight"], ["weight"])  # as PaddlePaddle has it
    assert layer.bias.tolist() == [1.0] * 3
    np.testing.assert_array_equal(layer.weight.numpy(), before)
    with pytest.warns(UserWarning) as warned:
        missing, unexpected = layer.set_state_dict({"bias": np.ones(3, "float32"), "other": np.ones(1)})
    assert (missing, unexpected) == (["weight"], ["other"])
    assert "'weight'" in str(warned[0].message) and "'other'" in str(warned[1].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert layer.set_state_dict({layer.weight.name: before * 2, layer.bias.name: np.zeros(3, "float32")},
                                    use_structured_name=False) == ([], [])
    np.testing.assert_array_equal(layer.weight.numpy(), before * 2)


def test_what_save_refuses(tmp_path):
    with pytest.raises(ValueError, match=r"layer\.state_dict\(\)"):
        paddle.save(nn.Linear(1, 1), str(tmp_path / "l"))
    with pytest.raises(TypeError):
        paddle.save({"f": lambda: 1}, str(tmp_path / "l"))
    with pytest.raises(ValueError, match="protocol"):
        paddle.save({}, str(tmp_path / "l"), protocol=1)
    with pytest.raises(ValueError, match="FOLDER/FILE"):
        paddle.save({}, str(tmp_path) + "/")
    assert os.listdir(tmp_path) == []


def test_a_failed_save_leaves_the_old_model_whole(saved, monkeypatch):
    net, prefix = saved
    folder = pathlib.Path(prefix).parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("proa.static.files.inference_model.write_combined", full)
    with pytest.raises(OSError, match="No space left"):
        paddle.jit.save(net, prefix, input_spec=SPEC)
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


SPEC_OF_TWO = [paddle.static.InputSpec([None, 2])]


class _Remembers(paddle.nn.Layer):
    """State that is changed before and behind where it is read, in a branch, in a list, and by exchange."""

    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([2])
        for name in ("mean", "last", "peak", "left", "right"):
            self.register_buffer(name, paddle.zeros([2]))
        self.recent = [paddle.zeros([2]), paddle.ones([2])]
        self.older = paddle.ones([2]) * 2.0

    def forward(self, x):
        y = self.w * x + self.last * self.recent[1]
        self.mean = self.mean * 0.9 + 0.1 * x.detach().mean(0)
        self.last.set_value(x.detach()[0])
        if x.max() > 2.0:
            self.peak = self.peak + 1.0
        self.left, self.right = self.right + 1.0, self.left * 1.0
        y = y + self.older
        self.older = self.recent[1]
        self.recent = [x.detach()[1], self.recent[0]]
        return y + self.mean * self.w + self.peak + self.left


def _trained(net, rounds):
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    results = []
    for k in range(rounds):
        y = net(paddle.full([2, 2], float(k)) + paddle.to_tensor([[0.0], [0.5]]))
        (y * y).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
        results.append(y.numpy())
    return np.array(results)


def test_state_that_forward_changes_goes_on_changing_in_a_loaded_model(tmp_path, recwarn):
    prefix, again = str(tmp_path / "model"), str(tmp_path / "again")
    net = _Remembers()
    paddle.jit.save(net, prefix, input_spec=SPEC_OF_TWO)
    loaded = paddle.jit.load(prefix)
    np.testing.assert_allclose(_trained(loaded, 5), _trained(net, 5), rtol=1e-5, atol=1e-6)
    paddle.jit.save(loaded, again)
    np.testing.assert_allclose(_trained(paddle.jit.load(again), 3), _trained(net, 3), rtol=1e-5, atol=1e-6)
    assert [str(w.message) for w in recwarn] == []


def test_state_is_left_alone_where_no_output_depends_on_it(tmp_path):
    net = _Remembers()
    net.forward = paddle.jit.to_static(lambda x: [net.left, setattr(net, "mean", net.mean + x[0])][0] * 2.0)
    paddle.jit.save(net, str(tmp_path / "model"), input_spec=SPEC_OF_TWO)
    assert len(paddle.jit.load(str(tmp_path / "model")).buffers()) == 1


class _Grows(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", paddle.zeros([1, 2]))

    def forward(self, x):
        self.seen = paddle.concat([self.seen, self.seen + x[0]])
        return self.seen.sum(0)


def test_a_warning_names_the_state_that_a_file_cannot_change(tmp_path):
    with pytest.warns(UserWarning, match="each call changes 'self.seen', which"):
        paddle.jit.save(_Grows(), str(tmp_path / "model"), input_spec=SPEC_OF_TWO)


class _Mean(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", paddle.zeros([2]))

    def forward(self, x):
        y = x + self.mean
        self.mean = self.mean * 0.5 + x.mean(0)
        return y


@pytest.mark.parametrize("again", [False, True])
def test_state_is_saved_as_calls_have_left_it(tmp_path, again):
    net = paddle.jit.to_static(_Mean())
    net.eval()
    x = paddle.to_tensor([[1.0, 2.0]])
    for _ in range(3):
        net(x)
    kept = net.mean.numpy()
    paddle.jit.save(net, str(tmp_path / "model"), input_spec=[paddle.static.InputSpec([None, 2])] if again else None)
    loaded = paddle.jit.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(dict(loaded.named_buffers())["mean"].numpy(), kept)
    np.testing.assert_array_equal(loaded(x).numpy(), net(x).numpy())


class _Previous(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.previous = None

    def forward(self, x):
        y = x if self.previous is None else x + self.previous
        self.previous = y
        return y


class _HasState(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0 + self.state[0] if hasattr(self, "state") else x * 2.0
        self.state = (y, y)
        return y


@pytest.mark.parametrize("net, named", [(_Previous, "'self.previous'"), (_HasState, "'self.state'"),
                                        (lambda: paddle.nn.Sequential(_Previous()), "'self.0.previous'")])
def test_a_warning_names_what_holds_no_tensors_until_the_first_call(tmp_path, net, named):
    with pytest.warns(UserWarning, match=f"{named} holds no tensors yet"):
        paddle.jit.save(net(), str(tmp_path / "model"), input_spec=SPEC_OF_TWO)
    net = paddle.jit.to_static(net())
    x = paddle.to_tensor([[1.0, 2.0]])
    net(x)
    paddle.jit.save(net, str(tmp_path / "model"), input_spec=SPEC_OF_TWO)  # of later calls: nothing to warn of
    loaded = paddle.jit.load(str(tmp_path / "model"))
    for _ in range(3):
        np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy())


class _Keeps(paddle.nn.Layer):
    def forward(self, x):
        self.kept = x * 2.0
        return self.kept + 1.0


def test_what_is_only_given_a_value_is_no_reason_to_warn(tmp_path):
    paddle.jit.save(_Keeps(), str(tmp_path / "model"), input_spec=SPEC_OF_TWO)


class AlwaysTraining(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1D(3)

    def forward(self, x):
        used = nn.functional.batch_norm(self.norm(x), paddle.zeros([3]), paddle.ones([3]), training=True)
        nn.functional.dropout(x, 0.5, training=True)  # which nothing needs
        return used * 2


def test_what_computes_as_in_training_in_evaluation_too_is_named(tmp_path):
    net, specs = AlwaysTraining(), [paddle.static.InputSpec([None, 3])]
    with pytest.warns(UserWarning, match=r"in evaluation mode too .*batch_norm \(.*test_save_load.py") as caught:
        paddle.jit.save(net, str(tmp_path / "net"), specs)
    assert len(caught) == 1 and "dropout (" not in str(caught[0].message)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    loaded.eval()
    net.eval()
    x = paddle.rand([4, 3])
    np.testing.assert_allclose(loaded(x).numpy(), net.norm(x).numpy() / np.sqrt(1 + 1e-5) * 2, 1e-5)


def test_a_norm_of_the_batch_in_evaluation_too_is_saved_as_that(tmp_path):
    """`trainable_statistics` of nn.BatchNorm: the file computes with the batch's statistics, as PaddlePaddle's does."""
    net = nn.BatchNorm(3, trainable_statistics=True)
    net.eval()
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 9.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.jit.save(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 3])])
    for computed in (net(x), paddle.jit.load(str(tmp_path / "net"))(x)):
        np.testing.assert_allclose(computed.numpy(), [[-1, -1, -1], [1, 1, 1]], rtol=1e-4)


class TwoOutputs(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x, y=None):
        return self.linear(x), self.linear(x).mean() if y is None else y.mean()


@pytest.mark.parametrize("example", [paddle.ones([4, 2]), np.ones((4, 2), "float32")])
def test_an_example_where_the_function_has_a_spec(example, tmp_path):
    """The spec counts: a file takes any number of rows."""
    net = paddle.jit.to_static(TwoOutputs(), input_spec=[paddle.static.InputSpec([None, 2], name="x")])
    net(paddle.ones([3, 2]))
    paddle.jit.save(net, str(tmp_path / "net"), [example], output_spec=net.forward.outputs[:1])
    loaded = paddle.jit.load(str(tmp_path / "net"))
    assert list(loaded._input_spec()[0].shape) == [-1, 2]
    np.testing.assert_allclose(loaded(paddle.ones([5, 2])).numpy(), net.linear(paddle.ones([5, 2])).numpy())
