"""What the tests of aliasing share: a parameter with its optimizer, every rule, and every way to look at a value."""

import proa as paddle
from proa import nn

ONES = nn.initializer.Constant(1.0)
RULES = {
    "SGD": lambda p, **more: paddle.optimizer.SGD(0.1, parameters=p, **more),
    "Momentum": lambda p, **more: paddle.optimizer.Momentum(0.1, parameters=p, **more),
    "Adam": lambda p, **more: paddle.optimizer.Adam(0.1, parameters=p, **more),
    "AdamW": lambda p, **more: paddle.optimizer.AdamW(0.1, parameters=p, **more),
    "Adagrad": lambda p, **more: paddle.optimizer.Adagrad(0.1, parameters=p, **more),
    "Adadelta": lambda p, **more: paddle.optimizer.Adadelta(0.1, parameters=p, **more),
    "Adamax": lambda p, **more: paddle.optimizer.Adamax(0.1, parameters=p, **more),
    "RMSProp": lambda p, **more: paddle.optimizer.RMSProp(0.1, parameters=p, centered=True, **more),
    "Lamb": lambda p, **more: paddle.optimizer.Lamb(0.1, parameters=p, **more),
    "LBFGS": lambda p, **more: paddle.optimizer.LBFGS(0.1, parameters=p, **more),
}
VIEWS = {
    "t": lambda w: w.t(), "reshape": lambda w: w.reshape([6]), "item": lambda w: w[0], "slice": lambda w: w[:, 1:],
    "step": lambda w: w[:, ::2], "flip": lambda w: paddle.flip(w, [0]), "rot90": paddle.rot90,
    "pixels": lambda w: nn.functional.pixel_shuffle(paddle.reshape(w, [1, 6, 1, 1])[:, :4], 2),
    "channels": lambda w: nn.functional.channel_shuffle(paddle.reshape(w, [1, 6, 1, 1]), 2),
    "expand": lambda w: paddle.expand(w, [2, 2, 3]), "diagonal": lambda w: paddle.diagonal(w),
    "split": lambda w: paddle.split(w, 3, 1)[2], "unbind": lambda w: paddle.unbind(w)[1],
    "squeeze": lambda w: paddle.squeeze(paddle.unsqueeze(w, 0), 0), "cast": lambda w: paddle.cast(w, "float32"),
    "chunk": lambda w: paddle.chunk(w, 2)[0], "moveaxis": lambda w: paddle.moveaxis(w, 0, 1),
    "view": lambda w: paddle.as_strided(w, [2, 2], [1, 1]), "flatten": paddle.flatten, "numpy": lambda w: w.numpy(),
    "clone": lambda w: w.clone(), "assign": paddle.assign, "contiguous": lambda w: w.t().contiguous(),
    "dropout": lambda w: nn.functional.dropout(w, 0.5, training=False),
    "power": lambda w: paddle.linalg.matrix_power(w[:, :2], 1),
    "meshgrid": lambda w: paddle.meshgrid(w[0], w[1])[0], "atleast": lambda w: paddle.atleast_3d(w),
    "identity_loss": lambda w: paddle.incubate.identity_loss(w, "none"), "iterate": lambda w: list(w)[1],
    "unfold": lambda w: paddle.unfold(w, 0, 1, 1),
    "permute": lambda w: w.transpose([1, 0]), "sum of one": lambda w: paddle.sum(w.unsqueeze(0), 0),
}

SHARING = frozenset({  # those that show what becomes of the value, as PaddlePaddle's do; the others are copies
    "t", "reshape", "item", "slice", "step", "diagonal", "unbind", "squeeze", "moveaxis", "flatten", "atleast",
    "iterate", "permute"})


def parameter(rule="SGD", shape=(2, 3), **more):
    w = paddle.create_parameter(list(shape), "float32", default_initializer=ONES)
    return w, RULES[rule]([w], **more)


def step(w, optimizer):
    if isinstance(optimizer, paddle.optimizer.LBFGS):
        optimizer.step(lambda: losses_backward(w, optimizer))
        return
    losses_backward(w, optimizer)
    optimizer.step()
    optimizer.clear_grad()


def losses_backward(w, optimizer):
    optimizer.clear_grad()
    loss = (w * 3.0).sum()
    loss.backward()
    return loss
