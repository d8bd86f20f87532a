"""Inputs of 1.x: `layers.data` takes other sizes than it says, `fluid.data` does not; files say so."""

import numpy as np
import proa.fluid as fluid
import pytest


def test_an_input_of_layers_takes_any_size(tmp_path):
    exe, main, startup = fluid.Executor(fluid.CPUPlace()), fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        y = fluid.layers.fc(fluid.layers.data("x", [4]), 1)
        exe.run(startup)
        rows = np.arange(8, dtype="float32").reshape(2, 4)
        (expected,) = exe.run(main, feed={"x": rows}, fetch_list=[y])
        np.testing.assert_allclose(exe.run(main, feed={"x": rows.reshape(2, 4, 1)}, fetch_list=[y])[0], expected)
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe, main_program=main)
        program, _, targets = fluid.io.load_inference_model(str(tmp_path), exe)
        (found,) = exe.run(program, feed={"x": rows.reshape(2, 2, 2)}, fetch_list=targets)
        np.testing.assert_allclose(found, expected)


def test_an_input_that_is_checked():
    exe, main = fluid.Executor(fluid.CPUPlace()), fluid.Program()
    with fluid.program_guard(main):
        x = fluid.data("x", [None, 4])
        assert x.need_check_feed and not fluid.layers.data("z", [4]).need_check_feed
        y = fluid.layers.scale(x, 2.0)
    with pytest.raises(ValueError, match=r"'x' takes shape \[-1, 4\]"):
        exe.run(main, feed={"x": np.ones((2, 4, 1), "float32")}, fetch_list=[y])


def test_what_files_alone_have_is_not_fetched():
    exe, main = fluid.Executor(fluid.CPUPlace()), fluid.Program()
    with fluid.program_guard(main):
        fluid.layers.reshape(fluid.data("x", [None, 4]), [-1, 2])
    (op,) = main.global_block().ops
    with pytest.raises(ValueError, match=r"is the result XShape of reshape2, which stands in files"):
        exe.run(main, feed={"x": np.ones((2, 4), "float32")}, fetch_list=op.output("XShape"))


def test_sequences_have_as_many_rows_as_they_have():
    """1.8.5 checks the first size that `fluid.data` was told of arrays, and of LoDTensors the others."""
    exe, main = fluid.Executor(fluid.CPUPlace()), fluid.Program()
    with fluid.program_guard(main):
        y = fluid.layers.scale(fluid.data("x", [10, 4], lod_level=1), 2.0)
    rows = np.ones((6, 4), "float32")
    for value in (rows, fluid.create_lod_tensor(rows[:, :3], [[2, 4]], fluid.CPUPlace())):
        with pytest.raises(ValueError, match=r"takes shape \[10, 4\]"):
            exe.run(main, feed={"x": value}, fetch_list=[y])
    (found,) = exe.run(main, feed={"x": fluid.create_lod_tensor(rows, [[2, 4]], fluid.CPUPlace())}, fetch_list=[y])
    assert found.shape == (6, 4)


def test_a_shape_of_one_row():
    with fluid.program_guard(fluid.Program()):
        made = fluid.layers.fill_constant(fluid.layers.fill_constant([1, 2], "int32", 2), "bool", True)
        assert fluid.Executor(fluid.CPUPlace()).run(fetch_list=[made])[0].tolist() == [[True, True]] * 2
