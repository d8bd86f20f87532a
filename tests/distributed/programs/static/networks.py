"""Networks for several processes, each with batches of rows: LeNet with batch norms, a Transformer's block, a table."""

import numpy as np
import paddle.fluid as fluid


def lenet():
    """A convolutional network with batch norms, in float64: 50 steps of it in float32 differ by 2e-6 by rounding."""
    image, label = fluid.data("image", [None, 1, 12, 12], "float64"), fluid.data("label", [None, 1], "int64")
    found = image
    for filters in (4, 6):
        found = fluid.layers.conv2d(found, filters, 3, padding=1)
        found = fluid.layers.pool2d(fluid.layers.batch_norm(found, act="relu"), 2, pool_stride=2)
    predicted = fluid.layers.fc(fluid.layers.fc(found, 16, act="tanh"), 5, act="softmax")
    return fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))


def transformer():
    """Attention over six vectors, and what follows it in a Transformer, in float64."""
    x, y = fluid.data("image", [None, 6, 8], "float64"), fluid.data("label", [None, 1], "float64")
    query, key, value = (fluid.layers.fc(x, 8, num_flatten_dims=2, bias_attr=False) for _ in range(3))
    weights = fluid.layers.softmax(fluid.layers.matmul(query, key, transpose_y=True, alpha=8 ** -0.5))
    hidden = fluid.layers.layer_norm(x + fluid.layers.matmul(weights, value), begin_norm_axis=2)
    fed = fluid.layers.fc(fluid.layers.fc(hidden, 16, num_flatten_dims=2, act="relu"), 8, num_flatten_dims=2)
    hidden = fluid.layers.layer_norm(hidden + fed, begin_norm_axis=2)
    predicted = fluid.layers.fc(fluid.layers.reduce_mean(hidden, 1), 1)
    return fluid.layers.mean(fluid.layers.square_error_cost(predicted, y))


def table():
    """Sparse ids, whose vectors are looked up and summed."""
    ids, y = fluid.data("image", [None, 5], "int64"), fluid.data("label", [None, 1])
    vectors = fluid.layers.reduce_sum(fluid.embedding(ids, [40, 8], is_sparse=True), 1)
    predicted = fluid.layers.fc(fluid.layers.fc(vectors, 8, act="tanh"), 1)
    return fluid.layers.mean(fluid.layers.square_error_cost(predicted, y))


def batch(network, step, rows):
    """A batch of a step: `rows` rows, the same in every process."""
    draw = np.random.default_rng(step)
    if network is lenet:
        return {"image": draw.standard_normal((rows, 1, 12, 12)),
                "label": draw.integers(0, 5, (rows, 1))}
    if network is transformer:
        return {"image": draw.standard_normal((rows, 6, 8)), "label": draw.standard_normal((rows, 1))}
    return {"image": draw.integers(0, 40, (rows, 5)), "label": draw.standard_normal((rows, 1)).astype("float32")}


def part(feed, rank, size):
    """The rows of one process."""
    return {name: np.split(rows, size)[rank] for name, rows in feed.items()}


def built(network, optimizer=lambda: fluid.optimizer.Momentum(0.05, 0.9), wrapped=lambda optimizer: optimizer):
    """The main and the startup Program of a network that is trained, and its loss."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = network()
        wrapped(optimizer()).minimize(loss)
    return main, startup, loss


def values(main, scope):
    """The parameters, and what is kept between steps, by name."""
    names = [v.name for v in main.list_vars() if v.persistable and "@" not in v.name
             and v.name.rpartition(".")[2].startswith(("w_", "b_"))]
    return {name: np.array(scope.find_var(name).get_tensor()) for name in names if scope.find_var(name) is not None}


def alone(network, steps, rows, optimizer=lambda: fluid.optimizer.Momentum(0.05, 0.9)):
    """The losses and last values of one process that has the whole batches."""
    main, startup, loss = built(network, optimizer)
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        losses = [exe.run(main, batch(network, step, rows), [loss])[0].item() for step in range(steps)]
        return losses, values(main, scope)
