"""Which values may have another number of dimensions than they declare, asked while a Program grows."""

import proa as paddle
import pytest
from proa.static.ir.open_ranks import open_ranks


@pytest.mark.filterwarnings("ignore:cond. value 0 has shape")
def test_what_comes_and_goes_between_two_questions():
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data("x", [2, 3])
        y = x * 2
        assert open_ranks(program) == frozenset()
        either = paddle.static.nn.cond(x.sum() > 0, lambda: y, lambda: y[0])
        behind = either + 1
        assert {either.name, behind.name} <= open_ranks(program) and y.name not in open_ranks(program)
        block = program.global_block()
        kept = list(block.ops)
        block.ops[:] = kept[:1]
        program.version += 1
        assert open_ranks(program) == frozenset()
        block.ops[:] = kept
        program.version += 1
        assert {either.name, behind.name} <= open_ranks(program)
        same = paddle.static.nn.cond(x.sum() > 0, lambda: y, lambda: y * 2)
        assert same.name not in open_ranks(program)


@pytest.mark.filterwarnings("ignore:cond. value 0 has shape")
def test_what_stands_in_the_place_of_what_was_looked_through():
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data("x", [2, 3])
        either = paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x[0])
        _ = either + 1
        block = program.global_block()
        whole = list(block.ops)
        block.ops[:] = [op for op in whole if op.type != "select_input"]
        program.version += 1
        assert open_ranks(program) == frozenset()
        block.ops[:] = whole
        program.version += 1
        assert either.name in open_ranks(program)
