"""Operators of detection beside PaddlePaddle 1.8.5."""

import pytest
from fluid_calls import cases
from test_calls import check


@pytest.mark.parametrize("call", cases("detection"), ids=str)
def test_as_in_paddle(call):
    is_left = call.type == "multiclass_nms2" and call.label.endswith("none")  # by 1.8.5, uninitialized
    call.grads.pop("ROIs", None)  # there is none: regions are no function that is learnt
    check(call, left_out=("Out", "Index") if is_left else ())
