"""Loops, branches, recurrences and decoders of Paddle 1.x against 1.8.5's answers, gradients among them."""

import json
from pathlib import Path

import control_flow_cases
import numpy as np
import proa.fluid as fluid
import pytest
from program_runs import first_value

ANSWERS = np.load(Path(__file__).parent.parent / "fixtures" / "fluid" / "control_flow.npz")
layers = fluid.layers


@pytest.mark.parametrize("case", control_flow_cases.CASES)
def test_what_1_8_gives(case):
    got = control_flow_cases.computed(fluid, case, first_value)
    assert got
    for number, (array, lod) in enumerate(got):
        expected = ANSWERS[f"{case}: {number}"]
        assert array.shape == expected.shape and array.dtype == expected.dtype
        np.testing.assert_allclose(array, expected, rtol=2e-5, atol=2e-6)
        assert lod == json.loads(str(ANSWERS[f"{case}: {number}: lod"]))


@pytest.fixture
def main():
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()), fluid.unique_name.guard():
        yield program


def types(block):
    return [op.type for op in block.ops]


def test_operations_of_a_dynamic_rnn(main):
    """As in 1.8.5's Program of the same, in which nothing empties a list."""
    x = fluid.data("x", [None, 4], lod_level=1)
    rnn = layers.DynamicRNN()
    with rnn.block():
        item = rnn.step_input(x)
        before = rnn.memory(shape=[4], value=0.0)
        rnn.update_memory(before, layers.elementwise_add(before, item))
        rnn.output(before)
    rnn()
    written = fluid.Program.parse_from_string(main.desc.serialize_to_string())
    assert [t for t in types(written.block(0)) if t != "empty_array"] == [
        "fill_constant", "lod_rank_table", "max_sequence_len", "less_than", "lod_tensor_to_array", "fill_constant",
        "read_from_array", "fill_constant_batch_size_like", "write_to_array", "while", "array_to_lod_tensor"]
    assert types(written.block(1)) == ["read_from_array", "read_from_array", "shrink_rnn_memory", "elementwise_add",
                                       "write_to_array", "increment", "write_to_array", "less_than"]
    assert {"dynamic_rnn_input_array_0", "dynamic_rnn_mem_array_0", "lod_rank_table_0"} <= set(main.block(0).vars)


def test_operations_of_a_static_rnn(main):
    x = fluid.data("x", [3, 2, 4])
    rnn = layers.StaticRNN()
    with rnn.step():
        item = rnn.step_input(x)
        before = rnn.memory(shape=[-1, 5], batch_ref=item)
        new = layers.fc([item, before], 5, bias_attr=False)
        rnn.update_memory(before, new)
        rnn.step_output(new)
    assert types(main.block(0)) == ["fill_constant_batch_size_like", "recurrent"]
    op = main.block(0).ops[1]
    assert op.input("initial_states") == ["static_rnn_0@memory_boot_0"]
    assert op.attr("ex_states") == ["static_rnn_0@mem_0"]
    assert op.output("outputs") == ["static_rnn_0.tmp_0"] and sorted(op.input("parameters")) == ["fc_0.w_0", "fc_0.w_1"]
    assert rnn().shape == (3, 2, 5)


@pytest.mark.parametrize("reverse", [False, True])
def test_steps_may_run_from_the_last(main, reverse):
    """`reverse`, which files may ask for: outputs stand at their steps."""
    x = fluid.data("x", [3, 2, 1])
    x.stop_gradient = False
    rnn = layers.StaticRNN()
    with rnn.step():
        item = rnn.step_input(x)
        before = rnn.memory(shape=[-1, 1], batch_ref=item)
        rnn.update_memory(before, layers.elementwise_add(layers.scale(before, 2.0), item))
        rnn.step_output(before)
    out = rnn()
    main.block(0).ops[1].attrs["reverse"] = reverse
    loss = layers.reduce_sum(layers.elementwise_mul(out, layers.assign(np.float32([[[1]], [[10]], [[100]]]))))
    fluid.backward.append_backward(loss)
    value = np.arange(6, dtype="float32").reshape(3, 2, 1)
    got, gradient = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": value}, fetch_list=[out, "x@GRAD"])
    a, b, c = value[::-1] if reverse else value
    states = np.stack([np.zeros_like(a), a, 2 * a + b])
    weights = [100, 10, 1] if reverse else [1, 10, 100]
    slopes = np.stack([np.full((2, 1), g) for g in (weights[1] + 2 * weights[2], weights[2], 0)])
    np.testing.assert_allclose(got, states[::-1] if reverse else states)
    np.testing.assert_allclose(gradient, slopes[::-1] if reverse else slopes)


def test_a_loop_that_is_differentiated_gives_the_true_gradient(main):
    """1.8.5 gives another one here: it reads what the last round has left instead of what each round began with."""
    x = fluid.data("x", [1])
    x.stop_gradient = False
    i, n = layers.zeros([1], "int64"), layers.fill_constant([1], "int64", 3)
    h = layers.fill_constant([1], "float32", 2.0)
    h.stop_gradient = False
    going = layers.less_than(i, n)
    loop = layers.While(going)
    with loop.block():
        layers.assign(layers.elementwise_mul(layers.elementwise_mul(h, h), x), h)
        layers.increment(i)
        layers.less_than(i, n, cond=going)
    fluid.backward.append_backward(layers.reduce_sum(h))
    got = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": np.float32([0.5])}, fetch_list=[h, "x@GRAD"])
    assert [float(v[0]) for v in got] == [2.0**8 * 0.5**7, 2.0**8 * 7 * 0.5**6]


def test_what_is_refused(main):
    x, rows = fluid.data("x", [3, 2]), fluid.data("rows", [None, 2], lod_level=1)
    with pytest.raises(ValueError, match=r"case\(\): must stand within"):
        layers.Switch().case(layers.less_than(x, x)).__enter__()
    with pytest.raises(ValueError, match="must be a case before"), layers.Switch() as chosen, chosen.default():
        pass
    rnn = layers.StaticRNN()
    with pytest.raises(ValueError, match=r"step_input\(\): must stand in"):
        rnn.step_input(x)
    with pytest.raises(ValueError, match="what it becomes"), rnn.step():
        item = rnn.step_input(x)
        rnn.memory(shape=[-1, 2], batch_ref=item, ref_batch_dim_idx=1)
    rnn = layers.DynamicRNN()
    with pytest.raises(RuntimeError, match="must stand behind step_input"), rnn.block():
        rnn.static_input(rows)
    rnn = layers.DynamicRNN()
    with pytest.raises(ValueError, match="give init, or the shape"), rnn.block():
        rnn.step_input(rows)
        rnn.memory()
    both = layers.IfElse(layers.less_than(x, x))
    with pytest.raises(ValueError, match=r"input\(\): must stand in true_block"):
        both.input(x)
    with pytest.raises(ValueError, match="must have outputs"), both.true_block():
        both.input(x)
    numbers = layers.array_write(layers.zeros([1], "int64"), layers.zeros([1], "int64"), layers.create_array("float32"))
    assert numbers.dtype.name == "int64"
    with pytest.raises(TypeError, match="int64.*float32"):
        layers.array_write(layers.zeros([1], "float32"), layers.zeros([1], "int64"), numbers)
    with pytest.raises(TypeError, match=r"array_read\(array\)"):
        layers.array_read(x, x)
    with pytest.raises(NotImplementedError, match=r"must define call"):
        layers.RNNCell()(x, x)
    with pytest.raises(RuntimeError, match="operations are computed at once"), fluid.dygraph.guard(), \
            layers.StaticRNN().step():
        pass


@pytest.mark.parametrize("fed, shape", [(1.0, (1, 2)), (-1.0, (1, 3, 2))])
def test_blocks_of_if_else_give_other_shapes(main, fed, shape):
    # As Mask R-CNN predicts: [[-1]] where nothing was found, masks of what was found otherwise.
    x = layers.data("x", [2])
    zero = layers.fill_constant([1, 1], "float32", 0.0)
    either = layers.IfElse(layers.less_than(zero, layers.slice(x, [1], [0], [1])))
    with either.true_block():
        either.output(either.input(x))
    with either.false_block():
        either.output(layers.stack([either.input(x)] * 3, axis=1))
    (joined,) = either()
    assert tuple(joined.shape) == (-1, 2)
    (found,) = fluid.Executor(fluid.CPUPlace()).run(main, {"x": np.full((1, 2), fed, "float32")}, [joined])
    assert found.shape == shape and (found == fed).all()


def test_a_name_that_is_module_and_function():
    from proa.fluid.layer_helper_base import LayerHelperBase
    from proa.fluid.layers.rnn import GRUCell

    assert GRUCell is layers.GRUCell and callable(layers.rnn)
    assert issubclass(fluid.layer_helper.LayerHelper, LayerHelperBase)


def test_a_file_that_knows_no_shape_behind_a_beam_search(main):
    """1.8.5 writes no sizes for what beam_search_decode gives, nor for what is computed of that; the LoD goes on."""
    ids, scores = fluid.data("ids", [None, 1], "int64", lod_level=2), fluid.data("scores", [None, 1], lod_level=2)
    first = layers.zeros([1], "int64")
    found, _ = layers.beam_search_decode(layers.array_write(ids, first), layers.array_write(scores, first), 2, 1)
    shown = layers.scale(found, 1.0)
    found.shape, shown.shape = (), (0,)
    again = fluid.Program.parse_from_string(main.desc.serialize_to_string())
    rows = fluid.create_lod_tensor(np.int64([[3], [4]]), [[1, 1], [1, 1]], fluid.CPUPlace())
    likely = fluid.create_lod_tensor(np.float32([[1], [2]]), [[1, 1], [1, 1]], fluid.CPUPlace())
    got, = fluid.Executor(fluid.CPUPlace()).run(again, feed={"ids": rows, "scores": likely}, fetch_list=[shown.name],
                                                return_numpy=False)
    assert np.array(got).reshape(-1).tolist() == [3, 4] and got.lod() == [[0, 1, 2], [0, 1, 2]]


def test_gradients_of_gradients_through_a_recurrence_are_refused():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [3, 2, 4])
        x.stop_gradient = False
        rnn = fluid.layers.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)
            state = rnn.memory(shape=[-1, 4], batch_ref=word)
            rnn.update_memory(state, fluid.layers.tanh(word * state + word))
            rnn.step_output(state)
        out = rnn()
        (gradient,) = fluid.gradients([fluid.layers.reduce_sum(out * out)], [x])
        with pytest.raises(NotImplementedError, match="gradients of gradients do not go through a recurrence"):
            fluid.gradients([fluid.layers.reduce_sum(gradient * gradient)], [x])


def test_beams_of_what_has_sizes_that_are_not_known(main):
    """What an encoder gives of sentences, which attention reads: each sequence's again for each of its beams."""
    x, decoder = fluid.data("x", [None, None, 2]), layers.BeamSearchDecoder(None, 0, 1, 3)
    tiled = layers.BeamSearchDecoder.tile_beam_merge_with_batch(x, 3)
    split = decoder._split_batch_beams(tiled)
    assert tiled.shape == (-1, -1, 2) and split.shape == (-1, 3, -1, 2)
    values = np.arange(20, dtype="float32").reshape(2, 5, 2)
    found = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": values}, fetch_list=[
        tiled, split, decoder._merge_batch_beams(split)])
    expected = np.repeat(values, 3, 0)
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[1], expected.reshape(2, 3, 5, 2))
    np.testing.assert_array_equal(found[2], expected)


def test_a_state_begins_with_what_is_taken_of_a_variable_in_the_step(main):  # losses are PaddlePaddle 1.8.5's
    weight, first = (fluid.ParamAttr(name=name, initializer=fluid.initializer.Constant(0.1)) for name in "wv")
    x, states = fluid.data("x", [3, 2, 4]), fluid.data("i", [2, 2, 4])
    projected = fluid.layers.fc(x, 4, num_flatten_dims=2, param_attr=first)
    rnn = fluid.layers.StaticRNN()
    with rnn.step():
        item, state = rnn.step_input(projected), rnn.memory(init=states[1])
        new = fluid.layers.fc(fluid.layers.concat([item, state], 1), 4, act="tanh", param_attr=weight, bias_attr=False)
        rnn.update_memory(state, new)
        rnn.step_output(new)
    loss = fluid.layers.mean(fluid.layers.square(rnn()))
    fluid.optimizer.SGD(1.0).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    draw = np.random.RandomState(0)
    fed = {"x": draw.rand(3, 2, 4).astype("float32"), "i": draw.rand(2, 2, 4).astype("float32")}
    with fluid.scope_guard(fluid.Scope()):
        exe.run(fluid.default_startup_program())
        losses = [float(exe.run(feed=fed, fetch_list=[loss])[0][0]) for _ in range(2)]
    np.testing.assert_allclose(losses, [0.05960096, 0.00671805], rtol=1e-5)


def test_a_state_does_not_begin_with_what_the_step_computes(main):
    x = fluid.data("x", [3, 2, 4])
    rnn = fluid.layers.StaticRNN()
    with pytest.raises(ValueError, match=r"StaticRNN.memory\(init\): must be there before the steps"), rnn.step():
        rnn.memory(init=rnn.step_input(x) * 2.0)


def test_results_of_branches_are_called_as_1_8_calls_them(main):
    """Names that users do not give are names of files: a persistable variable behind a branch has 1.8.5's."""
    x = fluid.data("x", [None, 3])
    chosen = layers.cond(layers.less_than(layers.mean(x), layers.fill_constant([1], "float32", 1)), lambda: x * 2.0,
                         lambda: x)
    branches = [op for op in main.global_block().ops if op.type in ("logical_not", "cast", "select_input")]
    assert [op.output("Out") for op in branches] == [["logical_not_0.tmp_0"], ["cast_0.tmp_0"], ["_generated_var_4"]]
    assert chosen.name == "_generated_var_4" and (x + x).name == "tmp_1"
    assert layers.create_global_var([1], 0.0, "float32", persistable=True).name == "_generated_var_5"


def test_a_branch_that_stands_alone_is_one_operation(main):
    x = fluid.data("x", [1])

    def double():
        layers.assign(x * 2.0, x)

    assert layers.cond(layers.less_than(x, x), double) is None
    assert types(main.global_block()) == ["less_than", "conditional_block"]


@pytest.mark.parametrize("twice", ["a first state", "a sequence"])
def test_what_a_recurrence_takes_twice_has_the_gradient_of_both(main, twice):
    """As in 1.8.5, where decoders of several layers begin them all with one state."""
    x, h = fluid.data("x", [2, 3, 2]), fluid.data("h", [3, 2])
    x.stop_gradient = h.stop_gradient = False
    rnn = layers.StaticRNN()
    with rnn.step():
        item, other = rnn.step_input(x), rnn.step_input(x) if twice == "a sequence" else 0.5
        a, b = rnn.memory(init=h), rnn.memory(init=h if twice == "a first state" else h * 2.0)
        rnn.update_memory(a, layers.tanh(a + item * other))
        rnn.update_memory(b, layers.tanh(b * 2.0 - a * other))
        rnn.step_output(b * a)
    loss = layers.reduce_sum(layers.square(rnn()))
    fluid.backward.append_backward(loss)
    exe, rng = fluid.Executor(fluid.CPUPlace()), np.random.RandomState(0)
    fed = {"x": rng.standard_normal((2, 3, 2)).astype("float32"), "h": rng.standard_normal((3, 2)).astype("float32")}
    slopes = dict(zip("xh", exe.run(main, feed=fed, fetch_list=["x@GRAD", "h@GRAD"]), strict=True))
    for name, slope in slopes.items():
        along = rng.standard_normal(slope.shape).astype("float32") * np.float32(1e-2)
        ahead, back = (exe.run(main, feed={**fed, name: fed[name] + along * sign}, fetch_list=[loss])[0][0]
                       for sign in (1, -1))
        np.testing.assert_allclose((slope * along).sum(), (ahead - back) / 2, rtol=1e-2)
