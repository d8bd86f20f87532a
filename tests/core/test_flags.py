"""Flags: declared once, checked by name, put back by their guard; and what FLAGS_check_nan_inf does."""

import numpy as np
import proa as paddle
import pytest
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
