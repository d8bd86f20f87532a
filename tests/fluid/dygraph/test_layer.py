"""Layer: 1.8's methods, 1.5's constructors, what is built at the first call, files."""

import warnings

import numpy as np
import proa
import proa.fluid as fluid
import pytest

IMAGE = np.random.RandomState(0).rand(2, 4, 6, 6).astype("float32")
ROWS = np.random.RandomState(1).rand(3, 4).astype("float32")
D = fluid.dygraph


@pytest.fixture(autouse=True)
def _dynamic():
    with fluid.dygraph.guard():
        yield


class Net(D.Layer):
    def __init__(self, name_scope=None):
        super().__init__(name_scope)
        self.first = D.Linear(4, 5, act="relu")
        self.add_sublayer("other", D.Linear(5, 2))
        self.scale = self.create_parameter([1], default_initializer=fluid.initializer.Constant(2.0))

    def forward(self, x):
        return self.other(self.first(x)) * self.scale


def test_names_and_walks():
    proa.seed(0)  # some of what relu lets through is not 0, so that there is a gradient
    net = Net("net")
    assert net.full_name() == "net_0" and Net().full_name() == "net_1" and D.Layer("my net").full_name() == "my net_0"
    names = [name for name, _ in net.named_parameters()]
    assert names == ["scale", "first.weight", "first.bias", "other.weight", "other.bias"]
    assert [p.name for p in net.parameters()][:2] == ["net_0.w_0", "linear_0.w_0"]
    assert len(net.parameters(include_sublayers=False)) == 1
    assert net.sublayers() == [net.first, net.other] and net.sublayers(False) == []
    assert [name for name, _ in net.named_sublayers()] == ["first", "other"]
    assert list(net.state_dict()) == names
    assert list(net.state_dict(include_sublayers=False, structured_name_prefix="a.")) == ["a.scale"]
    with pytest.raises(ValueError, match="loss.backward"):
        net.backward()
    loss = net(D.to_variable(ROWS))
    loss.backward()
    assert net.scale.gradient().tolist() != [0]
    net.clear_gradients()
    assert net.scale.gradient().tolist() == [0] and net.create_variable("v").name == "net_0.v"


@pytest.mark.parametrize("make, inputs, names", [
    (lambda: D.Conv2D("conv", 5, 3, padding=1), [IMAGE], ["conv_0.w_0", "conv_0.b_0"]),
    (lambda: D.Conv2D(name_scope="conv", num_channels=4, num_filters=5, filter_size=3), [IMAGE],
     ["conv_0.w_0", "conv_0.b_0"]),
    (lambda: D.Conv2DTranspose("up", 3, filter_size=3, stride=2), [IMAGE], ["up_0.w_0", "up_0.b_0"]),
    (lambda: D.Conv2DTranspose("up", 3, [12, 12], stride=2, padding=1), [IMAGE], ["up_0.w_0", "up_0.b_0"]),
    (lambda: D.Conv3D("conv", 5, 1), [IMAGE[:, :, None]], ["conv_0.w_0", "conv_0.b_0"]),
    (lambda: D.Conv3DTranspose("up", 5, None, 1), [IMAGE[:, :, None]], ["up_0.w_0", "up_0.b_0"]),
    (lambda: D.Pool2D("pool", 2, "avg", 2), [IMAGE], []),
    (lambda: D.BatchNorm("bn", 4, act="relu"), [IMAGE], ["bn_0.w_0", "bn_0.b_0", "bn_0.w_1", "bn_0.w_2"]),
    (lambda: D.Embedding("table", [7, 3]), [np.array([[1, 2]])], ["table_0.w_0"]),
    (lambda: D.LayerNorm("norm", begin_norm_axis=2), [IMAGE], ["norm_0.w_0", "norm_0.b_0"]),
    (lambda: D.GroupNorm("norm", 2, param_attr=True), [IMAGE], ["norm_0.w_0"]),
    (lambda: D.InstanceNorm("norm", 1e-3), [IMAGE], ["norm_0.w_0", "norm_0.b_0"]),
    (lambda: D.SpectralNorm("norm", 0, 2), [ROWS], ["norm_0.w_0", "norm_0.w_1"]),
    (lambda: D.PRelu("relu", "channel"), [IMAGE], ["relu_0.w_0"]),
    (lambda: D.PRelu("relu", "element"), [IMAGE], ["relu_0.w_0"]),
    (lambda: D.BilinearTensorProduct("product", 3), [ROWS, ROWS], ["product_0.w_0", "product_0.b_0"]),
    (lambda: D.NCE("cost", 9, num_neg_samples=3), [ROWS, np.array([[1], [2], [3]])], ["cost_0.w_0"]),
    (lambda: D.FC("fc", 6, act="tanh"), [IMAGE], ["fc_0.w_0", "fc_0.b_0"]),
    (lambda: D.FC("fc", 6, num_flatten_dims=2, bias_attr=False), [IMAGE], ["fc_0.w_0"])])
def test_constructors_of_1_5(make, inputs, names):
    layer = make()
    layer.eval()
    layer.train()
    results = layer(*[D.to_variable(array) for array in inputs])
    assert layer.training and [parameter.name for parameter in layer.parameters()] == names
    again = layer(*[D.to_variable(array) for array in inputs])
    assert again.shape == results.shape and [parameter.name for parameter in layer.parameters()] == names


def test_a_layer_that_is_built_late_keeps_its_mode_and_its_hooks():
    layer = D.Conv2D("conv", 5, 3)
    seen = []
    layer.register_forward_post_hook(lambda layer, inputs, output: seen.append(output.shape))
    layer.eval()
    layer(D.to_variable(IMAGE))
    assert not layer.training and seen == [[2, 5, 4, 4]]


def test_fc_of_several_inputs():
    fc = D.FC("fc", 3, bias_attr=False)
    assert fc.weight is None and fc.bias is None
    x, y = D.to_variable(ROWS), D.to_variable(ROWS[:, :2].copy())
    out = fc([x, y])
    np.testing.assert_allclose(out.numpy(), ROWS @ fc.weight[0].numpy() + ROWS[:, :2] @ fc.weight[1].numpy(), rtol=1e-5)
    assert [w.name for w in fc.weight] == ["fc_0.w_0", "fc_0.w_1"] and list(fc.state_dict()) == ["_w0", "_w1"]
    with pytest.raises(ValueError, match="param_attr"):
        D.FC("fc", 3, param_attr=[None, None, None])([x, y])


def test_a_users_layer_that_builds_itself():
    class Late(D.Layer):
        def _build_once(self, x):
            self.weight = self.create_parameter([x.shape[1], 2])

        def forward(self, x):
            return D.to_variable(np.ones(1, "float32")) * self.weight

    late = Late("late")
    assert late.parameters() == [] and late(D.to_variable(ROWS)).shape == [4, 2]
    state = late.state_dict()
    other = Late("late")
    other.set_dict(state)
    other(D.to_variable(ROWS))
    np.testing.assert_array_equal(other.weight.numpy(), late.weight.numpy())


def test_states():
    net, other = Net(), Net()
    other.set_dict(net.state_dict())
    np.testing.assert_array_equal(other.first.weight.numpy(), net.first.weight.numpy())
    by_name = {p.name: np.full(p.shape, 3.0, "float32") for p in net.parameters()}
    net.load_dict(by_name, use_structured_name=False)
    assert net.scale.numpy().tolist() == [3]
    with pytest.raises(RuntimeError, match="'scale'.*structured"):
        net.set_dict({"first.weight": 1})
    with pytest.warns(UserWarning, match="nobody"):
        net.set_dict({**other.state_dict(), "nobody": np.ones(1)})
    with pytest.raises(ValueError, match="shape"):
        net.set_dict({**other.state_dict(), "scale": np.ones(2, "float32")})


def test_a_state_waits_for_what_is_built_late(tmp_path):
    def make():
        return D.Sequential(D.Conv2D("conv", 5, 3), D.FC("fc", 2))

    net, other = make(), make()
    x = D.to_variable(IMAGE)
    wanted = net(x).numpy()
    fluid.save_dygraph(net.state_dict(), str(tmp_path / "net"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.set_dict(fluid.load_dygraph(str(tmp_path / "net"))[0])
    np.testing.assert_array_equal(other(x).numpy(), wanted)


def test_names_with_dots(tmp_path):
    class Dotted(fluid.dygraph.Layer):
        def __init__(self):
            super().__init__()
            self.add_sublayer("conv.1", fluid.dygraph.Linear(2, 2))
            self.add_parameter("w.0", self.create_parameter([2, 2]))

    with fluid.dygraph.guard():
        layer = Dotted()
        assert [name for name, _ in layer.named_parameters()] == ["w.0", "conv.1.weight", "conv.1.bias"]  # as 1.8.5
        wanted = {name: np.ones(value.shape, "float32") for name, value in layer.state_dict().items()}
        layer.set_dict(wanted)
        fluid.save_dygraph(layer.state_dict(), str(tmp_path / "dotted"))
        other = Dotted()
        other.set_dict(fluid.load_dygraph(str(tmp_path / "dotted"))[0])
        assert {name: value.numpy().tolist() for name, value in other.state_dict().items()} == {
            name: value.tolist() for name, value in wanted.items()}
        with pytest.raises(TypeError):
            layer.add_parameter("v.0", np.ones(2))


def test_files(tmp_path):
    net = Net()
    path = str(tmp_path / "folder" / "net")
    fluid.save_dygraph(net.state_dict(), path)
    parameters, optimizer = fluid.load_dygraph(path + ".pdparams")
    assert optimizer is None and sorted(parameters) == sorted(net.state_dict())
    table = fluid.load_dygraph(path, keep_name_table=True)[0]["StructuredToParameterName@@"]
    assert table["first.weight"] == "linear_0.w_0"
    rate = D.NoamDecay(4, 4)
    fluid.save_dygraph(rate.state_dict(), path)
    assert fluid.load_dygraph(path)[1] == {"step_num": 1, "StructuredToParameterName@@": {}}
    for call, error in ((lambda: fluid.save_dygraph({}, path), ValueError),
                        (lambda: fluid.save_dygraph(net.state_dict(), "folder/"), ValueError),
                        (lambda: fluid.load_dygraph(path + "x"), FileNotFoundError)):
        with pytest.raises(error):
            call()


def test_containers():
    layers = D.LayerList([D.Linear(4, 4) for _ in range(3)])
    assert len(layers) == 3 and len(layers[:2]) == 2 and layers[-1] is list(layers)[2]
    extra = D.Linear(4, 4)
    layers.insert(1, extra)
    assert layers[1] is extra and len(layers) == 4
    del layers[0]
    assert layers[0] is extra and [name for name, _ in layers.named_sublayers()] == ["0", "1", "2"]
    layers[2] = extra
    assert layers[2] is extra
    with pytest.raises(IndexError):
        layers[3] = extra
    with pytest.raises(IndexError):
        layers.insert(9, extra)
    parameters = D.ParameterList([D.Linear(1, 1).weight])
    parameters.append(D.Linear(1, 1).weight)
    assert len(list(parameters)) == 2 and parameters[1].shape == [1, 1] and len(D.ParameterList()) == 0
    net = D.Sequential(("a", D.Linear(4, 4)), ("b", D.Linear(4, 2)))
    assert net["a"] is net[("a")] and len(net) == 2
    del net["b"]
    assert net(D.to_variable(ROWS)).shape == [3, 4]


@pytest.mark.parametrize("make, message", [
    (lambda: D.Conv2D(4, 5, 3, param_attr=False), "param_attr"), (lambda: D.Conv2D(4, 6, 3, groups=3), "divisible"),
    (lambda: D.Conv2D("c", 4, 3, 1, 0, 1, 1, None, None, True, None, "float32", 9), "arguments behind"),
    (lambda: D.Conv2D("c", 4, 3, filter_size=3), "twice"), (lambda: D.Pool2D(2, "min"), "pool_type"),
    (lambda: D.Pool2D(), "pool_size"), (lambda: D.BatchNorm(3, bias_attr=False), "bias_attr"),
    (lambda: D.Dropout(2.0), "p"), (lambda: D.Dropout(0.5, "a"), "seed"),
    (lambda: D.Dropout(0.5, 1, "x"), "dropout_implementation"),
    (lambda: D.PRelu("channel"), "channel"), (lambda: D.PRelu("element"), "input_shape"),
    (lambda: D.GRUUnit(12, activation="gelu"), "activation"), (lambda: D.NCE(3, 2, sampler="x"), "sampler"),
    (lambda: D.NCE(3, 2, sampler="custom_dist"), "custom_dist"), (lambda: D.MSELoss("max"), "reduction"),
    (lambda: D.GroupNorm(4, 2, data_layout="NHWC"), "data_layout"),
    (lambda: D.InstanceNorm(4, bias_attr=False), "_attr"),
    (lambda: D.SequenceConv("s", 3), "sequence_conv"), (lambda: D.RowConv("r", 3), "row_conv"),
    (lambda: D.LayerNorm([3])(D.to_variable(ROWS)), "last sizes"),
    (lambda: D.Conv2D(4, 5, [3, 3, 3]), "filter_size"),
    (lambda: D.Conv2DTranspose("up", 3)(D.to_variable(IMAGE)), "output_size"),
    (lambda: D.NLLLoss()(D.to_variable(ROWS[0]), D.to_variable(np.array([1]))), "two dimensions")])
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        make()


def test_dropout():
    x = D.to_variable(np.ones([40, 50], "float32"))
    drop = D.Dropout(0.25)
    kept = drop(x).numpy()
    assert set(np.unique(kept)) == {0, 1} and 0.6 < kept.mean() < 0.9
    seeded = D.Dropout(0.25, seed=3, dropout_implementation="upscale_in_train")
    assert (seeded(x).numpy() == seeded(x).numpy()).all() and seeded(x).numpy().max() > 1.3
    for layer, value in ((drop, 0.75), (seeded, 1.0)):
        layer.eval()
        assert (layer(x).numpy() == value).all()


def test_nce_of_a_distribution():
    layer = D.NCE(4, 4, sampler="custom_dist", custom_dist=[0.1, 0.2, 0.3, 0.4], num_neg_samples=3, bias_attr=True)
    assert sorted(layer.state_dict()) == ["bias", "weight"]
    cost = layer(D.to_variable(ROWS), D.to_variable(np.array([[0], [1], [2]])))
    assert cost.shape == [3, 1] and (cost.numpy() > 0).all()
    cost.backward()
    assert layer.weight.gradient().shape == (4, 4)


def test_layers_that_append_operators():
    class Scaled(D.Layer):
        def __init__(self):
            super().__init__("scaled")
            self.weight = self._helper.create_parameter(None, [4], "float32")

        def forward(self, x):
            assert self._helper.input_dtype([x, self.weight]) == "float32"
            out, parts = (self._helper.create_variable_for_type_inference(x.dtype) for _ in range(2))
            self._helper.append_op(type="elementwise_mul", inputs={"X": [x], "Y": [self.weight]},
                                   outputs={"Out": [out]}, attrs={"axis": -1})
            halves = [parts, self._helper.create_variable_for_type_inference(x.dtype)]
            self._helper.append_op(type="split", inputs={"X": out}, outputs={"Out": halves},
                                   attrs={"num": 2, "axis": 1})
            return self._helper.append_activation(halves[1], act="tanh")

    layer = Scaled()
    y = layer(D.to_variable(ROWS))
    np.testing.assert_allclose(y.numpy(), np.tanh(ROWS * layer.weight.numpy())[:, 2:], rtol=1e-5)
    y.backward()
    assert layer.weight.name == "scaled_0.w_0"
    np.testing.assert_allclose(layer.weight.gradient(), np.concatenate(
        [np.zeros(2), ((1 - y.numpy() ** 2) * ROWS[:, 2:]).sum(0)]), rtol=1e-5)
    with pytest.raises(ValueError, match="one dtype"):
        layer._helper.input_dtype([layer.weight, D.to_variable(np.ones(1))])


def test_an_optimizer_of_1_5_trains_what_the_guard_has_made():
    net = D.Sequential(D.FC("fc", 3), D.Linear(3, 1))
    optimizer = fluid.optimizer.SGD(0.1)
    with D.guard():
        other = D.Linear(4, 1)
        other(D.to_variable(ROWS)).backward()
    net(D.to_variable(ROWS)).backward()
    before = [parameter.numpy() for parameter in net.parameters()]
    _, pairs = optimizer.minimize(fluid.layers.mean(net(D.to_variable(ROWS))))
    assert [parameter.name for parameter, _ in pairs] == ["linear_0.w_0", "linear_0.b_0", "fc_0.w_0", "fc_0.b_0"]
    assert all((parameter.numpy() != old).any() for parameter, old in zip(net.parameters(), before))
    del net, pairs
    with pytest.raises(AttributeError, match="parameter_list"):
        fluid.optimizer.SGD(0.1).minimize(D.to_variable(ROWS))


def test_penalties_on_size_in_dynamic_mode():
    one, two = fluid.regularizer.L1Decay(0.5), fluid.regularizer.L2Decay(0.5)
    for penalty, wanted in ((one, [0.5, -0.5]), (two, [1.0, -2.0])):
        with D.guard():
            net = D.Linear(2, 1, bias_attr=False)
            net.weight.set_value(np.float32([[2.0], [-4.0]]))
            optimizer = fluid.optimizer.SGD(1.0, parameter_list=net.parameters(), regularization=penalty)
            loss = fluid.layers.mean(net(D.to_variable(np.zeros((1, 2), "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            assert net.weight.numpy().ravel().tolist() == [2.0 - wanted[0], -4.0 - wanted[1]]
