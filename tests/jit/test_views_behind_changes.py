"""Views that are read behind a change of what they are of, in converted functions: as in eager code, or refused."""

import numpy as np
import proa as paddle
import pytest


def read_behind_a_change(x):
    a = x * 1.0
    y = a.reshape([-1])
    a[0] = 5.0
    return y * 1.0


def changed_in_a_branch(x):
    a = x * 1.0
    y = a.t()
    if x.sum() > 0:
        a[0] = 7.0
    return y + 0.0


def read_in_turns(x):
    a = x * 1.0
    y, s, i = a.flatten(), paddle.zeros([]), paddle.zeros([], "int64")
    while i < 3:
        s = s + y.sum()
        a.add_(paddle.ones([2, 3]))
        i = i + 1
    return s + y.sum()


def a_row_that_a_loop_begins_with(x):
    a = x * 1.0
    row, i = a[0], paddle.zeros([], "int64")
    while i < 2:
        row = row * 2.0
        a[i] = row
        i = i + 1
    return a + row


def chosen_in_a_branch(x):
    a = x * 1.0
    y = a[0]
    if x.sum() > 0:
        y = a[1]
    a.fill_(9.0)
    return y * 1


FUNCTIONS = [
    read_behind_a_change, changed_in_a_branch, read_in_turns, a_row_that_a_loop_begins_with, chosen_in_a_branch]


def run(function):
    x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3) + 1, stop_gradient=False)
    y = function(x)
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_in_eager_code(function):
    assert run(paddle.jit.to_static(function, full_graph=True)) == run(function)


def left_to_the_next_turn(x):
    a = x * 1.0
    h, i = a[0], paddle.zeros([], "int64")
    while i < 2:
        t = h * 1.0
        h = a[i]
        a[i] = t + 1.0
        i = i + 1
    return a + h


def test_what_only_a_run_could_tell_is_refused():
    with pytest.raises(RuntimeError, match="leaves `h` a view of a value that the loop changes in place"):
        run(paddle.jit.to_static(left_to_the_next_turn, full_graph=True))
