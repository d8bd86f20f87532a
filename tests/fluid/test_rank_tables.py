"""Rank tables, the lists by them, and rows by a mask, against what PaddlePaddle 1.8.5 gave."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.core.trace import apply
from proa.ops.program.tensor_arrays import ArrayValue
from proa.ops.sequence import branches, rank_table
from sequence_cases import arrays_of, cases, lod_of, offsets_of

TABLES = [c for c in cases("lod_rank_table") if c["label"] == "program"]
BRANCHES = [c for c in cases("split_lod_tensor") if c["label"] == "program"]


def _run(op, *inputs, **attrs):
    return op.kernel(np, *inputs, **attrs)


def _same(actual, expected, offsets=()):
    np.testing.assert_array_equal(actual, arrays_of(expected))
    assert [o.tolist() for o in offsets] == expected["lod"]


def _table(case):
    [x] = case["inputs"]["X"]
    rows, lod = arrays_of(x), lod_of(x)
    table, above = _run(rank_table.lod_rank_table_op, rows, lod, **case["attrs"])
    return rows, lod, table, above


@pytest.mark.parametrize("case", TABLES, ids=str)
def test_a_list_by_a_rank_table(case):
    rows, lod, table, above = _table(case)
    results = case["results"]
    assert _run(rank_table.max_sequence_len_op, table).tolist() == arrays_of(results["longest"][0]).tolist()
    array, inner = _run(rank_table.lod_tensor_to_array_op, rows, table, lod, above)
    assert len(array) == sum(name.startswith("step") for name in results)
    for n, item in enumerate(array):
        _same(item, results[f"step{n}"][0], [level.get(n) for level in inner])
    back, offsets = _run(rank_table.array_to_lod_tensor_op, array, table, above, inner)
    _same(back, results["back"][0], offsets)


@pytest.mark.parametrize("case", TABLES, ids=str)
def test_gradients_of_lists(case):
    rows, lod, table, above = _table(case)
    weights, expected = (arrays_of({"data": name}) for name in case["gradients"]["back"])
    items = _run(rank_table.gradient_array_op, weights, table, lod, above)
    found = _run(rank_table.gradient_rows_op, items, table, rows, lod, above)
    np.testing.assert_array_equal(found, expected)
    some = _run(rank_table.gradient_rows_op, ArrayValue([None, *list(items)[1:]]), table, rows, lod, above)
    array, _ = _run(rank_table.lod_tensor_to_array_op, some, table, lod, above)
    assert not array.get(0).any() and all((a == b).all() for a, b in list(zip(array, items))[1:])


@pytest.mark.parametrize("case", [c for c in TABLES if "ranked" in c["results"]], ids=str)
def test_sequences_in_the_order_of_the_table(case):
    [given] = case["inputs"]["X"]
    x = paddle.to_tensor(arrays_of(given), stop_gradient=False)
    table = apply(rank_table.lod_rank_table_op, x.detach(), offsets_of(given), **case["attrs"])[0]
    out, lod = apply(rank_table.reorder_lod_tensor_by_rank_op, x, table, offsets_of(given))
    _same(out.numpy(), case["results"]["ranked"][0], lod)
    _check_gradient(out, x, case["gradients"]["ranked"])


def _check_gradient(out, x, answer):
    weights, expected = (arrays_of({"data": name}) for name in answer)
    [found] = paddle.grad([out], [x], [paddle.to_tensor(weights)])
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("case", [c for c in TABLES if c["inputs"]["State"]], ids=str)
def test_the_state_of_sequences_that_go_on(case):
    table = paddle.to_tensor(_table(case)[2])
    state = paddle.to_tensor(arrays_of(case["inputs"]["State"][0]), stop_gradient=False)
    for n in range(sum(name.startswith("shrunk") for name in case["results"])):
        out, _ = apply(rank_table.shrink_rnn_memory_op, state, table, paddle.to_tensor([n]), [])
        _same(out.numpy(), case["results"][f"shrunk{n}"][0])
        if n == 1:
            _check_gradient(out, state, case["gradients"]["shrunk1"])
    out, _ = apply(rank_table.reorder_lod_tensor_by_rank_op, state, table, [])
    _same(out.numpy(), case["results"]["ranked_rows"][0])
    _check_gradient(out, state, case["gradients"]["ranked_rows"])


def test_state_that_is_sequences_itself():
    table, state = np.array([[1, 3], [0, 1]]), np.arange(5.0)
    out, [offsets] = _run(rank_table.shrink_rnn_memory_op, state, table, np.array([2]), [np.array([0, 2, 5])])
    assert out.tolist() == [0, 1] and offsets.tolist() == [0, 2]


@pytest.mark.parametrize("case", BRANCHES, ids=str)
def test_rows_by_a_mask_and_back(case):
    [given], [mask] = case["inputs"]["X"], case["inputs"]["Mask"]
    x = paddle.to_tensor(arrays_of(given), stop_gradient=False)
    chosen, lod = paddle.to_tensor(arrays_of(mask)), offsets_of(given)
    true, false, true_lod, false_lod = apply(branches.split_lod_tensor_op, x, chosen, lod, **case["attrs"])
    for part, name, offsets in ((true, "true", true_lod), (false, "false", false_lod)):
        if case["results"][name][0]["lod"] or len(part):  # what is empty has neither dtype nor shape there
            _same(part.numpy(), case["results"][name][0], offsets)
    merged, offsets = apply(branches.merge_lod_tensor_op, x, chosen, true, false, lod, true_lod, false_lod,
                            **case["attrs"])
    _same(merged.numpy(), case["results"]["merged"][0], offsets)
    _check_gradient(merged, x, case["gradients"]["merged"])


def test_an_empty_sequence_by_a_mask():
    x, lod = np.arange(6.0), [np.array([0, 0, 2, 2, 5, 6, 6])]
    mask = np.array([0, 1, 1, 0, 1, 0], bool)
    true, false, true_lod, false_lod = _run(branches.split_lod_tensor_op, x, mask, lod)
    assert true.tolist() == [0, 1, 5] and [o.tolist() for o in true_lod] == [[0, 2, 2, 3]]
    merged, offsets = _run(branches.merge_lod_tensor_op, x, mask, true, false, lod, true_lod, false_lod)
    assert merged.tolist() == x.tolist() and offsets[0].tolist() == lod[0].tolist()


def test_errors_name_what_does_not_fit():
    x, lod, table = np.zeros((3, 2)), [np.array([0, 1, 3])], np.array([[1, 2], [0, 1]])
    with pytest.raises(ValueError, match=r"array_to_lod_tensor.*each of the 2 steps. Received 1"):
        _run(rank_table.array_to_lod_tensor_op, ArrayValue([x[:2]]), table, [], [])
    with pytest.raises(ValueError, match=r"as many sequences as the rank table. Received \[1\] and 2"):
        _run(rank_table.lod_tensor_to_array_op, x, table, [np.array([0, 3])], [])
    with pytest.raises(ValueError, match=r"reorder_lod_tensor_by_rank.*Received 3 and 2"):
        _run(rank_table.reorder_lod_tensor_by_rank_op, x, table, [])
    with pytest.raises(ValueError, match=r"split_lod_tensor\(mask\).*each of the 2 sequences.*Received 3"):
        _run(branches.split_lod_tensor_op, x, np.ones(3, bool), lod)
    with pytest.raises(ValueError, match=r"merge_lod_tensor\(in_true, mask\).*Received 2 and 1"):
        _run(branches.merge_lod_tensor_op, x, np.array([1, 0, 0], bool), x[:2], x[:1], [], [], [])
    with pytest.raises(ValueError, match=r"merge_lod_tensor.*behind the first.*Received \[2, 2\] and \[1, 1\]"):
        _run(branches.merge_lod_tensor_op, x, np.array([1, 1, 0], bool), x[:2], x[:1, :1], [], [], [])
    with pytest.raises(ValueError, match=r"lod_rank_table\(level\).*1 levels of x, from 0. Received 1"):
        apply(rank_table.lod_rank_table_op, paddle.to_tensor(x), [paddle.to_tensor(lod[0])], level=1)
