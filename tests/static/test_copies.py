"""A copy of a Program shares nothing with it that either may change."""

import copy

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.static.compiler.unit import unit_of
from proa.static.compiler.verify import verify


def program_with_a_branch():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [4, 3])
        w = paddle.static.create_parameter([3, 3], "float32", name="w")
        y = paddle.static.nn.cond(x.mean() > 0, lambda: paddle.matmul(x, w), lambda: x * 2.0)
        z = paddle.transpose(paddle.reshape(y, [3, 4]), [1, 0]) + paddle.to_tensor(np.ones(3, "float32"))
    return main, startup, z


def test_a_copy_computes_the_same_and_refers_to_itself():
    main, startup, z = program_with_a_branch()
    twin = copy.deepcopy(main)
    for block, other in zip(main.blocks, twin.blocks, strict=True):
        assert other.program is twin and other is not block and list(other.vars) == list(block.vars)
        assert all(v.block is other and v is not block.vars[name] for name, v in other.vars.items())
        assert all(op.block is other for op in other.ops)
        assert [str(op) for op in other.ops] == [str(op) for op in block.ops]
    executor = paddle.static.Executor()
    executor.run(startup)
    feed = {"x": np.arange(12, dtype="float32").reshape(4, 3)}
    results = [executor.run(p, feed=feed, fetch_list=[z.name])[0] for p in (main, twin)]
    np.testing.assert_array_equal(*results)


def test_changes_of_a_copy_are_its_own():
    main, _, z = program_with_a_branch()
    before = str(main)
    twin = copy.deepcopy(main)
    block = twin.global_block()
    reshape = next(op for op in block.ops if op.type == "reshape2")
    reshape.attrs["shape"][0] = 6
    reshape.rename_input(reshape.input("X")[0], "other")
    block.var("w").optimize_attr["learning_rate"] = 0.5
    block.var("x").stop_gradient = False
    twin.new_name("matmul_v2")
    assert str(main) == before and main.global_block().var("w").optimize_attr == {"learning_rate": 1.0}
    assert main.global_block().var("x").stop_gradient
    assert copy.deepcopy(main).new_name("k") == main.new_name("k")


def test_an_operation_knows_its_names_after_every_change():
    main, _, _ = program_with_a_branch()
    op = next(op for op in main.global_block().ops if op.type == "reshape2")
    x, = op.input_arg_names
    op.rename_input(x, "a")
    assert op.input_arg_names == ["a"]
    op.set_input("X", ["b"])
    assert op.input_arg_names == ["b"]
    op.set_output("Out", ["c"])
    assert op.output_arg_names[0] == "c"
    op.inputs["X"] = ["d"]
    unit = unit_of(main.global_block(), [op], [x], [])
    unit.ops = [op]
    with pytest.raises(RuntimeError, match="behind set_input"):
        verify(unit, "this test")


def test_a_clone_for_evaluation_holds_nothing_of_the_training(tmp_path):
    """So values that were saved without an optimizer's state can be loaded into it."""
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        loss = static.nn.fc(static.data("x", [None, 3]), 1).mean()
        before = main.clone(for_test=True)
        paddle.optimizer.Adam(0.1).minimize(loss)
        after = main.clone(for_test=True)
        assert [v.name for v in after.list_vars()] == [v.name for v in before.list_vars()]
        assert not after.host_values and len(main.host_values) == 1
        exe.run(startup)
        static.save(before, str(tmp_path / "values"))
        static.load(after, str(tmp_path / "values"), exe)
        feed = {"x": np.ones((2, 3), "float32")}
        found = [exe.run(program, feed=feed, fetch_list=[loss])[0] for program in (before, after)]
        assert found[0] == found[1]
