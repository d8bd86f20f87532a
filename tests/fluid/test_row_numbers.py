"""split_ids, merge_ids, lookup_sparse_table beside PaddlePaddle 1.8.5, and Programs of before it that hold them."""

import json
import pathlib
import threading

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.backend.selected_rows import SelectedRows
from proa.distributed.ps import Options, RowRule, Server, SparseTable, engine, first_rows
from proa.fluid.contrib.utils.lookup_table_utils import convert_dist_to_sparse_program
from proa.ops.core.trace import apply
from proa.ops.parameter_server import rpc
from proa.ops.parameter_server.row_numbers import lookup_sparse_table_op, merge_ids_op, split_ids_op

CASES = json.loads((pathlib.Path(__file__).parents[1] / "fixtures/fluid/row_numbers.json").read_text())


def column(numbers):
    return paddle.to_tensor(np.array(numbers, "int64").reshape(-1, 1))


@pytest.mark.parametrize("numbers, parts, answer", CASES["split"])
def test_split_ids(numbers, parts, answer):
    found = apply(split_ids_op, [column(each) for each in numbers], parts=[str(part) for part in range(parts)])
    assert [part.tolist() for part in found] == answer and all(part.shape[1] == 1 for part in found)


@pytest.mark.parametrize("gradient, parts, answer", CASES["split gradients"])
def test_split_ids_of_gradients(gradient, parts, answer):
    rows, values, height = gradient
    given = SelectedRows(np.array(rows), np.array(values, "float32"), height)
    found = split_ids_op.kernel(np, [given], parts=[str(part) for part in range(parts)])
    assert [[part.rows.tolist(), part.values.tolist(), part.height] for part in found] == answer


def test_rows_that_a_gradient_has_twice_stay_apart():
    gradient = SelectedRows(np.array([7, 2, 7]), np.array([[1.0], [2], [4]]), 10)
    odd = split_ids_op.kernel(np, [gradient], parts=["a", "b"])[1]
    assert odd.rows.tolist() == [7, 7] and odd.merge().values.tolist() == [[5]]  # 1.8.5 takes the last one twice


@pytest.mark.parametrize("ids, rows, values, answer", CASES["merge"])
def test_merge_ids(ids, rows, values, answer):
    found = apply(merge_ids_op, [column(each) for each in ids], [column(each) for each in rows],
                  [paddle.to_tensor(np.array(each, "float32")) for each in values])
    assert [part.numpy().tolist() for part in found] == answer


@pytest.mark.parametrize("table, ids, attrs, answer", CASES["look up"])
def test_lookup_sparse_table(table, ids, attrs, answer):
    rows, values, height = table
    table = SelectedRows(np.array(rows), np.array(values, "float32"), height)
    assert [lookup_sparse_table_op.kernel(np, table, np.array(ids)[:, None], **attrs).tolist()] == answer


def test_what_is_not_there_is_said():
    rows = [paddle.ones([2, 3])]
    with pytest.raises(ValueError, match=r"merge_ids\(Ids, Rows\): each of Ids must stand in Rows. Received \[9\]"):
        apply(merge_ids_op, [column([1, 9])], [column([1, 2])], rows)
    with pytest.raises(ValueError, match=r"merge_ids\(Rows, X\): a row for each number. Received 3 numbers and 2"):
        apply(merge_ids_op, [column([1])], [column([1, 2, 3])], rows)
    with pytest.raises(ValueError, match=r"merge_ids\(Rows, X\): as many of both"):
        apply(merge_ids_op, [column([1])], [column([1]), column([2])], rows)
    with pytest.raises(ValueError, match=r"lookup_sparse_table\(Ids\): the table has no rows \[5, -1\]"):
        apply(lookup_sparse_table_op, rows[0], column([5, 1, -1]))
    with pytest.raises(ValueError, match=r"lookup_sparse_table\(W, Ids\): a matrix and integers"):
        apply(lookup_sparse_table_op, rows[0][0], column([1]))
    with pytest.raises(ValueError, match=r"split_ids\(parts\): names the parts"):
        apply(split_ids_op, [column([1])])
    with pytest.raises(RuntimeError, match="prefetch: this process is connected with no parameter servers"):
        rpc.prefetch_op.kernel(np, [np.zeros([1, 1], "int64")], epmap=["127.0.0.1:1"], tables=["w"])


def looked_up(endpoints):
    """A Program that looks two inputs up in the way of transpilers before 1.8: no attribute says a name."""
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()):
        ids = [fluid.data(name, [None, 1], "int64") for name in ("a", "b")]
        block = program.global_block()
        block.create_parameter(name="table", shape=[50, 4], dtype="float32")
        asked = [block.create_var(name=f"prefetch_compress_in_tmp_{n}") for n in range(2)]
        rows = [block.create_var(name=f"prefetch_compress_out_tmp_{n}", shape=[-1, 4], dtype="float32")
                for n in range(2)]
        found = [block.create_var(name=f"rows_of_{each.name}") for each in ids]
        block.append_op(type="split_ids", inputs={"Ids": ids}, outputs={"Out": asked})
        block.append_op(type="prefetch", inputs={"X": asked}, outputs={"Out": rows}, attrs={"epmap": endpoints})
        block.append_op(type="merge_ids", inputs={"Ids": ids, "Rows": asked, "X": rows}, outputs={"Out": found})
    assert [each.shape for each in found] == [(-1, 4), (-1, 4)]
    return program, ids, found


FEED = {"a": np.array([[3], [8], [3]]), "b": np.array([[41], [8]])}


def test_a_program_from_a_file_asks_servers():
    """The names under which servers know the tables are those of what is asked, as transpilers before 1.8 have it."""
    rule = {"rule": RowRule("sgd", 0.5), "first": first_rows.uniform(-1, 1), "seed": 3}
    options = Options(deadline=20, poll=0.2, attempt=5)
    engine.connect(options)
    servers = [Server("127.0.0.1:0", 1, "async", {}, {}, options=options, tables={
        f"prefetch_compress_in_tmp_{n}": SparseTable(4, **rule)}) for n in range(2)]
    endpoints = [f"127.0.0.1:{server.start()}" for server in servers]
    threads = [threading.Thread(target=server.serve) for server in servers]
    for thread in threads:
        thread.start()
    exe = fluid.Executor(fluid.CPUPlace())
    try:
        program, _, found = looked_up(endpoints)
        names = [each.name for each in found]
        made = exe.run(program, FEED, names)
        read = fluid.Program.parse_from_string(program.desc.serialize_to_string())
        for operation in read.global_block().ops:  # as a file of PaddlePaddle's has them
            operation.attrs.pop("parts", None), operation.attrs.pop("tables", None)
        again = fluid.Program.parse_from_string(read.desc.serialize_to_string())
        assert again.global_block().ops[1].attrs["tables"] == [f"prefetch_compress_in_tmp_{n}" for n in range(2)]
        whole = SparseTable(4, **rule)
        for results in (made, exe.run(again, FEED, names)):
            for rows, ids in zip(results, FEED.values(), strict=True):
                np.testing.assert_array_equal(rows, whole.look_up(ids.reshape(-1)))
    finally:
        exe.close()
        for server, thread in zip(servers, threads, strict=True):
            server.stop()
            thread.join()


def test_the_same_program_in_one_process():
    program, _, found = looked_up(["127.0.0.1:6174", "127.0.0.1:6175"])
    with pytest.raises(ValueError, match="no operation says which table"):
        convert_dist_to_sparse_program(program)
    program._distributed_lookup_table = "table"
    local = convert_dist_to_sparse_program(program)
    assert [op.type for op in local.global_block().ops] == ["lookup_table", "lookup_table"]
    table = np.arange(200, dtype="float32").reshape(50, 4)
    with fluid.scope_guard(fluid.Scope()):
        fluid.global_scope().var("table").get_tensor().set(table, fluid.CPUPlace())
        results = fluid.Executor(fluid.CPUPlace()).run(local, FEED, [each.name for each in found])
    for rows, ids in zip(results, FEED.values(), strict=True):
        np.testing.assert_array_equal(rows, table[ids.reshape(-1)])


def test_a_server_of_before_1_8_is_refused():
    program = fluid.Program()
    attrs = {"endpoint": "127.0.0.1:0"}
    serve = program.global_block().append_op(type="listen_and_serv", inputs={"X": []}, attrs=attrs)
    serve.attrs["prefetch_var_name_to_block_id"] = ["prefetch_compress_in_tmp_0:2"]
    engine.connect()
    with pytest.raises(NotImplementedError, match="a transpiler of a release before 1.8 has made this Program"):
        fluid.Executor(fluid.CPUPlace()).run(program)
