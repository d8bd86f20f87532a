"""`paddle._C_ops` gives what PaddlePaddle 2.6.2's gives for the same arguments in the same order."""

import pathlib
import sys

import numpy as np
import proa as paddle
import pytest
from proa import _C_ops

FOLDER = pathlib.Path(__file__).with_name("fixtures") / "c_ops"
sys.path.insert(0, str(FOLDER))

from c_ops_calls import CALLS, answers  # noqa: E402 - found by the line above


@pytest.fixture(scope="module")
def wanted():
    with np.load(FOLDER / "answers.npz") as held:
        return dict(held)


@pytest.mark.parametrize("name", CALLS)
def test_answers(name, wanted):
    found = answers(paddle, _C_ops, (paddle.float32, paddle.int64), name)
    assert len(found) == sum(key.rpartition("/")[0] == name for key in wanted)
    for place, array in enumerate(found):
        there = wanted[f"{name}/{place}"]
        assert (array.dtype, array.shape) == (there.dtype, there.shape)
        np.testing.assert_allclose(array, there, 1e-4, 1e-5)


def test_gradients_flow():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    _C_ops.sum(_C_ops.multiply(x, x), [], None, False).backward()
    assert x.grad.tolist() == [2, 4]


def test_sixteen_bits_go_by_a_copy():
    parameter, copy = paddle.ones([2], "float16"), paddle.ones([2])
    _C_ops.sgd_(parameter, paddle.to_tensor([1e-4]), paddle.ones([2], "float16"), copy, True)
    assert copy.tolist() == pytest.approx([0.9999, 0.9999]) and parameter.tolist() == [1, 1]


def test_what_is_not_there():
    with pytest.raises(AttributeError, match=r"'flash_attn_unpadded'. Call the public function.*_legacy_C_ops"):
        _C_ops.flash_attn_unpadded
    with pytest.raises(TypeError, match="p_norm takes 1 inputs and the attributes porder"):
        _C_ops.p_norm(paddle.ones([2]), 2.0, -1, 1e-12, False, False, "more")
