"""Programs as modules, and the arrays that they are called with."""

from __future__ import annotations

import inspect
import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle
from proa.static import InputSpec

sys.path.insert(0, str(Path(__file__).parents[1]))  # programs import search.recorded

TRAINING = {"N": 2, "T": 3}
OTHER = {"N": 5, "T": 4}


BESIDE = """
class Beside(nn.Layer):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return x * 2.0

    def answer(self, {0}):
        return self.net({0})
"""


class Module:
    """What the text of a program defines."""

    def __init__(self, source: str, name: str):
        self.source, self.filename = source, f"/search/{name}.py"
        linecache.cache[self.filename] = (len(source), None, source.splitlines(keepends=True), self.filename)
        self.names: dict[str, Any] = {"__name__": f"search_{name}", "__file__": self.filename}
        exec(compile(source, self.filename, "exec", dont_inherit=True), self.names)
        if not isinstance(self.names["INPUTS"], list):
            raise TypeError("INPUTS: a list of arguments")

    def close(self) -> None:
        linecache.cache.pop(self.filename, None)
        linecache.cache.pop(self.filename.replace(".py", "_beside.py"), None)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["names"][name]
        except KeyError:
            raise AttributeError(name) from None

    def net(self) -> Any:
        """A Layer with the same parameters each time."""
        paddle.seed(7)
        return self.Net()

    def between(self, net: Any, step: int) -> None:
        """Lets the program change the Layer behind a step of its training."""
        change = self.names.get("between")
        if change is not None:
            change(net, step)

    def beside(self) -> Any:
        """A Layer that has the program's as a part, and calls it in a method `answer`."""
        net, names = self.net(), list(inspect.signature(self.Net.forward).parameters)[1 : 1 + len(self.INPUTS)]
        text = BESIDE.format(", ".join(names))
        filename = self.filename.replace(".py", "_beside.py")
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), self.names)
        return self.names["Beside"](net)


def map_leaves(function: Any, held: Any) -> Any:
    """A nested structure with a function of each leaf."""
    if isinstance(held, (list, tuple)):
        return type(held)(map_leaves(function, part) for part in held)
    if isinstance(held, dict):
        return {key: map_leaves(function, part) for key, part in held.items()}
    return function(held)


def leaves(held: Any) -> list:
    """The leaves of a nested structure."""
    if isinstance(held, (list, tuple)):
        return [leaf for part in held for leaf in leaves(part)]
    if isinstance(held, dict):
        return [leaf for part in held.values() for leaf in leaves(part)]
    return [held]


def shape_of(leaf: str, sizes: dict[str, int]) -> tuple[str, list[int]]:
    """The kind and the shape that a text such as `float N 4` says."""
    kind, *shape = leaf.split()
    return kind, [sizes[s] if s in sizes else int(s) for s in shape]


def arrays(module: Any, sizes: dict[str, int], seed: int) -> Any:
    """The arguments as arrays, nested as INPUTS says."""
    rng = np.random.default_rng(seed)

    def one(leaf: str) -> np.ndarray:
        kind, shape = shape_of(leaf, sizes)
        return rng.uniform(-1.5, 1.5, shape) if kind == "float" else rng.integers(0, 4, shape)

    return map_leaves(one, module.INPUTS)


def tensors(held: Any, dtype: str, stop_gradient: bool = True) -> Any:
    """Arrays as Tensors; floats of a dtype."""

    def one(array: np.ndarray) -> Any:
        if array.dtype.kind != "f":
            return paddle.to_tensor(array)
        return paddle.to_tensor(array.astype(dtype), stop_gradient=stop_gradient)

    return map_leaves(one, held)


def specs(module: Any, dtype: str) -> Any:
    """InputSpecs of the arguments, with unknown sizes where the program has them."""
    sizes = {"N": None, "T": None} if module.UNKNOWN else TRAINING
    names = iter("abcdef")

    def one(leaf: str) -> InputSpec:
        kind, *shape = leaf.split()
        return InputSpec(
            [sizes[s] if s in sizes else int(s) for s in shape],
            dtype if kind == "float" else "int64",
            "in_" + next(names),
        )

    return map_leaves(one, module.INPUTS)
