"""What several processes do together stands outside of branches and loops, or is refused."""

import proa as paddle
import pytest
from proa.core import launched
from proa.static.compiler.shared_statistics import with_shared_statistics, with_synchronized_norms


def _program(within):
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data("x", [4, 2, 3, 3])
            norm = paddle.nn.BatchNorm2D(2)
            if within:
                paddle.static.nn.cond(x.mean() > 0, lambda: norm(x), lambda: x * 2)
            else:
                norm(x)
    finally:
        paddle.disable_static()
    for block in main.blocks:
        block.ops = with_synchronized_norms(block.ops)
    return main.global_block().ops


def test_in_a_branch_it_is_refused_where_there_are_several_processes(monkeypatch):
    ops = _program(within=True)
    assert with_shared_statistics(ops) == list(ops)
    monkeypatch.setattr(launched, "size", lambda: 2)
    with pytest.raises(NotImplementedError, match="sync_batch_norm in a conditional_block.* among 2 processes"):
        with_shared_statistics(ops)


def test_outside_of_blocks_it_becomes_an_exchange(monkeypatch):
    ops = _program(within=False)
    monkeypatch.setattr(launched, "size", lambda: 2)
    assert "c_allgather" in [op.type for op in with_shared_statistics(ops)]
