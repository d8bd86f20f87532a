"""Modules and parameters that packages know by name."""

import proa as paddle
import pytest
from proa.compat import paddle_version
from proa.distribution import transform
from proa.incubate.nn import loss


def test_transforms_by_their_module():
    assert transform.AffineTransform is paddle.distribution.AffineTransform
    assert set(transform.__all__) <= set(paddle.distribution.__all__)


def test_identity_loss():
    assert float(loss.identity_loss(paddle.to_tensor([1.0, 3.0]), "mean")) == 2.0


def test_receiving_from_nobody_in_particular():
    with pytest.raises(RuntimeError, match="irecv"):
        paddle.distributed.irecv(paddle.ones([1]))


def test_versions_of_what_is_not_there():
    assert [paddle_version.xpu(), paddle_version.xpu_xccl()] == ["False", "False"]


def test_histogram_by_numbers_in_tensors():
    rows, bins = paddle.shape(paddle.zeros([2, 4]))
    assert paddle.histogram(paddle.to_tensor([0, 1, 1, 3]), bins=bins, min=0, max=bins - 1).tolist() == [1, 2, 0, 1]
