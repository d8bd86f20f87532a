"""Code that begins elsewhere: the lines of its instructions stay what they are."""

import dis
import inspect
import sys
import traceback

import proa as paddle
import pytest
from proa.jit.convert.generation import generate
from proa.jit.pyct.binding import walk_code
from proa.jit.pyct.first_line import with_first_line

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="tables of lines are others")


def lines(code):
    return [(one.offset, one.positions.lineno) for one in dis.get_instructions(code)]


def far(x):
    y = [
        v
        for v in x
    ]

    # behind many lines

    def inner():
        try:
            return y[0] / 0
        finally:
            y.append(
                1)
    return inner, lambda: (
        y), 5


@pytest.mark.parametrize("shift", [1, 2, 31, 32, 1000])
@pytest.mark.parametrize("function", [far, lines, inspect.getsource, traceback.format_exc])
def test_instructions_keep_their_lines(function, shift):
    for code in walk_code(function.__code__):
        code = code.replace(co_firstlineno=code.co_firstlineno + 2000)
        moved = with_first_line(code, code.co_firstlineno - shift)
        assert moved.co_firstlineno == code.co_firstlineno - shift and lines(moved) == lines(code)
        assert with_first_line(code, code.co_firstlineno) is code


class Net:
    def forward(self, x):
        if x.mean() > 0:
            for i in range(2):
                if x.sum() > i:
                    def doubled(v):
                        return v * 2
                    x = paddle.matmul(doubled(x), x)
        return x


def test_a_part_of_a_function_is_named_and_begins_like_the_function():
    first = Net.forward.__code__.co_firstlineno
    found = [(code.co_name, code.co_qualname, code.co_firstlineno) for code in walk_code(generate(Net.forward)[0])]
    assert set(found) == {("forward", "Net.forward", first), ("doubled", "Net.forward.<locals>.doubled", first + 4)}
    assert len(found) > 3


def test_source_of_a_frame_is_the_functions():
    with pytest.raises(ValueError, match="inner dimensions") as raised:
        paddle.jit.to_static(Net.forward, full_graph=True)(None, paddle.ones([2, 3]))
    frames = [one for one in raised.traceback if one.path.name == "test_first_line.py"][1:]
    assert len(frames) > 2
    for one in frames:
        text, first = inspect.getsourcelines(one.frame.raw)
        assert text[0].strip() == "def forward(self, x):" and first == one.frame.raw.f_code.co_firstlineno
