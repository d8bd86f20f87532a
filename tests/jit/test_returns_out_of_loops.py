"""Every `return` out of loops, `try`, `with` and `match`, with `else` and what follows gives what it does in Python."""

import itertools
import linecache

import numpy as np
import proa as paddle
import pytest

LOOPS = ("for i in range((x.sum() > 1) + 1):", "while x.sum() < 3:", "for row in paddle.stack([x, x]):",
         "for i in range(2):", "for t in [x, x * 2]:", "for i in range(k):")
BODIES = (
    ["if x[0] > 0: return x", "x = x + 1"],
    ["if x[0] > 0: break", "if x[1] > 2: return x * 2", "x = x + 1"],
    ["x = x + 1", "for j in range((x[0] > 0) + 1):", "    if x[1] > 1: return x * 3", "else:", "    return x"],
    ["try:", "    if x[0] > 0: return x", "finally:", "    x = x + 1"],
    ["with paddle.no_grad():", "    if x[1] > 1: return x * 3", "x = x + 1"],
    ["match k:", "    case 1:", "        return x", "    case _:", "        x = x + 1",
     "        if x[0] > 1: return x * 5"],
    ["x = x + 1", "if x[0] > 1: return None"])
ELSES = ([], ["return x * 7"], ["if x[1] > 1: return x * 8"], ["x = x * 9"])
ENDS = ([], ["return x"], ["if x[0] > 0: return x * 4"])
VALUES = ([1.0, 2.0], [-1.0, 3.0], [-1.0, -1.0], [-3.0, 0.5])


def written(loop, body, orelse, end):
    lines = ["def f(x, k):", f"    {loop}", *(f"        {line}" for line in body)]
    lines += ["    else:", *(f"        {line}" for line in orelse)] if orelse else []
    return "\n".join([*lines, *(f"    {line}" for line in end), ""])


SOURCES = [written(*parts) for parts in itertools.product(LOOPS, BODIES, ELSES, ENDS)]


@pytest.mark.parametrize("source", SOURCES[::11])
def test_what_is_returned(source):
    name = "/written/returns.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names = {"paddle": paddle, "__name__": "written_returns", "__file__": name}
    exec(compile(source, name, "exec"), names)
    converted = paddle.jit.to_static(names["f"], full_graph=True)
    for value, k in zip(VALUES, (2, 2, 1, 2), strict=True):
        found, wanted = converted(paddle.to_tensor(value), k), names["f"](paddle.to_tensor(value), k)
        assert (found is None) == (wanted is None), source
        if wanted is not None:
            np.testing.assert_array_equal(found.numpy(), wanted.numpy(), source)
