"""Recurrent layers: what PaddlePaddle gives (fixtures/nn/make_rnn.py), and what is the same in every mode."""

import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

nn = paddle.nn
FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "nn"
cases = module_at(FIXTURES / "rnn_cases.py")
answers = dict(np.load(FIXTURES / "rnn.npz"))
SPEC = [paddle.static.InputSpec([None, None, 3], "float32", "x")]
# With lengths and initial states the gradients there are not the slopes of the outputs there: they take a step's former
# state to be 0 where a sequence begins at its end, and GRU's forget the update gate's part at steps beyond it.
WRONG_GRADIENTS = ("lstm_lengths", "gru_lengths")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.mark.parametrize("name", cases.CASES)
def test_same_as_the_oracle(name):
    """Outputs, states, gradients, parameters' names and the keys of the state."""
    found = cases.run(paddle, name)
    expected = {key: value for key, value in answers.items() if key.startswith(name + "/")}
    assert set(found) == set(expected)
    for key, value in expected.items():
        if "/d_" in key and name in WRONG_GRADIENTS:
            assert found[key].shape == value.shape, key
        elif value.dtype.kind == "U":
            assert list(found[key]) == list(value), key
        else:
            assert (found[key].shape, found[key].dtype) == (value.shape, value.dtype), key
            np.testing.assert_allclose(found[key], value, **CLOSE, err_msg=key)


def x_of(*shape):
    return paddle.to_tensor(np.random.default_rng(3).uniform(-1, 1, shape).astype("float32"))


LAYERS = {
    "lstm": lambda: nn.LSTM(3, 4, num_layers=2, direction="bidirect"),
    "gru": lambda: nn.GRU(3, 4, num_layers=2),
    "simple": lambda: nn.SimpleRNN(3, 4, activation="relu"),
    "rnn": lambda: nn.RNN(nn.LSTMCell(3, 4), is_reverse=True),
}


def leaves(result):
    return [r.numpy() for r in cases.flat(result)]


@pytest.mark.parametrize("name", LAYERS)
def test_converted_and_saved_equals_eager(name, tmp_path):
    """With unknown batch size and number of steps."""
    layer = LAYERS[name]()
    layer.eval()
    expected = {steps: leaves(layer(x_of(2, steps, 3))) for steps in (1, 6)}
    converted = paddle.jit.to_static(layer, input_spec=SPEC)
    for steps, arrays in expected.items():
        for a, b in zip(leaves(converted(x_of(2, steps, 3))), arrays, strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)
    paddle.jit.save(layer, str(tmp_path / "saved"), input_spec=SPEC)
    loaded = paddle.jit.load(str(tmp_path / "saved"))
    loaded.eval()
    for steps, arrays in expected.items():
        for a, b in zip(leaves(loaded(x_of(2, steps, 3))), arrays, strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)


def gradients(layer, call, x):
    result = call(x)
    sum((r * r).sum() for r in cases.flat(result)).backward()
    found = {key: p.grad.numpy() for key, p in layer.named_parameters()}
    layer.clear_gradients()
    return found


@pytest.mark.parametrize("name", LAYERS)
def test_converted_trains_as_eager(name):
    layer = LAYERS[name]()
    expected = gradients(layer, layer, x_of(2, 5, 3))
    converted = paddle.jit.to_static(LAYERS[name](), input_spec=SPEC)
    converted.set_state_dict(layer.state_dict())
    for key, gradient in gradients(converted, converted, x_of(2, 5, 3)).items():
        np.testing.assert_allclose(gradient, expected[key], **CLOSE, err_msg=key)


def test_evaluation_is_differentiable():
    """What evaluation did not keep is computed again."""
    layer = nn.GRU(3, 4, num_layers=2)
    expected = gradients(layer, layer, x_of(2, 5, 3))
    layer.eval()
    for key, gradient in gradients(layer, layer, x_of(2, 5, 3)).items():
        np.testing.assert_allclose(gradient, expected[key], **CLOSE, err_msg=key)


def test_stack_equals_its_layers():
    """The operator gives what RNN and BiRNN give, layer by layer."""
    layer, x = nn.LSTM(3, 4, num_layers=2, direction="bidirect"), x_of(2, 5, 3)
    expected, (h, c) = layer(x)
    lengths = paddle.full([2], 5, "int64")  # steps are taken one by one
    out, states = x, []
    for inner in layer:
        out, (forward, backward) = inner(out, None, lengths)
        states += [forward, backward]
    np.testing.assert_allclose(out.numpy(), expected.numpy(), **CLOSE)
    for index, final in enumerate((h, c)):
        np.testing.assert_allclose(np.stack([s[index].numpy() for s in states]), final.numpy(), **CLOSE)


def test_dropout_lies_between_layers():
    x = x_of(2, 5, 3)
    one = nn.GRU(3, 4, dropout=0.9)
    np.testing.assert_array_equal(one(x)[0].numpy(), one(x)[0].numpy())
    two = nn.GRU(3, 4, num_layers=2, dropout=0.5)
    trained, again = two(x), two(x)
    assert not np.allclose(trained[0].numpy(), again[0].numpy())
    np.testing.assert_array_equal(trained[1][0].numpy(), again[1][0].numpy())  # the first layer's state
    two.eval()
    np.testing.assert_array_equal(two(x)[0].numpy(), two(x)[0].numpy())
    two.train()
    two.dropout = 1.0
    assert not two(x)[0].numpy().any() or np.isfinite(two(x)[0].numpy()).all()


def test_dropped_elements_pass_no_gradient():
    """With every element dropped the first layer's weights have no influence."""
    layer = nn.SimpleRNN(3, 4, num_layers=2, dropout=1.0)
    layer(x_of(2, 5, 3))[0].sum().backward()
    assert not layer.weight_ih_l0.grad.numpy().any() and not layer.weight_ih_l1.grad.numpy().any()
    assert layer.weight_hh_l1.grad.numpy().any()


def test_dropout_scales_what_passes():
    """Twice a kept element: the mean over many draws is the value without dropout."""
    paddle.seed(4)
    layer = nn.SimpleRNN(1, 1, num_layers=2, dropout=0.5)
    for p in layer.parameters():
        p.set_value(np.full(p.shape, 0.01, "float32"))
    x = paddle.full([4000, 1, 1], 1.0)
    mean = layer(x)[0].mean().item()
    layer.eval()
    assert mean == pytest.approx(layer(x)[0].mean().item(), rel=1e-3)


def test_gradients_of_gradients():
    """By differences of the first ones; those of a third order are refused."""
    layer, x = nn.LSTM(2, 3).astype("float64"), paddle.to_tensor(np.random.default_rng(0).normal(size=(2, 4, 2)))
    direction = np.random.default_rng(1).normal(size=x.shape)

    def slope(step):
        moved = (x + paddle.to_tensor(direction) * step).detach()
        moved.stop_gradient = False
        (first,) = paddle.grad((layer(moved)[0] ** 2).sum(), moved, create_graph=True)
        return moved, first

    moved, first = slope(0.0)
    (second,) = paddle.grad((first * paddle.to_tensor(direction)).sum(), moved, create_graph=True)
    difference = (slope(1e-6)[1].numpy() - slope(-1e-6)[1].numpy()) / 2e-6
    np.testing.assert_allclose(second.numpy(), difference, rtol=1e-5, atol=1e-7)
    with pytest.raises(NotImplementedError, match="first and second order"):
        paddle.grad(second.sum(), moved)


def test_cell_of_ones_own():
    class Sum(nn.RNNCellBase):
        @property
        def state_shape(self):
            return {"total": (2,)}["total"], (2,)

        def forward(self, inputs, states, factor=1.0):
            total = states[0] + inputs["a"] * factor
            return {"total": total, "twice": total * 2}, (total, states[1])

    x = x_of(2, 3, 2)
    out, (total, other) = nn.RNN(Sum())({"a": x}, factor=2.0)
    np.testing.assert_allclose(out["twice"].numpy(), np.cumsum(x.numpy(), 1) * 4, rtol=1e-6)
    np.testing.assert_allclose(total.numpy(), x.numpy().sum(1) * 2, rtol=1e-6)
    assert not other.numpy().any()


def test_hooks_of_a_cell_are_called():
    cell, called = nn.GRUCell(3, 4), []
    cell.register_forward_post_hook(lambda *_: called.append(1))
    nn.RNN(cell)(x_of(2, 5, 3))
    assert len(called) == 5


def test_initial_states():
    cell = nn.LSTMCell(3, 4)
    h, c = cell.get_initial_states(x_of(2, 3))
    assert h.shape == c.shape == [2, 4] and not h.numpy().any()
    state = cell.get_initial_states(x_of(2, 5), [7], "float64", 2.0, batch_dim_idx=1)
    assert state.shape == [5, 7] and state.dtype == "float64" and (state.numpy() == 2).all()
    with pytest.raises(NotImplementedError, match="state_shape"):
        nn.RNN(nn.RNNCellBase())(x_of(2, 3, 3))


def test_fixed_bias_and_weight():
    cell = nn.GRUCell(3, 4, weight_ih_attr=False, bias_hh_attr=False)
    assert cell.weight_ih.stop_gradient and (cell.weight_ih.numpy() == 1).all()
    assert cell.bias_hh.stop_gradient and not cell.bias_hh.numpy().any()
    layer = nn.GRU(3, 4, num_layers=2, bias_ih_attr=False)
    assert [key for key in layer.state_dict() if key.startswith("bias")] == ["bias_hh_l0", "bias_hh_l1"]
    np.testing.assert_array_equal(layer.bias_hh_l1.numpy(), layer[1].cell.bias_hh.numpy())


def test_weights_lie_within_their_bound():
    layer = nn.LSTM(3, 16)
    for p in layer.parameters():
        assert 0.2 < np.abs(p.numpy()).max() <= 0.25


def test_state_under_either_name():
    """A parameter has two names; a state that has one of them lacks nothing."""
    layer, other = nn.LSTM(3, 4), nn.LSTM(3, 4)
    state = {key: value for key, value in layer.state_dict().items() if key.startswith("0.")}
    assert other.set_state_dict(state) == ([], [])
    np.testing.assert_array_equal(other.weight_hh_l0.numpy(), layer.weight_hh_l0.numpy())
    assert len(other.parameters()) == 4


@pytest.mark.parametrize("wrong, error, says", [
    (lambda: nn.LSTM(3, 4, direction="up"), ValueError, "bidirect"),
    (lambda: nn.LSTM(3, 0), ValueError, "hidden_size"),
    (lambda: nn.LSTM(3, 4, num_layers=0), ValueError, "num_layers"),
    (lambda: nn.LSTM(3, 4, dropout=2), ValueError, "dropout"),
    (lambda: nn.SimpleRNN(3, 4, activation="elu"), ValueError, "activation"),
    (lambda: nn.SimpleRNNCell(3, 4, activation="elu"), ValueError, "activation"),
    (lambda: nn.LSTMCell(3, 4)(x_of(2, 3), x_of(2, 4)), ValueError, "tuple"),
    (lambda: nn.LSTM(3, 4)(x_of(2, 5, 7)), ValueError, r"LSTM\(inputs\).* 3 features .*\[2, 5, 7\]"),
    (lambda: nn.LSTM(3, 4)(x_of(5, 3)), ValueError, r"\[batch, steps, features\].*\[5, 3\].*x.unsqueeze\(0\)"),
    (lambda: nn.GRU(3, 4, time_major=True)(x_of(5, 3)), ValueError, r"\[steps, batch.*a batch, x.unsqueeze\(1\)"),
    (lambda: nn.SimpleRNN(3, 4)(x_of(2, 5, 3, 3)), ValueError, r"SimpleRNN\(inputs\).*\[2, 5, 3, 3\]\.$"),
    (lambda: nn.RNN(nn.LSTMCell(3, 4))(x_of(5, 3)), ValueError, r"RNN\(inputs\).*\[5, 3\]"),
    (lambda: nn.LSTM(3, 4)(x_of(2, 5, 3), x_of(1, 2, 4)), ValueError, "initial_states"),
    (lambda: nn.GRU(3, 4)(x_of(2, 5, 3), x_of(1, 3, 4)), ValueError, r"\[1, 2, 4\]"),
    (lambda: nn.GRU(3, 4)(x_of(2, 5, 3), None, paddle.to_tensor([6, 2])), ValueError, "5 steps"),
    (lambda: nn.GRU(3, 4)(x_of(2, 5, 3), None, paddle.to_tensor([3])), ValueError, "sequence_length"),
    (lambda: nn.GRU(3, 4)(x_of(2, 5, 3).astype("float64")), TypeError, "dtype"),
    (lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(5, 4)), ValueError, "input_size"),
    (lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4))(x_of(2, 5, 3), x_of(2, 4)), ValueError, "pair"),
])
def test_errors(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()


class Cell(nn.RNNCellBase):
    """A user's cell, whose outputs are nested."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)

    @property
    def state_shape(self):
        return (4,), (4,)

    def forward(self, inputs, states):
        former, other = states
        made = paddle.tanh(self.linear(inputs) + other)
        return {"made": made, "both": [made + former]}, (other, made)


@pytest.mark.parametrize("with_lengths", [True, False])
@pytest.mark.parametrize("make", [
    lambda: nn.RNN(nn.GRUCell(3, 4)), lambda: nn.RNN(nn.LSTMCell(3, 4), is_reverse=True, time_major=True),
    lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4)), lambda: nn.RNN(Cell()),
    lambda: nn.RNN(Cell(), is_reverse=True),
])
def test_a_cell_goes_through_as_many_steps_as_a_run_has(make, with_lengths):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layer = make()

        def forward(self, x, lengths):
            return self.layer(x, None, lengths if with_lengths else None)

    net = Net()
    specs = [paddle.static.InputSpec([None, None, 3]), paddle.static.InputSpec([None], "int64")]
    converted = paddle.jit.to_static(Net(), input_spec=specs, full_graph=True)
    converted.set_state_dict(net.state_dict())
    for size in (3, 1):
        x, lengths = x_of(size, size, 3), paddle.to_tensor([2, 1, 3][:size])
        results = []
        for each in (net, converted):
            each.clear_gradients()
            found = paddle.utils.flatten(each(x, lengths))
            paddle.add_n([(value * value).sum() for value in found]).backward()
            results.append([value.numpy() for value in [*found, *(p.grad for p in each.parameters())]])
        for here, there in zip(*results, strict=True):
            np.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-5)
