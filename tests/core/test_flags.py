"""Flags: declared once, checked by name, put back by their guard; and what FLAGS_check_nan_inf does."""

import functools

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core.flags import flags_guard

NAME = "FLAGS_check_nan_inf"


def test_unknown_flags_change_nothing():
    with pytest.raises(ValueError, match="no flag 'FLAGS_other'"):
        paddle.set_flags({NAME: True, "FLAGS_other": 1})
    assert paddle.get_flags([NAME]) == {NAME: False}
    with pytest.raises(TypeError, match="dict"):
        paddle.set_flags([NAME])


def test_the_operator_that_makes_a_nan_is_named():
    zero = paddle.zeros([2])
    with np.errstate(divide="ignore"):
        assert not paddle.isfinite(paddle.log(zero)).any()
        with flags_guard({NAME: True}), pytest.raises(FloatingPointError, match="operator log "):
            paddle.log(zero)
    with flags_guard({NAME: True}):
        assert [part.tolist() for part in paddle.split(paddle.ones([4]), 2)] == [[1.0, 1.0], [1.0, 1.0]]
    assert paddle.get_flags(NAME) == {NAME: False}


def test_flags_of_paddles_own_are_kept_and_change_nothing():
    name = "FLAGS_cudnn_deterministic"
    assert paddle.get_flags(name) == {name: False}
    with flags_guard({name: True, "FLAGS_conv_workspace_size_limit": 4000}):
        assert paddle.get_flags([name, "FLAGS_conv_workspace_size_limit"]) == {
            name: True, "FLAGS_conv_workspace_size_limit": 4000}
    assert paddle.get_flags(name) == {name: False}


@pytest.mark.parametrize("function", [
    lambda x: paddle.sqrt(x).sum().backward(), lambda x: paddle.grad(paddle.sqrt(x).sum(), x),
    lambda x: paddle.jit.to_static(lambda x: paddle.sqrt(x).sum())(x).backward()])
def test_check_nan_inf_sees_gradients(function):
    x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
    with np.errstate(all="ignore"), flags_guard({NAME: True}):
        with pytest.raises(RuntimeError, match="sqrt_grad|elementwise_div"):
            function(x)
        paddle.norm(x * 0).backward()  # what its rule leaves out counts nothing
        assert x.grad.tolist() == [0, 0]


@pytest.mark.parametrize(("function", "what"), [
    (lambda x: paddle.sum(paddle.log(x)), "operator log "), (lambda x: paddle.sum(paddle.sqrt(x)), "x@GRAD"),
    (lambda x: static.nn.cond(x.sum() > 0, lambda: paddle.sum(paddle.exp(x * 1e4)), lambda: x.sum()), "operator exp ")])
def test_check_nan_inf_sees_programs(function, what):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        x.stop_gradient = False
        static.gradients([function(x)], [x])
    run = functools.partial(static.Executor().run, main, {"x": np.array([0, 1], "float32")}, ["x@GRAD"])
    with np.errstate(all="ignore"):
        run()
        with flags_guard({NAME: True}), pytest.raises(FloatingPointError, match=what):
            run()
        run()
