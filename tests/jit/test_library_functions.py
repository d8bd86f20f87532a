"""`to_static` of what is public here, itself: it is called as it is, as converted code calls it."""

import sys

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa.static import InputSpec


@pytest.mark.parametrize("function", [paddle.acosh, paddle.square, paddle.isnan, F.relu, paddle.sum, F.softmax])
def test_functions_of_one_tensor_are_saved(tmp_path, function):
    x = paddle.to_tensor([[1.5, 2.0, 3.0]])
    paddle.jit.save(paddle.jit.to_static(function, [InputSpec([None, 3])]), str(tmp_path / "function"))
    loaded = paddle.jit.load(str(tmp_path / "function"))
    np.testing.assert_allclose(loaded(x).numpy(), function(x).numpy(), rtol=1e-6)


def test_one_that_looks_at_sizes_has_a_program_of_open_ones(tmp_path):
    specs = [InputSpec([None, 3]), InputSpec([None, 3])]
    paddle.jit.save(paddle.jit.to_static(paddle.inner, specs, full_graph=True), str(tmp_path / "inner"))
    x, y = paddle.ones([2, 3]), paddle.full([4, 3], 2.0)
    assert paddle.jit.load(str(tmp_path / "inner"))(x, y).tolist() == [[6.0] * 4] * 2


def test_layers_of_a_container_are_still_converted():
    class Sign(paddle.nn.Layer):
        def forward(self, x):
            if x.sum() > 0:
                return x * 2.0
            return x - 1.0

    net = paddle.jit.to_static(paddle.nn.Sequential(Sign(), paddle.nn.ReLU()), full_graph=True)
    assert net(paddle.ones([2])).tolist() == [2.0, 2.0] and net(-paddle.ones([2])).tolist() == [0.0, 0.0]


def scaled(layer, inputs, output):
    """A hook that looks at what it is given, as those that collect features do."""
    return output * 1.5 if isinstance(output, paddle.Tensor) else None


def scaled_state(layer, inputs, outputs):
    return (outputs[0] * 1.5, outputs[1]) if isinstance(outputs[0], paddle.Tensor) else None


@pytest.mark.parametrize("name", ["q_proj", "k_proj", "v_proj", "out_proj"])
def test_hooks_on_parts_of_layers_of_this_package_are_converted(name):
    attention, x = paddle.nn.MultiHeadAttention(4, 2), paddle.rand([2, 3, 4])
    plain = attention(x).numpy()
    getattr(attention, name).register_forward_post_hook(scaled)
    wanted = attention(x).numpy()
    assert not np.allclose(plain, wanted)
    found = paddle.jit.to_static(attention, full_graph=True)(x)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-6)


class Growing(paddle.nn.RNNCellBase):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)

    @property
    def state_shape(self):
        return (4,)

    def forward(self, inputs, states=None):
        states = self.linear(inputs) - states
        if states.sum() > 0:
            states = states * 0.5
        return states, states


def hooked_cell():
    cell = paddle.nn.GRUCell(4, 4)
    cell.register_forward_post_hook(scaled_state)
    return cell


@pytest.mark.parametrize("cell", [Growing, hooked_cell])
@pytest.mark.parametrize("lengths", [None, [3, 1]])
def test_cells_that_sequences_are_taken_through_are_converted(cell, lengths):
    x, lengths = paddle.rand([2, 3, 4]), None if lengths is None else paddle.to_tensor(lengths)
    for net in (paddle.nn.RNN(cell(), is_reverse=True), paddle.nn.BiRNN(cell(), cell())):
        wanted, _ = net(x, None, lengths)
        found, _ = paddle.jit.to_static(net, full_graph=True)(x, None, lengths)
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-6)


def test_marked_methods_of_layers_that_hold_layers_are_called_as_they_are():
    class Doubled(paddle.nn.Layer):
        def forward(self, x):
            return x * 2

    class Marked(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner, self.converted = Doubled(), []

        def note(self):
            self.converted.append("converted" in sys._getframe(1).f_code.co_names)

        @paddle.jit.not_to_static
        def forward(self, x):
            self.note()
            return self.inner(x)

        @paddle.jit.not_to_static
        def part(self, x):
            self.note()
            return self.inner(x)

    net = Marked()
    assert paddle.jit.to_static(lambda x: net(x) + net.part(x), full_graph=True)(paddle.ones([2])).tolist() == [4.0] * 2
    assert net.converted == [False, False]

