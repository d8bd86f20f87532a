"""Operations that code appends to blocks itself, changes, takes out and asks about."""

import numpy as np
import proa as paddle
import pytest
from proa import static


@pytest.fixture
def block():
    main = static.Program()
    with static.program_guard(main, static.Program()), static.scope_guard(static.Scope()):
        static.data("x", [2, 3])
        yield main.global_block()


def fetched(block, name, **feed):
    return static.Executor().run(block.program, feed=feed, fetch_list=[name])[0]


X = np.array([[-1, 2, -3], [4, -5, 6]], "float32")


def test_appended_operations_run_and_describe_their_results(block):
    y, z = block.create_var(name="y"), block.create_var()
    op = block.append_op(type="relu", inputs={"X": block.var("x")}, outputs={"Out": y})
    assert (op.type, op.idx, y.shape, y.dtype) == ("relu", 0, (2, 3), paddle.float32)
    block.append_op("scale", {"X": ["y"]}, {"Out": [z]}, {"scale": np.float32(2), "bias": 1, "of_another": 3})
    assert block.ops[-1].attr("bias_after_scale") is True and not block.ops[-1].has_attr("of_another")
    np.testing.assert_array_equal(fetched(block, z, x=X), np.maximum(X, 0) * 2 + 1)
    reduced = block.create_var(name="r", dtype="int64")
    block.append_op(type="reduce_sum", inputs={"X": [z]}, outputs={"Out": reduced}, attrs={"dim": (1,)})
    assert reduced.shape == (2,) and reduced.dtype == paddle.float32 and block.ops[-1].attr("dim") == [1]


def test_dtypes_as_attributes(block):
    for number, dtype in enumerate((3, "int64", np.int64, paddle.int64)):
        y = block.create_var(name=f"y{number}")
        block.append_op(type="cast", inputs={"X": ["x"]}, outputs={"Out": [y]},
                        attrs={"in_dtype": 5, "out_dtype": dtype})
        assert y.dtype == paddle.int64


def test_places_in_a_block(block):
    y, z = block.create_var(name="y"), block.create_var(name="z")
    block.append_op(type="relu", inputs={"X": ["x"]}, outputs={"Out": [y]})
    block.append_op(type="exp", inputs={"X": [y]}, outputs={"Out": [z]})
    block._insert_op(1, type="abs", inputs={"X": [y]}, outputs={"Out": [y]})
    block._prepend_op(type="sign", inputs={"X": ["x"]}, outputs={"Out": ["x"]})
    assert [op.type for op in block.ops] == ["sign", "relu", "abs", "exp"]
    np.testing.assert_allclose(fetched(block, "z", x=X), np.exp(np.maximum(np.sign(X), 0)), rtol=1e-6)
    block._remove_op(0)
    np.testing.assert_allclose(fetched(block, "z", x=X), np.exp(np.maximum(X, 0)), rtol=1e-6)
    with pytest.raises(IndexError, match="the block has 3 operations. Received 7"):
        block._remove_op(7)
    assert [op.type for op in block._slice_ops(1, 3)] == ["abs", "exp"]


def test_a_changed_operation_is_run_as_it_is_then(block):
    y, z = block.create_var(name="y"), block.create_var(name="z")
    op = block.append_op(type="scale", inputs={"X": ["x"]}, outputs={"Out": [y]}, attrs={"scale": 2.0})
    assert fetched(block, "y", x=X)[0, 0] == -2
    op._set_attr("scale", 3.0)
    assert fetched(block, "y", x=X)[0, 0] == -3
    op._rename_output("y", "z")
    z.shape, z._dtype = y.shape, y.dtype
    assert fetched(block, "z", x=X)[0, 0] == -3
    op._remove_attr("scale")
    assert not op.has_attr("scale") and op.attr_type("bias").name == "FLOAT" and op.attr_type("bias") == 1
    with pytest.raises(KeyError, match=r"has no attribute 'nope'. It has: \["):
        op.attr("nope")
    block._rename_var("z", b"zz")
    assert op.output_arg_names == ["zz"] and block.has_var("zz") and not block.has_var("z")
    block._remove_var("y")
    assert not block.has_var("y")
    with pytest.raises(ValueError, match="has no variable 'nope'"):
        block._rename_var("nope", "a")


def test_gradients_flow_through_appended_operations(block):
    weight = block.create_parameter([3], "float32", "w", paddle.nn.initializer.Constant(2.0))
    assert block.ops[-1].type == "fill_constant" and weight.trainable and block.all_parameters() == [weight]
    y, stopped = block.create_var(name="y"), block.create_var(name="s")
    block.append_op(type="elementwise_mul", inputs={"X": ["x"], "Y": [weight]}, outputs={"Out": [y]})
    block.append_op(type="relu", inputs={"X": ["x"]}, outputs={"Out": [stopped]})
    assert not y.stop_gradient and stopped.stop_gradient
    [(_, gradient)] = static.append_backward(y.sum())
    np.testing.assert_array_equal(fetched(block, gradient, x=X), X.sum(0))


@pytest.mark.parametrize("type", ["transpose", "transpose2"])
def test_axes_from_the_end(block, type):
    given, turned = block.create_parameter([2, 3, 4], "float32", "w"), block.create_var(name="turned")
    block.append_op(type=type, inputs={"X": [given]}, outputs={"Out": [turned]}, attrs={"axis": [-1, 0, 1]})
    [gradient] = static.gradients(turned * turned, given)
    value = np.arange(24, dtype="float32").reshape(2, 3, 4)
    np.testing.assert_array_equal(fetched(block, gradient, w=value), 2 * value)


def test_roles(block):
    program = block.program
    with program._optimized_guard([]):
        a = block.append_op(type="relu", inputs={"X": ["x"]}, outputs={"Out": [block.create_var(name="a")]})
    with program._backward_role_guard():
        b = block.append_op(type="relu", inputs={"X": ["x"]}, outputs={"Out": [block.create_var(name="b")]})
        static.nn.fc(block.var("x"), 1)
    with program._lr_schedule_guard():
        c = block.append_op(type="relu", inputs={"X": ["x"]}, outputs={"Out": [block.create_var(name="c")]})
    assert (a.attr("op_role"), b.attr("op_role"), c.attr("op_role")) == (2, 1, 16)
    assert a._is_optimize_op() and b._is_backward_op() and not c._is_backward_op()
    assert program.clone(for_test=True).global_block().ops == []


@pytest.mark.parametrize("given, kind, message", [
    ({}, ValueError, "must be the type of an operator, such as 'relu'. Received None"),
    ({"type": "nonsense"}, NotImplementedError, "'nonsense' is not known here"),
    ({"type": "relu", "outputs": {"Out": "x"}}, ValueError, "needs 'X'"),
    ({"type": "relu", "inputs": {"X": "nowhere"}, "outputs": {"Out": "x"}}, ValueError,
     "block 0 has no variable 'nowhere'. Make it before"),
    ({"type": "relu", "inputs": {"X": "x", "Z": "x"}}, ValueError, r"has the slots \['X'\]. Received \['Z'\]"),
    ({"type": "relu", "inputs": {"X": ["x", "x"]}}, ValueError, "'X' takes one variable"),
    ({"type": "relu", "inputs": {"X": 3}}, TypeError, "'X' takes Variables or their names. Received int"),
    ({"type": "relu", "inputs": ["x"]}, TypeError, "must be a dict of variables by slot. Received list"),
    ({"type": "mul", "inputs": {"X": "x", "Y": "x"}, "outputs": {"Out": "x"}}, ValueError, "mul"),
])
def test_what_cannot_be_appended(block, given, kind, message):
    with pytest.raises(kind, match=message):
        block.append_op(**given)
    assert block.ops == []


def test_programs_from_bytes_and_pruned_ones(block):
    program = block.program
    y = static.nn.fc(block.var("x"), 2, name="f")
    loss = y.mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
    again = static.Program.parse_from_string(program.desc.serialize_to_string())
    own, found = ([op.type for op in each.global_block().ops] for each in (program, again))
    place = own.index("expand_to_shape")  # of the gradient some are ours alone: files have Paddle's for them
    assert found[:place] == own[:place] and found[-2:] == own[-2:] == ["sgd", "sgd"]
    assert "expand_v2" in found and {"expand_to_shape", "sum_to_shape"}.isdisjoint(found)
    exe, given = static.Executor(), {"x": np.arange(6, dtype="float32").reshape(2, 3)}
    steps = []
    for each in (program, again):
        with static.scope_guard(static.Scope()):
            exe.run(static.default_startup_program())
            static.global_scope().find_var("f.w_0").get_tensor().set(np.ones((3, 2), "float32"), paddle.CPUPlace())
            steps.append([exe.run(each, feed=given, fetch_list=[loss.name])[0] for _ in range(3)])
    np.testing.assert_allclose(steps[0], steps[1], rtol=1e-6)
    assert steps[0][2] < steps[0][0]
    assert [p.name for p in again.all_parameters()] == ["f.w_0", "f.b_0"] and isinstance(again, static.Program)
    forward = program._prune([y])
    assert [op.type for op in forward.global_block().ops] == [op.type for op in block.ops[:2]]
    assert set(forward.global_block().vars) == {"x", "f.w_0", "f.b_0", block.ops[0].output_arg_names[0], y.name}
    assert [op.type for op in program._prune_with_input([y.name], [loss]).global_block().ops] == ["reduce_mean"]
    assert program._prune([block.ops[-1]]).global_block().ops[-1].type == "sgd"
    with pytest.raises(ValueError, match="no variable 'nope'"):
        program._prune(["nope"])
    with pytest.raises(TypeError, match="Received int"):
        program._prune([3])


def test_printed(block):
    y = static.nn.fc(block.var("x"), 2, name="told")
    text = str(block.program)
    assert text.splitlines()[0] == "{ // block_idx:0  parent_idx:-1  forward_idx:-1  backward_idx:-1"
    assert "    var x : LOD_TENSOR.shape(2, 3).dtype(float32).stop_gradient(True)\n" in text
    assert "    persist trainable param told.b_0 : LOD_TENSOR.shape(2,).dtype(float32).stop_gradient(False)\n" in text
    assert f"{{Out=['{y.name}']}} = elementwise_add(inputs={{X=" in text and " axis = " in text
    assert block.program.to_string(True).startswith("blocks {\n  idx: 0\n") and "idx: 0" in block.to_string(True)
    assert 'type: "mul"' in block.ops[0].to_string(True)


def test_a_variable_that_is_there_is_found_by_its_name_alone():
    """It was replaced by one without shape and dtype, which operations that read it met."""
    block = paddle.static.Program().global_block()
    there = block.create_var(name="there", shape=[3, 4], dtype="float64", persistable=True)
    assert block.create_var(name="there") is there and block.var("there").shape == (3, 4)


def test_with_tensors_it_is_computed_at_once():
    block = static.default_main_program().global_block()
    before = len(block.ops)
    x, y = paddle.zeros([2]), paddle.ones([2])
    block.append_op(type="elementwise_add", inputs={"X": [x], "Y": [y]}, outputs={"Out": [x]}, attrs={"axis": -1})
    assert x.tolist() == [1.0, 1.0] and len(block.ops) == before


def test_a_variable_is_made_again_with_what_clips_its_gradient():
    """As PaddleHub copies Programs: each attribute of a variable is handed to `create_var`, where it is None too."""
    block = static.Program().global_block()
    clip = paddle.nn.ClipGradByValue(1.0)
    first, second = (block.create_var(name=name, shape=[2], dtype="float32", error_clip=given, persistable=False)
                     for name, given in (("a", None), ("b", clip)))
    assert first.error_clip is None and second.error_clip is clip


def test_a_variable_that_is_declared_again_stays_what_it_is():
    block = static.Program().global_block()
    w = block.create_var(name="w", shape=[3, 4], dtype="float64", persistable=True)
    for said in ({"lod_level": 0}, {"persistable": True}, {"type": w.type}, {"dtype": "float64"}):
        again = block.create_var(name="w", **said)
        assert again.shape == (3, 4) and again.dtype == paddle.float64 and again.persistable, said
    with pytest.raises(ValueError, match=r"create_var\(name\): the block has a variable 'w' already"):
        block.create_var(name="w", persistable=False)
