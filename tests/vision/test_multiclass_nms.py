"""The operator multiclass_nms3, with which exported detectors end, against PaddlePaddle's answers."""

import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.ops.core.trace import apply
from proa.ops.vision.multiclass_nms import multiclass_nms_op

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "vision"
cases = module_at(FIXTURES / "multiclass_nms_cases.py")
answers = dict(np.load(FIXTURES / "multiclass_nms.npz"))


@pytest.mark.parametrize("name", cases.CASES)
def test_answers_are_those_of_the_oracle(name):
    arrays, attributes = cases.CASES[name]
    given = [None if array is None else paddle.to_tensor(array) for array in arrays]
    found = apply(multiclass_nms_op, *given, **{**cases.USUAL, **attributes})
    for n, result in enumerate(found):
        expected = answers[f"{name}.{n}"]
        assert result.numpy().shape == expected.shape and result.numpy().dtype == expected.dtype, n
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6, err_msg=f"result {n}")


def test_shapes_that_do_not_go_together():
    with pytest.raises(ValueError, match=r"\[N, M, 4\] and \[N, classes, M\]"):
        apply(multiclass_nms_op, paddle.ones([2, 3, 4]), paddle.ones([2, 3]), None)
    for boxes, scores in (([2, 3, 4], [2, 5, 2]), ([2, 3, 4], [1, 5, 3])):
        with pytest.raises(ValueError, match="the same N and M"):
            apply(multiclass_nms_op, paddle.ones(boxes), paddle.ones(scores), None)
    counts = paddle.to_tensor([2], "int32")
    with pytest.raises(ValueError, match="the same M and classes"):
        apply(multiclass_nms_op, paddle.ones([3, 5, 4]), paddle.ones([3, 4]), counts)
    with pytest.raises(ValueError, match=r"RoisNum.*3 boxes.*\[2\]"):
        apply(multiclass_nms_op, paddle.ones([3, 5, 4]), paddle.ones([3, 5]), counts)
