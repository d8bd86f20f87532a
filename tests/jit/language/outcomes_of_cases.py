"""Running the cases: values, gradients and state as plain arrays, whichever framework they are written for."""

import importlib
import inspect

import numpy as np

from framework import CASES, paddle

MODULES = ("written_branches", "written_loops", "written_lists", "written_functions", "written_layers", "written_exits",
           "written_containers", "written_sizes")
for _name in MODULES:
    importlib.import_module(_name)

__all__ = ["CASES", "attempt", "is_layer", "run", "specs", "target"]


def is_layer(case):
    """Whether a case is a Layer, which has parameters and state."""
    return inspect.isclass(case.target)


def target(case):
    """The function, or a new Layer."""
    return case.target() if is_layer(case) else case.target


def specs(case):
    """The InputSpecs with which a case is saved."""
    found = []
    for number, argument in enumerate(case.argument_sets[0]):
        array = _array_of(argument)
        shape = [-1, *array.shape[1:]] if case.specs is None and array.ndim else list(array.shape)
        shape = shape if case.specs is None else case.specs[number]
        found.append(paddle.static.InputSpec(shape, str(array.dtype), f"argument_{number}"))
    return found


def _array_of(argument):
    array = np.array(argument)
    return array.astype("float32" if array.dtype.kind == "f" else "int64")


def _leaves(result):
    """The tensors and numbers of a result, in order."""
    if isinstance(result, dict):
        result = [result[k] for k in sorted(result)]
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in _leaves(part)]
    return [result]


def _plain(value):
    return value.numpy() if hasattr(value, "numpy") else np.asarray(value)


def _is_float(value):
    return hasattr(value, "numpy") and "float" in str(value.dtype)


def run(function, arguments, numbers=True):
    """Values (with or without Python numbers), gradients, and the buffers behind, by name.

    The gradients are of the sum of squares of all floating values. One that is zero, but for rounding, is left out.
    """
    given = [paddle.to_tensor(_array_of(a)) for a in arguments]
    for tensor in given:
        tensor.stop_gradient = not _is_float(tensor)
    results = _leaves(function(*given))
    if not numbers:
        results = [r for r in results if hasattr(r, "numpy")]
    kept = {f"value.{n}": _plain(r) for n, r in enumerate(results)}
    parameters = list(function.parameters()) if hasattr(function, "parameters") else []
    floats = [r for r in results if _is_float(r) and not r.stop_gradient]
    if floats:
        sum((r * r).sum() for r in floats).backward()
    for n, tensor in enumerate([*given, *parameters]):
        if tensor.grad is not None and not np.allclose(_plain(tensor.grad), 0, atol=1e-5):
            kept[f"gradient.{n}"] = _plain(tensor.grad)
        tensor.clear_gradient()
    if hasattr(function, "buffers"):
        kept.update({f"buffer.{n}": _plain(b) for n, b in enumerate(function.buffers())})
    return kept


def attempt(case, convert):
    """What the case comes to with each list of arguments, by number and name."""
    made = convert(target(case))
    return {f"{n}.{k}": v for n, arguments in enumerate(case.argument_sets) for k, v in run(made, arguments).items()}
