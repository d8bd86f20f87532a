"""The operator multiclass_nms3, with which exported detectors end, against PaddlePaddle's answers."""

import importlib.util
import pathlib

import numpy as np
import proa as paddle
import pytest
from proa.ops.class_suppression import multiclass_nms_op
from proa.ops.trace import apply

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "vision"


def _cases():
    spec = importlib.util.spec_from_file_location("multiclass_nms_cases", FIXTURES / "multiclass_nms_cases.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


cases = _cases()
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
