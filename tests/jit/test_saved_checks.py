"""Saved models check what only some ways give a value: they do not go on with one that nobody made."""

import numpy as np
import proa as paddle
import pytest
from proa.static import InputSpec


def a_variable(x):
    if x.sum() > 0:
        y = x * 2
    return y


def a_key(x):
    found = {}
    if x.sum() > 0:
        found["a"] = x * 2
    return found["a"] * 1.0


def none(x):
    out = None
    if x.sum() > 0:
        out = x * 2
    return out * 1.0


def in_a_loop(x):
    for row in x:
        if row > 0:
            last = row * 2
    return last + x * 0


@pytest.mark.filterwarnings("ignore:jit.save")
@pytest.mark.parametrize("function", [a_variable, a_key, none, in_a_loop])
@pytest.mark.parametrize("sizes", [[3], [None]])
def test_a_value_that_a_run_lacks(function, sizes, tmp_path):
    path = str(tmp_path / "model")
    paddle.jit.save(paddle.jit.to_static(function, full_graph=True), path, input_spec=[InputSpec(sizes)])
    loaded = paddle.jit.load(path)
    given = paddle.ones([3]), -paddle.ones([3])
    np.testing.assert_array_equal(loaded(given[0]), function(given[0]))
    predictor = paddle.inference.create_predictor(paddle.inference.Config(path + ".pdmodel", path + ".pdiparams"))
    np.testing.assert_array_equal(predictor.run([given[0]])[0], function(given[0]))
    for run in (loaded, lambda x: predictor.run([x])):
        with pytest.raises(AssertionError, match="only one branch|is None after one branch|loop"):
            run(given[1])
    loaded.train()
    with pytest.raises(AssertionError):
        loaded(given[1])
