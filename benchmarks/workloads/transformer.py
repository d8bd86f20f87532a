"""A Transformer encoder (arXiv:1706.03762): a training step towards a target with Adam, or inference.

Without dropout by default, so that all sides compute the same numbers.
"""

from . import values
from .training import paddle_call, paddle_step, torch_call, torch_step

SIZE = {"batch": 8, "length": 64, "width": 256, "heads": 4, "hidden": 1024, "layers": 2, "dropout": 0.0, "training": 1}


def operations(size):
    projections = 4 * size["width"] ** 2 + 2 * size["width"] * size["hidden"]
    attention = 2 * size["length"] * size["width"]
    tokens = size["batch"] * size["length"] * size["layers"]
    return 2 * tokens * (projections + attention) * (3 if size["training"] else 1)


def traffic(size):
    parameters = size["layers"] * (4 * size["width"] ** 2 + 2 * size["width"] * size["hidden"])
    return 4 * parameters * (8 if size["training"] else 1)


def _data(size):
    shape = size["batch"], size["length"], size["width"]
    return values.random(1, *shape), values.random(2, *shape)


def in_paddle(paddle, mode, size):
    nn = paddle.nn
    layer = nn.TransformerEncoderLayer(size["width"], size["heads"], size["hidden"], dropout=size["dropout"])
    net = values.fill_paddle(nn.TransformerEncoder(layer, size["layers"]))
    inputs, targets = _data(size)
    if not size["training"]:
        return paddle_call(paddle, mode, net, inputs)
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    return paddle_step(paddle, mode, net, nn.MSELoss(), adam, inputs, targets)


def in_paddles_order(layer):
    """An encoder layer's parameters, query, key and value apart, as Paddle keeps them."""
    attention = layer.self_attn
    for weight, bias in zip(attention.in_proj_weight.detach().chunk(3), attention.in_proj_bias.detach().chunk(3)):
        yield from (weight, bias)
    yield from attention.out_proj.parameters()
    for part in (layer.linear1, layer.linear2, layer.norm1, layer.norm2):
        yield from part.parameters()


def in_torch(torch, mode, size):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(
        size["width"], size["heads"], size["hidden"], dropout=size["dropout"], batch_first=True)
    net = nn.TransformerEncoder(layer, size["layers"])
    values.fill_torch(torch, [p for layer in net.layers for p in in_paddles_order(layer)])
    inputs, targets = _data(size)
    if not size["training"]:
        return torch_call(torch, mode, net, inputs)
    adam = torch.optim.Adam(net.parameters(), 0.001)
    return torch_step(torch, mode, net, nn.MSELoss(), adam, inputs, targets)
