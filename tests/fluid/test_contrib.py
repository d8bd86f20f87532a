"""Parts of `fluid.contrib`, and what code of 1.x builds by hand below the layers; values are 1.8.5's."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid.layers.control_flow import BlockGuard, While, WhileGuard, select_input, select_output
from proa.fluid.layers.layer_function_generator import generate_activation_fn, generate_layer_fn, templatedoc
from proa.fluid.proto import framework_pb2

layers = fluid.layers
ROWS = {"x": np.linspace(-1, 1, 12).reshape(3, 4).astype("float32"), "y": np.array([[1.0], [2.0], [3.0]], "float32")}


@pytest.fixture(autouse=True)
def programs():
    main, startup = fluid.Program(), fluid.Program()
    with (fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope())):
        yield main, startup


def executor(startup=None):
    exe = fluid.Executor(fluid.CPUPlace())
    if startup is not None:
        exe.run(startup)
    return exe


def network():
    x, y = fluid.data("x", [-1, 4]), fluid.data("y", [-1, 1])
    weights = [fluid.initializer.NumpyArrayInitializer(np.linspace(*ends).reshape(shape).astype("float32"))
               for ends, shape in (((-1, 0.9, 20), [4, 5]), ((0.3, 0.8, 5), [5, 1]))]
    hidden = layers.fc(x, 5, act="relu", param_attr=weights[0])
    predicted = layers.fc(hidden, 1, param_attr=weights[1])
    return predicted, layers.reduce_mean(layers.square_error_cost(predicted, y))


@pytest.mark.parametrize("kind", ["abs_max", "range_abs_max"])
def test_quantize_transpiler(programs, kind):
    main, startup = programs
    predicted, loss = network()
    test = main.clone(for_test=True)
    transpiler = fluid.contrib.QuantizeTranspiler(activation_quantize_type=kind)
    fluid.optimizer.SGD(0.1).minimize(loss)
    transpiler.training_transpile(main, startup)
    transpiler.training_transpile(test, fluid.Program())
    exe = executor(startup)
    losses = [exe.run(main, feed=ROWS, fetch_list=[loss])[0].item() for _ in range(3)]
    transpiler.freeze_program(test, fluid.CPUPlace())
    given = exe.run(test, feed=ROWS, fetch_list=[predicted.name])[0].ravel()
    np.testing.assert_allclose([*losses, *given], [1.17856, 0.16842, 0.02555, 1.12536, 1.97794, 2.95691], rtol=1e-4)
    transpiler.convert_to_int8(test, fluid.CPUPlace())
    assert {"fc_0.w_0.int8", "fc_1.w_0.int8"} <= {v.name for v in test.list_vars() if v.persistable}


def test_counts_of_operators(programs):
    network()
    types, pairs = fluid.contrib.op_freq_statistic(programs[0])
    assert list(types.items())[:2] == [("mul", 2), ("elementwise_add", 2)]
    assert pairs["mul->elementwise_add"] == 2 and pairs["relu->mul"] == 1
    with pytest.raises(TypeError, match="must be a Program"):
        fluid.contrib.op_freq_statistic(3)


def test_weight_decay_has_a_module_of_its_own():
    from proa.fluid.contrib.extend_optimizer.extend_optimizer_with_weight_decay import DecoupledWeightDecay

    made = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)
    assert issubclass(made, DecoupledWeightDecay)


def test_one_of_several_outputs_and_inputs(programs):
    x, which = fluid.data("x", [1]), fluid.data("which", [1], "int32")
    block = programs[0].current_block()
    outputs = [block.create_var(dtype="float32") for _ in range(2)]
    select_output(x, outputs, which)
    chosen = layers.mean(select_input(outputs, which))
    for number in range(2):
        feed = {"x": np.full(1, 3.0, "float32"), "which": np.array([number], "int32")}
        one, first = executor().run(feed=feed, fetch_list=[chosen, outputs[0]])
        assert one.item() == 3.0 and first.item() == (0.0 if number else 3.0)


def test_blocks_by_their_guards(programs):
    main = programs[0]
    i, n, total = layers.zeros([1], "int64"), layers.fill_constant([1], "int64", 5), layers.zeros([1], "float32")
    going = layers.less_than(i, n)
    with WhileGuard(While(going)):
        layers.assign(total + 2.0, total)
        layers.increment(i)
        layers.less_than(i, n, cond=going)
    assert executor().run(fetch_list=[total])[0].item() == 10.0
    with BlockGuard(main):
        assert main.current_block().parent_idx == 0
    assert main.current_block().idx == 0


def test_an_operation_by_its_description(programs):
    main = programs[0]
    block = main.global_block()
    x = layers.fill_constant([2], "float32", 3.0)
    block.create_var(name="twice", dtype="float32", shape=[1])
    op = block.desc.append_op()
    op.set_type("scale")
    op.set_input("X", [x.name])
    op.set_output("Out", ["twice"])
    op._set_attr("scale", 2.0)
    op.check_attrs()
    op.infer_var_type(block.desc)
    op.infer_shape(block.desc)
    assert block.desc.var(b"twice").shape() == [2] and op.attr("bias") == 0.0
    assert executor().run(fetch_list=["twice"])[0].tolist() == [6.0, 6.0]
    block.desc._remove_op(1, 2)
    assert [op.type for op in block.ops] == ["fill_constant"] and block.desc.find_var("twice") is not None


def test_layers_from_types():
    x = fluid.data("x", [-1, 4])
    found = executor().run(feed={"x": ROWS["x"]}, fetch_list=[
        generate_activation_fn("sigmoid")(x, name="s"), generate_layer_fn("pow")(x, factor=2.0),
        generate_layer_fn("sum")([x, x]), generate_layer_fn("elementwise_add")(x=x, y=x, act="relu")])
    wanted = [1 / (1 + np.exp(-ROWS["x"])), ROWS["x"] ** 2, 2 * ROWS["x"], np.maximum(2 * ROWS["x"], 0)]
    for value, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(value, other, rtol=1e-6)

    @templatedoc()
    def layer(x):
        """${comment}"""
        return x

    assert layer(3) == 3


def test_messages_of_a_program(programs):
    network()
    message = framework_pb2.ProgramDesc.FromString(programs[0].desc.serialize_to_string())
    assert [op.type for op in message.blocks[0].ops][:2] == ["mul", "elementwise_add"]
    assert framework_pb2.VarType.FP32 == 5


def test_description_of_a_data_feed(tmp_path):
    file = tmp_path / "feed.prototxt"
    file.write_text('name: "MultiSlotDataFeed"\nbatch_size: 2\nmulti_slot_desc {\n  slots {\n    name: "words"\n'
                    '    type: "uint64"\n  }\n  slots {\n name: "label" type: "float" is_used: true }\n}\n')
    found = fluid.DataFeedDesc(str(file))
    found.set_batch_size(128)
    found.set_dense_slots(["label"])
    found.set_use_slots(["words"])
    assert found.desc() == (
        'name: "MultiSlotDataFeed"\nbatch_size: 128\nmulti_slot_desc {\n  slots {\n    name: "words"\n'
        '    type: "uint64"\n    is_dense: false\n    is_used: true\n  }\n  slots {\n    name: "label"\n'
        '    type: "float"\n    is_dense: true\n    is_used: true\n  }\n}\npipe_command: "cat"\n')
    with pytest.raises(ValueError, match="there is no slot 'nothing'"):
        found.set_use_slots(["nothing"])
    file.write_text("name = 3")
    with pytest.raises(ValueError, match="line 1 is not of the form"):
        fluid.DataFeedDesc(file)


def test_scopes_are_switched():
    from proa.fluid.executor import _switch_scope, global_scope

    other = fluid.Scope()
    before = _switch_scope(other)
    assert global_scope() is other and _switch_scope(before) is other and global_scope() is before


def test_products_of_slots_and_of_ranks(programs):
    main, startup = programs
    random, ranks, width, out = np.random.default_rng(0), 3, 2, 4
    matrices = random.normal(size=(ranks * ranks * width, out)).astype("float32")
    x, offset = fluid.data("x", [-1, width]), fluid.data("offset", [-1, 2 * ranks + 1], "int32")
    slots = fluid.data("slots", [2, -1, 3])
    constant = fluid.initializer.ConstantInitializer
    given = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(matrices))
    attended = fluid.contrib.layers.rank_attention(x, offset, matrices.shape, given, ranks)
    product = fluid.contrib.layers.batch_fc(slots, [2, 3, 4], fluid.ParamAttr(initializer=constant(0.5)), [2, 4],
                                            fluid.ParamAttr(initializer=constant(1.0)), "relu")
    feed = {"x": random.normal(size=(5, width)).astype("float32"), "offset": np.zeros((5, 7), "int32"),
            "slots": random.normal(size=(2, 6, 3)).astype("float32")}
    feed["offset"][:, 0::2] = random.integers(0, 5, (5, 4))
    feed["offset"][:, [0, 1, 3, 5]] = random.integers(-1, ranks + 1, (5, 4))
    found = executor(startup).run(main, feed=feed, fetch_list=[attended, product])
    expected, blocks = np.zeros((5, out)), matrices.reshape(ranks * ranks, width, out)
    for row, (own, *others) in enumerate(feed["offset"]):
        for rank, other in zip(others[0::2], others[1::2]):
            if own > 0 and rank > 0:
                expected[row] += feed["x"][other] @ blocks[(own - 1) * ranks + rank - 1]
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1], np.maximum(feed["slots"] @ np.full((2, 3, 4), 0.5) + 1, 0), rtol=1e-5)
