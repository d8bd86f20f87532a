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
        plain = [op for op in kept if op.type != "select_input"]
        block.ops[:] = plain
        program.version += 1
        assert open_ranks(program) == frozenset()
        block.ops[:] = kept[:-1] + kept[-1:] * (1 + len(plain) - len(kept[:-1]))  # longer than what was seen
        program.version += 1
        assert {either.name, behind.name} <= open_ranks(program)
        same = paddle.static.nn.cond(x.sum() > 0, lambda: y, lambda: y * 2)
        assert same.name not in open_ranks(program)
