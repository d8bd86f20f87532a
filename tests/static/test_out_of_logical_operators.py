"""In a Program the `out` of a logical or bitwise function is given the result, and is what the function gives."""

import numpy as np
import proa as paddle
import pytest
from proa import static

BOOLS = {"x": np.array([True, True, False]), "y": np.array([True, False, False])}


@pytest.mark.parametrize(("name", "expected"), [
    ("logical_and", [True, False, False]), ("logical_or", [True, True, False]), ("logical_xor", [False, True, False]),
    ("bitwise_and", [True, False, False]), ("bitwise_or", [True, True, False]), ("bitwise_xor", [False, True, False]),
    ("logical_not", [False, False, True]), ("bitwise_not", [False, False, True])])
def test_out_has_the_result(name, expected):
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x, y = static.data("x", [3], "bool"), static.data("y", [3], "bool")
        out = paddle.full([3], False, "bool")
        given = getattr(paddle, name)(*((x,) if name.endswith("not") else (x, y)), out=out)
        assert given is out
    assert static.Executor().run(main, feed=BOOLS, fetch_list=[out])[0].tolist() == expected


def test_eagerly_it_is_passed_over():
    x, out = paddle.to_tensor([True, False]), paddle.to_tensor([True, True])
    assert paddle.logical_not(x, out=out).tolist() == [False, True]
    assert out.tolist() == [True, True]
