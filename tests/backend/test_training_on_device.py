"""Networks on a device's arrays: training, files, batches, random values; on CuPy's stand-in, where there is no device.

What comes out is on the device, and where nothing is drawn at random it is what the host computes.
"""

import copy
import pickle

import numpy as np
import proa as paddle
import pytest
from devices_of_tests import KIND, on_device
from proa import inference, nn, static
from proa.nn import functional as F

RULES = {
    **{name: getattr(paddle.optimizer, name) for name in (
        "SGD", "Momentum", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb")},
    "global norm": lambda rate, parameters: paddle.optimizer.Adam(
        rate, parameters=parameters, weight_decay=0.1, grad_clip=nn.ClipGradByGlobalNorm(0.1)),
    "norm": lambda rate, parameters: paddle.optimizer.SGD(
        rate, parameters=parameters, grad_clip=nn.ClipGradByNorm(0.1)),
    "value": lambda rate, parameters: paddle.optimizer.SGD(
        rate, parameters=parameters, grad_clip=nn.ClipGradByValue(0.1)),
}


def is_there(*tensors):
    return all(tensor.place.kind == KIND for tensor in tensors)


def network(dropout=0.0):
    paddle.seed(3)
    return nn.Sequential(nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
                         nn.Dropout(dropout), nn.Linear(64, 10))


def batch():
    rng = np.random.default_rng(0)
    return rng.standard_normal((4, 1, 8, 8)).astype("float32"), rng.integers(0, 10, 4)


def start(net, seed=0):
    """The same values on any device, whose generators differ."""
    rng = np.random.default_rng(seed)
    for parameter in net.parameters():
        parameter.set_value(rng.uniform(-0.3, 0.3, parameter.shape).astype("float32"))


def trained(make, convert=lambda net: net, steps=3):
    """The losses of some steps, and whether all of the training's state is where new tensors are made."""
    net = network()
    start(net)
    rule = make(learning_rate=0.01, parameters=net.parameters()) if isinstance(make, type) else make(
        0.01, net.parameters())
    called, (x, label), losses = convert(net), map(paddle.to_tensor, batch()), []
    for _ in range(steps):
        loss = F.cross_entropy(called(x), label)
        loss.backward()
        rule.step()
        rule.clear_grad()
        losses.append(float(loss))
    rule.set_state_dict(rule.state_dict())
    state = [v for v in rule.state_dict().values() if isinstance(v, paddle.Tensor)]
    return losses, [*net.parameters(), *net.buffers(), *state]


@pytest.mark.parametrize("convert", [lambda net: net, paddle.jit.to_static], ids=["eager", "to_static"])
@pytest.mark.parametrize("rule", RULES)
def test_steps_are_those_of_the_host(rule, convert):
    expected, _ = trained(RULES[rule], convert)
    with on_device():
        losses, tensors = trained(RULES[rule], convert)
        assert is_there(*tensors)
    np.testing.assert_allclose(losses, expected, rtol=1e-4)


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_mixed_precision(level):
    with on_device():
        net = network(dropout=0.2)
        rule = paddle.optimizer.AdamW(0.01, parameters=net.parameters(), multi_precision=True)
        if level == "O2":
            net, rule = paddle.amp.decorate(net, rule, level=level, dtype="float16")
        scaler = paddle.amp.GradScaler(init_loss_scaling=128.0)
        x, label = map(paddle.to_tensor, batch())
        for _ in range(2):
            with paddle.amp.auto_cast(level=level, dtype="float16"):
                loss = F.cross_entropy(net(x), label)
            scaler.scale(loss).backward()
            scaler.step(rule)
            scaler.update()
            rule.clear_grad()
        assert is_there(loss, *net.parameters()) and np.isfinite(float(loss))


def test_models_are_saved_and_run(tmp_path):
    with on_device():
        net = network()
        net.eval()
        x = paddle.to_tensor(batch()[0])
        expected = net(x).numpy()
        prefix = str(tmp_path / "model")
        paddle.jit.save(paddle.jit.to_static(net), prefix, input_spec=[static.InputSpec([None, 1, 8, 8])])
        found = paddle.jit.load(prefix)(x)
        assert is_there(found)
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)
        predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(batch()[0])
        predictor.run()
        handle = predictor.get_output_handle(predictor.get_output_names()[0])
        np.testing.assert_allclose(handle.copy_to_cpu(), expected, atol=1e-5)


def test_states_are_saved_and_copied(tmp_path):
    with on_device():
        net = network()
        path = str(tmp_path / "state.pdparams")
        paddle.save(net.state_dict(), path)
        other = network()
        start(other, 5)
        other.set_state_dict(paddle.load(path))
        assert is_there(*other.parameters(), *copy.deepcopy(net).parameters())
        for a, b in zip(net.parameters(), other.parameters(), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
        pickled = pickle.dumps(net[0].weight)
        found = pickle.loads(pickled)
        assert is_there(found) and found.shape == net[0].weight.shape
        assert pickle.loads(pickle.dumps(found.cpu())).place.is_cpu_place()
        paddle.set_device("cpu")
        assert pickle.loads(pickled).place.is_cpu_place()


def test_values_are_given_and_taken():
    with on_device():
        x = paddle.ones([2])
        x.set_value(np.zeros(2, "float32"))
        x[0] = 5
        assert (type(x.numpy()), x.tolist(), x.item(0)) == (np.ndarray, [5.0, 0.0], 5.0)
        before = x.reshape([2, 1])  # a view
        x.fill_(3)
        assert before.tolist() == [[3.0], [3.0]]
        assert is_there(x, x.clone(), x.detach(), x.astype("int64"), paddle.to_tensor(x), copy.deepcopy(x))
        assert is_there(paddle.to_tensor(x._array)) and f"place=Place({KIND}:0)" in repr(x)


def test_what_lay_on_the_host_comes_there(tmp_path):
    path = str(tmp_path / "a.pdparams")
    host = paddle.to_tensor([1.0, 2.0], place="cpu")
    paddle.save({"x": host, "of": [host]}, path)
    with on_device():
        found = paddle.load(path)
        assert is_there(paddle.to_tensor(host), found["x"], *found["of"])
        assert not is_there(paddle.to_tensor(host, place="cpu"))
        assert paddle.load(path, return_numpy=True)["x"].tolist() == [1, 2]


def test_tensors_are_made_and_moved_by_name():
    with on_device():
        x = paddle.Tensor(np.ones((2, 3), "float32"))
        assert is_there(x, paddle.Tensor(x), x.cpu().to(KIND), x.cpu().to(f"{KIND}:0", "int64"))
        assert x.to("cpu").place == paddle.CPUPlace() and x.data_ptr() != 0


def test_tables_of_a_network(capsys):
    with on_device():
        assert paddle.summary(nn.Linear(2, 3), (1, 2))["total_params"] == 9
        assert paddle.flops(nn.Linear(2, 3), [1, 2]) > 0
    assert "Linear" in capsys.readouterr().out


class Squares(paddle.io.Dataset):
    def __getitem__(self, index):
        return np.full(3, index**2, "float32"), index

    def __len__(self):
        return 8


@pytest.mark.parametrize("workers", [0, 1])
def test_batches_are_on_the_device(workers):
    with on_device():
        seen = []
        for values, index in paddle.io.DataLoader(Squares(), batch_size=4, num_workers=workers):
            assert is_there(values, index)
            seen += index.tolist()
        assert seen == list(range(8))


def test_control_flow_in_programs():
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        y = x + 1 if x.sum() > 0 else x - 1
        while y.sum() < 100:
            y = y * 2
        for n in range(x.shape[0]):
            y = y + x[n]
        return y

    with on_device():
        x = paddle.ones([3])
        x.stop_gradient = False
        function(x).sum().backward()
        assert is_there(x.grad) and x.grad.tolist() == [35.0, 35.0, 35.0]


def test_a_program_is_trained(tmp_path):
    with on_device():
        main, startup, executor = static.Program(), static.Program(), static.Executor()
        with static.scope_guard(static.Scope()), static.program_guard(main, startup):
            x, label = static.data("x", [None, 4]), static.data("label", [None, 1], "int64")
            loss = F.cross_entropy(static.nn.fc(static.nn.fc(x, 8, activation="relu"), 3), label)
            paddle.optimizer.Adam(0.05).minimize(loss)
            executor.run(startup)
            feed = {"x": np.ones((5, 4), "float32"), "label": np.zeros((5, 1), "int64")}
            losses = [float(executor.run(main, feed=feed, fetch_list=[loss])[0]) for _ in range(5)]
            assert losses[-1] < losses[0]
            static.save(main, str(tmp_path / "program"))
            static.load(main, str(tmp_path / "program"), executor)


def test_a_program_is_trained_on_two_devices():
    random = np.random.RandomState(0)
    feed = {"x": random.rand(6, 4).astype("float32"), "label": np.array([[0, 1, 2, 0, 1, 2]]).T}
    weights = random.randn(4, 8).astype("float32"), random.randn(8, 3).astype("float32")

    def losses(places):
        main, startup, executor = static.Program(), static.Program(), static.Executor()
        with (static.scope_guard(static.Scope()), static.program_guard(main, startup),
              paddle.utils.unique_name.guard()):
            x, label = static.data("x", [None, 4]), static.data("label", [None, 1], "int64")
            first, second = map(nn.initializer.Assign, weights)
            hidden = static.nn.batch_norm(static.nn.fc(x, 8, weight_attr=first, activation="tanh"))
            loss = F.cross_entropy(static.nn.fc(hidden, 3, weight_attr=second), label)
            paddle.optimizer.Adam(0.05).minimize(loss)
            executor.run(startup)
            compiled = static.CompiledProgram(main).with_data_parallel(loss.name, places=places(executor.place))
            found = [executor.run(compiled, feed=feed, fetch_list=[loss])[0].tolist() for _ in range(3)]
            held = static.global_scope().array("fc_0.w_0")
        return found, held

    with on_device():
        there, held = losses(lambda place: [place, place])
        assert paddle.to_tensor(held).place.kind == KIND
    here, _ = losses(lambda place: static.cpu_places(2))
    np.testing.assert_allclose(there, here, rtol=1e-4)


def test_sequences_and_rows():
    with on_device():
        out, _ = nn.GRU(3, 4)(paddle.randn([2, 5, 3]), None, paddle.to_tensor([5, 3]))
        out.sum().backward()
        nn.TransformerEncoderLayer(8, 2, 16)(paddle.randn([2, 5, 8])).sum().backward()
        table = nn.Embedding(10, 8, sparse=True)
        rule = paddle.optimizer.Adam(0.1, parameters=table.parameters(), lazy_mode=True)
        table(paddle.to_tensor([1, 2, 1])).sum().backward()
        rule.step()
        assert is_there(out, table.weight)


def test_float16_is_computed_in_float32():
    with on_device():
        x = paddle.to_tensor([[300.0, 400.0, -700.0]], "float16")  # whose squares float16 has not
        assert F.layer_norm(x, 3).dtype == "float16"
        np.testing.assert_allclose(F.layer_norm(x, 3).numpy(), [[0.6040, 0.8054, -1.4094]], rtol=1e-3)
        weight = paddle.create_parameter([2], "float16", default_initializer=nn.initializer.Constant(1.0))
        rule = paddle.optimizer.Adam(0.1, parameters=[weight])
        weight.grad = paddle.zeros([2], "float16")  # beside which Adam's 1e-8 is no number of float16
        rule.step()
        assert weight.tolist() == [1.0, 1.0]


def test_half_a_transform_is_of_real_numbers():
    with on_device():
        x = paddle.to_tensor([1.0, 2.0, 3.0])
        np.testing.assert_allclose(paddle.fft.rfft(x).numpy(), np.fft.rfft([1.0, 2.0, 3.0]), rtol=1e-6)
        with pytest.raises(ValueError, match="must be real"):
            paddle.fft.rfft(x + 1j)


def test_the_blank_of_ctc_is_one_of_the_classes():
    with on_device(), pytest.raises(ValueError, match="blank"):
        F.ctc_loss(paddle.zeros([4, 1, 3]), paddle.to_tensor([[1, 2]], "int32"), paddle.to_tensor([4]),
                   paddle.to_tensor([2]), blank=3)


@pytest.mark.parametrize("lazy", [False, True])
def test_rows_of_a_table_are_updated_as_on_the_host(lazy):
    def trained():
        table = nn.Embedding(10, 3, sparse=True)
        table.weight.set_value(np.arange(30, dtype="float32").reshape(10, 3))
        rule = paddle.optimizer.Adam(0.1, parameters=table.parameters(), lazy_mode=lazy)
        for ids in ([1, 2, 1], [2, 7, 7]):
            (table(paddle.to_tensor(ids)) ** 2).sum().backward()
            gradient = table.weight.grad
            rule.step()
            rule.clear_grad()
        return table.weight, gradient

    expected, _ = trained()
    with on_device():
        weight, gradient = trained()
        assert is_there(weight, gradient) and gradient.rows() == [2, 7, 7]
        assert is_there(gradient.merged_values()) and gradient.merged_rows().tolist() == [2, 7]
        np.testing.assert_allclose(weight.numpy(), expected.numpy(), rtol=1e-6)
        whole = gradient + paddle.ones([10, 3])
        assert is_there(whole) and whole.numpy()[7].tolist() == (gradient.numpy()[7] + 1).tolist()


RANDOM = {
    "rand": lambda: paddle.rand([3]), "randn": lambda: paddle.randn([3]),
    "normal": lambda: paddle.normal(0.0, 1.0, [3]),
    "uniform": lambda: paddle.uniform([3], "float64", -1.0, 2.0), "randint": lambda: paddle.randint(0, 5, [3]),
    "randperm": lambda: paddle.randperm(5), "bernoulli": lambda: paddle.bernoulli(paddle.full([3], 0.5)),
    "poisson": lambda: paddle.poisson(paddle.ones([3])),
    "multinomial": lambda: paddle.multinomial(paddle.to_tensor([0.2, 0.8]), 2),
    "multinomial, again": lambda: paddle.multinomial(paddle.to_tensor([0.2, 0.8]), 5, True),
    "exponential_": lambda: paddle.ones([3]).exponential_(), "uniform_": lambda: paddle.ones([3]).uniform_(),
    "normal_": lambda: paddle.ones([3]).normal_(), "cauchy_": lambda: paddle.ones([3]).cauchy_(),
    "geometric_": lambda: paddle.ones([3]).geometric_(0.5),
    "dirichlet": lambda: paddle.distribution.Dirichlet(paddle.ones([3])).sample([2]),
    "beta": lambda: paddle.distribution.Beta(paddle.ones([3]), paddle.ones([3])).sample([2]),
    "categorical": lambda: paddle.distribution.Categorical(paddle.ones([3])).sample([2]),
    "dropout": lambda: F.dropout(paddle.ones([4])), "gumbel_softmax": lambda: F.gumbel_softmax(paddle.ones([4])),
    "truncated normal": lambda: paddle.create_parameter(
        [3, 3], "float32", default_initializer=nn.initializer.TruncatedNormal()),
    "orthogonal": lambda: paddle.create_parameter(
        [3, 3], "float32", default_initializer=nn.initializer.Orthogonal()),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_values(name):
    with on_device():
        drawn = []
        for _ in range(2):
            paddle.seed(11)
            drawn.append(RANDOM[name]())
        assert is_there(*drawn)
        np.testing.assert_array_equal(drawn[0].numpy(), drawn[1].numpy())
