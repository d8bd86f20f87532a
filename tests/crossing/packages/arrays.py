"""einops, safetensors, paddle-msssim, DeepXDE: small packages for Paddle, by calls of what they offer."""

import importlib.util
import os

import numpy as np
import paddle
from shared import FOLDER, numbers, run, same_weights

RNG = np.random.default_rng(0)


def drawn(*shape):
    return paddle.to_tensor(RNG.normal(size=shape).astype("float32"), stop_gradient=False)


def einops(found):
    from einops import einsum, pack, rearrange, reduce, repeat
    from einops.layers.paddle import EinMix, Rearrange, Reduce

    x, y = drawn(2, 3, 8, 8), drawn(2, 5, 8)
    out = rearrange(x, "b c (h p) (w q) -> b (h w) (c p q)", p=2, q=2)
    found["rearrange"], found["reduce"] = numbers(out), numbers(reduce(x, "b c (h 2) w -> b c h", "max"))
    found["repeat"], found["einsum"] = numbers(repeat(y, "b l f -> b (l 2) f")), numbers(
        einsum(x, y, "b c h w, b l w -> b c l h"))
    found["pack"] = numbers(pack([x, x], "b * h w")[0])
    layers = paddle.nn.Sequential(Rearrange("b c h w -> b h w c"), Reduce("b (h 2) w c -> b h w c", "mean"),
                                  EinMix("b h w c -> b h w d", "c d", "d", c=3, d=4))
    same_weights(layers, "einops")
    layers(x).square().sum().backward()
    found["gradient through layers"] = numbers(x.grad)


def safetensors(found):
    from safetensors.numpy import load_file as arrays_of
    from safetensors.paddle import load, load_file, save, save_file

    path = os.path.join(FOLDER, "tensors.safetensors")
    state = {"a": drawn(2, 3).detach(), "b": paddle.arange(4), "c": paddle.to_tensor([True, False])}
    if not os.path.exists(path):
        save_file(dict(state), path)  # its version for PaddlePaddle writes into the dict
    found["read"] = {key: numbers(value.astype("float64")) for key, value in sorted(load_file(path).items())}["a"]
    found["and as arrays"] = arrays_of(path)["a"].tolist()
    found["through bytes"] = numbers(load(save(dict(state)))["a"])


def msssim(found):
    from paddle_msssim import ms_ssim, ssim

    images = [paddle.to_tensor(RNG.random((2, 3, 192, 192)).astype("float32"), stop_gradient=False) for _ in range(2)]
    near = 0.9 * images[0] + 0.1 * images[1]
    value = ssim(images[0], near, data_range=1.0) + ms_ssim(images[0], near, data_range=1.0)
    value.backward()
    found["ssim + ms_ssim"], found["gradient"] = float(value), numbers(images[0].grad)


def deepxde(found):
    os.environ["DDE_BACKEND"] = "paddle"
    import deepxde as dde

    dde.config.set_random_seed(3)
    geometry = dde.geometry.Interval(-1, 1.5)  # points that are not symmetric: no gradient is zero but for rounding

    def equation(x, y):
        return dde.grad.hessian(y, x) + np.pi**2 * paddle.sin(np.pi * x)

    border = dde.icbc.DirichletBC(geometry, lambda x: 0, lambda _, on: on)
    data = dde.data.PDE(geometry, equation, border, 16, 2, train_distribution="uniform")
    net = dde.nn.FNN([1, 20, 20, 1], "tanh", "Glorot uniform")
    same_weights(net, "deepxde")
    model = dde.Model(data, net)
    model.compile("adam", lr=1e-3)
    history, _ = model.train(iterations=50, display_every=10)
    found["losses"] = np.asarray(history.loss_train, "float64").tolist()
    found["u"] = model.predict(np.linspace(-1, 1, 9, dtype="float32").reshape(-1, 1)).tolist()


CASES = {"einops": einops, "safetensors": safetensors, "paddle_msssim": msssim, "deepxde": deepxde}
run(**{name: case for name, case in CASES.items() if importlib.util.find_spec(name)})
