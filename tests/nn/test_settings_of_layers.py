"""Settings that subclasses of layers read under the names that Paddle keeps them by."""

import numpy as np
import proa as paddle
import pytest
from proa import nn

_NAMED = {"L1Loss": (), "SmoothL1Loss": (), "BCELoss": (), "BCEWithLogitsLoss": (), "CrossEntropyLoss": (),
          "MarginRankingLoss": (), "HingeEmbeddingLoss": (), "CosineEmbeddingLoss": (), "TripletMarginLoss": (),
          "TripletMarginWithDistanceLoss": (), "MultiLabelSoftMarginLoss": (), "MultiMarginLoss": (),
          "SoftMarginLoss": (), "GaussianNLLLoss": (), "RNNTLoss": (), "Dropout": (), "Dropout2D": (),
          "Dropout3D": (), "AlphaDropout": (), "Upsample": (), "UpsamplingNearest2D": (), "UpsamplingBilinear2D": (),
          "PairwiseDistance": (), "LocalResponseNorm": (4,), "Unfold": (4,), "Fold": (4, 4), "MaxUnPool1D": (4,),
          "MaxUnPool2D": (4,), "MaxUnPool3D": (4,), "AdaptiveAvgPool1D": (4,), "AdaptiveMaxPool1D": (4,),
          "Sigmoid": (), "Hardsigmoid": ()}


@pytest.mark.parametrize(("layer", "arguments"), _NAMED.items(), ids=list(_NAMED))
def test_the_name(layer, arguments):
    assert getattr(nn, layer)(*arguments).name is None
    assert getattr(nn, layer)(*arguments, name="given").name == "given"


def test_sizes_of_pools():
    assert (nn.MaxPool1D(3).kernel_size, nn.AvgPool1D(3).kernel_size) == (3, 3)
    assert nn.AdaptiveAvgPool1D(3).output_size == 3
    pool = nn.AdaptiveMaxPool1D(3, return_mask=True)
    assert (pool.output_size, pool.return_mask) == (3, True)


def test_a_loss_derived_from_one():
    class Masked(nn.L1Loss):
        def forward(self, input, label):
            return nn.functional.l1_loss(input, label, "none", name=self.name).sum()

    assert float(Masked()(paddle.ones([3]), paddle.zeros([3]))) == 3.0


@pytest.mark.parametrize("layer", [nn.BatchNorm1D, nn.SyncBatchNorm])
@pytest.mark.parametrize("asked", [None, True, False])
def test_whose_statistics_batch_norm_takes(layer, asked):
    """`use_global_stats` decides where it is given, in training and in evaluation."""
    x, norm = paddle.to_tensor([[1.0], [5.0]]), layer(1, momentum=0.5, epsilon=0.0)
    norm._use_global_stats = asked
    for training in True, False:
        norm.train() if training else norm.eval()
        norm._mean.set_value(np.zeros(1, "float32"))
        norm._variance.set_value(np.ones(1, "float32"))
        of_batch = training if asked is None else not asked
        assert norm(x).tolist() == ([[-1.0], [1.0]] if of_batch else [[1.0], [5.0]])
        assert norm._mean.tolist() == ([1.5] if of_batch else [0.0])


def test_batch_norm_of_paddle_1_decides_nothing_by_its_default():
    norm = nn.BatchNorm(1, epsilon=0.0)
    norm.eval()
    assert norm(paddle.to_tensor([[1.0], [5.0]])).tolist() == [[1.0], [5.0]]


@pytest.mark.parametrize(("layer", "shape"), [("Conv2D", [2, 3, 5, 5]), ("Conv3D", [2, 3, 4, 4, 4])])
@pytest.mark.parametrize("data_format", ["NCL", "NCHW", "NCDHW"])
def test_convolutions_take_the_order_of_another_number_of_dimensions(layer, shape, data_format):
    """As PaddlePaddle's do: code for several numbers of dimensions writes one of them."""
    paddle.seed(0)
    convolution = getattr(paddle.nn, layer)(3, 4, 2, data_format=data_format)
    paddle.seed(0)
    usual = getattr(paddle.nn, layer)(3, 4, 2)
    x = paddle.rand(shape)
    assert convolution(x).tolist() == usual(x).tolist()
    with pytest.raises(ValueError, match="data_format"):
        paddle.nn.Conv1D(3, 4, 2, data_format="NCDHW")
