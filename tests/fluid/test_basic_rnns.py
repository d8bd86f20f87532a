"""basic_gru and basic_lstm of fluid.contrib against PaddlePaddle 1.8.5: parameters and results."""

import json

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at
from fluid_calls import FOLDER

CASES = module_at(FOLDER / "basic_rnns.py")
WANTED = json.loads((FOLDER / "basic_rnns.json").read_text())


@pytest.mark.parametrize("case", WANTED)
def test_results(case):
    found = CASES.results(fluid, case)
    assert found["parameters"] == WANTED[case]["parameters"]
    for a, b in zip(found["values"], WANTED[case]["values"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_the_units_alone():
    def constant(value):
        return fluid.ParamAttr(initializer=fluid.initializer.Constant(value))

    units = fluid.contrib.layers
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        x, h, c = (fluid.layers.data(name, [-1, size]) for name, size in (("x", 3), ("h", 2), ("c", 2)))
        hidden = units.BasicGRUUnit("gru_unit", 2, constant(0.1), constant(0.3))(x, h)
        states = units.BasicLSTMUnit("u", 2, constant(0.1), constant(0.3))(x, h, c)
        names = [p.name for p in fluid.default_main_program().all_parameters()]
        exe = fluid.Executor()
        exe.run(fluid.default_startup_program())
        feed = {"x": np.arange(6, dtype="float32").reshape(2, 3), "h": np.ones((2, 2), "float32"),
                "c": np.ones((2, 2), "float32")}
        found = [value[:, 0] for value in exe.run(feed=feed, fetch_list=[hidden, *states])]
    assert names == [*(f"gru_unit/BasicGRUUnit_0.{end}" for end in ("w_0", "w_1", "b_0", "b_1")),
                     "u/BasicLSTMUnit_0.w_0", "u/BasicLSTMUnit_0.b_0"]
    np.testing.assert_allclose(found, [[0.88464952, 0.98940885], [0.59742486, 0.79379892], [1.31631732, 1.72794747]],
                               rtol=1e-6)


def test_steps_that_are_known_are_known_behind_a_recurrence_with_lengths():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, lengths = fluid.data("x", [None, 6, 3]), fluid.data("lengths", [None], dtype="int32")
        assert fluid.layers.rnn(fluid.layers.GRUCell(5), x, sequence_length=lengths)[0].shape == (-1, 6, 5)
