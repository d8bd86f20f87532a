"""Losses of two floating operands: each gets its gradient in its own dtype, whatever the other's is."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest

CALLS = {
    "kl_div": F.kl_div,
    "smooth_l1_loss": F.smooth_l1_loss,
    "log_loss": F.log_loss,
    "binary_cross_entropy": F.binary_cross_entropy,
    "binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits,
}


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float64", "float32")])
def test_the_gradient_has_the_dtype_of_the_operand(name, dtypes):
    operands = [paddle.to_tensor(np.array([[0.3, 0.4], [0.6, 0.7]]), dtype, stop_gradient=False) for dtype in dtypes]
    result = CALLS[name](*operands)
    assert result.dtype == paddle.float64
    result.sum().backward()
    assert operands[0].grad is not None
    for operand in operands:
        assert operand.grad is None or operand.grad.dtype == operand.dtype
