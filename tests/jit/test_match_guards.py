"""Guards of `match` that a tensor decides."""

import dataclasses

import numpy as np
import proa as paddle
import pytest


@dataclasses.dataclass
class Point:
    a: object
    b: int = 2


def of_every_kind(x):
    match Point(x, 3):
        case Point(a=t, b=n) if n > 2 and t.mean() > 0:
            x = x * n
        case Point(b=n):
            x = x + n
    for v in (1, "a", None, [x, 2], {"k": x}):
        match v:
            case 1 if x.sum() > 0:
                x = x + 1
            case 1:
                x = x - 1
            case "a" as s if x.max() > 1 and len(s) == 1:
                x = x * 2
            case [t, n] if t.sum() > 0:
                x = x + t * n
            case {"k": t} if (m := t.sum()) > 0:
                x = x + m
            case None | "a" if x.shape[0] > 3:
                x = x * 100
            case _ if x.min() < 0:
                x = x - 0.25
            case _:
                x = x + 0.125
    return x


def returned(x):
    match x.ndim:
        case 1 if x.sum() > 0:
            return x
        case 1 if x.sum() > -3:
            return x * 2
    return x * 3


def jumping(x):
    s = x.sum()
    for i, v in enumerate(x):
        match i:
            case 0:
                continue
            case n if v > 1:
                break
            case n if v < -1 and n > 1:
                continue
            case n:
                s = s + v * n
        s = s + 1
    return s


@pytest.mark.parametrize("function", [of_every_kind, returned, jumping])
@pytest.mark.parametrize("values", [[1.0, 2.0, 0.5], [-1.0, -2.0, -4.0], [-0.5, 0.25, -2.0], [0.0, 0.0, 3.0]])
def test_as_without_conversion(function, values):
    both = [paddle.to_tensor(values, stop_gradient=False) for _ in range(2)]
    results = [f(x) for f, x in zip((function, paddle.jit.to_static(function, full_graph=True)), both, strict=True)]
    np.testing.assert_allclose(results[1].numpy(), results[0].numpy())
    for result in results:
        (result * result).sum().backward()
    np.testing.assert_allclose(both[1].grad.numpy(), both[0].grad.numpy())
