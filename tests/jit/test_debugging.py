"""A traceback, a debugger and a tracer find converted functions in the user's own file, at the user's own lines."""

import bdb
import sys
import traceback

import proa as paddle
import pytest
from proa import nn


def helper(x, steps):
    for _ in range(steps):
        x = x + 1
    return x


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        y = self.fc(x)
        if y.mean() > 100:
            y = y * 2
        else:
            y = helper(y, 2)
        count = paddle.zeros([1])
        while count < 3:
            count = count + 1
        return y, count


def lines_of(function):
    """The numbers of the lines that a function's own code stands on."""
    own = {line for _, _, line in function.__code__.co_lines() if line}
    return own - {function.__code__.co_firstlineno}


def test_a_tracer_sees_the_users_lines():
    seen = {}

    def tracer(frame, event, _):
        if frame.f_code.co_filename != __file__:
            return None
        if event == "line":
            seen.setdefault(frame.f_code.co_name, set()).add(frame.f_lineno)
        return tracer

    net = paddle.jit.to_static(Net(), full_graph=True)
    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        net(paddle.ones([1, 2]))
    finally:
        sys.settrace(old)
    assert seen["forward"] == lines_of(Net.forward) - {Net.forward.__code__.co_firstlineno + 4}
    assert seen["helper"] == lines_of(helper)


class Stops(bdb.Bdb):
    """A debugger that notes where it stops, and what the variables there hold."""

    def __init__(self):
        super().__init__()
        self.found = []

    def user_line(self, frame):
        if self.break_here(frame):
            self.found.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, dict(frame.f_locals)))
        self.set_continue()


def test_a_breakpoint_in_the_users_file():
    first = Net.forward.__code__.co_firstlineno
    debugger = Stops()
    debugger.reset()
    for line in (first + 3, first + 8):
        assert debugger.set_break(__file__, line) is None
    net = paddle.jit.to_static(Net(), full_graph=True)
    old = sys.gettrace()
    sys.settrace(debugger.trace_dispatch)
    try:
        net(paddle.ones([1, 2]))
    finally:
        sys.settrace(old)
        debugger.clear_all_breaks()
    places = {(filename, line, name) for filename, line, name, _ in debugger.found}
    assert places == {(__file__, first + 3, "forward"), (__file__, first + 8, "forward")}
    assert any("y" in variables for *_, variables in debugger.found)


def test_pdb_is_entered_once_where_it_is_called(monkeypatch):
    stopped = []

    def stop():
        frame = sys._getframe(1)
        stopped.append((frame.f_code.co_filename, frame.f_lineno))

    monkeypatch.setattr(sys, "breakpointhook", stop)

    @paddle.jit.to_static(full_graph=True)
    def function(x):
        y = x * 2
        breakpoint()
        return y

    function(paddle.ones([1]))
    assert stopped == [(__file__, function.dygraph_function.__code__.co_firstlineno + 3)]


def test_a_traceback_lies_in_the_users_file():
    def inner(x):
        for i in range(3):
            if i == 2:
                x = paddle.matmul(x, paddle.ones([7, 7]))  # the line that fails
        return x

    @paddle.jit.to_static
    def outer(x):
        if x.sum() > 0:
            x = inner(x)
        return x

    with pytest.raises(ValueError) as caught:
        outer(paddle.ones([2, 3]))
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    assert frames[-1].line.endswith("# the line that fails") and frames[-1].name == "inner"
    assert [f.name for f in frames][-2:] == ["outer", "inner"]


def test_an_error_of_a_run_names_the_users_line():
    @paddle.jit.to_static(full_graph=True)
    def function(x, i):
        y = x * 2
        return y.gather(i)  # out of range

    function(paddle.ones([2, 2]), paddle.to_tensor([1]))
    with pytest.raises(IndexError, match=rf"{function.dygraph_function.__code__.co_firstlineno + 3}"):
        function(paddle.ones([2, 2]), paddle.to_tensor([5]))
