"""Functions with control flow on tensors, written once for PaddlePaddle and for proa, as in nets.py."""

import numpy as np

KEPT = ("nested", "early_return", "counted", "logic", "loops", "lists")  # fixtures/ has PaddlePaddle's files of these


def functions(paddle):
    """The functions by name."""

    def nested(x):
        total = paddle.zeros([1])
        i = paddle.full([1], 0, "int64")
        while i < 6:
            i = i + 1
            if i == 3:
                continue
            if paddle.sum(x) > 4:
                if i > 2:
                    break
                total = total + x.mean()
            else:
                total = total - 1
        return total, i

    def early_return(x):
        if x.mean() > 0:
            return x + 1
        elif x.mean() > -1:
            return x * 3
        return x - 1

    def counted(x, n):
        y = paddle.zeros_like(x)
        for k in range(n):
            y = y + x * k
        return y

    def logic(x):
        if (x.mean() > 0 and x.max() < 2) or not x.min() > -3:
            y = paddle.cast(x > 0, "int32")
        else:
            y = paddle.cast(x < 0, "int32")
        return y, x.sum() > 1

    def loops(x):
        for _ in range(3):
            j = paddle.full([1], 0, "float32")
            while j < x.max():
                j = j + 0.5
                x = x * 0.9
        return x, j

    def growing(x):
        out = x
        i = paddle.full([], 0, "int32")
        while i < 2:
            out = paddle.concat([out, x], axis=0)
            i = i + 1
        return out, paddle.shape(out)[0]

    def choice(x):
        y = x if x.mean() > 0 else -x
        z = 1.5 if x.max() > 1 else 2
        return y * z

    def same_twice(x):
        y = x * 2
        return y, y, x

    def shapes(x):
        n = paddle.shape(x)[0]
        y = paddle.reshape(x, [n, -1])
        wide = paddle.concat([y, paddle.ones([n, 2])], axis=1)
        return y[1:, :2], wide, paddle.expand(x[:1], [n, 3]), x.transpose([1, 0]) @ x

    def lists(x, n):
        out = [x]
        for i in range(n):
            out.append(x * i)
            if i > 2:
                out.pop()
        return paddle.stack(out), paddle.concat(out, axis=1), paddle.ones([1]) * len(out)

    found = (lists, nested, early_return, counted, logic, loops, growing, choice, same_twice, shapes)
    return {f.__name__: f for f in found}


NAMES = tuple(functions(None))


def specs(paddle, name):
    """The InputSpecs of a function."""
    x = paddle.static.InputSpec([None, 3], "float32", "x")
    return [x, paddle.static.InputSpec([], "int64", "n")] if name in ("counted", "lists") else [x]


def inputs(name):
    """The lists of input arrays with which a function is tried: every branch is taken, loops run 0 to 5 times."""
    random = np.random.RandomState(0)
    found = []
    for rows, shift, turns in ((2, 1.0, 0), (3, -0.5, 1), (4, -3.0, 3), (2, 2.5, 5)):
        x = (random.uniform(-1, 1, (rows, 3)) + shift).astype("float32")
        found.append([x, np.array(turns, "int64")] if name in ("counted", "lists") else [x])
    return found
