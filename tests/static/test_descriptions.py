"""Descs, texts and values of what a Program holds, as Paddle's methods give them."""

import re

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.static.compiler.unit import unit_of
from proa.static.format.program_file import read_program_desc


@pytest.fixture
def program():
    made = static.Program()
    with static.program_guard(made, static.Program()), static.scope_guard(static.Scope()):
        x = static.data("x", [-1, 3])
        two = paddle.ParamAttr("weight", paddle.nn.initializer.Constant(2.0))
        weight = static.create_parameter([3], "float32", attr=two)
        (x * weight).sum()
        static.Executor().run(static.default_startup_program())
        yield made


def test_descs(program):
    desc, block = program.desc, program.global_block()
    assert desc.num_blocks() == 1 and desc.block(0).op_size() == len(block.ops) == 2
    op = desc.block(0).op(0)
    assert op.type() == "elementwise_mul" and op.input_arg_names() == ["x", "weight"] and op.input("X") == ["x"]
    assert op.input_names() == ["X", "Y"] and op.output("Out") == op.output_arg_names() and op.output_names() == ["Out"]
    assert op.has_attr("axis") and op.attr("axis") == -1 and "axis" in op.attr_names()
    assert block.ops[1].idx == 1 and block.ops[0].all_attrs().items() >= block.ops[0].attrs.items()
    read = read_program_desc(desc.serialize_to_string())
    assert [o.type for o in read.blocks[0].ops] == [o.type for o in block.ops]


def test_descs_of_variables(program):
    desc = program.global_block().var("x").desc
    assert (desc.name(), desc.shape(), desc.dtype(), desc.lod_level()) == ("x", [-1, 3], paddle.float32, 0)
    assert desc.need_check_feed() and not desc.persistable() and desc.stop_gradient() and not desc.is_parameter()
    desc.set_shape([4, 3])
    assert program.global_block().var("x").shape == (4, 3)
    found = program.global_block().desc
    assert found.find_var("weight").is_parameter() and found.find_var(b"absent") is None
    assert {v.name() for v in found.all_vars()} >= {"x", "weight"} and found.has_var("x") and found.parent == -1
    assert [p.name for p in program.global_block().iter_parameters()] == ["weight"]


def test_an_operation_changed_through_its_desc(program):
    op = program.global_block().ops[0]
    op.desc._rename_input("weight", "x")
    op.desc._set_attr("op_device", "cpu")
    assert op.input_arg_names == ["x", "x"] and op.attr("op_device") == "cpu"


def test_texts(program):
    block = program.global_block()
    assert 'name: "weight"' in block.var("weight").to_string(True)
    assert block.var("x").to_string(True, with_details=True).endswith("stop_gradient: true\nerror_clip: None\n")
    details = block.var("weight").to_string(True, with_details=True).partition("error_clip: None\n")[2]
    assert re.findall(r"^\w+", details, re.MULTILINE) == [
        "trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip"]
    assert "elementwise_mul" in block.ops[0].to_string(True) and "elementwise_mul" in block.to_string(True)
    assert block.var("x").grad_name == "x@GRAD" and block.var("x").element_size() == 4


def test_values(program):
    weight = program.global_block().var("weight")
    assert np.array(weight.get_value()).tolist() == [2.0, 2.0, 2.0]
    weight.set_value(np.arange(3.0))
    assert np.array(weight.get_value()).tolist() == [0.0, 1.0, 2.0] and np.array(weight.get_value()).dtype == np.float32
    with pytest.raises(ValueError, match=r"weight has shape \[3\]. Received \[2\]"):
        weight.set_value(np.ones(2))
    with pytest.raises(ValueError, match="the scope holds no variable 'x'"):
        program.global_block().var("x").get_value()
    program.global_block().var("x").retain_grads()


def test_retained_gradients_in_a_converted_function():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        y = x * 2
        y.retain_grads()
        return (y * y).sum()

    x = paddle.ones([2])
    x.stop_gradient = False
    f(x).backward()
    assert x.grad.tolist() == [8.0, 8.0]


def test_an_executor_by_the_name_of_its_place():
    for place in ("cpu", ["cpu"], paddle.CPUPlace(), [paddle.CPUPlace()], None):
        assert static.Executor(place).place.is_cpu_place()


def test_the_compiler_asks_the_rule_again_where_an_attribute_was_set():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2, 3])
        y = paddle.concat([x, x], axis=0)
    block = main.global_block()
    block.ops[0].desc._set_attr("axis", 1)
    assert unit_of(block, block.ops, ["x"], [y.name]).spec(y.name).shape == (2, 6)


def test_what_is_asked_of_a_variable(program):
    x = program.global_block().var("x")
    x._set_attr("kept", 1)
    x._set_info("noted", [2])
    assert x.attr("kept") == 1 and x.attr_names == ["kept"] and x._has_attr("kept") and x._get_info("noted") == [2]
    assert program.clone().global_block().var("x").attr("kept") == 1 and x._get_info("nothing") is None
    x._remove_attr("kept")
    with pytest.raises(KeyError, match="'x' has no attribute 'kept'"):
        x.attr("kept")
    x._set_error_clip(None)
    assert x.error_clip is None and x._to_readable_code() == str(x)
    with pytest.warns(UserWarning, match="its Executor says where"):
        assert x.place() is None
    with pytest.raises(RuntimeError, match="Run the Program and fetch 'x@GRAD'"):
        x.gradient()
    with pytest.raises(RuntimeError, match="computed anew in each run"):
        x.clear_gradient()
    found = static.Executor().run(program, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[x.cpu(), x.cuda()])
    assert [array.tolist() for array in found] == [[[1.0] * 3] * 2] * 2


def test_scopes_inside_a_scope():
    scope = static.Scope()
    scope.var("a").get_tensor().set(np.ones(1), paddle.CPUPlace())
    inner = scope.new_scope()
    scope.drop_kids()
    assert inner.find_var("a") is scope.find_var("a") and inner.local_var_names() == []


def test_shapes_inferred_again():
    """As tools that prune a Program do: a parameter gets another size, and what is computed follows."""
    main, startup, exe, scope = static.Program(), static.Program(), static.Executor(), static.Scope()
    with static.program_guard(main, startup), static.scope_guard(scope):
        out = static.nn.fc(static.data("x", [None, 3]), 4, name="first").mean()
        exe.run(startup)
        assert exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[out.name])[0].shape == ()
        for parameter, shape in zip(main.all_parameters(), ([3, 2], [2]), strict=True):
            parameter.desc.set_shape(shape)
            scope.find_var(parameter.name).get_tensor().set(np.ones(shape, "float32"), paddle.CPUPlace())
        block = main.global_block()
        for op in block.ops:
            op.desc.infer_shape(block.desc)
        assert [tuple(block.var(op.output_arg_names[0]).shape) for op in block.ops] == [(-1, 2), (-1, 2), ()]
        assert exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[out])[0] == 4
        main.all_parameters()[0].desc.set_shape([5, 2])
        with pytest.raises(ValueError, match="mul|matmul"):
            block.ops[0].desc.infer_shape(block.desc)


def test_the_operation_that_writes_a_variable():
    with static.program_guard(static.Program(), static.Program()):
        x = static.data("x", [2])
        y = paddle.tanh(x)
        z = static.nn.cond(x.sum() > 0, lambda: x * 2.0, lambda: x)
        assert y.op.type == "tanh" and y.op.output("Out") == [y.name] and x.op is None
        assert z.op.type == "select_input" and z.op.block.idx == 0
        paddle.assign(x, y)
        assert y.op.type == "assign"


def test_where_an_operation_was_written():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        y = paddle.tanh(static.data("x", [2]))
    for op in (y.op, main.clone().global_block().ops[0]):
        (line,) = op.attr("op_callstack")
        assert re.fullmatch(rf'  File "{re.escape(__file__)}", line \d+', line)
        assert op.attr("with_quant_attr") is False and op.attr("op_device") == ""
    assert static.Program.parse_from_string(main.serialized()).global_block().ops[0].attr("op_callstack") == []


def test_what_every_operation_says_of_training():
    """As in Paddle: what divides training among processes asks each operation for its role and its parameters."""
    main = static.Program()
    with static.program_guard(main, static.Program()), paddle.utils.unique_name.guard():
        loss = static.nn.fc(static.data("x", [None, 3]), 1).mean()
        paddle.optimizer.Adam(0.1).minimize(loss)
    ops = main.global_block().ops
    assert all(op.has_attr(name) for op in ops for name in ("op_role", "op_role_var", "op_device", "op_callstack"))
    assert [op.all_attrs()["op_role"] for op in ops[:2]] == [0, 0] and ops[0].all_attrs()["op_role_var"] == []
    updates = [op for op in ops if op.type == "adam"]
    assert sorted(op.attr("op_role_var") for op in updates) == [["fc_0.b_0", "fc_0.b_0@GRAD"],
                                                                 ["fc_0.w_0", "fc_0.w_0@GRAD"]]
    assert all(op.desc.has_attr("op_role_var") and op.desc.attr("op_role_var") for op in updates)


def test_whether_a_program_has_changed_and_its_hash(program):
    desc = program.desc
    assert desc.need_update()
    first = desc.cached_hash_str()
    assert not desc.need_update() and program.clone().desc.cached_hash_str() == first
    program.global_block().var("x").desc.set_stop_gradient(False)
    assert desc.need_update()
    program.desc.flush()
    assert not desc.need_update()
    program.global_block().ops[0]._set_attr("axis", 0)
    assert desc.need_update() and desc.cached_hash_str() != first


def test_what_has_no_value_or_dtype_is_refused_as_in_paddle(program):
    x = program.global_block().var("x")
    for kind in (AssertionError, TypeError):
        with pytest.raises(kind, match="has no value while"):
            x.numpy()
        with pytest.raises(kind, match="has no dtype"):
            program.global_block().create_var(name="s", type=paddle.base.core.VarDesc.VarType.STEP_SCOPES).dtype


def test_a_product_of_what_is_no_variable():
    with static.program_guard(static.Program()):
        x = np.ones((2, 3, 3), "int32")
        for given in (1, [1.0], "x", x):
            with pytest.raises(TypeError, match="the input X must be a Variable of the Program"):
                paddle.matmul(given, given)
        product = paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(x[0]))
        assert product.shape == (2, 3, 3) and product.dtype == paddle.int32
        assert (static.Executor().run(fetch_list=[product])[0] == 3).all()


def test_a_variable_that_takes_what_is_fed_of_any_size():
    with static.program_guard(static.Program()), static.scope_guard(static.Scope()):
        x = static.data("x", [2, 3])
        y, z = x.reshape([-1]), static.data("z", [-1, 2, 2])
        executor, flat = static.Executor(), np.arange(8, dtype="float32")
        with pytest.raises(ValueError, match=r"'x' takes shape \[2, 3\]"):
            executor.run(feed={"x": flat}, fetch_list=[y])
        x.desc.set_need_check_feed(False)
        assert not x.desc.need_check_feed()
        assert (executor.run(feed={"x": flat}, fetch_list=[y])[0] == flat).all()
        x.desc.set_need_check_feed(True)
        with pytest.raises(ValueError, match=r"'x' takes shape \[2, 3\]"):
            executor.run(feed={"x": flat}, fetch_list=[y])
        # what has the first sizes and no others is taken as it is
        assert executor.run(feed={"z": flat[:4].reshape(2, 2)}, fetch_list=[z * 2.0])[0].shape == (2, 2)
        with pytest.raises(ValueError, match=r"'z' takes shape \[-1, 2, 2\]"):
            executor.run(feed={"z": flat[:6].reshape(2, 3)}, fetch_list=[z * 2.0])


@pytest.mark.parametrize("given", [{"shape": None}, {"dtype": None}, {"shape": [-1]}])
def test_a_parameter_without_sizes_or_a_dtype(given):
    with pytest.raises(ValueError, match="must be given"):
        static.Program().global_block().create_parameter(**{"shape": [2], "dtype": "float32", **given})


def test_values_as_lod_tensors():
    as_lod_tensor, kinds = paddle.base.executor._as_lodtensor, paddle.base.core.VarDesc.VarType
    assert as_lod_tensor((1, 2), paddle.CPUPlace(), kinds.FP64)._dtype() == kinds.FP64
    for kind in (AssertionError, TypeError):
        with pytest.raises(kind, match="needs a dtype"):
            as_lod_tensor(1, paddle.CPUPlace())
    with pytest.raises(TypeError, match="must be an array, a list or a number"):
        as_lod_tensor({"a": 1}, paddle.CPUPlace(), kinds.INT32)


def test_slots_are_left_out(program):
    op = program.global_block().ops[0]
    op.desc.remove_input("Y")
    op.desc.remove_input("absent")
    assert op.desc.input_names() == op.input_names == ["X"] and op.desc.input_arg_names() == ["x"]
    op.desc.remove_output("Out")
    assert op.output_names == [] and op.output_arg_names == []
    assert not program._is_distributed and not program._is_chief


def test_a_variable_is_not_set_to_another_one(program):
    with pytest.raises(TypeError, match=r"paddle\.assign\(value, x\)"):
        program.global_block().var("weight").set_value(program.global_block().var("x"))


def test_a_block_among_all_attributes_is_a_block():
    """As in Paddle: what copies a Program by its operations' attributes goes on to the block."""
    main, copied = static.Program(), static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [1])

        def double():
            paddle.assign(x * 2, x)

        static.nn.cond(x > 0, double)
    branch = next(op for op in main.global_block().ops if op.type == "conditional_block")
    block = branch.all_attrs()["sub_block"]
    assert block is main.block(1) and branch.attr("sub_block") == 1
    for name in ("x", *branch.input("Cond")):
        copied.global_block().create_var(name=name, shape=[1], dtype=main.global_block().var(name).dtype)
    inner = copied._create_block()
    for op in block.ops:
        for name in op.output("Out"):
            if name != "x":
                inner.create_var(name=name, shape=[1], dtype="float32")
        inner.append_op(op.type, {slot: op.input(slot) for slot in op.input_names},
                        {slot: op.output(slot) for slot in op.output_names}, op.all_attrs())
    copied._rollback()
    copied.global_block().append_op("conditional_block", {"Cond": branch.input("Cond"), "Input": branch.input("Input")},
                                    {"Out": branch.output("Out")}, {**branch.all_attrs(), "sub_block": inner})
    feed = {"x": np.ones(1, "float32"), branch.input("Cond")[0]: np.ones(1, "bool")}
    assert static.Executor().run(copied, feed=feed, fetch_list=["x"])[0].tolist() == [2.0]
