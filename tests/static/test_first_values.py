"""Parameters that are changed in place, or filled, in a Program by hand, before anything has read them and after."""

import numpy as np
import proa as paddle
from proa import static
from trained_by_hand import fetched, weight


def runs(*values):
    """What is fetched in each of three runs."""
    return [fetched(values, begins=run == 0) for run in range(3)]


@paddle.no_grad()
def prepared():
    """The parameters of layers whose `__init__` might do this."""
    paddle.seed(3)
    first, second = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
    first.weight.scale_(0.5)
    second.weight.uniform_(-1, 1)
    first.bias.fill_(2.0)
    first.bias.add_(second.bias + 1.0)
    second.weight.clip_(-0.5, 0.5)
    first.weight.subtract_(second.weight)
    first.weight[0] = 0.25
    return [*first.parameters(), *second.parameters()]


def test_a_layer_s_first_values_are_changed_once_and_as_in_eager_code():
    eager = [parameter.numpy() for parameter in prepared()]
    with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()):
        parameters = prepared()
        assert not static.default_main_program().global_block().ops
        for found in runs(*parameters):
            for value, expected in zip(found, eager, strict=True):
                np.testing.assert_array_equal(value, expected)


def test_an_initializer_that_is_called_fills_a_layer_s_parameter_once(programs):
    paddle.seed(0)
    layer = paddle.nn.Linear(2, 2)
    for initializer in (paddle.nn.initializer.Normal(), paddle.nn.initializer.Constant(2.0)):
        initializer(layer.weight)
    assert not static.default_main_program().global_block().ops
    paddle.optimizer.SGD(0.25).minimize((layer.weight * layer.weight).sum())
    assert [found[0, 0] for [found] in runs(layer.weight)] == [1.0, 0.5, 0.25]


def test_such_parameters_are_trained_from_there(programs):
    w = weight("w", 2.0)
    with paddle.no_grad():
        w.scale_(0.5)
    paddle.optimizer.SGD(0.25).minimize((w * w).sum())
    assert [found.tolist() for [found] in runs(w)] == [[0.5], [0.25], [0.125]]


def test_what_has_been_read_is_changed_by_each_run(programs):
    w = weight("w", 1.0)
    read = w * 3.0
    with paddle.no_grad():
        w.scale_(2.0)
    assert [[float(one[0]) for one in found] for found in runs(w, read)] == [[2.0, 3.0], [4.0, 6.0], [8.0, 12.0]]


def test_what_is_changed_by_a_value_of_the_program_is_changed_by_each_run(programs):
    w, v = weight("w", 1.0), weight("v", 1.0)
    twice = w * 2.0
    with paddle.no_grad():
        w.add_(twice)
        v.add_(static.data("x", [1]))
    assert fetched([w, v], x=np.array([2.0], "float32")) == [[3.0], [3.0]]
    assert fetched([w, v], begins=False, x=np.array([2.0], "float32")) == [[9.0], [5.0]]


def test_other_state_is_changed_by_each_run(programs):
    count = static.create_global_var([1], 0.0, "float32", persistable=True)
    count.add_(paddle.ones([1]))
    assert [found.tolist() for [found] in runs(count)] == [[1.0], [2.0], [3.0]]
