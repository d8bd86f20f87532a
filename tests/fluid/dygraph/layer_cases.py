"""Layers of dynamic mode with inputs, for PaddlePaddle 1.8.5 and for proa: what both must compute alike.

Runs under Python 3.7 too.
"""

import numpy as np


def values(shape, seed, low=-1.0, high=1.0):
    return np.random.RandomState(seed).uniform(low, high, shape).astype("float32")


def ids(shape, seed, count):
    return np.random.RandomState(seed).randint(0, count, shape).astype("int64")


IMAGE = [("x", values([2, 4, 6, 6], 1))]

# name: (layer of the module, inputs, which inputs get gradients)
CASES = {
    "linear": (lambda d: d.Linear(3, 5), [("x", values([4, 3], 1))]),
    "linear_act": (lambda d: d.Linear(3, 5, act="tanh", bias_attr=False), [("x", values([2, 4, 3], 1))]),
    "conv2d": (lambda d: d.Conv2D(4, 6, 3, stride=2, padding=1, act="relu"), IMAGE),
    "conv2d_groups": (lambda d: d.Conv2D(4, 6, [3, 2], padding=[1, 0], dilation=[2, 1], groups=2), IMAGE),
    "conv2d_depthwise": (lambda d: d.Conv2D(4, 8, 3, groups=4, use_cudnn=False), IMAGE),
    "conv3d": (lambda d: d.Conv3D(2, 3, 2, padding=1), [("x", values([1, 2, 3, 4, 4], 1))]),
    "conv2d_transpose": (lambda d: d.Conv2DTranspose(4, 3, 3, stride=2, padding=1), IMAGE),
    "conv2d_transpose_size": (lambda d: d.Conv2DTranspose(4, 3, 3, output_size=[12, 12], stride=2, padding=1), IMAGE),
    "conv3d_transpose": (lambda d: d.Conv3DTranspose(2, 3, 2), [("x", values([1, 2, 3, 3, 3], 1))]),
    "conv3d_transpose_bias": (lambda d: d.Conv3DTranspose(2, 3, 2, bias_attr=True),
                              [("x", values([1, 2, 3, 3, 3], 1))]),
    "pool_max": (lambda d: d.Pool2D(3, "max", 2, 1), IMAGE),
    "pool_avg": (lambda d: d.Pool2D(3, "avg", 2, 1, ceil_mode=True), IMAGE),
    "pool_avg_inclusive": (lambda d: d.Pool2D(3, "avg", 2, 1, exclusive=False), IMAGE),
    "pool_global": (lambda d: d.Pool2D(pool_type="avg", global_pooling=True), IMAGE),
    "batch_norm": (lambda d: d.BatchNorm(4, act="relu"), IMAGE),
    "batch_norm_2d": (lambda d: d.BatchNorm(3, momentum=0.5, epsilon=1e-3), [("x", values([5, 3], 1))]),
    "layer_norm": (lambda d: d.LayerNorm([3, 4]), [("x", values([2, 3, 4], 1))]),
    "layer_norm_plain": (lambda d: d.LayerNorm(4, scale=False, shift=False, act="sigmoid"),
                         [("x", values([2, 3, 4], 1))]),
    "group_norm": (lambda d: d.GroupNorm(4, 2, param_attr=True, bias_attr=True), IMAGE),
    "group_norm_plain": (lambda d: d.GroupNorm(4, 2), IMAGE),
    "instance_norm": (lambda d: d.InstanceNorm(4), IMAGE),
    "spectral_norm": (lambda d: d.SpectralNorm([4, 3], power_iters=3), [("x", values([4, 3], 1))]),
    "embedding": (lambda d: d.Embedding([7, 3]), [("ids", ids([4, 2], 1, 7))]),
    "embedding_padding": (lambda d: d.Embedding([7, 3], padding_idx=-1), [("ids", np.array([[6], [2], [6]], "int64"))]),
    "gru_unit": (lambda d: d.GRUUnit(12), [("x", values([3, 12], 1)), ("h", values([3, 4], 2))]),
    "gru_unit_relu": (lambda d: d.GRUUnit(12, activation="relu", gate_activation="tanh"),
                      [("x", values([3, 12], 1)), ("h", values([3, 4], 2))]),
    "prelu_all": (lambda d: d.PRelu("all"), IMAGE),
    "prelu_channel": (lambda d: d.PRelu("channel", channel=4), IMAGE),
    "prelu_element": (lambda d: d.PRelu("element", input_shape=[2, 4, 6, 6]), IMAGE),
    "bilinear": (lambda d: d.BilinearTensorProduct(3, 2, 4, act="tanh"),
                 [("x", values([5, 3], 1)), ("y", values([5, 2], 2))]),
    "tree_conv": (lambda d: d.TreeConv(3, 4, 2, max_depth=2),
                  [("nodes", values([2, 6, 3], 1)),
                   ("edges", np.array([[[1, 2], [1, 3], [2, 4], [2, 5], [3, 6]],
                                       [[1, 2], [2, 3], [3, 4], [4, 5], [4, 6]]], "int32"))]),
    "sequential": (lambda d: d.Sequential(d.Linear(3, 4, act="relu"), d.Linear(4, 2)), [("x", values([4, 3], 1))]),
    "named": (lambda d: d.Sequential(("first", d.Linear(3, 4)), ("second", d.Linear(4, 2))),
              [("x", values([4, 3], 1))]),
    "mse": (lambda d: d.MSELoss(), [("x", values([4, 3], 1)), ("y", values([4, 3], 2))]),
    "l1_sum": (lambda d: d.L1Loss("sum"), [("x", values([4, 3], 1)), ("y", values([4, 3], 2))]),
    "bce": (lambda d: d.BCELoss(), [("x", values([4, 3], 1, 0.1, 0.9)), ("y", values([4, 3], 2, 0.0, 1.0))]),
    "nll": (lambda d: d.NLLLoss(), [("x", values([4, 3], 1)), ("y", ids([4], 2, 3))]),
    "nll_none_3d": (lambda d: d.NLLLoss(reduction="none"), [("x", values([2, 3, 4], 1)), ("y", ids([2, 4], 2, 3))]),
}


def run(fluid, name):
    """What a layer gives, and the gradients of inputs and parameters, as arrays by name; `names`: parameters' names."""
    make, given = CASES[name]
    d = fluid.dygraph
    with d.guard():
        layer = make(d)
        for number, (key, parameter) in enumerate(sorted(layer.state_dict().items())):
            low = 0.1 if "variance" in key else -0.5
            parameter.set_value(values(parameter.shape, 100 + number, low, 0.5))
        inputs = {}
        for key, array in given:
            inputs[key] = d.to_variable(array)
            inputs[key].stop_gradient = array.dtype != np.float32
        results = layer(*inputs.values())
        results = results if isinstance(results, (list, tuple)) else [results]
        total = None
        for number, result in enumerate(results[:1]):  # the others are no part of what 1.8 differentiates
            weighted = result * d.to_variable(values(result.shape, 200 + number))
            weighted = d.MSELoss("sum")(weighted, weighted * 0.0)
            total = weighted if total is None else total + weighted
        total.backward()
        found = {"out_" + str(number): result.numpy() for number, result in enumerate(results)}
        for key, value in inputs.items():
            if value.gradient() is not None:
                found["d_" + key] = value.gradient()
        for key, parameter in layer.state_dict().items():
            if parameter.stop_gradient:
                found["value_" + key] = parameter.numpy()
            elif parameter.gradient() is not None:
                found["d_" + key] = parameter.gradient()
        names = {key: parameter.name for key, parameter in layer.state_dict().items()}
    return found, names
