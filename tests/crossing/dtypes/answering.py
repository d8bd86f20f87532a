"""What one side answers to the calls of the table, as short texts. Runs under proa and under PaddlePaddle alike.

`python answering.py` reads calls, a line `[expression, dtypes…]` in JSON each, and writes their answers. It computes
them in processes that it makes for it, since some calls end PaddlePaddle's.
"""

import itertools
import json
import os
import select
import signal
import sys

import numpy as np

VALUES = {"b": [1, 0, 1, 1, 1, 0], "c": [0.5 + 0.25j, 0.25, 0.75j, 0.125, 0.625 - 1j, 0.875]}
FLOATS, INTEGERS = [0.5, 0.25, 0.75, 0.125, 0.625, 0.875], [1, 2, 3, 4, 5, 6]
OTHERS = {"b": [1, 1, 0, 1, 0, 1], "f": [2.0, 0.5, 1.5, 3.0, 0.25, 1.0], "c": [2.0, 0.5j, 1.5, 3.0, 0.25, 1.0]}
MATRIX = [[2, 0, 1], [1, 3, 0], [0, 1, 4]]
DIGITS = {"float16": 3, "bfloat16": 2}


def _kind(dtype):
    return "b" if dtype == "bool" else "c" if dtype[0] == "c" else "f" if "float" in dtype else "i"


def _tensor(paddle, values, dtype, shape):
    array = np.array(values, {"b": "bool", "c": "complex128", "f": "float64", "i": "int64"}[_kind(dtype)])
    return paddle.to_tensor(array.reshape(shape)).astype(dtype)


def inputs(paddle, dtypes):
    """The names that an expression may use, of one dtype, or of two."""
    names = {"paddle": paddle, "F": paddle.nn.functional, "np": np, "c": paddle.to_tensor([[True, False, True]] * 2),
             "i": paddle.to_tensor([0, 1]), "j": paddle.to_tensor([[0, 2, 1], [1, 0, 1]])}
    names["put"] = _put
    if not dtypes:
        return names
    first, last = dtypes[0], dtypes[-1]
    kind, other = _kind(first), _kind(last)
    values = VALUES.get(kind, FLOATS if kind == "f" else INTEGERS)
    names["x"] = _tensor(paddle, values, first, [2, 3])
    names["y"] = _tensor(paddle, OTHERS.get(other, [2, 1, 3, 1, 2, 2]), last, [2, 3])
    names["v"] = _tensor(paddle, {"b": [1, 0, 1], "f": [0.5, 0.25, 0.75]}.get(kind, [1, 2, 3]), first, [3])
    names["m"] = _tensor(paddle, MATRIX, last, [3, 3])
    many = [values[n % 6] for n in range(16)]
    names["im"], names["li"] = _tensor(paddle, many, first, [1, 1, 4, 4]), _tensor(paddle, many[:8], first, [1, 1, 8])
    names["a"] = _tensor(paddle, many, first, [16])
    return names


def _put(x, k):
    x = x.clone()
    x[0] = k
    return x


def _numbers(array, dtype):
    if array.dtype == np.uint16 and dtype == "bfloat16":  # PaddlePaddle hands out its bits
        array = (array.astype(np.uint32) << 16).view(np.float32)
    if dtype == "bfloat16":
        array = array.astype(np.float32)
    digits = DIGITS.get(dtype, 4)
    return " ".join(_number(v, digits) for v in array.reshape(-1)[:6].tolist())


def _number(value, digits):
    if isinstance(value, complex):
        return f"{_number(value.real, digits)}{'' if value.imag < 0 else '+'}{_number(value.imag, digits)}j"
    if isinstance(value, float):
        return f"{0.0 if abs(value) < 1e-6 else value:.{digits}g}"
    return str(int(value))


def shown(paddle, value):
    """A value in a short text: the dtype, the shape and the first numbers of a tensor."""
    if isinstance(value, paddle.Tensor):
        dtype = str(value.dtype).rpartition(".")[2]
        return f"{dtype}{value.shape} {_numbers(value.numpy(), dtype)}".replace(", ", ",")
    if isinstance(value, (list, tuple)):
        return "(" + "; ".join(shown(paddle, v) for v in value) + ")"
    if type(value).__name__ in ("VarType", "DType", "dtype") or isinstance(value, np.dtype):
        return str(value).rpartition(".")[2]
    if isinstance(value, (float, np.floating)):
        return f"{type(value).__name__} {value:.4g}"
    return f"{type(value).__name__} {value}"


def answer(paddle, expression, dtypes):
    """The answer as text; one that begins with '!' is a refusal."""
    import warnings

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            names = inputs(paddle, dtypes)
            return shown(paddle, eval(expression, names))  # noqa: S307 - the table's own
        except Exception as error:
            return f"!{type(error).__name__}"


def _apart(paddle, calls, seconds=20):
    """The answers of some calls, from children: '!died' where a call ends its process, '!hangs' where it goes on."""
    found = []
    while len(found) < len(calls):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            for expression, *dtypes in calls[len(found):]:
                os.write(writer, (answer(paddle, expression, dtypes).replace("\n", " ") + "\n").encode())
            os._exit(0)
        os.close(writer)
        lines, hangs = _lines(reader, len(calls) - len(found), seconds)
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found += lines
        if len(found) < len(calls):
            found.append("!hangs" if hangs else "!died")
    return found


def _lines(reader, count, seconds):
    """The lines that come, up to `count`; and whether it was time that ended them."""
    text = b""
    while text.count(b"\n") < count:
        if not select.select([reader], [], [], seconds)[0]:
            return text.decode().split("\n")[:-1], True
        more = os.read(reader, 1 << 16)
        if not more:
            break
        text += more
    return text.decode().split("\n")[:-1], False


def main():
    """Answers the calls that stand on the standard input, one a line."""
    import bz2, gzip, lzma, zlib  # noqa: E401, F401, I001 - before PaddlePaddle, whose libraries bring others of these names
    import paddle

    calls = list(map(json.loads, sys.stdin))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what calls print is no answer
    for _, group in itertools.groupby(calls, key=lambda call: call[0]):
        for text in _apart(paddle, list(group)):
            print(json.dumps(text), file=out, flush=True)


if __name__ == "__main__":
    main()
