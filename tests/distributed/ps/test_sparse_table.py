"""Sparse tables: rows that are the same wherever they are made, their places, rules on rows, tables on servers."""

import numpy as np
import proa as paddle
import pytest
from proa.core import flags
from proa.distributed.ps import RefusedError, RowRule, SparseTable, first_rows
from proa.distributed.ps.admission import CountFilter, Probability, entry_of
from proa.distributed.ps.row_slots import RowSlots


@pytest.mark.parametrize("engines", ["loops", ""])
def test_places_of_row_numbers(engines):
    generator = np.random.default_rng(0)
    with flags.flags_guard({"FLAGS_cpu_engines": engines, "FLAGS_kernel_after_elements": 0}):
        slots, known = RowSlots(), {}
        for step in range(12):
            ids = np.unique(generator.integers(-(1 << 63), (1 << 63) - 1, 700))
            if step % 3 == 0:
                ids = np.unique(np.concatenate([ids, np.arange(step * 100, step * 100 + 500), [-1, 0, -(1 << 63)]]))
            found = slots.add(ids)
            for number, slot in zip(ids.tolist(), found.tolist(), strict=True):
                assert known.setdefault(number, len(known)) == slot
            assert len(slots) == len(known)
        some = np.concatenate([np.array(list(known))[::7], generator.integers(1 << 62, 1 << 63, 100)])
        assert slots.find(some).tolist() == [known.get(number, -1) for number in some.tolist()]
        np.testing.assert_array_equal(slots.ids(), list(known))


def test_rows_begin_by_seed_and_number_alone():
    ids = np.array([5, -7, 1 << 40, 5])
    for first in (first_rows.uniform(-2, 3), first_rows.normal(1, 2), first_rows.truncated_normal(),
                  first_rows.constant(4)):
        rows = first(ids, 8, 1)
        assert rows.dtype == np.float32 and (rows[0] == rows[3]).all()
        np.testing.assert_array_equal(rows[2:3], first(ids[2:3], 8, 1))
    many = np.arange(20000)
    u, n, t = (first(many, 4, 3) for first in (first_rows.uniform(-2, 3), first_rows.normal(1, 2),
                                               first_rows.truncated_normal(0, 1)))
    assert -2 <= u.min() < -1.99 and 2.99 < u.max() < 3 and abs(u.mean() - 0.5) < 0.02
    assert abs(n.mean() - 1) < 0.03 and abs(n.std() - 2) < 0.03 and abs(t).max() < 2 < abs(n).max()
    assert np.unique(u).size > 0.99 * u.size and (first_rows.uniform()(many, 4, 4) != first_rows.uniform()(
        many, 4, 3)).mean() > 0.99


@pytest.mark.parametrize("make, type, attrs", [
    (paddle.optimizer.SGD, "sgd", {}), (paddle.optimizer.Adagrad, "adagrad", {"epsilon": 1e-6}),
    (lambda rate, parameters: paddle.optimizer.Adam(rate, parameters=parameters, lazy_mode=True), "adam", {})])
def test_rules_on_rows_are_those_of_optimizers(make, type, attrs):
    generator = np.random.default_rng(1)
    table = SparseTable(3, rule=RowRule(type, 0.1, **attrs), seed=2)
    layer = paddle.nn.Embedding(50, 3, sparse=True)
    layer.weight.set_value(table.look_up(np.arange(50)))
    optimizer = make(0.1, parameters=layer.parameters())
    for _ in range(4):
        ids, weights = generator.integers(0, 50, 12), generator.standard_normal((12, 3)).astype("float32")
        (layer(paddle.to_tensor(ids)) * paddle.to_tensor(weights)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        table.push(ids, weights)
    np.testing.assert_allclose(table.look_up(np.arange(50)), layer.weight.numpy(), rtol=2e-5, atol=1e-6)


def test_rules_that_look_at_all_rows_are_refused():
    with pytest.raises(ValueError, match="looks at all rows"):
        RowRule("lamb", 0.1)
    with pytest.raises(ValueError, match="an update takes Param, Grad and LearningRate"):
        RowRule("relu")


def test_looking_up_takes_no_memory_and_rows_are_limited():
    table = SparseTable(2, most_rows=3)
    table.look_up(np.arange(100))
    assert len(table) == 0
    table.push(np.arange(3), np.ones([3, 2], "float32"))
    table.push(np.arange(3), np.ones([3, 2], "float32"))
    with pytest.raises(RefusedError, match="holds 3 rows and may hold 3"):
        table.push(np.array([7]), np.ones([1, 2], "float32"))
    with pytest.raises(RefusedError, match="rows 0 to 9"):
        SparseTable(2, height=10).check("t", np.array([3, 10]))


def test_a_table_is_the_same_on_any_number_of_servers():
    pytest.importorskip("grpc")
    from contextlib import ExitStack

    from proa.distributed.ps import Client
    from serving import OPTIONS, Serving, in_threads

    def after(servers, mode):
        generator = np.random.default_rng(5)
        with ExitStack() as stack:
            served = [stack.enter_context(Serving(2, mode, {}, tables={"t": SparseTable(
                4, rule=RowRule("adam", lambda: 0.1), seed=9)})) for _ in range(servers)]
            endpoints = [each.endpoint for each in served]
            clients = [Client(number, OPTIONS) for number in range(2)]
            for _ in range(3):
                for client in clients:
                    ids = generator.integers(0, 1 << 50, [5, 2]) % 17
                    assert client.look_up(endpoints, "t", ids).shape == (5, 2, 4)
                    client.push_rows(endpoints, "t", ids, generator.standard_normal([5, 2, 4]).astype("float32")
                                     ).result()
                in_threads(*[lambda client=client: client.send_barrier(endpoints) for client in clients])
            rows = clients[0].look_up(endpoints, "t", np.arange(-3, 20))
            for client in clients:
                client.complete(endpoints)
                client.close()
        return rows

    for mode in ("sync", "async"):
        one = after(1, mode)
        np.testing.assert_array_equal(one, after(2, mode))
        np.testing.assert_array_equal(one, after(3, mode))


def test_rows_that_others_have_changed():
    pytest.importorskip("grpc")
    from proa.distributed.ps import Client
    from serving import OPTIONS, Serving
    with Serving(2, "geo", {}, tables={"t": SparseTable(1, first=first_rows.constant())}) as serving:
        first, second = clients = [Client(number, OPTIONS) for number in range(2)]
        endpoints = [serving.endpoint]
        first.push_rows(endpoints, "t", np.array([4, 2, 4]), np.array([[1.0], [2.0], [3.0]], "float32")).result()
        assert first.changed_rows(endpoints, "t").tolist() == []
        assert second.changed_rows(endpoints, "t").tolist() == [2, 4]
        assert second.changed_rows(endpoints, "t").tolist() == []
        assert second.look_up(endpoints, "t", np.array([2, 4, 5])).tolist() == [[2], [4], [0]]
        for client in clients:
            client.close()


def test_rows_begin_when_their_numbers_have_come_often_enough():
    table = SparseTable(2, rule=RowRule("sgd", 1.0), first=first_rows.constant(5.0), entry=CountFilter(3))
    ids, ones = np.array([4, 9]), np.ones((2, 2), "float32")
    for _ in range(2):
        assert not table.look_up(ids).any()
        table.push(ids, ones)  # of rows that have not begun: passed over
    assert not len(table)
    np.testing.assert_array_equal(table.look_up(np.array([4])), [[5, 5]])
    table.push(ids, ones)
    table.add(ids, ones)
    assert len(table) == 1
    np.testing.assert_array_equal(table.look_up(ids), [[5, 5]] * 2)  # 9 comes the third time
    table.push(ids, ones)
    np.testing.assert_array_equal(table.look_up(ids), [[4, 4]] * 2)


def test_rows_begin_by_chance_and_the_same_ones_on_any_server():
    ids = np.arange(4000)
    tables = [SparseTable(1, first=first_rows.constant(1.0), entry=Probability(0.25), seed=3) for _ in range(2)]
    found = [table.look_up(ids)[:, 0] for table in tables]
    np.testing.assert_array_equal(*found)
    assert 0.22 < found[0].mean() < 0.28
    tables[0].push(ids, np.ones((4000, 1), "float32"))
    assert len(tables[0]) == found[0].sum()
    with pytest.raises(NotImplementedError, match="'words' asks for show_click_entry"):
        entry_of("show_click_entry:a:b", "words")
    assert entry_of(None, "words") is None and entry_of("probability_entry:0.5", "words").probability == 0.5


def test_rows_that_rest_are_removed():
    table = SparseTable(3, rule=RowRule("adagrad", 0.5), first=first_rows.constant(1.0))
    many, few = np.arange(100000), np.arange(0, 100000, 7)
    table.push(many, np.ones((len(many), 3), "float32"))
    before = table.look_up(many)
    assert table.shrink(1) == 0
    table.push(few, np.ones((len(few), 3), "float32"))
    assert table.shrink(1) == 0 and table.shrink(1) == len(many) - len(few) and len(table) == len(few)
    after = table.look_up(many)
    kept = np.isin(many, few)
    assert (after[~kept] == 1).all() and (after[kept] < before[kept]).all()
    table.push(many, np.ones((len(many), 3), "float32"))  # what is removed begins anew, what stays goes on
    np.testing.assert_array_equal(table.look_up(many[~kept]), before[~kept])
    assert (table.look_up(few) > after[kept] - (1 - before[kept])).all() and table.shrink() == 0
