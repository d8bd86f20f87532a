"""`fluid.layers.layer_function_generator`: layers from operators' types, and decorators that code for 1.x puts around
its layers."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ...core.lazy import listed
from ...ops.core.operator import find
from ..layer_helper import LayerHelper
from ..mode import face

__all__ = ["autodoc", "deprecated", "generate_activation_fn", "generate_layer_fn", "templatedoc"]
__dir__ = listed(__name__)


def generate_layer_fn(op_type: str) -> Callable[..., Any]:
    """The layer that applies an operator: its inputs by place or by their slots' names in small letters.

    >>> import proa.fluid as fluid
    >>> cube = fluid.layers.layer_function_generator.generate_layer_fn("pow")
    >>> with fluid.program_guard(fluid.Program()):
    ...     y = cube(fluid.data("x", [2]), factor=3.0, name="cubes")
    """
    op = find(op_type)

    @face
    def layer(*args: Any, **kwargs: Any) -> Any:
        helper = LayerHelper(op_type, **{key: kwargs.pop(key) for key in ("name", "act") if key in kwargs})
        given, taken = list(args), []
        for slot in op.inputs:
            key = next((key for key in (slot.name, slot.name.lower()) if key in kwargs), None)
            value = kwargs.pop(key) if key is not None else given.pop(0) if given else None
            taken.append([value] if slot.many and value is not None and not isinstance(value, (list, tuple)) else value)
        if given:
            raise ValueError(f"{op_type}: takes {len(op.inputs)} inputs. Received {len(args)}.")
        return helper.append_activation(helper.apply(op_type, *taken, **kwargs))

    layer.__name__ = op_type
    layer.__doc__ = f"Applies the operator `{op_type}`."
    return layer


def generate_activation_fn(op_type: str) -> Callable[..., Any]:
    """The layer that applies an operator of one input: `f(x, name=None)`."""
    apply = generate_layer_fn(op_type)

    def layer(x: Any, name: str | None = None) -> Any:
        return apply(x, name=name)

    layer.__name__, layer.__doc__ = op_type, apply.__doc__
    return layer


def deprecated(func_or_class: Any) -> Any:
    """The function, which warns each time it is called."""
    @functools.wraps(func_or_class)
    def called(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"{func_or_class.__name__} is deprecated", DeprecationWarning, stacklevel=2)
        return func_or_class(*args, **kwargs)

    return called


def autodoc(comment: str = "") -> Callable[[Any], Any]:
    """A decorator that puts a comment before what a function says of itself."""
    def documented(function: Any) -> Any:
        function.__doc__ = f"{comment}{function.__doc__ or ''}"
        return function

    return documented


def templatedoc(op_type: str | None = None) -> Callable[[Any], Any]:
    """A decorator for docstrings with holes such as `${x_comment}`: it leaves the function and its text as they are."""
    return lambda function: function
