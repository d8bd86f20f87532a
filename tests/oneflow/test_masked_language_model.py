"""A masked language model as scripts for job functions write it: namespaces, tables, attention, gathered positions."""

import math

import numpy as np
import proa
import proa.oneflow as flow
import proa.oneflow.typing as tp
from proa.oneflow.job import session_guard

ROWS, LENGTH, WORDS, HIDDEN, HEADS, MASKED = 4, 8, 20, 16, 2, 2


def table(name, shape):
    return flow.get_variable(name, shape=shape, dtype=flow.float, initializer=flow.truncated_normal(0.1))


def dense(x, units, name):
    weight = table(f"{name}-weight", [x.shape[-1], units])
    bias = flow.get_variable(f"{name}-bias", shape=[units], dtype=x.dtype, initializer=flow.constant_initializer(0.0))
    return flow.nn.bias_add(flow.matmul(x, weight), bias)


def norm(x):
    return flow.layers.layer_norm(x, name="LayerNorm", begin_norm_axis=-1, begin_params_axis=-1)


def heads_of(x):
    return flow.transpose(flow.reshape(x, [-1, LENGTH, HEADS, HIDDEN // HEADS]), perm=[0, 2, 1, 3])


def attention(x, penalty):
    query, key, value = (heads_of(dense(x, HIDDEN, name)) for name in ("query", "key", "value"))
    scores = flow.matmul(query, key, transpose_b=True) * (1.0 / math.sqrt(HIDDEN // HEADS))
    weights = flow.nn.dropout(flow.nn.softmax(scores + penalty), rate=0.1)
    return flow.reshape(flow.transpose(flow.matmul(weights, value), perm=[0, 2, 1, 3]), [-1, HIDDEN])


def encoder(words, kinds, mask):
    with flow.scope.namespace("embeddings"):
        words_table = table("word_embeddings", [WORDS, HIDDEN])
        x = flow.gather(params=words_table, indices=words, axis=0)
        x = x + flow.gather(params=table("kinds", [2, HIDDEN]), indices=kinds, axis=0)
        places = flow.slice(table("places", [1, 2 * LENGTH, HIDDEN]), begin=[None, 0, 0], size=[None, LENGTH, -1])
        x = norm(x + places)
    spread = flow.constant(0.0, dtype=flow.float, shape=[LENGTH, LENGTH])
    penalty = spread + flow.reshape(flow.cast(mask, dtype=flow.float), [-1, 1, LENGTH])
    penalty = (flow.reshape(penalty, [-1, 1, LENGTH, LENGTH]) - 1.0) * 10000.0
    x = flow.reshape(x, (-1, HIDDEN))
    for n in range(2):
        with flow.scope.namespace(f"layer_{n}"):
            with flow.scope.namespace("attention"):
                x = norm(flow.nn.dropout(dense(attention(x, penalty), HIDDEN, "output"), rate=0.1) + x)
            with flow.scope.namespace("output"):
                x = norm(dense(flow.math.gelu(dense(x, 2 * HIDDEN, "inner")), HIDDEN, "dense") + x)
    return flow.reshape(x, (-1, LENGTH, HIDDEN)), words_table


def loss_of(x, words_table, positions, ids, weights):
    with flow.scope.namespace("predictions"):
        x = flow.reshape(flow.gather(params=x, indices=positions, axis=2, batch_dims=2), [-1, HIDDEN])
        logits = flow.matmul(norm(flow.math.gelu(dense(x, HIDDEN, "dense"))), words_table, transpose_b=True)
        each = flow.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=flow.reshape(ids, [-1]))
        each = flow.reshape(each, [-1, MASKED]) * weights
        count = flow.math.reduce_sum(weights, axis=[-1])
        mean = flow.math.reduce_sum(count) / flow.math.reduce_sum(count * 0.0 + 1.0)
        return flow.math.reduce_mean(flow.math.reduce_sum(each, axis=[-1]) / (mean + 1e-5))


def job():
    kind = flow.int32

    @flow.global_function(type="train")
    def train(words: tp.Numpy.Placeholder((ROWS, LENGTH), kind), kinds: tp.Numpy.Placeholder((ROWS, LENGTH), kind),
              mask: tp.Numpy.Placeholder((ROWS, LENGTH), kind), positions: tp.Numpy.Placeholder((ROWS, MASKED), kind),
              ids: tp.Numpy.Placeholder((ROWS, MASKED), kind),
              weights: tp.Numpy.Placeholder((ROWS, MASKED))) -> tp.Numpy:
        with flow.scope.placement("cpu", "0:0"):
            loss = loss_of(*encoder(words, kinds, mask), positions, ids, weights)
            flow.optimizer.AdamW(flow.optimizer.PiecewiseConstantScheduler([], [0.003]), weight_decay=0.01,
                                 grad_clipping=flow.optimizer.grad_clipping.by_global_norm(1.0)).minimize(loss)
        return loss

    return train


def test_it_learns():
    proa.seed(0)
    rng = np.random.default_rng(0)
    words = rng.integers(2, WORDS, (ROWS, LENGTH)).astype("int32")
    positions = np.stack([rng.permutation(LENGTH - 2)[:MASKED] for _ in range(ROWS)]).astype("int32")
    ids = np.take_along_axis(words, positions, 1)
    np.put_along_axis(words, positions, 1, 1)
    mask = np.ones_like(words)
    mask[:, -2:] = 0
    batch = words, (words > 9).astype("int32"), mask, positions, ids, np.ones((ROWS, MASKED), "float32")
    with session_guard():
        train = job()
        losses = [float(train(*batch).item()) for _ in range(40)]
        names = sorted(flow.get_all_variables())
    assert losses[-1] < 0.3 * losses[0] and abs(losses[0] - math.log(WORDS)) < 1.5
    assert "layer_1-attention-query-weight" in names and "layer_0-output-LayerNorm-gamma" in names
