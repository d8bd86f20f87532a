"""Programs of training, written and read: what PaddlePaddle has for operators of gradients finds what it belongs to."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa import static

LOSSES = {
    "cross_entropy": lambda h, label: F.cross_entropy(paddle.tanh(h), label),
    "conv2d": lambda h, label: F.conv2d(paddle.tanh(h).unsqueeze([0, 1]), h[:2, :2].unsqueeze([0, 1])).mean(),
    "layer_norm": lambda h, label: (F.layer_norm(paddle.tanh(h), [3]) * h).mean(),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_of_a_branch(name):
    """The operator stands in one block, the operator of its gradient in another that is not inside of it."""
    main, startup = static.Program(), static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, startup):
            x, label = static.data("x", [4, 3], "float32"), static.data("label", [4], "int64")
            h = static.nn.fc(x, 3)
            loss = static.nn.cond(paddle.sum(label) > 3, lambda: LOSSES[name](h, label), lambda: paddle.mean(h))
            _, gradient = static.append_backward(loss)[0]
    finally:
        paddle.disable_static()
    read = static.Program.parse_from_string(main.serialized())
    feed = {"x": np.cos(np.arange(12.0)).reshape(4, 3).astype("float32"), "label": np.array([0, 2, 1, 1])}
    with static.scope_guard(static.Scope()):
        exe = static.Executor()
        exe.run(startup)
        expected, found = (exe.run(program, feed=feed, fetch_list=[loss, gradient]) for program in (main, read))
    np.testing.assert_allclose(found[0], expected[0], 1e-6)
    np.testing.assert_allclose(found[1], expected[1], 1e-5, 1e-6)
