"""Small networks, and rows for them."""

import numpy as np
import proa.fluid as fluid


def regression(optimizer, width=64, dtype="float64"):
    """Two layers, of which the first is larger than a block."""
    def network():
        x, y = fluid.layers.data("x", [200], dtype=dtype), fluid.layers.data("y", [1], dtype=dtype)
        hidden = fluid.layers.fc(x, width * 2, act="tanh")
        loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(hidden, 1), y))
        optimizer().minimize(loss)
        return loss
    return network


def named(weights, optimizer, width=200):
    """A layer for each name of its weight."""
    def network():
        x = fluid.layers.data("x", [width])
        for name in weights:
            x = fluid.layers.fc(x, width, param_attr=name, bias_attr=False)
        loss = fluid.layers.mean(x)
        optimizer().minimize(loss)
        return loss
    return network


def rows(steps=5, count=8, width=200, seed=0, dtype="float64"):
    rng = np.random.RandomState(seed)
    return [{"x": rng.randn(count, width).astype(dtype), "y": rng.randn(count, 1).astype(dtype)} for _ in range(steps)]


def values_of(network, seed=0):
    """A value for each parameter of a network."""
    from cluster import Built

    rng = np.random.RandomState(seed)
    return {var.name: (rng.randn(*var.shape) * 0.1).astype(var.dtype.name)
            for var in Built(network).main.all_parameters()}


def words(optimizer, is_distributed=False, shared=False, size=2000, padding=None, minimized=True):
    """Numbers are looked up in a table; with `shared` two of each row in one."""
    def network():
        first, label = fluid.layers.data("a", [1], dtype="int64"), fluid.layers.data("y", [1])
        vectors = [fluid.layers.embedding(first, [size, 16], is_sparse=True, is_distributed=is_distributed,
                                          padding_idx=padding, param_attr="table")]
        if shared:
            other = fluid.layers.data("b", [1], dtype="int64")
            vectors.append(fluid.layers.embedding(other, [size, 16], is_sparse=True, is_distributed=is_distributed,
                                                  param_attr="table"))
        hidden = vectors[0] if len(vectors) == 1 else fluid.layers.concat(vectors, 1)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(hidden, 1), label))
        if minimized:
            optimizer().minimize(loss)
        return loss
    return network


def numbers(steps=5, count=8, size=2000, shared=False, seed=0):
    rng = np.random.RandomState(seed)
    names = ["a", "b"] if shared else ["a"]
    return [{**{name: rng.randint(0, size, (count, 1)).astype("int64") for name in names},
             "y": rng.randn(count, 1).astype("float32")} for _ in range(steps)]
