"""What a Program computed of a parameter before an update keeps its values, within a run and after it."""

import numpy as np
import proa as paddle
import pytest
from looking import ONES, VIEWS
from proa import static


@pytest.mark.parametrize("view", [v for v in VIEWS if v not in ("numpy", "iterate", "contiguous")])
def test_a_program_computes_with_what_was_there_before_the_update(view, programs):
    p = static.create_parameter([2, 3], "float32", default_initializer=ONES)
    y = VIEWS[view](p)
    z = y * 2.0
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    w = z + 1.0
    exe = static.Executor()
    exe.run(static.default_startup_program())
    for run in range(3):
        new, *found = exe.run(fetch_list=[p, y, z, w])
        value = np.float32(1.0 - 0.3 * run)
        np.testing.assert_allclose(new, 0.7 - 0.3 * run, atol=1e-6)
        for array, wanted in zip(found, [value, value * 2, value * 2 + 1], strict=True):
            np.testing.assert_allclose(array, wanted, atol=1e-6)


def test_what_was_fetched_keeps_its_values(programs):
    p = static.create_parameter([2, 3], "float32", default_initializer=ONES)
    view = paddle.transpose(p, [1, 0])
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    held = [exe.run(fetch_list=[p, view, p], return_numpy=False) for _ in range(3)]
    for run, (new, old, twin) in enumerate(held):
        np.testing.assert_allclose(np.array(new), 0.7 - 0.3 * run, atol=1e-6)
        np.testing.assert_allclose(np.array(twin), 0.7 - 0.3 * run, atol=1e-6)
        np.testing.assert_allclose(np.array(old), 1.0 - 0.3 * run, atol=1e-6)


def test_an_array_that_is_fed_for_a_parameter_is_left_alone(programs):
    p = static.create_parameter([6], "float32", default_initializer=ONES)
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    fed = np.ones((2, 3), "float32").reshape(6)
    exe.run(feed={p.name: fed}, fetch_list=[p])
    assert fed.tolist() == [1.0] * 6


def test_python_in_a_program_may_keep_what_it_is_given(programs):
    p = static.create_parameter([2, 3], "float32", default_initializer=ONES)
    kept = []
    out = static.default_main_program().global_block().create_var(name="out", shape=[2, 3], dtype="float32")
    static.py_func(lambda array: kept.append(np.asarray(array)) or np.asarray(array), p, out)
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    results = [exe.run(fetch_list=[out])[0] for _ in range(3)]
    for run in range(3):
        np.testing.assert_allclose(kept[run], 1.0 - 0.3 * run, atol=1e-6)
        np.testing.assert_allclose(results[run], 1.0 - 0.3 * run, atol=1e-6)


def test_a_list_of_a_program_keeps_its_items(programs):
    p = static.create_parameter([2, 3], "float32", default_initializer=ONES)
    items = paddle.tensor.create_array("float32")
    index = paddle.zeros([1], "int64")
    paddle.tensor.array_write(p, index, items)
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    read = paddle.tensor.array_read(items, index)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    for run in range(3):
        np.testing.assert_allclose(exe.run(fetch_list=[read])[0], 1.0 - 0.3 * run, atol=1e-6)


def test_the_value_of_a_branch(programs):
    p = static.create_parameter([2, 3], "float32", default_initializer=ONES)
    chosen = static.nn.cond(paddle.ones([1]).sum() > 0.0, lambda: paddle.transpose(p, [1, 0]), lambda: p.t() * 2.0)
    same = static.nn.cond(paddle.ones([1]).sum() > 0.0, lambda: p, lambda: p * 2.0)
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    for run in range(3):
        for array in exe.run(fetch_list=[chosen, same]):
            np.testing.assert_allclose(array, 1.0 - 0.3 * run, atol=1e-6)


def test_fusion_does_not_move_an_update_before_what_reads_the_parameter(programs):
    """The group tanh(x) + new stands where its last part did; the product before the update needs its first part."""
    x = static.data("x", [2, 2])
    p = static.create_parameter([2, 2], "float32", default_initializer=ONES)
    a = paddle.tanh(x)
    product = paddle.matmul(p, a)
    paddle.optimizer.SGD(0.1).minimize((p * 3.0).sum())
    total = a + p * 1.0
    exe = static.Executor()
    exe.run(static.default_startup_program())
    for run in range(3):
        before, after = exe.run(feed={"x": np.ones((2, 2), "float32")}, fetch_list=[product, total])
        np.testing.assert_allclose(before, (1.0 - 0.3 * run) * 2 * np.tanh(1.0), rtol=1e-5)
        np.testing.assert_allclose(after, np.tanh(1.0) + 0.7 - 0.3 * run, rtol=1e-5)
