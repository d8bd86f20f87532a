"""Module: parameters, buffers and modules under names, with PyTorch-like methods; a Layer below this face."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ...core import dtype as dt
from ...core.hooks import HookHandle
from ...nn import Layer
from ...ops.array.full import is_value
from ...ops.core.trace import grad_mode
from ..charge import flowing
from ..devices import is_device, place_of
from ..dtypes import to_dtype
from ..tensors import Parameter

IncompatibleKeys = namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])


class Module(Layer):
    """Base of the modules: a subclass sets parameters and modules in `__init__` and computes in `forward`.

    >>> import proa.oneflow as flow
    >>> class Scale(flow.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = flow.nn.Parameter(flow.ones(1) * 2)
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Scale()(flow.ones(2)).tolist()
    [2.0, 2.0]
    """

    def __init__(self) -> None:
        super().__init__()

    __call__: Any = flowing(Layer.__call__)

    @property
    def _modules(self) -> Any:
        return self._sub_layers

    def __values_of_kind__(self, kind: str) -> Iterable[tuple[str, Any]]:
        """The module's own parameters, or its buffers: those that were registered."""
        return self.__dict__[kind].items()

    # Registering

    def register_parameter(self, name: str, param: Any) -> None:
        """Registers a parameter, or None, under a name."""
        self.add_parameter(name, param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Registers a tensor that is state but no parameter; one that is not persistent stays out of `state_dict`."""
        super().register_buffer(name, tensor, persistent)

    def add_module(self, name: str, module: Any) -> None:
        """Registers a module, or None, under a name."""
        if module is not None and not isinstance(module, Layer):
            raise TypeError(f"add_module({name!r}): must be a Module. Received {type(module).__name__}.")
        if not isinstance(name, str) or "." in name or not name:
            raise KeyError(f"add_module(name): must be a str without dots, and not empty. Received {name!r}.")
        self._sub_layers[name] = module

    register_module = add_module

    def register_forward_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls `hook(module, inputs, outputs)` after `forward`; what it gives, if anything, takes outputs' place."""
        return self.register_forward_post_hook(hook)

    # Walking

    def parameters(self, recurse: bool = True) -> Any:
        """All parameters, each once."""
        return (value for _, value in self.named_parameters("", recurse))

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Any]]:
        """All parameters with their names, such as 'features.0.weight', each once."""
        return self.__named_members__("_parameters", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Any:
        """All buffers, each once."""
        return (value for _, value in self.named_buffers("", recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Any]]:
        """All buffers with their names, each once."""
        return self.__named_members__("_buffers", prefix, recurse)

    def modules(self) -> Iterator[Any]:
        """All modules, this one first, each once."""
        return (module for _, module in self.named_modules())

    def named_modules(self, memo: set[Any] | None = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
        """All modules with their names, this one first, each once."""
        return self.named_sublayers(prefix, include_self=True, layers_set=memo)

    def get_submodule(self, target: str) -> Any:
        """The module of a name such as 'features.0'; AttributeError where there is none."""
        found: Any = self
        for part in target.split(".") if target else ():
            found = getattr(found, part)
        if not isinstance(found, Layer):
            raise AttributeError(f"get_submodule({target!r}): it is a {type(found).__name__}, and no Module.")
        return found

    def get_parameter(self, target: str) -> Any:
        """The parameter of a name such as 'features.0.weight'; AttributeError where there is none."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._parameters.get(name)
        if found is None:
            raise AttributeError(f"get_parameter({target!r}): there is no such parameter.")
        return found

    # Modes and gradients

    def train(self, mode: bool = True) -> Any:
        """Puts it and all modules within in training mode; gives it."""
        for module in self.sublayers(include_self=True):
            module.training = bool(mode)
        return self

    def eval(self) -> Any:
        """Puts it and all modules within in evaluation mode; gives it."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = False) -> None:
        """Sets the gradients of all parameters to zeros, or forgets them."""
        for parameter in self.parameters():
            zero_gradient(parameter, set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Says whether the parameters are to get gradients; gives the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    # Places and dtypes

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Moves parameters and buffers to a device, and converts those of floats to a dtype; gives the module."""
        device, dtype = None, None
        for value in (*args, *kwargs.values()):
            if is_value(value):
                device, dtype = value.place, value.dtype
            elif is_device(value):
                device = place_of(value)
            elif value is not None and not isinstance(value, bool):
                dtype = to_dtype("Module.to(dtype)", value)
        super().to(device, dtype)
        return self

    def cpu(self) -> Any:
        """Moves parameters and buffers to the host."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Any:
        """Moves parameters and buffers to a CUDA device."""
        return self.to(f"cuda:{device or 0}" if device is None or isinstance(device, int) else device)

    def float(self) -> Any:  # type: ignore[override]
        """Converts to float32."""
        return self.to(dt.float32)

    def double(self) -> Any:
        """Converts to float64."""
        return self.to(dt.float64)

    def half(self) -> Any:
        """Converts to float16."""
        return self.to(dt.float16)

    def to_global(self, placement: Any = None, sbp: Any = None) -> Any:
        """Itself: with one process every placement is this one."""
        return self

    to_consistent = to_local = to_global

    def _apply(self, fn: Callable[[Any], Any]) -> Any:
        """Gives parameters and buffers the values that a function makes of them."""
        for module in self.sublayers(include_self=True):
            for kind in ("_parameters", "_buffers"):
                for value in module.__dict__[kind].values():
                    if value is not None:
                        value.data = fn(value.data)
        return self

    # State

    def state_dict(self, destination: Any = None, prefix: str = "", keep_vars: bool = False,  # type: ignore[override]
                   ) -> Any:
        """Parameters and persistent buffers by name, without gradients unless `keep_vars`."""
        state = OrderedDict() if destination is None else destination
        found = super().state_dict(structured_name_prefix=prefix)
        state.update(found if keep_vars else {name: value.detach() for name, value in found.items()})
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Takes over values by name. With `strict` RuntimeError unless the names are the same; sizes must be in any
        case. Gives the missing names, and those that are too many.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"load_state_dict(state_dict): must be a dict. Received {type(state_dict).__name__}.")
        own = super().state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        errors = []
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {', '.join(map(repr, unexpected))}.")
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {', '.join(map(repr, missing))}.")
        arrays = {}
        for name, value in own.items():
            if name in state_dict:
                array = _array(state_dict[name])
                if array.shape == (1,) and len(value.shape) == 0:
                    array = array[0]
                if tuple(array.shape) != tuple(value.shape):
                    errors.append(f"size mismatch for {name}: the file has {tuple(array.shape)}, the module "
                                  f"{tuple(value.shape)}.")
                arrays[name] = array
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        for name, array in arrays.items():
            own[name].set_value(np.asarray(array).astype(own[name].dtype.dtype))
        return IncompatibleKeys(missing, unexpected)

    def _get_name(self) -> str:
        return type(self).__name__


def _array(value: Any) -> np.ndarray:
    return value.numpy() if is_value(value) else np.asarray(value)


def zero_gradient(parameter: Any, set_to_none: bool) -> None:
    """Sets the gradient of a parameter to zeros, or forgets it."""
    from ...ops.core.trace import state

    if not state.trace.computes and state.trace.clears_gradient(parameter, not set_to_none):
        return
    holder = parameter._holder()
    if holder is not None:
        held = holder.cleared or holder.grad is not None
        holder.grad, holder.cleared = None, held and not set_to_none


def unrecorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function in which nothing is recorded for gradients, with this face in charge."""
    def called(*args: Any, **kwargs: Any) -> Any:
        with grad_mode(False):
            return function(*args, **kwargs)

    called.__name__, called.__doc__, called.__wrapped__ = function.__name__, function.__doc__, function  # type: ignore
    return flowing(called)


__all__ = ["IncompatibleKeys", "Module", "Parameter", "unrecorded", "zero_gradient"]
