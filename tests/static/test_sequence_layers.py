"""`static.nn.sequence_*` against the results of PaddlePaddle 1.8.5 for the same layers; what they refuse."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import fluid, static

FOLDER = Path(__file__).parents[1] / "fixtures" / "fluid"
THERE = json.loads((FOLDER / "sequence_layers.json").read_text())
nn = static.nn


def _cases():
    spec = importlib.util.spec_from_file_location("sequence_layers", FOLDER / "sequence_layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LAYERS = {
    "inner": lambda x, v: nn.sequence_pool(v["nested"], "sum", pad_value=1.0),
    "first": lambda x, v: nn.sequence_first_step(x), "last": lambda x, v: nn.sequence_last_step(x),
    "concat": lambda x, v: nn.sequence_concat([x, v["y"]]),
    "slice": lambda x, v: nn.sequence_slice(x, v["offset"], v["length"]),
    "expand_nested": lambda x, v: nn.sequence_expand(v["y"], v["nested"], 1),
    "pad": lambda x, v: nn.sequence_pad(x, paddle.full([1], 0.5), 5)[0],
    "lengths": lambda x, v: nn.sequence_pad(x, paddle.full([1], 0.5), 5)[1],
    "unpad": lambda x, v: nn.sequence_unpad(*nn.sequence_pad(x, paddle.full([1], 0.5))),
    "reshape": lambda x, v: nn.sequence_reshape(x, 2), "reverse": lambda x, v: nn.sequence_reverse(x),
    "scatter": lambda x, v: nn.sequence_scatter(v["table"], v["words"], v["updates"]),
    "enumerate": lambda x, v: nn.sequence_enumerate(v["words"], 2, 9),
}


@pytest.fixture
def inputs(programs):
    levels = {"x": 1, "y": 1, "nested": 2, "words": 1, "updates": 1}
    feed = _cases().fed(fluid)
    made = {name: static.data(name, [None, *np.array(value).shape[1:]], str(np.array(value).dtype),
                              lod_level=levels.get(name, 0)) for name, value in feed.items()}
    return made, feed


@pytest.mark.parametrize("name", LAYERS)
def test_results(inputs, name):
    made, feed = inputs
    out = LAYERS[name](made["x"], made)
    [found] = static.Executor().run(feed=feed, fetch_list=[out], return_numpy=False)
    np.testing.assert_allclose(np.array(found), THERE["results"][name], rtol=1e-6, atol=1e-7)
    assert found.lod() == THERE["lods"][name]


def test_a_convolution_a_softmax_and_an_expansion(inputs):
    made, feed = inputs
    rows = nn.sequence_conv(made["x"], 6, 3, param_attr=paddle.ParamAttr(name="w"), bias_attr=False, act="tanh")
    weights = nn.sequence_softmax(nn.sequence_conv(rows, 1, 1))
    spread = nn.sequence_expand_as(nn.sequence_pool(weights, "sum"), weights)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    found, one = exe.run(feed=feed, fetch_list=[rows, spread])
    x, w = np.array(feed["x"]), static.global_scope().find_var("w").get_tensor()
    first = np.concatenate([np.zeros(4), x[0], x[1]])  # the first row of a sequence has none before it
    np.testing.assert_allclose(found[0], np.tanh(first @ np.array(w)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(one, np.ones((8, 1)), rtol=1e-5)


@pytest.mark.parametrize("layer", [
    lambda x: nn.sequence_pool(x, "sum"), nn.sequence_softmax, nn.sequence_reverse, lambda x: nn.sequence_reshape(x, 2),
    lambda x: nn.sequence_expand(x, x), lambda x: nn.sequence_expand_as(x, x), lambda x: nn.sequence_concat([x, x]),
    lambda x: nn.sequence_pad(x, paddle.full([1], 0.5)), lambda x: nn.sequence_conv(x, 3),
])
def test_rows_without_a_lod_are_refused(programs, layer):
    with pytest.raises(ValueError, match=r"lod_level=1|have a LoD of 1 level"):
        layer(paddle.full([3, 1], 1.0))


def test_eager_values_have_no_lod():
    for layer in (lambda x: nn.sequence_pool(x, "sum"), nn.sequence_softmax, nn.sequence_reverse):
        with pytest.raises(ValueError, match="have a LoD of 1 level at least"):
            layer(paddle.ones([3, 1]))


def test_a_dense_layer_leaves_sequences_as_they_are(inputs):
    made, feed = inputs
    rows = static.nn.fc(made["x"], 3, activation="tanh")
    pooled = nn.sequence_pool(rows, "max")
    exe = static.Executor()
    exe.run(static.default_startup_program())
    found, greatest = exe.run(feed=feed, fetch_list=[rows, pooled], return_numpy=False)
    assert found.lod() == [[0, 3, 4, 8]] and greatest.lod() == []
    np.testing.assert_allclose(np.array(greatest)[0], np.array(found)[:3].max(0))
