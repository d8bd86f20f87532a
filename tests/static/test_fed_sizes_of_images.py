"""Images resized to sizes that a run knows, beside attributes that say others: the gradient is the forward's."""

import numpy as np
import proa as paddle
import pytest

X = np.random.default_rng(0).uniform(0, 1, (1, 2, 4, 5))


def built(type, method, sizes, attrs):
    program = paddle.static.Program()
    block = program.global_block()
    block.create_var(name="x", shape=X.shape, dtype="float64")
    for name, shape in {"size": [2], "height": [1], "width": [1]}.items():
        block.create_var(name=name, shape=shape, dtype="int32")
    for name in ("y", "squares", "loss"):
        block.create_var(name=name)
    block.append_op(type, {"X": "x"} | sizes, {"Out": "y"}, attrs | {
        "interp_method": method, "align_corners": method != "nearest", "out_h": 3, "out_w": 3})
    block.append_op("square", {"X": "y"}, {"Out": "squares"})
    block.append_op("mean", {"X": "squares"}, {"Out": "loss"})
    pairs = paddle.base.backward.append_backward(block.var("loss"), parameter_list=["x"])
    return program, pairs[0][1]


@pytest.mark.parametrize("scale", [[], [2.0, 1.5]])
@pytest.mark.parametrize("sizes", [{"OutSize": "size"}, {"SizeTensor": ["height", "width"]}])
@pytest.mark.parametrize("method", ["nearest", "bilinear"])
def test_gradients_are_of_what_was_computed(method, sizes, scale):
    program, gradient = built(f"{method}_interp_v2", method, sizes, {"scale": scale})
    feed = {"size": np.int32([6, 7]), "height": np.int32([6]), "width": np.int32([7])}

    def run(x):
        return paddle.static.Executor().run(program, feed=feed | {"x": x}, fetch_list=["y", "loss", gradient])

    y, _, found = run(X)
    assert y.shape == (1, 2, 6, 7)
    step = np.random.default_rng(1).normal(size=X.shape) * 1e-6
    difference = (run(X + step)[1] - run(X - step)[1]) / 2
    np.testing.assert_allclose((found * step).sum(), difference, rtol=1e-6)
