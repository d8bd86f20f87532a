"""Tables of equivalents in documents, read and evaluated: the left cell by another framework, the right one by proa.

`<!-- compared: NAME -->` before a table says that its first two cells are expressions with the same value in both;
`<!-- different: NAME -->` that they are expressions and their values: expression, value, expression, value.
`python tests/migration/tables.py NAME` evaluates the left side, where NAME is installed, and writes what it gave to
tests/fixtures/migration/NAME.json; `test_tables.py` compares the right side with it. This file imports no framework
before it is asked, and needs NumPy alone.
"""

import importlib
import json
import os
import re
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = {"pytorch": "from-pytorch", "keras": "from-keras", "jax": "from-jax", "paddle_1": "from-paddle-1"}


def given():
    """The arrays that the expressions are about, by name; a page says what they are."""
    return {
        "x": (np.arange(24).reshape(2, 3, 4) * 7 % 24).astype("float32") / 4 - 3,
        "m": np.array([[1, 4, 2, 9], [8, 0, 7, 3], [6, 5, 10, 11]], "float32"),
        "n": np.array([[2, 1, 0, 3], [1, 1, 2, 2], [0, 4, 1, 5]], "float32"),
        "square": np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], "float32"),
        "i": np.array([[3, 1, 0, 2], [0, 2, 1, 3], [1, 1, 0, 0]]),
        "index": np.array([2, 0]),
        "images": (np.arange(72).reshape(1, 2, 6, 6) * 11 % 36).astype("float32"),
        "scores": np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0], [0, 0, 4]], "float32"),
        "labels": np.array([0, 2, 1, 2]),
        "maps": (np.arange(24).reshape(2, 3, 2, 2) % 5).astype("float32"),
        "classes": np.array([[[0, 2], [1, 1]], [[2, 0], [0, 1]]]),
    }


def names(framework):
    """What expressions may say, `given()` as tensors among it."""
    if framework == "proa":
        paddle = importlib.import_module("proa")
        found = {"paddle": paddle, "nn": paddle.nn, "F": paddle.nn.functional, "static": paddle.static}
        tensor = paddle.to_tensor
    elif framework == "pytorch":
        torch = importlib.import_module("torch")
        found = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
        tensor = torch.tensor
    elif framework == "keras":
        keras = importlib.import_module("keras")
        found, tensor = {"keras": keras, "ops": keras.ops, "layers": keras.layers}, keras.ops.convert_to_tensor
    elif framework == "jax":
        jax = importlib.import_module("jax")
        found, tensor = {"jax": jax, "jnp": jax.numpy}, jax.numpy.asarray
    else:
        fluid = importlib.import_module("paddle.fluid")
        fluid.enable_dygraph()
        found, tensor = {"fluid": fluid, "layers": fluid.layers}, fluid.dygraph.to_variable
    return {"np": np, **found, **{name: tensor(value) for name, value in given().items()}}


def plain(value):
    """A value in what JSON holds: tensors and arrays as nested lists of numbers."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        value = value.detach()
    array = np.asarray(value.numpy() if callable(getattr(value, "numpy", None)) else value)
    return np.round(array.astype("float64"), 5).tolist() if array.dtype.kind == "f" else array.tolist()


def rows(page, kind):
    """The code of the cells of a page's tables of a kind, row by row, without what is put in words."""
    with open(os.path.join(ROOT, "docs", "how-to", page + ".md"), encoding="utf-8") as file:
        text = file.read()
    found = []
    for table in re.findall(rf"<!-- {kind} -->\n+((?:\|.*\n)+)", text):
        for line in table.splitlines()[2:]:
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            found.append([re.findall(r"`([^`]+)`", cell) for cell in cells])
    return found


def evaluated(code, framework):
    """What an expression gives, in what JSON holds; an error is its type's name."""
    try:
        return plain(eval(code, names(framework)))  # noqa: S307 - of the repository's own pages
    except Exception as error:
        return type(error).__name__


def pairs(name):
    """(theirs, ours) of all rows whose values are the same."""
    return [(cells[0][0], cells[1][0]) for cells in rows(PAGES[name], f"compared: {name}")]


def differences(name):
    """(theirs, their value, ours, our value) of all rows whose values differ."""
    return [tuple(cell[0] for cell in cells[:4]) for cells in rows(PAGES[name], f"different: {name}")]


def main(name):
    """Writes what the other framework gives."""
    answers = {theirs: evaluated(theirs, name) for theirs, _ in pairs(name)}
    answers.update({theirs: evaluated(theirs, name) for theirs, *_ in differences(name)})
    path = os.path.join(ROOT, "tests", "fixtures", "migration", name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(answers, file, indent=0, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
