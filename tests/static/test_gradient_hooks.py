"""`register_hook` on what no operation of a Program computes, parameters and what is fed, as in PaddlePaddle 2.6.2."""

import numpy as np
import proa as paddle
import pytest
from proa import static


@pytest.fixture(autouse=True)
def _static_mode():
    paddle.enable_static()
    with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()):
        yield
    paddle.disable_static()


def fixed(*sizes):
    return static.create_parameter(sizes, "float32", default_initializer=paddle.nn.initializer.Constant(1.0))


def run(fetched, **feed):
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {name: np.asarray(value, "float32") for name, value in feed.items()}
    return [each.tolist() for each in exe.run(feed=feed, fetch_list=fetched)]


def test_of_a_parameter_the_whole_gradient_goes_through_and_is_used():
    x, w = static.data("x", [1, 2]), fixed(2, 1)
    w.register_hook(lambda g: g * 10)
    w.register_hook(lambda g: g + 1)
    w.register_hook(lambda g: None)
    loss = ((x @ w) + (x * 2) @ w).sum()
    [(_, gradient)] = static.append_backward(loss)
    assert gradient.name == f"{w.name}@GRAD"
    assert run([gradient], x=[[1, 2]]) == [[[31.0], [61.0]]]


def test_an_optimizer_steps_by_it_and_a_clone_keeps_it():
    x, w = static.data("x", [1, 2]), fixed(2, 1)
    w.register_hook(lambda g: g * 5)
    loss = (x @ w).sum()
    program = static.default_main_program().clone()
    with static.program_guard(program):
        paddle.optimizer.SGD(0.1).minimize(program.global_block().var(loss.name))
        run([], x=[[1, 1]])
    found = static.global_scope().find_var(w.name).get_tensor()
    assert np.asarray(found).ravel().tolist() == [0.5, 0.5]


def test_of_what_is_fed():
    x = static.data("x", [2])
    x.stop_gradient = False
    x.register_hook(lambda g: g * x)
    assert run(static.gradients(x * x, x), x=[2, 3]) == [[8.0, 18.0]]


def test_taken_away_before_the_gradient_is_appended():
    x, w = static.data("x", [1, 2]), fixed(2, 1)
    handle = w.register_hook(lambda g: g * 10)
    assert handle.remove()
    [(_, gradient)] = static.append_backward((x @ w).sum())
    assert run([gradient], x=[[1, 2]]) == [[[1.0], [2.0]]]
