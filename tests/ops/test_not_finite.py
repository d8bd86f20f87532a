"""Decompositions of matrices with a NaN or an infinity: LAPACK may not come back from them."""

import numpy as np
import proa as paddle
import pytest

CALLS = {
    "svd": paddle.linalg.svd, "pinv": paddle.linalg.pinv, "matrix_rank": paddle.linalg.matrix_rank,
    "eigh": paddle.linalg.eigh, "eigvalsh": paddle.linalg.eigvalsh,
    "lstsq": lambda x: paddle.linalg.lstsq(x, paddle.ones([3, 1])),
    "pinv(x)": lambda x: paddle.linalg.pinv(x, hermitian=True),
    "matrix_rank(x)": lambda x: paddle.linalg.matrix_rank(x, hermitian=True),
}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", CALLS)
def test_they_are_refused(name, value):
    x = paddle.eye(3)
    x[1, 1] = value
    with pytest.raises(ValueError, match="hold a NaN or an infinity"):
        CALLS[name](x)


def test_the_gradient_of_a_determinant_is_not_a_number():
    x = paddle.to_tensor([[1.0, float("inf")], [0.0, 1.0]], stop_gradient=False)
    with np.errstate(invalid="ignore"):
        paddle.linalg.det(x).backward()
    assert x.grad.isnan().all().item()


def test_a_target_that_is_not_a_number_counts_in_kl_div():
    target = paddle.to_tensor([float("nan"), 0.0, 1.0])
    loss = paddle.nn.functional.kl_div(paddle.ones([3]), target, reduction="none")
    assert loss.isnan().tolist() == [True, False, False]


def test_the_slope_of_a_root_of_clipped_numbers():
    def f(x):
        return paddle.sqrt(x.clip(0)).sum() + paddle.sqrt(x.clip(0.0, 1.0)).sum()

    for call in (f, paddle.jit.to_static(f, full_graph=True)):
        x = paddle.to_tensor([-1.0, 0.0, 0.25, 4.0], stop_gradient=False)
        call(x).backward()
        assert x.grad.tolist() == [0.0, 0.0, 2.0, 0.25]
