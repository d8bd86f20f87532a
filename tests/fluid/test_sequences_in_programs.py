"""Sequences in Programs: layers, what they are called, their gradients, files; rank tables and lists by them."""

import numpy as np
import pytest
from proa import fluid, static
from sequence_cases import arrays_of, cases

layers = fluid.layers


@pytest.fixture(autouse=True)
def main():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), \
            fluid.unique_name.guard():
        yield fluid.default_main_program()


def fed(value):
    tensor = fluid.LoDTensor()
    tensor.set(arrays_of(value), fluid.CPUPlace())
    tensor.set_lod(value["lod"])
    return tensor


def run(feed, *fetches):
    return fluid.Executor().run(feed=feed, fetch_list=list(fetches), return_numpy=False)


def check(found, expected):
    np.testing.assert_allclose(np.array(found), arrays_of(expected), rtol=1e-6)
    assert found.lod() == expected["lod"]


def variable(name, value):
    made = fluid.data(name, [None, *arrays_of(value).shape[1:]], "float32", lod_level=len(value["lod"]))
    made.stop_gradient = False
    return made


TABLES = [c for c in cases("lod_rank_table") if len(c["inputs"]["X"][0]["lod"]) == 1]


@pytest.mark.parametrize("case", TABLES, ids=str)
def test_rank_tables(case):
    [given], [memory] = case["inputs"]["X"], case["inputs"]["State"]
    x, state = variable("x", given), variable("state", memory)
    table = layers.control_flow.lod_rank_table(x)
    array = layers.control_flow.lod_tensor_to_array(x, table)
    made = {"longest": layers.control_flow.max_sequence_len(table),
            "back": layers.control_flow.array_to_lod_tensor(array, table),
            "ranked_rows": layers.reorder_lod_tensor_by_rank(state, table)}
    if "ranked" in case["results"]:
        made["ranked"] = layers.reorder_lod_tensor_by_rank(x, table)
    for n in range(3):
        step = static.create_global_var([1], n, "int64", persistable=True)
        made[f"shrunk{n}"] = layers.control_flow.shrink_memory(state, step, table)
    fluid.Executor().run(fluid.default_startup_program())
    feed = {"x": fed(given), "state": fed(memory)}
    for name, found in zip(made, run(feed, *made.values())):
        check(found, case["results"][name][0])
    for name, (weights, expected) in case["gradients"].items():
        g = static.data(f"weights_{name}", [None, *made[name].shape[1:]], "float32")
        [gradient] = fluid.gradients([made[name]], [x if name in ("back", "ranked") else state], [g])
        [found] = run({**feed, g.name: arrays_of({"data": weights})}, gradient)
        np.testing.assert_allclose(np.array(found), arrays_of({"data": expected}), rtol=1e-6)


def test_what_a_rank_table_is_called():
    x = fluid.data("x", [None, 2], "float32", lod_level=1)
    table = layers.control_flow.lod_rank_table(x)
    array = layers.control_flow.lod_tensor_to_array(x, table)
    assert (table.name, array.name) == ("lod_rank_table_1", "lod_tensor_to_array_1")
    assert layers.control_flow.array_to_lod_tensor(array, table).name == "array_to_lod_tensor_0.tmp_0"
    assert table.type == fluid.core.VarDesc.VarType.LOD_RANK_TABLE
    assert layers.control_flow.max_sequence_len(table).name == "max_seqence_len_0.tmp_0"
    with pytest.raises(TypeError, match="must be what lod_rank_table gives"):
        layers.reorder_lod_tensor_by_rank(x, x)


@pytest.mark.parametrize("case", [c for c in cases("lod_rank_table") if len(c["inputs"]["X"][0]["lod"]) == 2], ids=str)
def test_rank_tables_of_two_levels(case):
    [given] = case["inputs"]["X"]
    x = variable("x", given)
    table = layers.control_flow.lod_rank_table(x, **case["attrs"])
    array = layers.control_flow.lod_tensor_to_array(x, table)
    back = layers.control_flow.array_to_lod_tensor(array, table)
    steps = [name for name in case["results"] if name.startswith("step")]
    found = run({"x": fed(given)}, back, *[array[n] for n in range(len(steps))])
    for result, name in zip(found, ["back", *steps]):
        check(result, case["results"][name][0])
    [gradient] = fluid.gradients([back * back], [x])
    np.testing.assert_allclose(np.array(run({"x": fed(given)}, gradient)[0]), 2 * arrays_of(given), rtol=1e-6)


@pytest.mark.parametrize("case", [c for c in cases("split_lod_tensor") if c["label"] == "program"], ids=str)
def test_branches_by_a_mask(case):
    [given], [mask] = case["inputs"]["X"], case["inputs"]["Mask"]
    x, chosen = variable("x", given), fluid.data("mask", [None, 1], "bool")
    true, false = layers.control_flow.split_lod_tensor(x, chosen, **case["attrs"])
    merged = layers.control_flow.merge_lod_tensor(true, false, x, chosen, **case["attrs"])
    [gradient] = fluid.gradients([merged * merged], [x])
    feed = {"x": fed(given), "mask": arrays_of(mask)}
    one, other, both, g = run(feed, true, false, merged, gradient)
    check(both, case["results"]["merged"][0])
    np.testing.assert_allclose(np.array(g), 2 * arrays_of(given), rtol=1e-6)
    for found, name in ((one, "true"), (other, "false")):
        if arrays_of(case["results"][name][0]).size:
            check(found, case["results"][name][0])


def test_a_sequence_model_trains_and_its_file_runs(main):
    x = fluid.data("x", [None, 3], "float32", lod_level=1)
    hidden = layers.sequence_softmax(layers.fc(x, 1))
    pooled = layers.sequence_pool(layers.sequence_reverse(x) * hidden, "max")
    again = layers.sequence_expand_as(pooled, x)
    first = layers.sequence_first_step(again)
    padded, lengths = layers.sequence_pad(again, layers.fc(first, 1)[:1, 0])
    total = layers.sequence_pool(layers.sequence_unpad(padded, lengths), "sum")
    weight = main.all_parameters()[0]
    gradient = fluid.backward.append_backward(static.nn.fc(total, 1).mean())[0][1]
    fluid.Executor().run(fluid.default_startup_program())
    [case] = [c for c in cases("row_conv") if c["inputs"]["X"][0]["lod"]]
    feed = {"x": fed(case["inputs"]["X"][0])}
    expected, slope = run(feed, total, gradient)
    assert np.array(slope).shape == tuple(weight.shape) and np.abs(np.array(slope)).sum() > 0
    read = static.deserialize_program(static.serialize_program([x], [total]))
    [found] = fluid.Executor().run(read, feed=feed, fetch_list=[total.name])
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-6)
    assert [op.type for op in main.global_block().ops][:4] == ["mul", "elementwise_add", "sequence_softmax",
                                                               "sequence_reverse"]


def test_rank_tables_in_files(main):
    x = fluid.data("x", [None, 2], "float32", lod_level=1)
    table = layers.control_flow.lod_rank_table(x)
    array = layers.control_flow.lod_tensor_to_array(x, table)
    doubled = layers.control_flow.array_to_lod_tensor(array, table) * 2
    data = static.serialize_program([x], [doubled])
    read = static.deserialize_program(data)
    [given] = TABLES[0]["inputs"]["X"]
    [found] = fluid.Executor().run(read, feed={"x": fed(given)}, fetch_list=[doubled.name], return_numpy=False)
    np.testing.assert_allclose(np.array(found), 2 * arrays_of(given))
    assert found.lod() == given["lod"]


def test_a_program_that_trains_is_written_and_read(main):
    """Operations of gradients find the offsets again that they took of values which they do not take."""
    x = fluid.data("x", [None, 3], "float32", lod_level=1)
    hidden = layers.sequence_conv(x, 4, 3, act="tanh")
    weights = layers.sequence_softmax(layers.fc(hidden, 1))
    pooled = [layers.sequence_pool(layers.elementwise_mul(hidden, weights), kind) for kind in ("sum", "max")]
    again = layers.sequence_expand(pooled[0], x)
    rest = [layers.sequence_last_step(layers.sequence_concat([layers.lod_reset(again, x), hidden])),
            layers.sequence_pool(layers.sequence_expand_as(pooled[1], hidden), "average"),
            layers.sequence_pool(layers.row_conv(layers.sequence_reverse(hidden), 2), "sqrt")]
    table = layers.control_flow.lod_rank_table(x)
    steps = layers.control_flow.lod_tensor_to_array(layers.reorder_lod_tensor_by_rank(hidden, table), table)
    rest.append(layers.sequence_first_step(layers.control_flow.array_to_lod_tensor(steps, table)))
    loss = layers.mean(layers.fc([*pooled, *rest], 2))
    slopes = [g.name for _, g in fluid.backward.append_backward(loss)]
    fluid.Executor().run(fluid.default_startup_program())
    [case] = [c for c in cases("row_conv") if c["inputs"]["X"][0]["lod"]]
    feed = {"x": fed(case["inputs"]["X"][0])}
    expected = run(feed, *slopes)
    read = fluid.Program.parse_from_string(main.desc.serialize_to_string())
    found = fluid.Executor().run(read, feed=feed, fetch_list=slopes)
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one, np.array(other), rtol=1e-5, atol=1e-7)


def test_older_paths_to_layers_on_sequences():
    assert layers.nn.sequence_pool is layers.sequence_pool is layers.sequence_lod.sequence_pool


@pytest.mark.parametrize("declared", [0, 1])
def test_rows_keep_their_sequences_where_each_is_reduced(declared):
    """One number a row, by a sum or a product, is still of the row's sequence: attention over words, say."""
    x = fluid.data("x", [None, 2], "float32", lod_level=declared)
    ways = [layers.reduce_sum(x, dim=1, keep_dim=True), layers.reduce_max(x, dim=-1, keep_dim=True),
            layers.matmul(x, layers.assign(np.float32([[1], [1]])))]
    shares = [layers.sequence_softmax(way) for way in ways]
    rows = np.float32([[0, 1], [1, 0], [2, 0], [0, 4]])
    found = run({"x": fluid.create_lod_tensor(rows, [[3, 1]], fluid.CPUPlace())}, *shares)
    for value, numbers in zip(found, ([1, 1, 2, 4], [1, 1, 2, 4], [1, 1, 2, 4]), strict=True):
        first = np.exp(numbers[:3]) / np.exp(numbers[:3]).sum()
        np.testing.assert_allclose(np.array(value).ravel(), [*first, 1], rtol=1e-6)
        assert value.lod() == [[0, 3, 4]]


def test_what_1_8_gives_without_an_lod():
    """Units of recurrences, losses of pairs, rows that are others: 1.8.5 tells none of them the sequences."""
    x, y = (fluid.data(name, [None, 4], "float32", lod_level=1) for name in "xy")
    number = layers.slice(x, axes=[1], starts=[0], ends=[1])
    made = [layers.gru_unit(layers.fc(x, 12), y, 12)[0], *layers.lstm_unit(x, y, y), layers.smooth_l1(x, y),
            layers.rank_loss(number, number, number), layers.maxout(layers.reshape(x, [0, 4, 1, 1]), 2),
            layers.expand_as(number, x), layers.reverse(x, [1]),
            layers.scatter(x, layers.assign(np.int64([1])), layers.ones([1, 4], "float32"))]
    assert [value.lod_level for value in (x, number, *made)] == [1, 1] + [0] * len(made)
    fluid.Executor().run(fluid.default_startup_program())
    fed = fluid.create_lod_tensor(np.ones((3, 4), "float32"), [[2, 1]], fluid.CPUPlace())
    assert [value.lod() for value in run({"x": fed, "y": fed}, *made)] == [[]] * len(made)


@pytest.mark.parametrize("attributes", [{"dim": 0}, {"dim": -2}, {"dim": [0, 1]}, {}], ids=str)
def test_what_is_summed_over_rows_is_no_sequence(attributes):
    x = fluid.data("x", [None, None], "float32", lod_level=1)  # as many columns as rows, for all that is declared
    summed = layers.reduce_sum(x, **attributes)
    assert summed.lod_level == 0
    [found] = run({"x": fluid.create_lod_tensor(np.ones((3, 3), "float32"), [[2, 1]], fluid.CPUPlace())}, summed)
    assert found.lod() == []


@pytest.mark.parametrize("dim", [0, -2, [0]])
def test_an_input_is_no_sequence_because_something_summed_over_its_rows_is_taken_for_one(dim):
    x = fluid.data("x", [None, None], "float32")
    with pytest.raises(ValueError, match="lod_level"):
        layers.sequence_softmax(layers.reduce_sum(x, dim=dim))
    assert x.lod_level == 0
