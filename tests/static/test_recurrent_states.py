"""Files of recurrent layers in Programs: Paddle's have the weights once more, in a row, and ask for them."""

import numpy as np
import proa as paddle
import pytest
from proa import nn, static
from proa.core.safe_pickle import dump_state, load_state


@pytest.fixture
def program():
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()), \
            paddle.utils.unique_name.guard():
        yield static.data("x", [2, 5, 4])
    paddle.disable_static()


def _trained(out):
    loss = paddle.mean(out)
    paddle.optimizer.Adam(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    for _ in range(2):
        exe.run(feed={"x": np.ones((2, 5, 4), "float32")}, fetch_list=[loss])
    return exe


def _in_a_row(state, cells, prefix):
    names = [f"{prefix}_cell_{n}.{kind}" for kinds in (("w_0", "w_1"), ("b_0", "b_1")) for n in range(cells)
             for kind in kinds]
    return np.concatenate([state[name].reshape(-1) for name in names])


@pytest.mark.parametrize(("make", "cells", "prefix"), [
    (lambda: nn.LSTM(4, 3), 1, "lstm"), (lambda: nn.SimpleRNN(4, 3, num_layers=2), 2, "simple_rnn"),
    (lambda: nn.GRU(4, 3, 2, direction="bidirect"), 4, "gru")])
def test_the_weights_in_a_row_are_those_of_the_cells(program, tmp_path, make, cells, prefix):
    _trained(make()(program)[0])
    main = static.default_main_program()
    static.save(main, str(tmp_path / "a"))
    state = load_state(str(tmp_path / "a.pdparams"))
    assert np.array_equal(state[f"{prefix}_0.w_0"], _in_a_row(state, cells, prefix))
    assert [p.name for p in main.all_parameters()][-1] == f"{prefix}_0.w_0"


def test_files_without_the_row_are_loaded(program, tmp_path):
    out = nn.LSTM(4, 3)(program)[0]
    exe = _trained(out)
    main, path = static.default_main_program(), str(tmp_path / "a")
    static.save(main, path)
    state = load_state(path + ".pdparams")
    with open(path + ".pdparams", "wb") as file:
        dump_state({name: 2 * value for name, value in state.items() if name != "lstm_0.w_0"}, file, 4)
    static.load(main, path, exe)
    static.save(main, path)
    assert np.array_equal(load_state(path + ".pdparams")["lstm_0.w_0"], 2 * state["lstm_0.w_0"])


def test_results_are_named_after_the_layer(program):
    out, (h, c) = nn.LSTM(4, 3)(program)
    assert (out.name, h.name, c.name) == ("transpose_1.tmp_0", "lstm_0.tmp_1", "lstm_0.tmp_2")


def test_a_bias_of_zeros_is_in_no_row(program):
    nn.LSTM(4, 3, bias_ih_attr=False)
    assert not static.default_main_program().joined
