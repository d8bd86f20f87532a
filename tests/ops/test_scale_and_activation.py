"""`paddle.scale(act=…)` puts the result through the operator of that name, eagerly and in a Program."""

import numpy as np
import proa as paddle
import pytest
from proa import static


def test_it_is_activated():
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    y = paddle.scale(x, 2.0, bias=1.0, act="relu")
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([3.0, 0.0], [2.0, 0.0])
    np.testing.assert_allclose(paddle.scale(x, 2.0, act="leaky_relu").numpy(), [2.0, -0.08], rtol=1e-6)


def test_in_a_program_too():
    main = static.Program()
    with static.program_guard(main):
        out = paddle.scale(static.data("x", [2]), 2.0, act="tanh")
    found = static.Executor().run(main, feed={"x": np.array([1.0, -2.0], "float32")}, fetch_list=[out])[0]
    np.testing.assert_allclose(found, [0.9640276, -0.9993293], rtol=1e-6)


def test_an_unknown_one_is_refused():
    with pytest.raises(ValueError, match=r"scale\(act\)"):
        paddle.scale(paddle.ones([2]), act="no_such_operator")
