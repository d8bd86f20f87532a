"""`run_check`, `require_version` and `try_import`: whether an installation is what a program needs."""

from __future__ import annotations

import importlib
from types import ModuleType

from ..compat.paddle_version import full_version
from ..dygraph.tensor import Tensor
from ..jit.api import to_static
from ..nn import Linear
from ..ops.array.full import full, ones
from ..optimizer import SGD


def run_check() -> None:
    """Trains a small layer, eager and converted, and says that it works; RuntimeError where a result is wrong.

    >>> import proa as paddle
    >>> paddle.utils.run_check()
    proa works: a training step ran eagerly and as a Program on Place(cpu).
    """
    layer = Linear(2, 1, bias_attr=False)
    layer.weight.set_value(full([2, 1], 1.5))
    rule = SGD(0.5, parameters=layer.parameters())
    for forward in (layer.forward, to_static(layer.forward)):
        before = layer.weight.numpy()
        result: Tensor = forward(ones([1, 2]))
        result.sum().backward()
        rule.step()
        rule.clear_grad()
        if float(result) != float(before.sum()) or (layer.weight.numpy() != before - 0.5).any():
            raise RuntimeError(f"run_check: a training step of a Linear layer gave {result.tolist()} and the weights "
                               f"{layer.weight.tolist()}, from the weights {before.tolist()}.")
    print(f"proa works: a training step ran eagerly and as a Program on {layer.weight.place!r}.")


def _numbers(version: str, label: str) -> list[int]:
    if not isinstance(version, str):
        raise TypeError(f"require_version({label}): must be a string such as '2.1.0'. "
                        f"Received {type(version).__name__}.")
    parts = version.split(".")
    if not 1 <= len(parts) <= 4 or not all(part.isdigit() for part in parts):
        raise ValueError(f"require_version({label}): must be numbers and dots, such as '2.1.0'. Received {version!r}.")
    return [int(part) for part in parts] + [0] * (4 - len(parts))


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raises RuntimeError unless the version of Paddle whose API is offered lies between these.

    >>> import proa as paddle
    >>> paddle.utils.require_version("2.0", "2.9")
    """
    check_version(full_version, min_version, max_version)


def check_version(offered: str, min_version: str, max_version: str | None = None) -> None:
    """Raises RuntimeError unless an offered version lies between these."""
    least = _numbers(min_version, "min_version")
    most = None if max_version is None else _numbers(max_version, "max_version")
    if most is not None and most < least:
        raise ValueError(f"require_version: max_version {max_version} is below min_version {min_version}.")
    own = _numbers(offered, "own")
    if own < least or (most is not None and own > most):
        raise RuntimeError(f"Paddle {min_version}{f' to {max_version}' if max_version else ' or higher'} is required; "
                           f"proa offers the API of {offered}.")


def try_import(module_name: str, err_msg: str | None = None) -> ModuleType:
    """The module of this name; ImportError saying how to install it where it is missing.

    >>> import proa as paddle
    >>> paddle.utils.try_import("math").sqrt(4.0)
    2.0
    """
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        raise ImportError(err_msg or f"{module_name} is not installed. Try: pip install {module_name}") from error
