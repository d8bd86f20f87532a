"""Layer: registration, names, walking, hooks, modes, state, copying, printing."""

import copy
import pickle

import numpy as np
import proa as paddle
import pytest
from proa import nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 4, 3)
        self.blocks = nn.LayerList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.norm = nn.BatchNorm2D(4)
        self.scale = self.create_parameter([2])
        self.register_buffer("seen", paddle.zeros([1]))
        self.register_buffer("scratch", paddle.zeros([1]), persistable=False)

    def forward(self, x):
        return self.blocks[1](self.blocks[0](x)) * self.scale


def test_names_are_paddles():
    with paddle.utils.unique_name.guard():
        net = Net()
    assert net.full_name() == "net_0"
    assert [(k, p.name) for k, p in net.named_parameters()] == [
        ("scale", "net_0.w_0"), ("conv.weight", "conv2d_0.w_0"), ("conv.bias", "conv2d_0.b_0"),
        ("blocks.0.weight", "linear_0.w_0"), ("blocks.0.bias", "linear_0.b_0"),
        ("blocks.1.weight", "linear_1.w_0"), ("blocks.1.bias", "linear_1.b_0"),
        ("norm.weight", "batch_norm2d_0.w_0"), ("norm.bias", "batch_norm2d_0.b_0"),
        ("norm._mean", "batch_norm2d_0.w_1"), ("norm._variance", "batch_norm2d_0.w_2")]
    assert [k for k, _ in net.named_buffers()] == ["seen", "scratch"]
    net.mask = paddle.ones([2])  # a buffer, too
    assert set(net.to_static_state_dict()) - set(net.state_dict()) == {"scratch", "mask"}
    assert list(net.to_static_state_dict(include_sublayers=False)) == ["scale", "seen", "scratch", "mask"]
    assert list(net.state_dict()) == [
        "scale", "seen", "conv.weight", "conv.bias", "blocks.0.weight", "blocks.0.bias", "blocks.1.weight",
        "blocks.1.bias", "norm.weight", "norm.bias", "norm._mean", "norm._variance"]
    assert [k for k, _ in net.named_sublayers()] == ["conv", "blocks", "blocks.0", "blocks.1", "norm"]


@pytest.mark.parametrize(("name", "snake"), [
    ("Conv2D", "conv2d"), ("BatchNorm1D", "batch_norm1d"), ("ReLU", "re_lu"), ("PReLU", "p_re_lu"), ("GELU", "gelu"),
    ("snake_caseHTTPNet2D", "snake_case_http_net2d"), ("MyNet", "my_net"), ("A", "a"),
    ("BCEWithLogitsLoss", "bce_with_logits_loss"),
])
def test_class_names_in_layers_names(name, snake):
    from proa.nn.layer import snake_case

    assert snake_case(name) == snake


def test_shared_parameters_count_once():
    shared = nn.Linear(2, 2)
    net = nn.Sequential(shared, nn.ReLU(), shared)
    assert len(net.parameters()) == 2
    assert len(net.sublayers()) == 2


def test_attributes():
    net = Net()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        net.nothing
    with pytest.raises(TypeError, match="is a parameter"):
        net.scale = 3
    net.scale = None
    assert "scale" not in net.state_dict()
    net.extra = paddle.create_parameter([1], "float32")
    assert "extra" in dict(net.named_parameters())
    del net.extra
    assert "extra" not in dict(net.named_parameters())
    net.conv = nn.Identity()
    assert isinstance(net.conv, nn.Identity)
    with pytest.raises(KeyError, match="dot"):
        net.add_parameter("a.b", paddle.create_parameter([1], "float32"))
    with pytest.raises(KeyError, match="already"):
        net.register_buffer("conv", paddle.ones([1]))
    with pytest.raises(KeyError, match="method"):
        net.register_buffer("forward", paddle.ones([1]))
    with pytest.raises(TypeError, match="must be a parameter"):
        net.add_parameter("p", paddle.ones([1]))
    with pytest.raises(TypeError, match="would not be trained as a buffer"):
        net.register_buffer("b", paddle.create_parameter([1], "float32"))
    with pytest.raises(TypeError, match="must be a parameter"):
        nn.ParameterList([paddle.create_parameter([1], "float32")])[0] = paddle.ones([1])
    net.seen = paddle.ones([1])
    assert net.state_dict()["seen"].item() == 1.0
    assert {"conv", "blocks", "seen"} <= set(dir(net))


def test_a_tensor_set_as_an_attribute_is_a_buffer_outside_of_the_state(tmp_path):
    class Masked(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc, self.seen = nn.Linear(2, 2), None
            self.mask, self.ids = paddle.full([2], 0.1), paddle.to_tensor([1, 0])

        def forward(self, x):
            self.seen = self.fc(x) * self.mask
            return paddle.gather(self.seen, self.ids, axis=1)

    outer = nn.Sequential(Masked())
    assert [name for name, _ in outer.named_buffers()] == ["0.mask", "0.ids"]
    assert list(outer.state_dict()) == ["0.fc.weight", "0.fc.bias"]
    outer(paddle.ones([1, 2]))
    assert [name for name, _ in outer.named_buffers()] == ["0.seen", "0.mask", "0.ids"]
    outer[0].seen = None
    paddle.jit.save(outer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 2])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert [name for name, _ in loaded.named_buffers()] == ["0.mask", "0.ids"]
    assert list(loaded.state_dict()) == ["0.fc.weight", "0.fc.bias"]
    outer.to(dtype="float64")
    assert (outer[0].mask.dtype, outer[0].ids.dtype) == (paddle.float64, paddle.int64)
    assert outer(paddle.ones([1, 2], "float64")).dtype is paddle.float64
    del outer[0].mask
    assert [name for name, _ in outer.named_buffers()] == ["0.seen", "0.ids"]


def test_what_does_not_belong_on_a_buffer_or_sublayer_is_refused():
    net = nn.Sequential(nn.Linear(2, 2))
    net.register_buffer("scale", paddle.ones([1]))
    with pytest.raises(TypeError, match="'scale' is a buffer of Sequential; assign a Tensor or None.*Received float"):
        net.scale = 2.0
    with pytest.raises(TypeError, match="'0' is a sublayer of Sequential; assign a Layer or None.*Received Tensor"):
        setattr(net, "0", paddle.ones([1]))
    del net.scale
    net.scale = 2.0
    assert net.scale == 2.0 and net.buffers() == []


def test_uint16_are_the_bits_of_bfloat16():
    """As PaddlePaddle has them in NumPy: a state of such arrays was taken for whole numbers."""
    layer = nn.Linear(1, 2).astype("bfloat16")
    bits = (np.array([[1.0, -2.5]], "float32").view("uint32") >> 16).astype("uint16")
    layer.set_state_dict({"weight": bits, "bias": bits[0]})
    assert layer.weight.tolist() == [[1.0, -2.5]] and layer.bias.tolist() == [1.0, -2.5]
    layer.bias.set_value(bits[0, ::-1])
    assert layer.bias.tolist() == [-2.5, 1.0]


def test_a_state_of_another_head_fills_the_rest():
    net, other = (nn.Sequential(nn.Linear(2, 3), nn.Linear(3, n)) for n in (4, 7))
    head = net[1].weight.numpy()
    state = {**other.state_dict(), "more": np.ones(1)}
    with pytest.warns(UserWarning) as warned:
        assert net.set_state_dict(state) == (["1.weight", "1.bias"], ["more", "1.weight", "1.bias"])
    told = [str(w.message) for w in warned]
    assert len(told) == 2 and "no place for ['more']" in told[0]
    assert "1.weight: the layer has [3, 4], the state [3, 7]; 1.bias: the layer has [4], the state [7]" in told[1]
    np.testing.assert_array_equal(net[0].weight.numpy(), other[0].weight.numpy())
    np.testing.assert_array_equal(net[1].weight.numpy(), head)


def test_an_assigned_tensor_becomes_a_buffer_when_registered():
    net = nn.Layer()
    net.index = paddle.arange(3)
    net.register_buffer("index", net.index)
    assert list(net.state_dict()) == ["index"] and "index" not in vars(net)
    net.count = 3
    with pytest.raises(KeyError, match="already"):
        net.register_buffer("count", paddle.ones([1]))


def test_forgotten_super_is_told():
    class Forgot(nn.Layer):
        def __init__(self):
            self.linear = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
        Forgot()
    with pytest.raises(NotImplementedError, match="forward"):
        nn.Layer()(1)


def test_hooks_run_in_order_and_can_be_removed():
    layer, seen = nn.Linear(2, 2), []
    handles = [
        layer.register_forward_pre_hook(lambda l, inputs: seen.append("pre") or (inputs[0] * 0.0,)),
        layer.register_forward_post_hook(lambda l, inputs, out: seen.append("post") or out + 1.0),
        layer.register_forward_post_hook(lambda l, inputs, out: seen.append("last")),
    ]
    np.testing.assert_allclose(layer(paddle.ones([1, 2])).numpy(), layer.bias.numpy()[None] + 1.0)
    assert seen == ["pre", "post", "last"]
    for handle in handles:
        handle.remove()
    layer(paddle.ones([1, 2]))
    assert len(seen) == 3


def test_modes_and_apply():
    net = nn.Sequential(nn.Dropout(0.9), nn.Sequential(nn.BatchNorm1D(3)))
    x = paddle.ones([4, 3])
    net.eval()
    assert not any(layer.training for layer in net.sublayers(include_self=True))
    np.testing.assert_allclose(net(x).numpy(), x.numpy() / np.sqrt(1 + 1e-5), rtol=1e-6)
    net.train()
    assert all(layer.training for layer in net.sublayers(include_self=True))
    order = []
    net.apply(lambda layer: order.append(type(layer).__name__))
    assert order == ["Dropout", "BatchNorm1D", "Sequential", "Sequential"]


def test_conversion():
    net = Net().to(dtype="float64")
    assert all(p.dtype == "float64" for p in net.parameters())
    assert net.seen.dtype == "float64"
    assert net.float().conv.weight.dtype == "float32"
    parameter = net.conv.weight
    net.to("cpu")
    assert net.conv.weight is parameter


def test_conversion_of_whole_numbers():
    net = nn.Linear(2, 3)
    net.register_buffer("places", paddle.to_tensor([1, 2]))
    net.to(dtype="int8")
    assert (net.weight.dtype, net._dtype, net.places.dtype) == ("int8", "int8", "int64")
    assert net.float().weight.dtype == "int8"  # floating ones alone
    assert net.astype("float64").weight.dtype == "float64"


def test_copies_are_independent():
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert list(other.state_dict()) == list(net.state_dict())
        other.scale.set_value(np.full(2, 7.0, "float32"))
        assert net.scale.tolist() != [7.0, 7.0]
        other(paddle.ones([1, 2])).sum().backward()
        assert other.scale.grad is not None and net.scale.grad is None


def test_attrs():
    layer = nn.Linear(2, 2, weight_attr=paddle.ParamAttr(name="w", initializer=nn.initializer.Constant(3.0),
                                                         trainable=False), bias_attr=False)
    assert layer.weight.name == "w" and layer.weight.stop_gradient and layer.bias is None
    assert layer(paddle.ones([1, 2])).tolist() == [[6.0, 6.0]]
    with pytest.raises(TypeError, match="attr"):
        nn.Linear(2, 2, weight_attr=3)
    attr = paddle.ParamAttr(name="w", learning_rate=0.5)
    said = {"name": "w", "optimize_attr": {"learning_rate": 0.5}, "regularizer": None, "trainable": True,
            "do_model_average": True, "need_clip": True}
    assert attr._to_kwargs() == said and attr._to_kwargs(with_initializer=True) == {**said, "initializer": None}


def test_a_regularizer_alone_is_an_attr():
    """It decays, and begins nothing: as an initializer it would leave zeros."""
    paddle.seed(0)
    plain = nn.Linear(3, 2)
    paddle.seed(0)
    layer = nn.Linear(3, 2, paddle.regularizer.L2Decay(0.5), paddle.regularizer.L1Decay(0.1))
    first = plain.weight.numpy()
    assert layer.weight.tolist() == first.tolist() and layer.bias.regularizer.coeff == 0.1
    (layer.weight * 0.0 + layer.bias).sum().backward()
    layer.bias.set_value(np.ones(2, "float32"))
    paddle.optimizer.SGD(0.1, parameters=layer.parameters()).step()
    np.testing.assert_allclose(layer.weight.numpy(), first * 0.95, rtol=1e-6)
    np.testing.assert_allclose(layer.bias.numpy(), [0.69, 0.69], rtol=1e-6)  # 1 - 0.1 * (3 + 0.1)


def test_containers():
    net = nn.Sequential(("a", nn.Linear(2, 3)), ("b", nn.ReLU()))
    assert list(net.state_dict()) == ["a.weight", "a.bias"] and net["b"] is net[1] and len(net[:1]) == 1
    layers = nn.LayerList([nn.Linear(1, 1) for _ in range(3)])
    layers.insert(1, nn.ReLU())
    layers.append(nn.Tanh())
    del layers[0]
    assert [type(layer).__name__ for layer in layers] == ["ReLU", "Linear", "Linear", "Tanh"]
    assert list(layers.state_dict()) == ["1.weight", "1.bias", "2.weight", "2.bias"]
    with pytest.raises(IndexError, match="4 layers"):
        layers[9]
    table = nn.LayerDict({"x": nn.Linear(1, 1)})
    table["y"] = nn.ReLU()
    assert list(table) == ["x", "y"] and "x" in table and isinstance(table.pop("y"), nn.ReLU)
    assert len(nn.ParameterList([paddle.create_parameter([1], "float32")]).parameters()) == 1


def test_repr_reads_as_paddles():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    assert repr(net) == ("Sequential(\n  (0): Linear(in_features=2, out_features=3, dtype=float32)\n  (1): ReLU()\n)")
    assert repr(nn.PReLU(3, 0.1)) == "PReLU(num_parameters=3, data_format=NCHW, init=0.1, dtype=float32)"


def test_embedding_keeps_its_padding_row_zero():
    layer = nn.Embedding(5, 3, padding_idx=-1)
    assert layer.weight.numpy()[4].tolist() == [0.0] * 3
    layer(paddle.to_tensor([0, 4, 4])).sum().backward()
    assert layer.weight.grad.numpy()[:, 0].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(("make", "spread"), [
    (nn.initializer.Normal(1.0, 2.0), (1.0, 2.0)),
    (nn.initializer.TruncatedNormal(1.0, 2.0), (1.0, 2.0 * 0.8796)),
    (nn.initializer.Uniform(-1.0, 3.0), (1.0, 4 / np.sqrt(12))),
    (nn.initializer.XavierNormal(), (0.0, np.sqrt(2 / 800))),
    (nn.initializer.XavierUniform(), (0.0, np.sqrt(2 / 800))),
    (nn.initializer.KaimingNormal(), (0.0, np.sqrt(2 / 400))),
    (nn.initializer.KaimingUniform(), (0.0, np.sqrt(2 / 400))),
])
def test_initializers_have_their_moments(make, spread):
    paddle.seed(0)
    values = paddle.create_parameter([400, 400], "float32", default_initializer=make).numpy()
    mean, deviation = spread
    assert abs(values.mean() - mean) < 0.02 * max(deviation, 0.1)
    assert abs(values.std() - deviation) < 0.01 * deviation


def test_other_initializers():
    q = nn.initializer.Orthogonal(2.0)((3, 5), paddle.float32).numpy()
    np.testing.assert_allclose(q @ q.T, 4 * np.eye(3), atol=1e-5)
    layer = nn.Conv2D(2, 2, 3, padding=1, weight_attr=nn.initializer.Dirac(), bias_attr=False)
    x = paddle.rand([1, 2, 4, 4])
    np.testing.assert_allclose(layer(x).numpy(), x.numpy(), rtol=1e-6)
    with pytest.warns(UserWarning, match="shape"):
        nn.Linear(2, 2, weight_attr=nn.initializer.Assign(np.zeros(3)))
    source = np.ones((1, 1), "float32")
    linear = nn.Linear(1, 1, weight_attr=nn.initializer.Assign(source))
    linear(paddle.ones([1, 1])).backward()
    paddle.optimizer.SGD(1.0, parameters=linear.parameters()).step()
    assert source[0, 0] == 1.0


def test_settings_stand_on_the_first_line_of_what_is_shown():
    assert str(nn.Embedding(3, 4, padding_idx=0)) == "Embedding(3, 4, padding_idx=0, sparse=False)"
    assert str(nn.Embedding(3, 4, padding_idx=-1)) == "Embedding(3, 4, padding_idx=-1, sparse=False)"
    assert str(nn.Embedding(3, 4, sparse=True)) == "Embedding(3, 4, sparse=True)"
    assert str(nn.LSTM(2, 3)).splitlines()[:2] == ["LSTM(2, 3", "  (0): RNN("]


@pytest.mark.parametrize("name", ["_forget", "_places", "_held", "_check_kind", "_check_new_name", "_state", "_kind",
                                  "_named_members", "_call_with_hooks", "_values_of_kind"])
def test_sublayers_may_have_any_name_of_their_own(name):
    class Cell(nn.Layer):
        def __init__(self):
            super().__init__()
            setattr(self, name, nn.Linear(2, 2))
            self.register_buffer("seen", paddle.zeros([1]))
            self.seen = paddle.ones([1])
            self.add_parameter("scale", self.create_parameter([2]))
            self.other = nn.ReLU()

        def forward(self, x):
            return getattr(self, name)(x) * self.scale

    cell = Cell()
    cell.eval()
    assert cell(paddle.ones([1, 2])).shape == [1, 2]
    assert set(cell.to(dtype="float32").state_dict()) == {"scale", "seen", f"{name}.weight", f"{name}.bias"}
    assert [key for key, _ in cell.named_buffers()] == ["seen"]


def test_helpers_of_layer_have_no_names_that_layers_of_users_may_want():
    """A helper has two underscores in front; two are there as in PaddlePaddle, `_repr_html_` is for notebooks."""
    own = {name for name in vars(nn.Layer) if name.startswith("_") and not name.startswith(("__", "_Layer__"))}
    assert own == {"_build_once", "_helper", "_repr_html_"}
    assert {"_parameters", "_buffers", "_sub_layers", "_non_persistable_buffer_names_set"} <= set(vars(nn.Layer()))


@pytest.mark.parametrize("staged", [False, True])
def test_methods_of_users_may_be_called_as_helpers_were(staged):
    class Members(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)
            self.inner.register_forward_post_hook(lambda layer, inputs, outputs: outputs + 1)
            self.register_forward_post_hook(lambda layer, inputs, outputs: outputs * 2)

        def _call_with_hooks(self, x):
            return self.inner(x) * 0

        def _named_members(self):
            return "of the user's"

        _values_of_kind = _named_members

        def forward(self, x):
            return self._call_with_hooks(x)

    layer = Members()
    assert [name for name, _ in layer.named_parameters()] == ["inner.weight", "inner.bias"]
    layer = paddle.jit.to_static(layer, full_graph=True) if staged else layer
    assert layer(paddle.ones([1, 2])).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(("name", "layer"), [
    ("L1Loss", "l1_loss"), ("Conv2D", "conv2d"), ("BatchNorm1D", "batch_norm1d"), ("ReLU", "re_lu"),
    ("Res2NetBlock", "res2_net_block"), ("ConvBN2Layer", "conv_bn2_layer"), ("Stage1_Block", "stage1__block")])
def test_layers_are_named_as_paddles_are(name, layer):
    """Parameters' names begin so, and a state that PaddlePaddle saved by them finds its place."""
    made = type(name, (paddle.nn.Layer,), {})()
    assert made.full_name().rpartition("_")[0] == layer


@pytest.mark.parametrize("how", ["float16", "bfloat16"])
def test_layers_that_keep_their_dtype(how):
    """PaddlePaddle 2.6.2: without types, BatchNorm and none of its subclasses; types are those of layers themselves."""
    nn = paddle.nn

    def dtypes(excluded=None, norm=nn.BatchNorm):
        net = nn.Sequential(nn.Linear(2, 2), norm(2))
        assert getattr(net, how)(excluded_layers=excluded) is net
        return [str(p.dtype).removeprefix("paddle.") for p in (net[0].weight, net[1].weight, net[1]._mean)]

    assert dtypes() == [how, "float32", "float32"]
    assert dtypes(norm=nn.BatchNorm2D) == dtypes([]) == [how] * 3
    assert dtypes(nn.Linear) == dtypes((nn.Linear,)) == ["float32", how, how]
    assert dtypes([nn.BatchNorm2D], nn.BatchNorm1D) == [how] * 3
    for wrong in (111, nn.Linear(2, 2)):
        with pytest.raises(TypeError, match="type of layers"):
            dtypes(wrong)


def test_names_that_layers_were_given_end_their_texts():
    nn = paddle.nn
    texts = {nn.Tanh(name="T"): "Tanh(name=T)", nn.Hardtanh(name="H"): "Hardtanh(min=-1.0, max=1.0, name=H)",
             nn.Linear(2, 4, name="L"): "Linear(in_features=2, out_features=4, dtype=float32, name=L)",
             nn.Dropout(name="D"): "Dropout(p=0.5, axis=None, mode=upscale_in_train, name=D)",
             nn.Pad1D(1, name="P"): "Pad1D(padding=[1, 1], mode=constant, value=0.0, data_format=NCL, name=P)",
             nn.PixelShuffle(2, name="S"): "PixelShuffle(upscale_factor=2, name=S)",
             nn.BatchNorm1D(3, name="B"): "BatchNorm1D(num_features=3, momentum=0.9, epsilon=1e-05, data_format=NCL, "
                                          "name=B)",
             nn.BatchNorm2D(3, name="B"): "BatchNorm2D(num_features=3, momentum=0.9, epsilon=1e-05)",
             nn.UpsamplingNearest2D(size=12): "UpsamplingNearest2D(size=[12, 12], data_format=NCHW)"}
    for layer, text in texts.items():
        assert str(layer) == text

    class Named(nn.Layer):
        def __init__(self):
            super().__init__()
            self.name = "mine"

    assert str(Named()) == "Named()"


def test_arguments_by_paddles_names():
    weight = paddle.create_parameter([2], "float32")
    paddle.nn.initializer.Constant(3.0)(weight, block=None)
    assert weight.tolist() == [3.0, 3.0]
    assert paddle.nn.AdaptiveMaxPool1D(2)(input=paddle.ones([1, 2, 4])).shape == [1, 2, 2]
    assert paddle.nn.SyncBatchNorm(2)(x=paddle.ones([1, 2, 4, 4])).shape == [1, 2, 4, 4]


def test_what_is_missing_is_named_as_the_state_names_it():
    layer = nn.Linear(2, 2)
    state = {layer.weight.name: paddle.ones([2, 2])}
    with pytest.warns(UserWarning, match="lacks"):
        assert layer.set_state_dict(state, use_structured_name=False) == ([layer.bias.name], [])
    with pytest.warns(UserWarning, match="lacks"):
        assert layer.set_state_dict({"weight": paddle.ones([2, 2])}) == (["bias"], [])


def test_a_warning_lists_the_first_of_many_missing_names():
    layer = nn.Sequential(*[nn.Linear(1, 1) for _ in range(20)])
    with pytest.warns(UserWarning, match=r"lacks \['0.weight', .* and 32 more\.$"):
        assert len(layer.set_state_dict({})[0]) == 40


def test_values_of_a_layer_have_names_of_their_own():
    with paddle.utils.unique_name.guard():
        layer = nn.Layer("foo")
        names = [layer.create_tensor().name, layer.create_variable().name, layer.create_tensor("a").name]
    assert names == ["foo_0._generated_var_0", "foo_0._generated_var_1", "foo_0.a"]


def test_values_of_a_layer_are_several_in_a_program():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.static.program_guard(main, startup):
        layer = nn.Layer()
        first, second = (layer.create_tensor(persistable=True) for _ in range(2))
        paddle.assign(first + 1.0, first)
        exe = paddle.static.Executor()
        exe.run(startup)
        assert [v.tolist() for v in exe.run(main, fetch_list=[first, second])] == [[1.0], [0.0]]
