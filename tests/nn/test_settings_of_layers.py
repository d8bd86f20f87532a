"""Settings that subclasses of layers read under the names that Paddle keeps them by."""

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.nn import functional as F

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


def ones(*shape, dtype="float32"):
    return paddle.ones(shape, dtype)


IMAGE = (2, 3, 8, 8)
REFUSED = {  # what PaddlePaddle refuses too, by its types of errors
    "windows left out and kept": (lambda: F.max_pool2d(ones(*IMAGE), 2, padding="VALID", ceil_mode=True), ValueError,
                                  "ceil_mode keeps"),
    "means of these": (lambda: F.avg_pool1d(ones(2, 3, 8), 2, padding="valid", ceil_mode=True), ValueError,
                       "padding=0"),
    "a stride that is text": (lambda: F.max_pool2d(ones(*IMAGE), 2, stride="2"), ValueError, "must be an int"),
    "corners": (lambda: F.grid_sample(ones(*IMAGE), ones(2, 4, 4, 2), align_corners="a"), ValueError,
                "True or False"),
    "an axis of a vector": (lambda: F.normalize(ones(3), axis=2), ValueError, "axis"),
    "an ignored distribution": (lambda: F.cross_entropy(ones(3, 3), ones(3, 3), soft_label=True, ignore_index=1),
                                ValueError, "no number to be ignored"),
    "signs of volumes": (lambda: F.cosine_embedding_loss(ones(3, 3, 3), ones(3, 3, 3), ones(3)), ValueError,
                         "or \\[M\\]"),
    "signs that are bools": (lambda: F.cosine_embedding_loss(ones(3, 3), ones(3, 3), ones(3, dtype="bool")), ValueError,
                             "Received bool"),
    "a reduction": (lambda: F.ctc_loss(ones(4, 1, 3), ones(1, 2, dtype="int32"), ones(1), ones(1), reduction="x"),
                    AssertionError, "'mean', 'sum' or 'none'"),
    "slopes": (lambda: F.prelu(ones(2, 3), ones(2)), AssertionError, "each of the 3 channels"),
    "no channels": (lambda: nn.Conv2D(0, 4, 3), AssertionError, "in_channels.*above 0"),
    "no weight": (lambda: nn.Conv1D(3, 4, 3, weight_attr=False), AssertionError, "without a weight"),
    "padding": (lambda: nn.Conv2D(3, 4, 3, padding="x"), ValueError, "'SAME' or 'VALID'"),
    "no features": (lambda: nn.TransformerEncoderLayer(0, 2, 4), AssertionError, "above 0"),
    "a parameter without elements": (lambda: nn.PReLU(0), AssertionError, "each size must be above 0"),
    "a dimension": (lambda: nn.SpectralNorm([2, 3], dim=5), AssertionError, "must name a dimension"),
    "another": (lambda: nn.utils.weight_norm(nn.Linear(2, 2), dim=5), AssertionError, "must name one"),
    "a layer that is none": (lambda: nn.Sequential(1), AssertionError, "must be a Layer"),
    "layers that are none": (lambda: nn.LayerDict(1), AssertionError, "must be a dict or pairs"),
    "a parameter that is none": (lambda: nn.ParameterList([1]), AssertionError, "must be a parameter"),
    "values": (lambda: nn.initializer.Assign("a"), AssertionError, "must be an array"),
    "groups": (lambda: nn.initializer.Dirac(groups=-1), AssertionError, "above 0"),
    "bounds": (lambda: nn.initializer.Uniform(2, 1), AssertionError, "must not exceed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_in_paddle(name):
    call, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        call()
    assert F.normalize(paddle.to_tensor([3.0, 4.0])).tolist() == pytest.approx([0.6, 0.8])


def test_what_published_code_asks_of_convolutions_and_shuffles():
    convolutions = [nn.Conv1D(2, 2, 1, groups=2), nn.Conv2D(2, 4, 1, groups=2), nn.Conv2D(4, 2, 1, groups=2),
                    nn.Conv2DTranspose(2, 2, 1, groups=2), nn.Conv3D(2, 2, 1), nn.Conv2D(2, 2, 1, data_format="NHWC")]
    found = [(each._op_type, each._channel_dim) for each in convolutions]
    assert found == [("conv1d", 1), ("depthwise_conv2d", 1), ("conv2d", 1), ("depthwise_conv2d", 1), ("conv3d", 1),
                     ("conv2d", 3)]  # what PaddlePaddle 2.6.2 says
    assert not any(each._use_cudnn for each in convolutions)
    shuffles = nn.PixelShuffle(2), nn.PixelUnshuffle(3), nn.ChannelShuffle(4)
    assert [shuffles[0]._upscale_factor, shuffles[1]._downscale_factor, shuffles[2]._groups] == [2, 3, 4]
    attr = paddle.ParamAttr(name="scale_of_norm")
    assert nn.BatchNorm(2, param_attr=attr)._param_attr is attr
    loss = nn.NLLLoss(ignore_index=3, reduction="sum")
    assert (loss._weight, loss._ignore_index, loss._reduction) == (None, 3, "sum")


def test_layer_norm_of_no_sizes():
    for kind in (TypeError, ValueError):  # the second as in PaddlePaddle
        with pytest.raises(kind, match=r"layer_norm\(normalized_shape\): must be an int"):
            paddle.nn.functional.layer_norm(paddle.ones([2, 3]), 3.0)
