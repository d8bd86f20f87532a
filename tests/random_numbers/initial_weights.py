"""Layers and initializers, one after the other, for whichever package is given as `p`: what they begin with."""

import numpy as np

LAYERS = {
    "Linear": lambda nn: nn.Linear(5, 7), "Bilinear": lambda nn: nn.Bilinear(3, 4, 5),
    "Conv1D": lambda nn: nn.Conv1D(3, 4, 3), "Conv2D": lambda nn: nn.Conv2D(3, 4, 3),
    "Conv2D in groups": lambda nn: nn.Conv2D(4, 4, 3, groups=2), "Conv3D": lambda nn: nn.Conv3D(3, 4, 3),
    "Conv1DTranspose": lambda nn: nn.Conv1DTranspose(3, 4, 3),
    "Conv2DTranspose": lambda nn: nn.Conv2DTranspose(3, 4, 3),
    "Conv3DTranspose": lambda nn: nn.Conv3DTranspose(3, 4, 3),
    "Embedding": lambda nn: nn.Embedding(11, 6), "Embedding padded": lambda nn: nn.Embedding(11, 6, padding_idx=2),
    "BatchNorm": lambda nn: nn.BatchNorm(4), "BatchNorm2D": lambda nn: nn.BatchNorm2D(4),
    "LayerNorm": lambda nn: nn.LayerNorm(4), "GroupNorm": lambda nn: nn.GroupNorm(2, 4),
    "InstanceNorm2D": lambda nn: nn.InstanceNorm2D(4), "SpectralNorm": lambda nn: nn.SpectralNorm([4, 3], 0, 2),
    "PReLU": lambda nn: nn.PReLU(3), "HSigmoidLoss": lambda nn: nn.HSigmoidLoss(6, 5),
    "LSTM": lambda nn: nn.LSTM(4, 3, 2, direction="bidirect"), "GRU": lambda nn: nn.GRU(4, 3, 2),
    "SimpleRNN": lambda nn: nn.SimpleRNN(4, 3), "LSTMCell": lambda nn: nn.LSTMCell(4, 3),
    "GRUCell": lambda nn: nn.GRUCell(4, 3), "SimpleRNNCell": lambda nn: nn.SimpleRNNCell(4, 3),
    "MultiHeadAttention": lambda nn: nn.MultiHeadAttention(8, 2),
    "TransformerEncoderLayer": lambda nn: nn.TransformerEncoderLayer(8, 2, 16),
    "TransformerDecoderLayer": lambda nn: nn.TransformerDecoderLayer(8, 2, 16),
    "TransformerEncoder": lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 3),
    "Transformer": lambda nn: nn.Transformer(8, 2, 1, 1, 16),
    "weight_norm": lambda nn: nn.utils.weight_norm(nn.Linear(3, 4)),
}

INITIALIZERS = {
    "Normal": lambda I: I.Normal(0.1, 0.3), "Uniform": lambda I: I.Uniform(-0.3, 0.2),
    "TruncatedNormal": lambda I: I.TruncatedNormal(0.1, 0.3), "Constant": lambda I: I.Constant(0.3),
    "XavierUniform": lambda I: I.XavierUniform(), "XavierNormal": lambda I: I.XavierNormal(),
    "XavierUniform of other fans": lambda I: I.XavierUniform(3.0, 4.0),
    "KaimingUniform": lambda I: I.KaimingUniform(), "KaimingNormal": lambda I: I.KaimingNormal(),
    "KaimingNormal of leaky_relu": lambda I: I.KaimingNormal(negative_slope=0.3, nonlinearity="leaky_relu"),
    "Assign": lambda I: I.Assign(np.arange(144.0).reshape(4, 4, 3, 3)), "Dirac": lambda I: I.Dirac(2),
}
SHAPES = ([4, 4, 3, 3], [4, 4], [7, 3], [3, 7, 2])
ONLY_FILTERS = ("Assign", "Dirac")


def layers(p):
    """The parameters and buffers of every kind of layer."""
    for make in LAYERS.values():
        state = make(p.nn).state_dict()
        yield from (state[name] for name in sorted(state))


def initializers(p):
    """Every initializer that draws but Orthogonal, and two that do not, on shapes of 2 to 4 dimensions."""
    for name, make in INITIALIZERS.items():
        for dtype in ("float32", "float64"):
            for shape in SHAPES[:1] if name in ONLY_FILTERS else SHAPES:
                yield p.create_parameter(shape, dtype, default_initializer=make(p.nn.initializer))


def orthogonal(p):
    """Orthogonal matrices: decompositions round differently."""
    for dtype in ("float32", "float64"):
        for shape in SHAPES:
            yield p.create_parameter(shape, dtype, default_initializer=p.nn.initializer.Orthogonal(1.3))
