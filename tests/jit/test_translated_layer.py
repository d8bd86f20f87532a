"""Loaded models are trained as the layers that were saved: where gradients stop, buffers, attributes, sizes."""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import nn, static
from proa.static import InputSpec
from proa.static.format.program_file import read_program_desc, serialize_program_desc

F = nn.functional
SPEC = [InputSpec([None, 3], "float32", "x")]
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def batch(rows=4, seed=0):
    return paddle.to_tensor(np.random.RandomState(seed).uniform(-1, 1, (rows, 3)).astype("float32"))


class Base(nn.Layer):
    """Two layers of which the second sees what the first gives; a subclass says how."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)


class Detached(Base):
    def forward(self, x):
        h = self.a(x)
        return h + self.b(h.detach())


class DetachedInput(Base):
    def forward(self, x):
        return self.a(x) + self.b(x.detach())


class WithoutGradient(Base):
    def forward(self, x):
        h = self.a(x)
        with paddle.no_grad():
            target = F.relu(self.b(h)) * 2
        return h * target + self.b(x)


class StoppedByHand(Base):
    def forward(self, x):
        h = self.a(x)
        q = self.b(h)
        q.stop_gradient = True
        return h * q + self.b(x)


class StoppedAfterAUse(Base):
    def forward(self, x):
        h = self.a(x)
        y = self.b(h)
        h.stop_gradient = True
        return y + self.b(h) * h


class BegunAgain(Base):
    """A gradient penalty, at a value where gradients end."""

    def forward(self, x):
        h = self.a(x).detach()
        h.stop_gradient = False
        return h * self.b(h) * self.b(x)


class InBranches(Base):
    def forward(self, x):
        h = self.a(x)
        if h.sum() > 0:
            y = h + self.b(h.detach())
        else:
            with paddle.no_grad():
                t = self.b(h)
            y = h * t - self.b(x)
        return y


class InLoops(Base):
    def forward(self, x):
        h = self.a(x)
        i = paddle.zeros([])
        while i < 3:
            with paddle.no_grad():
                t = self.b(h)
            h = h + 0.5 * t * self.b(h.detach())
            i = i + 1
        return h


class StraightThrough(Base):
    def forward(self, x):
        h = self.a(x)
        return self.b(h + (paddle.round(h * 4) / 4 - h).detach())


class Momentum(Base):
    """A target that follows by moving averages, and the loss between both."""

    def __init__(self):
        super().__init__()
        self.target = nn.Linear(3, 3)
        for p in self.target.parameters():
            p.stop_gradient = True

    def forward(self, x):
        with paddle.no_grad():
            target = self.target(x)
        return self.b(self.a(x)) - target


class PowerIteration(Base):
    def __init__(self):
        super().__init__()
        self.register_buffer("u", paddle.ones([3]) / 3**0.5)

    def forward(self, x):
        with paddle.no_grad():
            v = F.normalize(paddle.matmul(self.a.weight, self.u), axis=0)
            u = F.normalize(paddle.matmul(self.a.weight, v, transpose_x=True), axis=0)
        sigma = paddle.dot(v, paddle.matmul(self.a.weight, u))
        return paddle.matmul(x, self.a.weight / sigma) + self.b(x)


class Frozen(Base):
    def __init__(self):
        super().__init__()
        self.a.weight.stop_gradient = True
        self.a.bias.trainable = False

    def forward(self, x):
        return self.b(F.tanh(self.a(x)))


class SpectralNorm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.spectral_norm(nn.Linear(3, 3), n_power_iterations=2)

    def forward(self, x):
        return self.a(x)


NETS = [Detached, DetachedInput, WithoutGradient, StoppedByHand, StoppedAfterAUse, BegunAgain, InBranches, InLoops,
        StraightThrough, Momentum, PowerIteration, Frozen, SpectralNorm]


def made(kind):
    paddle.seed(7)
    net = kind()
    net.eval()
    return net


def saved(net, prefix, spec=SPEC):
    paddle.jit.save(net, str(prefix), input_spec=spec)
    return str(prefix)


def gradients(layer, x):
    x = paddle.to_tensor(x.numpy(), stop_gradient=False)
    layer.clear_gradients()
    out = layer(x)
    (out * out).sum().backward()
    return {"x": x.grad.numpy(), **{name: p.grad.numpy() for name, p in layer.named_parameters()
                                    if p.grad is not None and np.abs(p.grad.numpy()).max() > 0}}


def check_gradients(layer, net, inputs=None, prefix=""):
    for x in inputs or (batch(), -batch(seed=1), batch(5, 2)):
        found, expected = gradients(layer, x), gradients(net, x)
        assert set(found) == {key if key == "x" else prefix + key for key in expected}
        for key, value in expected.items():
            np.testing.assert_allclose(found[key if key == "x" else prefix + key], value, **CLOSE, err_msg=key)


@pytest.mark.parametrize("kind", NETS)
def test_gradients_stop_where_they_did(kind, tmp_path):
    net = made(kind)
    loaded = paddle.jit.load(saved(net, tmp_path / "net"))
    check_gradients(loaded, net)
    loaded.train()
    net.train()
    if kind is not SpectralNorm:  # whose vectors move on in training; a file's Program does not move them
        check_gradients(loaded, net)


@pytest.mark.parametrize("kind", NETS)
def test_gradients_stop_after_saving_again(kind, tmp_path):
    net = made(kind)
    once = paddle.jit.load(saved(net, tmp_path / "once"))
    paddle.jit.save(once, str(tmp_path / "twice"))
    paddle.jit.save(paddle.jit.load(str(tmp_path / "twice")), str(tmp_path / "thrice"))
    check_gradients(paddle.jit.load(str(tmp_path / "thrice")), net)
    unused = {"a.bias"} if kind is PowerIteration else set()
    assert set(paddle.jit.load(str(tmp_path / "thrice")).state_dict()) == set(net.state_dict()) - unused


@pytest.mark.parametrize("kind", NETS)
@pytest.mark.parametrize("full_graph", [False, True])
def test_gradients_stop_inside_another_converted_layer(kind, full_graph, tmp_path):
    net = made(kind)

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = paddle.jit.load(saved(net, tmp_path / "net"))

        def forward(self, x):
            return self.inner(x)

    outer = Outer()
    outer.eval()
    check_gradients(paddle.jit.to_static(outer, full_graph=full_graph), net, prefix="inner.")
    check_gradients(paddle.jit.load(saved(Outer(), tmp_path / "outer")), net, prefix="inner.")


@pytest.mark.parametrize("kind", [k for k in NETS if k is not SpectralNorm])
def test_fine_tuning_goes_as_training_the_layer(kind, tmp_path):
    net = made(kind)
    loaded = paddle.jit.load(saved(net, tmp_path / "net"))
    losses = []
    for layer in (net, loaded):
        layer.train()
        adam = paddle.optimizer.Adam(0.05, parameters=layer.parameters())
        found = []
        for step in range(4):
            loss = (layer(batch(seed=step)) - 1.0).square().mean()
            loss.backward()
            adam.step()
            adam.clear_grad()
            found.append(float(loss))
        losses.append(found)
    np.testing.assert_allclose(*losses, rtol=1e-5)


def test_a_loaded_layer_under_no_grad_in_a_converted_function(tmp_path):
    net = made(Detached)

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = paddle.jit.load(saved(net, tmp_path / "net"))
            self.head = nn.Linear(3, 3)

        def forward(self, x):
            with paddle.no_grad():
                h = self.inner(x)
            return self.head(h) + x

    outer = Outer()
    outer.eval()
    expected = gradients(outer, batch())
    assert set(expected) == {"x", "head.weight", "head.bias"}
    for layer in (paddle.jit.to_static(outer, full_graph=True), paddle.jit.load(saved(outer, tmp_path / "outer"))):
        found = gradients(layer, batch())
        assert set(found) == set(expected)
        for key, value in expected.items():
            np.testing.assert_allclose(found[key], value, **CLOSE, err_msg=key)


def test_what_was_frozen_can_be_trained_again(tmp_path):
    net = made(Frozen)
    loaded = paddle.jit.load(saved(net, tmp_path / "net"))
    frozen = {name: p.stop_gradient for name, p in loaded.named_parameters()}
    assert frozen == {"a.weight": True, "a.bias": True, "b.weight": False, "b.bias": False}
    for layer in (net, loaded):
        for p in layer.parameters():
            p.stop_gradient = False
    assert set(gradients(loaded, batch())) == {"x", *frozen}
    check_gradients(loaded, net)


def test_models_of_static_programs_are_trained_whole(tmp_path):
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [None, 3])
        frozen = static.nn.fc(x, 3, weight_attr=paddle.ParamAttr(name="frozen", trainable=False), bias_attr=False)
        hidden = static.nn.fc(F.relu(x) + frozen, 4, weight_attr="hidden", bias_attr=False)
        out = static.nn.fc(hidden.detach(), 2, weight_attr="w", bias_attr=False) + hidden.sum()
        exe = static.Executor()
        exe.run(startup)
        static.save_inference_model(str(tmp_path / "net"), [x], [out], exe)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    assert {name: p.trainable for name, p in loaded.named_parameters()} == {"frozen": False, "hidden": True, "w": True}
    value = batch()
    found = gradients(loaded, value)
    assert set(found) == {"x", "hidden", "w"}
    w = {name: p.numpy() for name, p in loaded.named_parameters()}
    at = np.maximum(value.numpy(), 0) + value.numpy() @ w["frozen"]
    result = at @ w["hidden"] @ w["w"] + (at @ w["hidden"]).sum()
    inward = 2 * result.sum() * np.ones((4, 4))
    np.testing.assert_allclose(found["hidden"], at.T @ inward, rtol=1e-4)
    np.testing.assert_allclose(found["x"], (inward @ w["hidden"].T) * (value.numpy() > 0)
                               + inward @ w["hidden"].T @ w["frozen"].T, rtol=1e-4)


# What a value is


class Everything(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3, weight_attr=paddle.ParamAttr(learning_rate=0.25, need_clip=False,
                                                               regularizer=paddle.regularizer.L2Decay(0.125)))
        self.l1 = nn.Linear(3, 3, weight_attr=paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(0.5)))
        self.frozen = nn.Linear(3, 3)
        self.frozen.weight.stop_gradient = True
        self.norm = nn.BatchNorm1D(3)
        self.register_buffer("scale", paddle.full([3], 2.0))
        self.register_buffer("hidden", paddle.full([3], 3.0), persistable=False)
        self.register_buffer("places", paddle.to_tensor([2, 1, 0]))

    def forward(self, x):
        h = self.l1(self.frozen(self.norm(self.fc(x))))
        return paddle.gather(h * self.scale + self.hidden, self.places, axis=1)


def described(layer):
    return {
        "parameters": {name: (p.trainable, p.optimize_attr, p.need_clip, repr(p.regularizer))
                       for name, p in layer.named_parameters()},
        "buffers": {name: (b.dtype.name, b.stop_gradient) for name, b in layer.named_buffers()},
        "state": set(layer.state_dict()),
    }


def test_what_was_a_buffer_is_one_again_and_parameters_keep_their_attributes(tmp_path):
    net = made(Everything)
    prefix = saved(net, tmp_path / "net")
    loaded = paddle.jit.load(prefix)
    assert described(loaded) == described(net)
    paddle.jit.save(loaded, str(tmp_path / "again"))
    again = paddle.jit.load(str(tmp_path / "again"))
    assert described(again) == described(net)
    np.testing.assert_allclose(again(batch()).numpy(), net(batch()).numpy(), **CLOSE)
    with open(prefix + ".pdiparams.info", "rb") as file:
        info = pickle.load(file)
    assert info[net.fc.weight.name] == {
        "structured_name": "fc.weight", "stop_gradient": False, "trainable": True, "learning_rate": 0.25,
        "need_clip": False, "regularizer": ["L2Decay", 0.125]}
    assert info[net.hidden.name] == {"structured_name": "hidden", "stop_gradient": True, "persistable": False}
    assert info[net.norm._mean.name] == {"structured_name": "norm._mean", "stop_gradient": True, "trainable": False}
    assert [name for name, _ in loaded.named_parameters()] == [name for name, _ in net.named_parameters()]


def test_an_optimizer_treats_loaded_parameters_as_those_of_the_layer(tmp_path):
    net = made(Everything)
    loaded = paddle.jit.load(saved(net, tmp_path / "net"))
    for layer in (net, loaded):
        layer.train()
        sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), weight_decay=0.01,
                                   grad_clip=nn.ClipGradByGlobalNorm(0.05))
        for step in range(3):
            (layer(batch(seed=step)) ** 2).sum().backward()
            sgd.step()
            sgd.clear_grad()
    for name, value in net.state_dict().items():
        np.testing.assert_allclose(loaded.state_dict()[name].numpy(), value.numpy(), **CLOSE, err_msg=name)


def test_a_regularizer_of_the_users_own_is_missed_with_a_warning(tmp_path):
    class Own(paddle.regularizer.WeightDecayRegularizer):
        def __call__(self, parameter, gradient):
            return gradient + 1.0

    net = nn.Linear(3, 3, weight_attr=paddle.ParamAttr(regularizer=Own(0.5)))
    with pytest.warns(UserWarning, match="regularizer Own.*L1Decay, L2Decay"):
        saved(net, tmp_path / "net")
    assert paddle.jit.load(str(tmp_path / "net")).parameters()[1].regularizer is None


def test_shared_parameters_stay_shared_and_keep_their_names(tmp_path):
    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(F.tanh(self.a(x)))

    net = made(Tied)
    loaded = paddle.jit.load(saved(net, tmp_path / "net"))
    assert set(loaded.state_dict()) == set(net.state_dict()) == {"a.weight", "a.bias", "b.weight", "b.bias"}
    assert len(loaded.parameters()) == 3
    assert loaded.state_dict()["a.weight"] is loaded.state_dict()["b.weight"]
    check_gradients(loaded, net)
    fresh = made(Tied)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh.set_state_dict(loaded.state_dict())


def test_tensors_of_a_closure_are_buffers_outside_of_the_state(tmp_path):
    table, wanted = paddle.rand([3]), paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    paddle.jit.save(lambda x: x * table + wanted, str(tmp_path / "f"), input_spec=SPEC)
    loaded = paddle.jit.load(str(tmp_path / "f"))
    assert loaded.parameters() == [] and loaded.state_dict() == {}
    assert sorted(b.stop_gradient for b in loaded.buffers()) == [False, True]
    loaded(batch()).sum().backward()
    [grown] = [b for b in loaded.buffers() if not b.stop_gradient]
    assert grown.grad.tolist() == [4.0, 4.0, 4.0]


def test_a_buffer_can_be_trained(tmp_path):
    loaded = paddle.jit.load(saved(made(Everything), tmp_path / "net"))
    buffers = dict(loaded.named_buffers())
    loaded(batch()).sum().backward()
    assert buffers["scale"].grad is None
    buffers["scale"].stop_gradient = False
    loaded(batch()).sum().backward()
    assert buffers["scale"].grad is not None


def test_methods_share_their_values(tmp_path):
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)
            self.register_buffer("shift", paddle.ones([3]))

        @paddle.jit.to_static(input_spec=SPEC)
        def forward(self, x):
            return self.fc(x)

        @paddle.jit.to_static(input_spec=SPEC)
        def target(self, x):
            return self.fc(x).detach() + self.shift

    net = made(Two)
    paddle.jit.save(net, str(tmp_path / "two"))
    loaded, other = paddle.jit.load(str(tmp_path / "two")), paddle.jit.load(str(tmp_path / "two"))
    assert [name for name, _ in loaded.named_parameters()] == ["fc.weight", "fc.bias"]
    assert [name for name, _ in loaded.named_buffers()] == ["shift"]
    x = batch()
    (loaded(x) - loaded.target(x)).square().sum().backward()
    (net(x) - net.target(x)).square().sum().backward()
    np.testing.assert_allclose(loaded.state_dict()["fc.weight"].grad.numpy(), net.fc.weight.grad.numpy(), **CLOSE)
    loaded.state_dict()["fc.weight"].set_value(np.zeros([3, 3], "float32"))
    assert loaded(x).numpy().std() < 1e-6 < other(x).numpy().std()
    assert not {v.name for v in loaded.parameters()} & {v.name for v in other.parameters()}


def test_the_methods_of_a_copy_are_its_own(tmp_path):
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)

        @paddle.jit.to_static(input_spec=SPEC)
        def forward(self, x):
            return self.fc(x)

        @paddle.jit.to_static(input_spec=SPEC)
        def target(self, x):
            return self.fc(x) * 2

    paddle.jit.save(made(Two), str(tmp_path / "two"))
    loaded = paddle.jit.load(str(tmp_path / "two"))
    x, copied = batch(), copy.deepcopy(loaded)
    before = loaded.target(x).numpy()
    with paddle.no_grad():
        for p in loaded.parameters():
            p.scale_(0.5)
    np.testing.assert_allclose(copied.target(x).numpy(), before, **CLOSE)
    np.testing.assert_allclose(loaded.target(x).numpy(), before * 0.5, **CLOSE)


# Sizes


class Looping(Base):
    def forward(self, x):
        y, i = x, paddle.zeros([])
        while i < 3:
            y = F.relu(self.a(y)) + x
            i = i + 1
        if y.sum() > 0:
            y = self.b(y)
        else:
            y = y - 1
        return y


class Normed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm, self.drop, self.fc = nn.BatchNorm1D(3), nn.Dropout(0.0), nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(self.drop(self.norm(x)))


@pytest.mark.parametrize("spec", [[InputSpec([4, 3], "float32", "x")], [batch()]])
@pytest.mark.parametrize("kind", [Detached, InBranches, InLoops, Looping, Normed])
def test_a_model_saved_for_one_size_runs_with_any(kind, spec, tmp_path):
    net = made(kind)
    loaded = paddle.jit.load(saved(net, tmp_path / "net", spec))
    assert loaded._input_spec()[0].shape == (4, 3)
    for mode in ("eval", "train"):
        getattr(net, mode)()
        getattr(loaded, mode)()
        inputs = [batch(), batch(7), -batch(2), batch(1 if mode == "eval" else 6)]
        for x in inputs:
            np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), **CLOSE)
        check_gradients(loaded, net, inputs)
    if kind in (Detached, Looping):
        wide = paddle.to_tensor(np.random.RandomState(3).rand(5, 2, 3).astype("float32"))
        check_gradients(loaded, net, [wide, wide[0, 0]])
    assert len(loaded._methods["forward"]._functions) <= 6


def test_a_model_saved_for_one_size_in_an_executor_and_a_predictor(tmp_path):
    net = made(Looping)
    prefix = saved(net, tmp_path / "net", [InputSpec([4, 3], "float32", "x")])
    predictor = paddle.inference.create_predictor(paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(prefix, static.Executor())
        for x in (batch(), batch(7), -batch(2), batch()):
            expected = net(x).numpy()
            [found] = static.Executor().run(program, feed={feeds[0]: x.numpy()}, fetch_list=fetches)
            np.testing.assert_allclose(found, expected, **CLOSE)
            np.testing.assert_allclose(predictor.run([x])[0].numpy(), expected, **CLOSE)
        with pytest.warns(UserWarning, match=r"no variable 'more'.*\['x'\]"):
            static.Executor().run(program, feed={"x": batch().numpy(), "more": 1}, fetch_list=fetches)
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [4, 3])
        out = static.nn.fc(x, 2)
        exe = static.Executor()
        exe.run(startup)
        static.save_inference_model(str(tmp_path / "checked"), [x], [out], exe)
        program, _, fetches = static.load_inference_model(str(tmp_path / "checked"), exe)
        for checked, fetched in ((main, [out]), (program, fetches)):  # static.data says sizes to be checked
            with pytest.raises(ValueError, match=r"'x' takes shape \[4, 3\].*Received shape \[5, 3\]"):
                exe.run(checked, feed={"x": np.ones((5, 3), "float32")}, fetch_list=fetched)


def test_a_model_saved_for_one_size_inside_another_with_any(tmp_path):
    net = made(Looping)

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = paddle.jit.load(saved(net, tmp_path / "net", [InputSpec([4, 3], "float32", "x")]))

        def forward(self, x):
            return self.inner(x) * 2

    outer = Outer()
    outer.eval()
    paddle.jit.save(outer, str(tmp_path / "outer"), input_spec=SPEC)
    for x in (batch(), batch(7)):
        np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "outer"))(x).numpy(), net(x).numpy() * 2, **CLOSE)


def test_sizes_and_dtypes_that_operators_do_not_take_are_told(tmp_path):
    class Fixed(Base):
        def forward(self, x):
            return self.a(x).reshape([4, 3, 1])

    loaded = paddle.jit.load(saved(made(Fixed), tmp_path / "net", [InputSpec([4, 3], "float32", "x")]))
    with pytest.raises(ValueError, match=r"reshape.*must stay the same. Received x.shape=\[5, 3\], shape=\[4, 3, 1\]"):
        loaded(batch(5))
    with pytest.raises(ValueError, match=r"inner dimensions must agree. Received x.shape=\[4, 2\]"):
        loaded(paddle.ones([4, 2]))
    with pytest.raises(ValueError, match=r"'x' takes shape \[4, 3\].*float32.*dtype float64.*matmul_v2.*one dtype"):
        loaded(batch().astype("float64"))
    paddle.jit.save(lambda x: F.relu(x) * 2, str(tmp_path / "f"), input_spec=SPEC)
    assert paddle.jit.load(str(tmp_path / "f"))(batch().astype("float64")).dtype is paddle.float64


def test_a_model_that_was_converted_to_another_dtype(tmp_path):
    net = made(Normed)
    loaded = paddle.jit.load(saved(net, tmp_path / "net"))
    for layer in (net, loaded):
        layer.to(dtype="float64")
    x = batch().astype("float64")
    for mode in ("eval", "train"):
        getattr(net, mode)()
        getattr(loaded, mode)()
        assert loaded(x).dtype is paddle.float64
        np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-8)
    check_gradients(loaded, net, [x])


def test_the_documentations_example_of_load(tmp_path):
    class RandomDataset(paddle.io.Dataset):
        def __getitem__(self, index):
            random = np.random.RandomState(index)
            return random.random([784]).astype("float32"), random.randint(0, 9, (1,)).astype("int64")

        def __len__(self):
            return 37

    class LinearNet(nn.Layer):
        def __init__(self):
            super().__init__()
            self._linear = nn.Linear(784, 10)

        @paddle.jit.to_static
        def forward(self, x):
            return self._linear(x)

    def train(layer, loader, adam):
        for image, label in loader():
            nn.CrossEntropyLoss()(layer(image), label).backward()
            adam.step()
            adam.clear_grad()

    net = LinearNet()
    loader = paddle.io.DataLoader(RandomDataset(), batch_size=16, shuffle=True)  # a last batch of 5
    train(net, loader, paddle.optimizer.Adam(0.001, parameters=net.parameters()))
    paddle.jit.save(net, str(tmp_path / "linear"))
    loaded = paddle.jit.load(str(tmp_path / "linear"))
    loaded.eval()
    x = paddle.randn([1, 784])
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), **CLOSE)
    loaded.train()
    train(loaded, loader, paddle.optimizer.Adam(0.001, parameters=loaded.parameters()))


# Files of others


class Older(nn.Layer):
    """What `fixtures/older` holds, saved by the revision of proa before buffers were told from parameters there."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.frozen, self.norm = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3), nn.BatchNorm1D(3)
        self.frozen.weight.stop_gradient = True
        self.register_buffer("scale", paddle.full([3], 2.0))
        self.register_buffer("places", paddle.to_tensor([2, 1, 0]))

    def forward(self, x):
        h = self.frozen(self.norm(self.a(x)))
        with paddle.no_grad():
            t = self.b(h)
        return paddle.gather(h * self.scale + self.b(h.detach()) * t, self.places, axis=1)


def test_files_of_older_versions_are_fine_tuned():
    prefix = str(Path(__file__).parent / "fixtures" / "older")
    loaded, net = paddle.jit.load(prefix), Older()
    net.set_state_dict(loaded.state_dict())
    net.eval()
    found, expected = described(loaded), described(net)
    assert found == expected
    check_gradients(loaded, net)


def test_a_file_of_paddlepaddle_without_info_is_trained_whole():
    """`fixtures/static_detached` is of save_inference_model there: fc(h = batch_norm(fc(x))) + h.detach()."""
    loaded = paddle.jit.load(str(Path(__file__).parent / "fixtures" / "static_detached"))
    trained = {name for name, p in loaded.named_parameters() if p.trainable}
    assert trained == {"fc_0.w_0", "fc_0.b_0", "batch_norm_0.w_0", "batch_norm_0.b_0", "fc_1.w_0", "fc_1.b_0"}
    x = paddle.to_tensor(np.random.RandomState(0).rand(5, 4).astype("float32"), stop_gradient=False)
    loaded(x).sum().backward()
    state = {name: value.numpy() for name, value in loaded.state_dict().items()}
    inward = np.ones((5, 2)) @ state["fc_1.w_0"].T  # nothing by way of the detached value
    np.testing.assert_allclose(loaded.state_dict()["batch_norm_0.b_0"].grad.numpy(), inward.sum(0), rtol=1e-5)
    assert all(value.grad is not None for name, value in loaded.named_parameters() if name in trained)


def test_names_of_files_beside_a_prefix_are_passed_over(tmp_path):
    """As in Paddle: they are those of files in a folder."""
    net, prefix, x = nn.Linear(4, 2), str(tmp_path / "m"), paddle.ones([3, 4])
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 4])])
    with pytest.warns(UserWarning, match="is a prefix of files"):
        loaded = paddle.jit.load(prefix, model_filename="m.pdmodel", params_filename="m.pdiparams")
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)


class InstanceNormed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2D(3, 4, 3), nn.InstanceNorm2D(4)

    def forward(self, x):
        return self.norm(self.conv(x))


@pytest.mark.parametrize("training", [False, True])
def test_a_gradient_goes_through_an_operation_whose_file_leaves_out_what_only_gradients_read(tmp_path, training):
    net, prefix = InstanceNormed(), str(tmp_path / "net")
    paddle.jit.save(net, prefix, [InputSpec([None, 3, 5, 5], "float32", "x")])
    desc = read_program_desc(prefix + ".pdmodel")
    [op] = [op for op in desc.blocks[0].ops if op.type == "instance_norm"]
    kept = [slot for slot in op.outputs if slot.parameter == "Y"]  # as Paddle's files of a model in evaluation are
    del op.outputs[:]
    op.outputs.extend(kept)
    Path(prefix + ".pdmodel").write_bytes(serialize_program_desc(desc))
    loaded = paddle.jit.load(prefix)
    loaded.train() if training else loaded.eval()
    image = paddle.rand([2, 3, 5, 5])
    for model in (net, loaded):
        (model(image) ** 3).sum().backward()
    found, expected = loaded.state_dict()["conv.weight"].grad, net.conv.weight.grad
    np.testing.assert_allclose(found.numpy(), expected.numpy(), 1e-4, 1e-4)


class _GradientInABranch(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)

    def forward(self, x):
        x = x * 1.0
        if x.sum() > 0:
            found = paddle.grad((self.linear(x) ** 2).sum(), x, create_graph=True)[0]
        else:
            found = self.linear(x)
        return found


def test_gradients_that_a_branch_asks_for_are_read_and_trained(tmp_path):
    net = _GradientInABranch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paddle.jit.save(net, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([None, 4])])
    loaded = paddle.jit.load(str(tmp_path / "net"))
    for by in (1.0, -1.0):
        x, y = (paddle.full([2, 4], by) for _ in range(2))
        x.stop_gradient = y.stop_gradient = False
        mine, theirs = net(x), loaded(y)
        np.testing.assert_allclose(theirs.numpy(), mine.numpy(), rtol=1e-5)
        (mine * mine).sum().backward()
        (theirs * theirs).sum().backward()
        np.testing.assert_allclose(y.grad.numpy(), x.grad.numpy(), rtol=1e-5)
    for mine, theirs in zip(net.parameters(), loaded.parameters(), strict=True):
        np.testing.assert_allclose(theirs.grad.numpy(), mine.grad.numpy(), rtol=1e-5)
