"""Layer: the base of 1.x's layers in dynamic mode, with 1.8's methods and the late building of 1.5."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.unique_name import generate
from ...core.var_type import VarType
from ...nn import Layer as _Layer
from ...nn.layer.layers import is_parameter
from ...nn.state import NAME_TABLE
from ...ops.core.trace import grad_mode
from ..initializer import Xavier
from .base import set_training
from .layer_object_helper import LayerObjectHelper

__all__ = ["Layer"]


def _snake_case(name: str) -> str:
    """A class name as 1.x's parameters have it: Conv2D → conv2d, BatchNorm → batch_norm, FC → fc."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


class Layer(_Layer):
    """Base of the layers: a subclass makes parameters in `__init__` or `_build_once`, and computes in `forward`.

    `_build_once` is called with the inputs of the first call. `name_scope` begins the names of the parameters; the
    class's name does without one.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> class Scale(fluid.dygraph.Layer):
    ...     def __init__(self):
    ...         super().__init__("scale")
    ...         self.factor = self.create_parameter([1], default_initializer=fluid.initializer.Constant(2.0))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> with fluid.dygraph.guard():
    ...     scale = Scale()
    ...     scale(fluid.dygraph.to_variable(np.ones(2, "float32"))).numpy().tolist(), scale.factor.name
    ([2.0, 2.0], 'scale_0.w_0')
    """

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32"):
        if "_later" in self.__dict__:  # its constructor runs at its first call: it is a Layer already
            return
        _Layer.__init__(self, "layer", dtype)  # whatever else a subclass is
        self.__dict__["_full_name"] = generate(_snake_case(type(self).__name__) if name_scope is None else name_scope)
        self.__dict__.update(_built=False, _waiting={})

    def add_parameter(self, name: str, parameter: Any) -> Any:
        """Registers a parameter (or None) under a name, which may have dots as in 1.x, and gives it."""
        if not isinstance(name, str) or "." not in name:
            return super().add_parameter(name, parameter)
        if parameter is not None and not is_parameter(parameter):
            raise TypeError(f"add_parameter({name!r}): must be a parameter or None. Received "
                            f"{type(parameter).__name__}.")
        self._parameters[name] = parameter
        return parameter

    def create_variable(self, name: str | None = None, persistable: bool | None = None, dtype: Any = None,
                        type: Any = VarType.LOD_TENSOR) -> Any:
        """A new value of the layer, one zero of this dtype. `type`: what 1.x calls a tensor.

        >>> import proa.fluid as fluid
        >>> with fluid.dygraph.guard():
        ...     held = fluid.dygraph.Layer().create_variable(dtype="int64")
        >>> held.dtype.name
        'int64'
        """
        if type not in (None, VarType.LOD_TENSOR):
            raise ValueError(f"Layer.create_variable(type): must be VarType.LOD_TENSOR, a tensor. Received {type}. "
                             "What a layer keeps of other kinds, such as lists of tensors, is an attribute.")
        return self.create_tensor(name, persistable, dtype)

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """`forward`, between the hooks; at the first call it is built before."""
        if not self.__dict__.get("_built", True):
            self._build(inputs, kwargs)
        return super().__call__(*inputs, **kwargs)

    __builds_apart__ = True

    def _build(self, inputs: tuple, kwargs: dict[str, Any]) -> None:
        with grad_mode(True):
            self._build_once(*inputs, **kwargs)
        self.__dict__["_built"] = True
        waiting = self.__dict__.get("_waiting")
        if waiting:
            for key, parameter in self.state_dict().items():
                value = waiting.get(key, waiting.get(parameter.name))
                if value is not None:
                    parameter.set_value(_array(value))
            self.__dict__["_waiting"] = {}

    def _build_once(self, *args: Any, **kwargs: Any) -> None:
        """Makes what depends on the first inputs."""
        later = self.__dict__.get("_later")
        if later is not None:
            later(self, *args)

    def backward(self, *inputs: Any) -> None:
        """Raises ValueError: a layer has no backward of its own; its operators do."""
        raise ValueError(f"{type(self).__name__}.backward: a layer defines forward alone. Call loss.backward().")

    # Making parameters

    @property
    def _helper(self) -> LayerObjectHelper:
        """What layers that users write append operators with."""
        return LayerObjectHelper(self.full_name())

    def create_parameter(self, shape: Any, attr: Any = None, dtype: Any = "float32", is_bias: bool = False,
                         default_initializer: Any = None) -> Any:
        """A new parameter, or None where `attr` is False; setting it makes it the layer's."""
        return super().create_parameter(shape, None if isinstance(attr, str) and not attr else attr, dtype, is_bias,
                                        default_initializer or (None if is_bias else Xavier()))

    # Modes

    def train(self) -> None:
        """Training mode, here and below; what is computed from now on is recorded for gradients."""
        set_training(True)
        super().train()

    def eval(self) -> None:
        """Evaluation mode, here and below; nothing that is computed from now on is recorded, until `train()`."""
        set_training(False)
        super().eval()

    # Walking

    def sublayers(self, include_sublayers: bool = True,  # type: ignore[override]
                  include_self: bool = False) -> list[Any]:
        """The layers within, parents before children."""
        return [layer for _, layer in self.named_sublayers("", include_sublayers, include_self)]

    def named_sublayers(self, prefix: str = "", include_sublayers: bool = True,  # type: ignore[override]
                        include_self: bool = False, layers_set: set[Any] | None = None) -> Iterator[tuple[str, Any]]:
        """The layers within with their names, each once; none without `include_sublayers`."""
        if include_sublayers:
            yield from super().named_sublayers(prefix, include_self, layers_set)
        elif include_self:
            yield prefix, self

    # State

    def state_dict(self, destination: Any = None, include_sublayers: bool = True,  # type: ignore[override]
                   structured_name_prefix: str = "") -> dict[str, Any]:
        """The parameters by structured name, such as 'features.0.weight'."""
        return super().state_dict(destination, include_sublayers, structured_name_prefix)

    def set_dict(self, stat_dict: dict[str, Any], include_sublayers: bool = True,  # type: ignore[override]
                 use_structured_name: bool = True) -> None:
        """Takes over values by structured name, or by parameters' own names, as `load_dygraph` gives them.

        Those of a layer that is built at its first call are kept for that. Raises RuntimeError for a parameter that has
        none; what is left over is warned of.
        """
        given = {key: value for key, value in stat_dict.items() if key != NAME_TABLE}
        left = set(given)
        for key, parameter in self.state_dict().items():
            name = key if use_structured_name else parameter.name
            if name not in given:
                raise RuntimeError(
                    f"{type(self).__name__}.set_dict(stat_dict): has no value for {name!r}. It has "
                    f"{sorted(given)[:8]}{'…' if len(given) > 8 else ''}. Names are "
                    f"{'structured ones' if use_structured_name else 'those of parameters'}: "
                    f"use_structured_name={not use_structured_name} takes the others.")
            parameter.set_value(_array(given[name]))
            left.discard(name)
        for path, layer in self.named_sublayers(include_self=True):
            if not layer.__dict__.get("_built", True) and ("_later" in layer.__dict__ or _builds_itself(layer)):
                prefix = f"{path}." if path else ""
                layer.__dict__["_waiting"] = {k.removeprefix(prefix): v for k, v in given.items()}
                left = {key for key in left if not key.startswith((prefix, f"{layer.full_name()}."))}
        if left:
            warnings.warn(f"{type(self).__name__}.set_dict: there is no parameter for {sorted(left)}.", stacklevel=2)

    load_dict = set_dict  # type: ignore[assignment]


def _builds_itself(layer: Any) -> bool:
    return type(layer)._build_once is not Layer._build_once


def _array(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def older(names: str, is_older: Callable[[tuple[Any, ...]], bool] | None = None,
          **late: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for a layer's constructor: it takes 1.5's arguments too, which begin with the name scope.

    `names`: 1.5's arguments behind the scope, in order. `late`: arguments of 1.8 that 1.5 had not; each is given as a
    function of the layer's settings and the first inputs, at whose call the layer is made then.
    """
    order = names.split()

    def around(init: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(init)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if "name_scope" not in kwargs and not (args and isinstance(args[0], str)
                                                   and (is_older is None or is_older(args))):
                init(self, *args, **kwargs)
                return
            scope, given = _older_arguments(type(self).__name__, order, args, dict(kwargs))
            Layer.__init__(self, scope)
            missing = {name: value for name, value in late.items() if name not in given}
            self.__dict__["_later"] = functools.partial(_make_later, init, given, missing)
            if not missing:
                init(self, **given)
                self.__dict__["_built"] = True

        return __init__

    return around


def _make_later(init: Callable, given: dict[str, Any], missing: dict[str, Callable], layer: Any, *inputs: Any) -> None:
    training = layer.training
    init(layer, **given, **{name: value(given, *inputs) for name, value in missing.items()})
    layer.training = training


def _older_arguments(layer: str, order: Sequence[str], args: tuple,
                     kwargs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name scope, and the arguments behind it by name."""
    scope, behind = (kwargs.pop("name_scope"), args) if "name_scope" in kwargs else (args[0], args[1:])
    if len(behind) > len(order):
        raise TypeError(f"{layer}(name_scope, {', '.join(order)}): received {len(behind)} arguments behind the scope.")
    given = dict(zip(order, behind, strict=False))
    twice = sorted(given.keys() & kwargs.keys())
    if twice:
        raise TypeError(f"{layer}(name_scope, {', '.join(order)}): {twice} are given twice.")
    return scope, {**given, **kwargs}
