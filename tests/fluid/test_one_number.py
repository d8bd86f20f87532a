"""Fetched values and values of dynamic mode of one element are numbers to Python, whatever NumPy thinks of it."""

import pickle

import numpy as np
import proa.fluid as fluid
import pytest


def test_fetched_values():
    main = fluid.Program()
    with fluid.program_guard(main):
        x = fluid.data("x", [None])
        loss, rows = fluid.layers.mean(x), x * 2.0
        items = fluid.layers.array_write(x, fluid.layers.fill_constant([1], "int64", 0))
    exe = fluid.Executor(fluid.CPUPlace())
    cost, doubled, listed = exe.run(main, feed={"x": np.ones(3, "float32")}, fetch_list=[loss, rows, items])
    assert float(cost) == 1.0 and int(cost) == 1 and "%.2f %d" % (cost, cost) == "1.00 1"  # noqa: UP031 - what scripts write
    assert repr([cost]) == "[array([1.], dtype=float32)]" and isinstance(cost, np.ndarray)
    assert type(doubled) is np.ndarray and type(pickle.loads(pickle.dumps(cost))) is np.ndarray
    assert type(listed) is list and listed[0].tolist() == [1.0] * 3
    with pytest.raises(ValueError, match="size 1"):
        float(np.concatenate([cost, cost]).view(type(cost)))
    (tensors,) = exe.run(main, feed={"x": np.ones(3, "float32")}, fetch_list=[items], return_numpy=False)
    assert tensors[0].shape() == [3]


def test_values_of_dynamic_mode():
    with fluid.dygraph.guard():
        assert float(fluid.layers.mean(fluid.dygraph.to_variable(np.ones((2, 2), "float32"))).numpy()) == 1.0


def test_one_number_stays_one_where_other_sizes_are_fed():
    """A loss is [1] for the last rows of an epoch too, which are fewer than was declared."""
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        x = fluid.layers.data("x", [4, 2], append_batch_size=False)
        loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        both = fluid.layers.concat([loss, fluid.layers.reduce_sum(x)])
        exe.run(fluid.default_startup_program())
        for rows in (4, 3, 1):
            found = exe.run(feed={"x": np.ones((rows, 2), "float32")}, fetch_list=[loss, both])
            assert [value.shape for value in found] == [(1,), (2,)] and found[1][1] == 2 * rows
