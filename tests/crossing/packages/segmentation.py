"""paddleseg: three networks, in float64, where rounding is too small to be seen, and in float32 with its noise.

`float64`: steps of momentum by NumPy (the framework's keep their rate in float32), average pooling as a convolution
(PaddlePaddle's gradient of it multiplies by 1/9 in float32) and batch normalization's epsilon rounded to float32, as
PaddlePaddle keeps it. `float32` are steps with nothing replaced; what they are after the input's last bits have
changed (`noise`) says how much of a difference is rounding.
"""

import numpy as np
import paddle
from paddleseg import models
from shared import numbers, run, same_weights

NETWORKS = {"ppliteseg": lambda: models.PPLiteSeg(num_classes=5, backbone=models.STDC1(pretrained=None)),
            "segformer": lambda: models.SegFormer(num_classes=5, backbone=models.MixVisionTransformer_B0(),
                                                  embedding_dim=64),
            "bisenetv2": lambda: models.BiSeNetV2(num_classes=5)}
RNG = np.random.default_rng(0)
IMAGES, NOISE = RNG.normal(size=(2, 2, 3, 64, 64))
LABELS = RNG.integers(0, 5, (2, 64, 64))


def averaged(self, x):
    """Average pooling without padding counted, as two convolutions."""
    sizes = [value if isinstance(value, int) else value[0] for value in (self.ksize, self.stride, self.padding)]
    weight = paddle.ones([x.shape[1], 1, sizes[0], sizes[0]], x.dtype)
    total, count = (paddle.nn.functional.conv2d(value, weight, None, sizes[1], sizes[2], groups=x.shape[1])
                    for value in (x, paddle.ones_like(x)))
    return total / count


def prepared(name):
    """The network with the same weights, and without random parts."""
    model = NETWORKS[name]()
    same_weights(model, name)
    for layer in model.sublayers():
        if isinstance(layer, (paddle.nn.Dropout, paddle.nn.Dropout2D)):
            layer.p = 0.0
        if type(layer).__name__ == "DropPath":
            layer.drop_prob = 0.0
        if hasattr(layer, "_epsilon"):
            layer._epsilon = float(np.float32(layer._epsilon))
    return model


def loss(model, images):
    labels = paddle.to_tensor(LABELS)
    return sum(paddle.nn.functional.cross_entropy(out, labels, axis=1) for out in model(images))


def in_float64(name):
    def case(found):
        paddle.set_default_dtype("float64")
        pool = paddle.nn.AvgPool2D.forward
        paddle.nn.AvgPool2D.forward = averaged
        try:
            exactly(found, prepared(name))
        finally:
            paddle.nn.AvgPool2D.forward = pool
            paddle.set_default_dtype("float32")

    return case


def exactly(found, model):
    free = [one for one in model.parameters() if not one.stop_gradient]
    speed, losses = [0.0] * len(free), []
    model.train()
    for step in range(3):
        value = loss(model, paddle.to_tensor(IMAGES))
        value.backward()
        if step == 0:
            found["norms of gradients"] = [float(np.linalg.norm(one.grad.numpy())) for one in free]
        for n, one in enumerate(free):
            speed[n] = 0.9 * speed[n] + one.grad.numpy() + 1e-4 * one.numpy()
            one.set_value(one.numpy() - 0.01 * speed[n])
            one.clear_grad()
        losses.append(float(value))
    found["3 steps"] = losses


def in_float32(name, noise):
    def case(found):
        model = prepared(name)
        model.eval()
        images = paddle.to_tensor((IMAGES * (1 + noise * NOISE)).astype("float32"))
        found["evaluation"] = numbers(model(images)[0])
        model.train()
        momentum = paddle.optimizer.Momentum(0.01, parameters=model.parameters(), weight_decay=1e-4)
        found["3 steps"] = []
        for _ in range(3):
            value = loss(model, images)
            value.backward()
            momentum.step()
            momentum.clear_grad()
            found["3 steps"].append(float(value))

    return case


run(**{f"{name}_float64": in_float64(name) for name in NETWORKS},
    **{f"{name}_float32": in_float32(name, 0.0) for name in NETWORKS},
    **{f"{name}_noise": in_float32(name, 1e-7) for name in NETWORKS})
