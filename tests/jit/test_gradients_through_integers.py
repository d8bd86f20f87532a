"""Gradients that flow through integers to what they were computed from: in converted functions as in eager code."""

import numpy as np
import proa as paddle
import pytest


def changed_in_a_branch(x):
    k = x.astype("int64")
    if x.sum() > 0:
        k = k * 2
    return x * k


def made_in_branches(x):
    if x.sum() > 0:
        k = (x * 2).astype("int32")
    else:
        k = (x * 3).astype("int32") + 1
    return x * k


def carried_by_a_loop(x):
    k, i = (x * 2).astype("int64"), paddle.zeros([], "int64")
    while i < 2:
        k = k * (x * 2).astype("int64")
        i = i + 1
    return x * k.astype("float32")


def read_in_turns(x):
    k, y = (x * 2).astype("int64"), x * 1
    for _ in paddle.arange(3):
        if x.sum() > 0:
            y = y * k
        else:
            k = k + x.astype("int64")
    return y + k * x


def of_doubles(x):
    k, y = x.astype("float64").astype("int64"), x.astype("float64")
    if x.sum() > 0:
        y = y * k
    return y


def of_the_second_order(x):
    k = x.astype("int64")
    if x.sum() > 0:
        k = k * 2
    g, = paddle.grad((x * x * k).sum(), [x], create_graph=True)
    return g * x


def in_parts(x):
    p, q = paddle.split((x * 2).astype("int64"), 2)
    return p * x + q


def in_a_list(x):
    ks, i = [], paddle.zeros([], "int64")
    while i < 2:
        ks.append((x * 2).astype("int64"))
        i = i + 1
    return paddle.stack(ks).sum(0) * x


def run(function, sign=1):
    x = paddle.to_tensor((np.arange(6, dtype="float32").reshape(2, 3) + 1) * sign, stop_gradient=False)
    y = function(x)
    (y * paddle.arange(1.0, 7.0).reshape([2, 3])).sum().backward()
    return y.tolist(), x.grad.tolist()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("function", [changed_in_a_branch, made_in_branches, carried_by_a_loop, read_in_turns,
                                      of_doubles, of_the_second_order, in_parts, in_a_list])
def test_as_in_eager_code(function, sign):
    assert run(paddle.jit.to_static(function, full_graph=True), sign) == run(function, sign)
