"""Settings that subclasses of layers read under the names that Paddle keeps them by."""

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
