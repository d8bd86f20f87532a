"""Operators of network layers, activations, losses and products."""

from .case import apart, both

CASES = {
    "linear": apart(lambda f, F, v: F.linear(v.x, v.y, v.row), lambda f, F, v: F.linear(v.x, v.y.T, v.row)),
    "matmul": both(lambda f, F, v: f.matmul(v.x, v.y)),
    "bmm": both(lambda f, F, v: f.bmm(v.stack, v.stack)),
    "einsum": both(lambda f, F, v: f.einsum("ij,kj->ik", v.x, v.y)),
    "conv2d": both(lambda f, F, v: F.conv2d(v.image, v.kernel, padding=1)),
    "conv1d": both(lambda f, F, v: F.conv1d(v.signal, v.kernel_1d, padding=1)),
    "max_pool2d": both(lambda f, F, v: F.max_pool2d(v.image, 2, 2)),
    "avg_pool2d": both(lambda f, F, v: F.avg_pool2d(v.image, 2, 2)),
    "adaptive_avg_pool2d": both(lambda f, F, v: F.adaptive_avg_pool2d(v.image, 1)),
    "batch_norm": both(lambda f, F, v: F.batch_norm(v.image, v.mean, v.variance, v.scale, v.shift, training=True)),
    "instance_norm": both(lambda f, F, v: F.instance_norm(v.image)),
    "layer_norm": both(lambda f, F, v: F.layer_norm(v.x, [v.side])),
    "dropout": apart(lambda f, F, v: F.dropout(v.x, 0.5), lambda f, F, v: F.dropout(v.x, 0.5), same=False),
    "embedding": apart(lambda f, F, v: F.embedding(v.rows, v.x), lambda f, F, v: F.embedding(v.rows, v.x)),
    "relu": both(lambda f, F, v: F.relu(v.x)),
    "relu6": both(lambda f, F, v: F.relu6(v.x)),
    "leaky_relu": both(lambda f, F, v: F.leaky_relu(v.x)),
    "gelu": both(lambda f, F, v: F.gelu(v.x)),
    "sigmoid": both(lambda f, F, v: f.nn.functional.sigmoid(v.x)),
    "silu": both(lambda f, F, v: F.silu(v.x)),
    "hardswish": both(lambda f, F, v: F.hardswish(v.x)),
    "softmax": apart(lambda f, F, v: F.softmax(v.x), lambda f, F, v: F.softmax(v.x, -1)),
    "log_softmax": apart(lambda f, F, v: F.log_softmax(v.x), lambda f, F, v: F.log_softmax(v.x, -1)),
    "cross_entropy": both(lambda f, F, v: F.cross_entropy(v.x, v.classes)),
    "mse_loss": both(lambda f, F, v: F.mse_loss(v.x, v.y)),
    "cosine_similarity": apart(lambda f, F, v: F.cosine_similarity(v.x, v.y, axis=1),
                               lambda f, F, v: F.cosine_similarity(v.x, v.y, dim=1)),
}
