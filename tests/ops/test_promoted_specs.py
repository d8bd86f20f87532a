"""Operators on floats of two dtypes give what their rules for shapes and dtypes say, on every version of NumPy."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.core.operator import find
from proa.ops.core.spec import Spec
from proa.ops.core.trace import apply


@pytest.mark.parametrize("type", ["times_sign", "divide_by_windows"])
@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float64", "float32"), ("float32", "float32")])
def test_the_dtype_is_the_inferred_one(type, dtypes):
    operator = find(type)
    given = [np.full((2, 3), 0.5 + n, dtype) for n, dtype in enumerate(dtypes)]
    tensors = [paddle.to_tensor(array) for array in given]
    inferred, = operator.infer_specs(tuple(Spec(t.shape, t.dtype) for t in tensors), {})
    assert apply(operator, *tensors).dtype is inferred.dtype
    assert inferred.dtype.name == max(dtypes)
