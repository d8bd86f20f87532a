"""paddle-lpips, ppim, patta, rwkv-paddle: measures of images, backbones, test-time augmentation, a language model."""

import os

import numpy as np
import paddle
from shared import FOLDER, numbers, run, same_weights

RNG = np.random.default_rng(0)
IMAGES = RNG.uniform(-1, 1, (2, 2, 3, 64, 64)).astype("float32")


def gradients(layer, found):
    found["norms of gradients"] = [float(one.grad.square().sum().sqrt()) for one in layer.parameters()
                                   if one.grad is not None]


def lpips(net):
    """The distance of two images; the backbone's weights are drawn, those behind it are the package's."""
    def case(found):
        import paddle_lpips

        measure = paddle_lpips.LPIPS(net=net, pnet_rand=True, verbose=False)
        same_weights(measure, f"lpips_{net}")
        one, other = (paddle.to_tensor(image, stop_gradient=False) for image in IMAGES)
        distance, layers = measure(one, other, retPerLayer=True)
        found["distance"] = numbers(distance)
        found["its layers"] = [numbers(layer) for layer in layers[1:]]  # the first one is where the sum is kept
        measure(one, other).sum().backward()
        found["gradient"] = numbers(one.grad)

    return case


SMALL = {"img_size": 64, "class_dim": 10}
BACKBONES = {
    "vit": lambda m: m.VisionTransformer(embed_dim=48, depth=2, num_heads=4, **SMALL),
    "deit": lambda m: m.DistilledVisionTransformer(embed_dim=48, depth=2, num_heads=4, **SMALL),
    "tnt": lambda m: m.TNT(embed_dim=48, in_dim=12, depth=2, num_heads=4, **SMALL),
    "pvt": lambda m: m.PyramidVisionTransformer(embed_dims=[16, 32, 40, 64], depths=[1] * 4, **SMALL),
    "pit": lambda m: m.PoolingTransformer(64, 16, 8, [16, 16, 16], [1, 2, 1], [2, 4, 8], 2, class_dim=10),
    "coat": lambda m: m.CoaT(patch_size=4, embed_dims=[16, 32, 48, 64], serial_depths=[1] * 4, num_heads=8,
                             mlp_ratios=[2] * 4, **SMALL),
    "cait": lambda m: m.CaiT(embed_dim=48, depth=2, num_heads=4, init_scale=0.1, **SMALL),
    "swin": lambda m: m.SwinTransformer(patch_size=2, embed_dim=24, depths=[2, 2], num_heads=[3, 6], window_size=4,
                                        drop_path_rate=0.0, **SMALL),
    "mixer": lambda m: m.MlpMixer((64, 64), (16, 16), 2, 32, 16, 64, class_dim=10),
    "dla": lambda m: m.dla_46_c(class_dim=10),
    "rexnet": lambda m: m.ReXNet(width_mult=0.5, dropout_ratio=0.0, class_dim=10),
    "repvgg": lambda m: m.RepVGG([1, 2, 2, 1], [0.25, 0.25, 0.25, 0.5], class_dim=10),
    "hardnet": lambda m: m.hardnet_39_ds(class_dim=10),
}
#: RepVGG is put together for evaluation by a call of its own.
TRAINED = ("repvgg",)


def backbone(name):
    """What a network of ppim gives, and the norms of its gradients; in training where that is another network."""
    def case(found):
        from ppim import models

        network = BACKBONES[name](models)
        same_weights(network, name)
        if name not in TRAINED:
            network.eval()
        out = network(paddle.to_tensor(IMAGES[0]))
        out = out[0] if isinstance(out, (tuple, list)) else out
        found["result"] = numbers(out)
        out.square().mean().backward()
        gradients(network, found)

    return case


def augmented(found):
    import patta

    network = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 3, padding=1), paddle.nn.Sigmoid())
    head = paddle.nn.Sequential(paddle.nn.AdaptiveAvgPool2D(4), paddle.nn.Flatten(), paddle.nn.Linear(48, 5),
                                paddle.nn.Softmax())
    same_weights(network, "patta")
    same_weights(head, "patta_head")
    masks = patta.Compose([patta.HorizontalFlip(), patta.VerticalFlip(), patta.Rotate90([0, 90, 180, 270]),
                           patta.Scale([1, 2], interpolation="nearest", align_corners=False),
                           patta.Multiply([0.9, 1, 1.1])])
    labels = patta.Compose([patta.FiveCrops(32, 48), patta.Add([0, 0.1]), patta.Multiply([1, 1.2])])
    for merge in ("mean", "gmean", "sum", "tsharpen"):  # max and min join numbers without axes
        wrapped = patta.SegmentationTTAWrapper(Listed(network), masks, merge_mode=merge)
        found[f"masks, {merge}"] = numbers(wrapped(paddle.to_tensor(IMAGES[0])))
        wrapped = patta.ClassificationTTAWrapper(head, labels, merge_mode=merge)
        found[f"labels, {merge}"] = numbers(wrapped(paddle.to_tensor(IMAGES[1])))


class Listed(paddle.nn.Layer):
    """A network as those of paddleseg: its result in a list."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return [self.network(x)]


def recurrent(strategy):
    """RWKV from a file of weights: words, and more of them after those."""
    def case(found):
        os.environ["RWKV_JIT_ON"] = "0"  # read without a default
        from rwkv_paddle.model import RWKV

        model = RWKV(written_rwkv(), strategy=strategy, verbose=False)
        out, state = model.forward([3, 14, 15, 92, 65], None, full_output=True)
        found["five words"] = numbers(out.astype("float32"))
        for words in ([35, 89], [79, 32, 38]):  # of one word, PaddlePaddle refuses to normalize the result
            out, state = model.forward(words, state, full_output=True)
        found["five more"] = numbers(out.astype("float32"))
        found["state"] = [numbers(one.astype("float32")) for one in state]

    return case


def written_rwkv(words=100, width=32, layers=2):
    rng, weights = np.random.default_rng(5), {}

    def drawn(name, *shape, scale=0.2, middle=0.0):
        weights[name] = paddle.to_tensor((middle + scale * rng.normal(size=shape)).astype("float32"))

    drawn("emb.weight", words, width, scale=1.0)
    drawn("head.weight", words, width)
    norms = ["blocks.0.ln0", "ln_out", *(f"blocks.{n}.ln{i}" for n in range(layers) for i in (1, 2))]
    for name in norms:
        drawn(f"{name}.weight", width, middle=1.0)
        drawn(f"{name}.bias", width)
    for n in range(layers):
        for name in ("att.time_decay", "att.time_first"):
            drawn(f"blocks.{n}.{name}", width, scale=1.0)
        for name in ("att.time_mix_k", "att.time_mix_v", "att.time_mix_r", "ffn.time_mix_k", "ffn.time_mix_r"):
            drawn(f"blocks.{n}.{name}", 1, 1, width, middle=0.5)
        for name in ("att.key", "att.value", "att.receptance", "att.output", "ffn.receptance"):
            drawn(f"blocks.{n}.{name}.weight", width, width)
        drawn(f"blocks.{n}.ffn.key.weight", 4 * width, width)
        drawn(f"blocks.{n}.ffn.value.weight", width, 4 * width)
    path = os.path.join(FOLDER, "rwkv.pdparams")
    if not os.path.exists(path):
        paddle.save(weights, path)
    return path


run(**{f"lpips_{net}": lpips(net) for net in ("alex", "vgg", "squeeze")},
    **{f"ppim_{name}": backbone(name) for name in BACKBONES},
    patta=augmented, rwkv=recurrent("cpu fp32"), rwkv_int8=recurrent("cpu fp32i8"))
