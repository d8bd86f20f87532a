"""Modules, parameters, initializers, utilities of the OneFlow face."""

import copy
import math

import numpy as np
import proa.oneflow as flow
import pytest
from proa.oneflow import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 1, bias=False)})
        self.scale = nn.Parameter(flow.ones(1))
        self.register_buffer("offset", flow.zeros(1))
        self.register_buffer("scratch", flow.zeros(1), persistent=False)

    def forward(self, x):
        x = self.body(x) * self.scale + self.offset
        return self.heads["a"](x), self.heads["b"](x)


def test_walking():
    net = Net()
    names = [name for name, _ in net.named_parameters()]
    assert names == ["scale", "body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "heads.a.weight",
                     "heads.a.bias", "heads.b.weight"]
    assert [type(m).__name__ for m in net.modules()][:3] == ["Net", "Sequential", "Linear"]
    assert [name for name, _ in net.named_children()] == ["body", "heads"]
    assert "heads.a" in dict(net.named_modules()) and net.get_submodule("body.0") is net.body[0]
    assert net.get_parameter("heads.b.weight") is net.heads["b"].weight
    assert [name for name, _ in net.named_buffers()] == ["offset", "scratch", "body.1.running_mean",
                                                          "body.1.running_var", "body.1.num_batches_tracked"]
    assert net.train(False) is net and not net.body.training and net.train().body.training
    assert iter(net.parameters()) and len(list(net.parameters(recurse=False))) == 1
    seen = []
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net and seen[-1] == "Net"


def test_state():
    net, other = Net(), Net()
    state = net.state_dict()
    assert "scratch" not in state and "offset" in state and all(not v.requires_grad for v in state.values())
    assert other.load_state_dict(state) == ([], [])
    x = flow.randn(5, 3)
    for a, b in zip(net.eval()(x), other.eval()(x)):
        assert a.tolist() == b.tolist()
    net.scale.data.fill_(7)
    assert state["scale"].tolist() == [1.0] or state["scale"].tolist() == [7.0]
    part = {"scale": flow.ones(1), "more": flow.ones(1)}
    assert other.load_state_dict(part, strict=False).unexpected_keys == ["more"]
    with pytest.raises(RuntimeError, match="Missing key.*body.0.weight"):
        other.load_state_dict(part)
    with pytest.raises(RuntimeError, match="size mismatch for scale"):
        other.load_state_dict({**net.state_dict(), "scale": flow.ones(2)})
    assert other.scale.tolist() == [1.0]
    assert list(net.state_dict(prefix="net."))[0] == "net.scale"


def test_gradients_and_conversion():
    net = Net()
    out = net(flow.randn(5, 3))
    (out[0].sum() + out[1].sum()).backward()
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad()
    assert net.scale.grad.tolist() == [0.0]
    net.zero_grad(set_to_none=True)
    assert net.scale.grad is None
    assert not net.requires_grad_(False).scale.requires_grad
    assert net.double().scale.dtype is flow.float64 and net.to("cpu").to(flow.float32).scale.dtype is flow.float32
    assert net.body[1].num_batches_tracked.dtype is flow.int64
    twin = copy.deepcopy(net)
    assert twin.scale is not net.scale and isinstance(twin.scale, nn.Parameter)


def test_hooks():
    layer, seen = nn.Linear(2, 2), []
    pre = layer.register_forward_pre_hook(lambda m, inputs: seen.append(len(inputs)))
    post = layer.register_forward_hook(lambda m, inputs, out: out * 0)
    assert layer(flow.ones(1, 2)).tolist() == [[0.0, 0.0]] and seen == [1]
    pre.remove()
    post.remove()
    layer(flow.ones(1, 2))
    assert seen == [1]


def test_containers():
    layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
    layers.append(nn.ReLU())
    layers.insert(0, nn.Identity())
    assert [type(m).__name__ for m in layers] == ["Identity", "Linear", "Linear", "ReLU"] and len(layers[1:3]) == 2
    layers[0] = nn.Tanh()
    del layers[-1]
    assert [name for name, _ in layers.named_children()] == ["0", "1", "2"] and isinstance(layers[0], nn.Tanh)
    parameters = nn.ParameterList([nn.Parameter(flow.ones(2))] * 1)
    parameters.append(nn.Parameter(flow.zeros(1)))
    assert [p.shape.numel() for p in parameters] == [2, 1] and len(list(parameters.parameters())) == 2
    table = nn.ParameterDict({"a": nn.Parameter(flow.ones(1))})
    table["b"] = nn.Parameter(flow.zeros(2))
    assert list(table) == ["a", "b"] and table.pop("a").tolist() == [1.0]
    held = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    held[1] = nn.Linear(3, 5)
    assert held(flow.ones(1, 2)).shape == (1, 5) and isinstance(held[:1], nn.Sequential)


def test_what_they_begin_with():
    flow.manual_seed(0)
    linear = nn.Linear(400, 300)
    bound = 1 / math.sqrt(400)
    for parameter in (linear.weight, linear.bias):
        values = parameter.numpy()
        assert abs(values).max() <= bound and abs(values.std() - bound / math.sqrt(3)) < 0.1 * bound
    conv = nn.Conv2d(16, 64, 3, groups=4)
    assert 0.9 / 6 < abs(conv.weight.numpy()).max() <= 1 / 6
    lstm = nn.LSTM(4, 25)
    assert all(0.15 < abs(p.numpy()).max() <= 0.2 for p in lstm.parameters())
    table = nn.Embedding(100, 50, padding_idx=3)
    assert abs(table.weight.numpy().std() - 1) < 0.1 and not table.weight[3].any()


@pytest.mark.parametrize("fill, mean, std", [
    (lambda t: nn.init.uniform_(t, -1, 3), 1, 4 / math.sqrt(12)), (lambda t: nn.init.normal_(t, 2, 0.5), 2, 0.5),
    (lambda t: nn.init.xavier_uniform_(t, gain=2.0), 0, 2 * math.sqrt(2 / 500)),
    (lambda t: nn.init.xavier_normal_(t), 0, math.sqrt(2 / 500)),
    (lambda t: nn.init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"), 0, math.sqrt(2 / 200)),
    (lambda t: nn.init.kaiming_uniform_(t), 0, math.sqrt(2 / 300)),
    (lambda t: nn.init.trunc_normal_(t, std=0.02), 0, 0.02), (lambda t: nn.init.constant_(t, 3), 3, 0),
])
def test_initializers(fill, mean, std):
    flow.manual_seed(1)
    parameter = nn.Parameter(flow.empty(200, 300))
    assert fill(parameter) is parameter and parameter.requires_grad and parameter.is_leaf
    values = parameter.numpy()
    assert abs(values.mean() - mean) < 0.02 + 0.01 * std and abs(values.std() - std) <= 0.03 * std


def test_orthogonal_and_eye():
    rows = nn.init.orthogonal_(flow.empty(3, 2, 4), gain=2.0).numpy().reshape(3, 8)
    np.testing.assert_allclose(rows @ rows.T, 4 * np.eye(3), atol=1e-5)
    assert nn.init.eye_(flow.empty(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_dropout():
    flow.manual_seed(0)
    x = flow.ones(1000)
    drop = nn.Dropout(0.3)
    y = drop(x)
    assert abs((y == 0).float().mean().item() - 0.3) < 0.05 and abs(y.max().item() - 1 / 0.7) < 1e-6
    scores = flow.ones(3, 3, requires_grad=True)
    nn.Dropout(0.5, inplace=True)(scores.softmax(1)).sum().backward()  # which OneFlow does not do in place
    assert drop(x, addend=x).min() == 1 and drop.eval()(x) is x
    whole = nn.Dropout2d(0.5)(flow.ones(20, 10, 2, 2)).numpy()
    assert ((whole == 0).all((2, 3)) | (whole == 2).all((2, 3))).all()


def test_weight_norm():
    layer = nn.Linear(3, 2)
    weight = layer.weight.numpy()
    nn.utils.weight_norm(layer)
    np.testing.assert_allclose(layer(flow.eye(3)).detach().numpy(), weight.T + layer.bias.numpy(), rtol=1e-5)
    layer(flow.ones(1, 3)).sum().backward()
    assert layer.weight_g.grad is not None and layer.weight_g.shape == (2, 1)
    nn.utils.remove_weight_norm(layer)
    np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-5)
    assert isinstance(layer.weight, nn.Parameter)
    with pytest.raises(ValueError, match="no weight norm"):
        nn.utils.remove_weight_norm(layer)


def test_clipping():
    w = nn.Parameter(flow.tensor([3.0, 4.0]))
    (w * w / 2).sum().backward()
    assert nn.utils.clip_grad_norm_([w], 1.0).item() == 5.0
    np.testing.assert_allclose(w.grad.numpy(), [0.6, 0.8], rtol=1e-5)
    assert nn.utils.clip_grad_norm_([w], 10.0, norm_type=math.inf).item() == pytest.approx(0.8)
    nn.utils.clip_grad_value_([w], 0.7)
    np.testing.assert_allclose(w.grad.numpy(), [0.6, 0.7], rtol=1e-5)
    vector = nn.utils.parameters_to_vector([w, w])
    nn.utils.vector_to_parameters(vector * 2, [w, nn.Parameter(flow.ones(2))])
    assert w.tolist() == [6.0, 8.0]


def test_a_cell_is_a_step_of_its_layer():
    for layer, cell in ((nn.LSTM(4, 3), nn.LSTMCell(4, 3)), (nn.GRU(4, 3), nn.GRUCell(4, 3)),
                        (nn.RNN(4, 3), nn.RNNCell(4, 3))):
        for name, parameter in cell.named_parameters():
            parameter.data.copy_(getattr(layer, f"{name}_l0"))
        x = flow.randn(2, 5, 4)
        out, _ = layer(x)
        state = None
        for step in x:
            state = cell(step, state)
        found = state[0] if isinstance(state, tuple) else state
        np.testing.assert_allclose(found.detach().numpy(), out[-1].detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call, words", [
    (lambda: nn.Conv2d(3, 4, 1, groups=2), "must divide"), (lambda: nn.BatchNorm2d(3)(flow.ones(2, 3)), "must have 4"),
    (lambda: nn.Dropout(2.0), "lie in"), (lambda: nn.MSELoss("average"), "'mean', 'sum' or 'none'"),
    (lambda: nn.GroupNorm(3, 4), "must divide"), (lambda: nn.LSTM(2, 3, proj_size=1), "projected"),
    (lambda: nn.InstanceNorm2d(3, track_running_stats=True), "Leave it out"),
    (lambda: nn.Conv2d(1, 1, 1, padding_mode="circular"), "'zeros'"), (lambda: nn.ReLU(1, 2, 3), "received"),
    (lambda: nn.Module().load_state_dict([1]), "dict"), (lambda: nn.init.calculate_gain("cube"), "must be"),
])
def test_mistakes_are_told(call, words):
    with pytest.raises((TypeError, ValueError, NotImplementedError), match=words):
        call()
