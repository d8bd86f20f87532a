"""Layer: parameters, buffers and sublayers under names, hooks, modes and state.

It sees core and ops only: parameters and values come from the current trace, so a Layer cannot tell the modes apart.
"""

from __future__ import annotations

import copy
import re
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from ...core import dtype as dt
from ...core.dtype import convert_dtype, get_default_dtype
from ...core.errors import AssertedError, WrongKindError
from ...core.hooks import HookHandle, add_hook
from ...core.hooks import HookRemoveHelper as HookRemoveHelper  # imported from here by packages
from ...core.lazy import require
from ...core.param_attr import ParamAttr, to_param_attr
from ...core.unique_name import generate
from ...ops.array.full import is_value, whole
from ...ops.core import native
from ...ops.core.trace import current_trace, in_to_static_mode
from ...ops.random.default_initial_values import giving_values, initial_value
from ..state import load_state
from .changes import Counted, mode_changes
from .conversion import convert_layers, move_layers
from .state_dict import named_state
from .walking import Walked

_Inputs = ParamSpec("_Inputs")
_Output = TypeVar("_Output", covariant=True)

in_declarative_mode = in_to_static_mode  # by the name under which PaddlePaddle's models import it from here


class _Forward(Protocol[_Inputs, _Output]):
    """What has a `forward`, for type checkers."""

    def forward(self, *inputs: _Inputs.args, **kwargs: _Inputs.kwargs) -> _Output:
        """The computation."""


def snake_case(name: str) -> str:
    """A class name as layers' names have it: Conv2D → conv2d, L1Loss → l1_loss, ReLU → re_lu."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


_convert_camel_to_snake = snake_case  # the name by which programs import it from here


def is_parameter(value: Any) -> bool:
    """True for a Tensor or Variable that is trained, or could be."""
    return getattr(type(value), "is_parameter", False)


_OWN = f"{__name__.partition('.')[0]}."
_COUNTED = frozenset({"training", "forward", "__class__"})
if TYPE_CHECKING or native.module is None:

    class _Attributes:
        """Nothing: Python calls `__getattr__` for what it does not find. The compiled form has found that before."""
else:
    _Attributes = native.module.Attributes


def _nothing(layer: Any, inputs: Any) -> None:
    """A hook that lets the inputs be."""


class Layer(Walked, _Attributes):  # in this order Python allows `Subclass.__bases__ = (Mixin, Layer)`
    """Base of the layers. A subclass makes its parameters and sublayers in `__init__` and computes in `forward`.

    What is set as an attribute after `super().__init__()` is part of it: parameters (`create_parameter`), layers, and
    buffers (`register_buffer`). `parameters()`, `sublayers()`, `named_parameters()` list them; `state_dict()` and
    `set_state_dict(state)` give and take their values; `train()` and `eval()` say what dropout and batch norm do.
    Calling it calls `forward`, with the hooks that were registered. `dtype`: that of parameters made without one.

    >>> import proa as paddle
    >>> class Scale(paddle.nn.Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = self.create_parameter([1], default_initializer=paddle.nn.initializer.Constant(2.0))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Scale()(paddle.ones([2])).tolist()
    [2.0, 2.0]
    """

    training: bool
    __shows_its_name__ = False  # whether its text ends with the `name` that it was given

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32"):
        scope = name_scope.replace(" ", "") if name_scope is not None else snake_case(type(self).__name__)
        self.__dict__.update(
            training=True, _full_name=generate(scope), _dtype=convert_dtype(dtype).name, _parameters=OrderedDict(),
            _buffers=OrderedDict(), _sub_layers=Counted(), _non_persistable_buffer_names_set=set(),
            _forward_pre_hooks=Counted(), _forward_post_hooks=Counted(), _state_dict_hooks=OrderedDict(), _built=False)
        if type(self)._build_once is not Layer._build_once and not self.__builds_apart__:
            add_hook(self._forward_pre_hooks, _nothing)  # so that calls go the longer way

    __builds_apart__ = False  # whether a face calls `_build_once` itself

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        """Nothing; where a subclass defines it, a call calls it before `forward`, behind the hooks."""

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The layer's computation; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward(self, ...).")

    if TYPE_CHECKING:  # a call takes and gives what `forward` is said to take and give

        def __call__(self: _Forward[_Inputs, _Output], *inputs: _Inputs.args, **kwargs: _Inputs.kwargs) -> _Output:
            """`forward`, between the hooks."""
    else:

        def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
            """`forward`, between the hooks."""
            if not self._forward_pre_hooks and not self._forward_post_hooks:
                return self.forward(*inputs, **kwargs)
            return self.__call_with_hooks__(self.forward, inputs, kwargs)

    def __call_with_hooks__(self, forward: Callable[..., Any], inputs: tuple[Any, ...], kwargs: dict[str, Any],
                         converted: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda hook: hook) -> Any:
        """Calls `forward` between the hooks; conversion calls this with the converted `forward`, and converts them."""
        for hook in list(self._forward_pre_hooks.values()):
            changed = converted(hook)(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        if not self.__builds_apart__:
            self._build_once(*inputs, **kwargs)
        outputs = forward(*inputs, **kwargs)
        for hook in list(self._forward_post_hooks.values()):
            changed = converted(hook)(self, inputs, outputs)
            outputs = outputs if changed is None else changed
        return outputs

    def register_forward_pre_hook(self, hook: Callable[[Any, Any], Any]) -> HookHandle:
        """Calls `hook(layer, inputs)` before `forward`; what it returns, if anything, takes the inputs' place."""
        return add_hook(self._forward_pre_hooks, hook)

    def register_forward_post_hook(self, hook: Callable[[Any, Any, Any], Any]) -> HookHandle:
        """Calls `hook(layer, inputs, outputs)` after `forward`; what it returns takes the outputs' place."""
        return add_hook(self._forward_post_hooks, hook)

    def register_state_dict_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Calls `hook(state)` at the end of `state_dict()`; what it returns, if anything, takes the state's place.

        So for a layer below the one that is asked, but that what it returns is added to the state. `set_state_dict`
        calls none.
        """
        return add_hook(self._state_dict_hooks, hook)

    # Making parameters and buffers

    def full_name(self) -> str:
        """The unique name that parameters' names begin with: 'linear_0'."""
        return self._full_name

    @property
    def _helper(self) -> Any:
        """What layers written for Paddle apply operators by their types with, and ask for the dtype of parameters."""
        return require("helpers of layers").LayerObjectHelper(self._full_name)

    def create_parameter(self, shape: Any, attr: Any = None, dtype: Any = None, is_bias: bool = False,
                         default_initializer: Any = None) -> Any:
        """A new parameter named after the layer, or None where `attr` is False; setting it makes it the layer's.

        Without `dtype` it has the layer's, or where that is float32 the default dtype (`paddle.set_default_dtype`).
        """
        given = to_param_attr(attr)
        if given is None:
            return None
        name = given.name or generate(f"{self._full_name}.{'b' if is_bias else 'w'}")
        named = ParamAttr(name, learning_rate=given.learning_rate, regularizer=given.regularizer,
                          trainable=given.trainable, do_model_average=given.do_model_average,
                          need_clip=given.need_clip)
        initializer = given.initializer or initial_value(is_bias, default_initializer)
        if dtype is None:
            dtype = get_default_dtype() if self._dtype == "float32" else self._dtype
        dtype = convert_dtype(dtype)
        sizes = tuple(map(whole, shape))
        if 0 in sizes:
            raise AssertedError(f"create_parameter(shape): each size must be above 0. Received {list(sizes)}.")
        return current_trace().parameter(sizes, dtype, named, giving_values(initializer))

    def create_tensor(self, name: str | None = None, persistable: bool | None = None, dtype: Any = None) -> Any:
        """A new value of the layer, one zero, to be set on it as a buffer or not at all."""
        dtype = convert_dtype(self._dtype if dtype is None else dtype)
        named = f"{self._full_name}.{name}" if name else generate(f"{self._full_name}._generated_var")
        value = current_trace().blank(dtype, named)
        value.persistable = bool(persistable)
        return value

    create_variable = create_tensor

    def add_parameter(self, name: str, parameter: Any) -> Any:
        """Registers a parameter (or None) under a name, and gives it; KeyError for a name taken or with a dot."""
        self.__check_new_name(name, self._parameters)
        if parameter is not None and not is_parameter(parameter):
            raise WrongKindError(
                f"add_parameter({name!r}): must be a parameter or None. Received {type(parameter).__name__}."
            )
        self._parameters[name] = parameter
        return parameter

    def add_sublayer(self, name: str, sublayer: Layer) -> Layer:
        """Registers a sublayer under a name, and gives it."""
        if not isinstance(sublayer, Layer) and sublayer is not None:
            raise WrongKindError(f"add_sublayer({name!r}): must be a Layer. Received {type(sublayer).__name__}.")
        self._sub_layers[name] = sublayer
        return sublayer

    def register_buffer(self, name: str, tensor: Any, persistable: bool = True) -> None:
        """Registers a value that is state but no parameter; one that is not persistable stays out of `state_dict`.

        An attribute of this name that holds a Tensor becomes the buffer.
        """
        assigned = {key for key, value in self.__dict__.items() if is_value(value)}
        self.__check_new_name(name, {*self._buffers, *assigned})
        if tensor is not None and not is_value(tensor):
            raise TypeError(f"register_buffer({name!r}): must be a Tensor or None. Received {type(tensor).__name__}.")
        if is_parameter(tensor):
            raise TypeError(f"register_buffer({name!r}): a parameter would not be trained as a buffer. Register it by "
                            "add_parameter, or its values: parameter.detach().")
        self.__dict__.pop(name, None)
        self._buffers[name] = tensor
        self._non_persistable_buffer_names_set.discard(name)
        if not persistable:
            self._non_persistable_buffer_names_set.add(name)

    def __check_new_name(self, name: str, own: Collection[str]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"The name of a parameter or buffer must be a str. Received {type(name).__name__}.")
        if "." in name or not name:
            raise KeyError(f"The name of a parameter or buffer has no dot and is not empty. Received {name!r}.")
        if name not in own and (name in self.__dict__ or name in self._parameters or name in self._buffers
                                or name in self._sub_layers):
            raise KeyError(f"{type(self).__name__} has an attribute {name!r} already.")
        if callable(getattr(type(self), name, None)):
            raise KeyError(f"{type(self).__name__} has a method {name!r}, which this would hide.")

    # Attributes

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        try:  # what nearly every forward asks for
            if name in own["_parameters"]:
                return own["_parameters"][name]
            if name in own["_sub_layers"]:
                return own["_sub_layers"][name]
            if name in own["_buffers"]:
                return own["_buffers"][name]
        except KeyError:  # before __init__: the message says so
            pass
        owner = type(self).__name__
        hint = "" if "_parameters" in self.__dict__ else f" Call super().__init__() first in {owner}.__init__."
        raise AttributeError(f"{owner!r} object has no attribute {name!r}.{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _COUNTED or callable(value):
            mode_changes[0] += 1
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif is_parameter(value):
            self.__forget(name, "_parameters")
            self._parameters[name] = value
        elif isinstance(value, Layer):
            self.__forget(name, "_sub_layers")
            self._sub_layers[name] = value
        elif name in self.__dict__.get("_buffers", ()):
            known = value is None or is_value(value) or hasattr(type(value), "stands_for_a_value")  # in converted code
            self.__check_kind(name, value, "buffer", "a Tensor", known)
            current_trace().sets_buffer(self._buffers, name)
            self._buffers[name] = value
        elif name in self.__dict__.get("_parameters", ()):
            if value is not None:
                raise TypeError(f"{name!r} is a parameter of {type(self).__name__}; assign a parameter or None, or use "
                                f"set_value. Received {type(value).__name__}.")
            self._parameters[name] = None
        elif name in self.__dict__.get("_sub_layers", ()):
            if value is not None:
                raise TypeError(f"{name!r} is a sublayer of {type(self).__name__}; assign a Layer or None, or `del` it "
                                f"first. Received {type(value).__name__}.")
            self._sub_layers[name] = None
        else:
            if _has_own_code(type(self)):
                mode_changes[0] += 1
            object.__setattr__(self, name, value)

    def __check_kind(self, name: str, value: Any, what: str, kind: str, fits: bool) -> None:
        if not fits:
            raise TypeError(f"{name!r} is a {what} of {type(self).__name__}; assign {kind} or None, or `del` it first. "
                            f"Received {type(value).__name__}.")

    def __forget(self, name: str, keep: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"Call super().__init__() first in {type(self).__name__}.__init__.")
        for kind in {"_parameters", "_sub_layers", "_buffers"} - {keep}:
            self.__dict__[kind].pop(name, None)
        self.__dict__.pop(name, None)

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_sub_layers", "_buffers"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistable_buffer_names_set.discard(name)
                return
        mode_changes[0] += 1
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        own = (*self._parameters, *self._sub_layers, *self._buffers)
        return sorted({*super().__dir__(), *(name for name in own if name.isidentifier())})

    # Modes, gradients, places

    def train(self) -> None:
        """Puts the layer and all sublayers in training mode."""
        for layer in self.sublayers(include_self=True):
            layer.training = True

    def eval(self) -> None:
        """Puts the layer and all sublayers in evaluation mode."""
        for layer in self.sublayers(include_self=True):
            layer.training = False

    def clear_gradients(self) -> None:
        """Sets the gradients of all parameters to zeros."""
        for parameter in self.parameters():
            if not parameter.stop_gradient:
                parameter.clear_gradient()

    def to(self, device: Any = None, dtype: Any = None, blocking: bool | None = None) -> Layer:
        """Moves parameters and buffers to a device; converts parameters and floating buffers; gives the layer."""
        return move_layers(self, device, dtype)

    def astype(self, dtype: Any = None) -> Layer:
        """Converts parameters and floating buffers to a dtype; gives the layer.

        >>> import proa as paddle
        >>> paddle.nn.Linear(2, 3).astype("float64").weight.dtype
        paddle.float64
        """
        return self.to(dtype=dtype)

    def float(self, excluded_layers: Any = None) -> Layer:
        """Converts to float32 what is in no layer of the types `excluded_layers`, by default BatchNorm."""
        return convert_layers(self, dt.float32, excluded_layers, Layer)

    def float16(self, excluded_layers: Any = None) -> Layer:
        """Converts to float16 what is in no layer of the types `excluded_layers`, by default BatchNorm."""
        return convert_layers(self, dt.float16, excluded_layers, Layer)

    def bfloat16(self, excluded_layers: Any = None) -> Layer:
        """Converts to bfloat16 what is in no layer of the types `excluded_layers`, by default BatchNorm."""
        return convert_layers(self, dt.bfloat16, excluded_layers, Layer)

    # State

    def state_dict(self, destination: dict[Any, Any] | None = None, include_sublayers: bool = True,
                   structured_name_prefix: str = "", use_hook: bool = True, keep_vars: bool = True) -> dict[str, Any]:
        """Parameters and persistable buffers by structured name ('features.0.weight'); the values themselves.

        A layer that stands in several places is there by each of its names.
        """
        return named_state(self, destination, include_sublayers, structured_name_prefix, use_hook, False)

    def to_static_state_dict(self, destination: dict[Any, Any] | None = None, include_sublayers: bool = True,
                             structured_name_prefix: str = "", use_hook: bool = True,
                             keep_vars: bool = True) -> dict[str, Any]:
        """What `state_dict` gives, and the buffers that are not persistable."""
        return named_state(self, destination, include_sublayers, structured_name_prefix, use_hook, True)

    def set_state_dict(self, state_dict: dict[str, Any],
                       use_structured_name: bool = True) -> tuple[list[str], list[str]]:
        """Takes over values by structured name, or by parameters' own names; gives missing and unexpected keys.

        Both are also warned of. A value of another shape is left out with a warning, and counts as either.

        >>> import proa as paddle
        >>> layer = paddle.nn.Linear(2, 2)
        >>> layer.set_state_dict(layer.state_dict())
        ([], [])
        """
        return load_state(self, state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict

    # Copying and printing

    def __deepcopy__(self, memo: dict[Any, Any]) -> Layer:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            result.__dict__[key] = copy.deepcopy(value, memo)
        return result

    def extra_repr(self) -> str:
        """What `repr` shows of the layer's own settings."""
        return ""

    def __repr__(self) -> str:
        inner = [f"({name}): {_indented(repr(layer))}" for name, layer in self._sub_layers.items()]
        own = vars(self)
        name = own.get("name", own.get("_name")) if self.__shows_its_name__ else None
        extra = ", ".join(filter(None, [self.extra_repr(), name and f"name={name}"]))
        if not inner:
            return f"{type(self).__name__}({extra})"
        return f"{type(self).__name__}({extra}\n  " + "\n  ".join(inner) + "\n)"

    def _repr_html_(self) -> str:
        from .tree import layer_html  # needed in notebooks alone

        return layer_html(self)


if native.module is not None:
    native.module.serve_attributes(Layer.__getattr__, ("_parameters", "_sub_layers", "_buffers"))


def _has_own_code(kind: type) -> bool:
    """Whether a class is one of this package's, or extends one: what that reads of a layer nobody notes."""
    return any(each.__module__.startswith(_OWN) for each in kind.__mro__ if not issubclass(Layer, each))


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
