"""`LayerHelper`: names what a layer makes, as Paddle 1.x names it, and appends operators by their types.

The results of the layer `fc_0` are `fc_0.tmp_0`, `fc_0.tmp_1`…, its parameters `fc_0.w_0` and `fc_0.b_0`. Layers of
this face call `apply`, `parameter`, `biased` and `activated`; what users' own layers call is beside them, under 1.x's
names.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.dtype import convert_dtype
from ..core.lazy import listed
from ..core.param_attr import ParamAttr, to_param_attr
from ..core.unique_name import generate
from ..dygraph.superseded import superseded
from ..ops.array.full import is_value, shape_inputs
from ..ops.array.reshape import reshape
from ..ops.core.backward import Leaf
from ..ops.core.hints import HINTS, without_hints
from ..ops.core.operator import Operator, find, is_declared
from ..ops.core.trace import apply, current_trace, grad_mode, initialized
from ..ops.random.default_initial_values import initial_value
from ..static.building import layer_helper as static_helper
from ..static.building.data import create_parameter
from ..static.building.weight_norm import WeightNormParamAttr, normalized_parameter
from ..static.ir.append_op import attributes_of_code
from ..static.ir.applied_op import as_list, check_slots, given_to
from .initializer import Constant, Xavier
from .mode import face


class LayerHelper(static_helper.LayerHelper):
    """What a layer applies and makes. `layer_type`: what names begin with; `kwargs`: what the layer was called with.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
    ...     x = fluid.data("x", [None, 3])
    ...     helper = fluid.layer_helper.LayerHelper("double")
    ...     helper.apply("scale", x, scale=2.0).name
    'double_0.tmp_0'
    """

    def __init__(self, layer_type: str, **kwargs: Any):
        super().__init__(layer_type, **kwargs)
        self.kwargs["name"] = self.name

    # What the layers of this face call

    def apply(self, type: str, *inputs: Any, first: Any = (), out: Any = None, without: Any = "", key: Any = None,
              **attrs: Any) -> Any:
        """Applies the operator to its inputs by slot: its result, or a tuple of its results.

        `first`: the slots that 1.x makes variables for before it makes the others; `out`: the variable that the first
        result is written to, or a dict of such by slot; `without`: a slot of files that is left out; `key`: what names
        are made of where it is not the layer's own. Attributes that say how to compute are passed over.
        """
        op = find(type)
        reserved = {slot: [self._result_name(key)] for slot in first}
        taken = dict(out) if isinstance(out, dict) else {} if out is None else {op.results[0].name: out}

        def result(slot: str) -> Any:
            if taken.get(slot) is not None:
                return taken.pop(slot)
            if slot == without:
                return None
            return reserved[slot].pop() if reserved.get(slot) else self._result_name(key)

        if not HINTS.isdisjoint(attrs):
            attrs = {name: value for name, value in attrs.items() if name in op.attributes or name not in HINTS}
        with current_trace().naming(result):
            made = apply(op, *inputs, **attrs)
        if not current_trace().computes:
            return made
        made = _of_rank_one(made)
        return made if out is None else _handed_out(op, taken, made)

    def _result_name(self, key: str | None = None) -> str:
        key = key or f"{self.name}.tmp"
        name, trace = generate(key), current_trace()
        while not trace.computes and trace.block.find_var(name) is not None:
            name = generate(key)
        return name

    def sizes(self, values: Any, dtype: str = "int32") -> tuple[list[int], Any, list[Any] | None]:
        """A user's sizes as attribute, tensor and list of tensors; numbers among tensors become the layer's results."""
        if isinstance(values, (list, tuple)) and any(map(is_value, values)):
            parts = [n if is_value(n) else self.apply("fill_constant", None, None, None, shape=[1], value=float(n),
                                                      str_value=str(int(n)), dtype=convert_dtype(dtype))
                     for n in values]
            return [-1 if is_value(n) else int(n) for n in values], None, parts
        numbers, tensor, _ = shape_inputs(values)
        return list(numbers), tensor, None

    def parameter(self, attr: Any, shape: Sequence[int], dtype: Any = "float32", is_bias: bool = False,
                  default_initializer: Any = None) -> Any:
        """A parameter of this layer, `NAME.w_0` or `NAME.b_0`; None for `attr=False`."""
        given = to_param_attr(attr)
        if given is None:
            return None
        named: ParamAttr = copy.copy(given)
        if named.name is None:
            named.name = generate(f"{self.name}.{'b' if is_bias else 'w'}")
        initializer = default_initializer or (Constant(0.0) if is_bias else Xavier())
        if not named.trainable:  # a statistic or a table is no weight: `set_global_initializer` is not for it
            named.initializer = named.initializer or initializer
        sizes = tuple(int(n) for n in shape)
        if isinstance(named, WeightNormParamAttr):
            initializer = named.initializer or initial_value(is_bias, initializer)
            return normalized_parameter(sizes, convert_dtype(dtype), named, named.dim, initializer)
        return create_parameter(sizes, convert_dtype(dtype), named.name, named, is_bias, initializer)

    def biased(self, x: Any, attr: Any, start: int = 1, end: int | None = None) -> Any:
        """x with a bias added along its dimensions from `start` on; x for `attr=False`."""
        bias = self.parameter(attr, list(x.shape[start:end]), x.dtype, is_bias=True)
        return x if bias is None else self.apply("elementwise_add", x, bias, axis=start)

    def activated(self, x: Any, act: str | None) -> Any:
        """x behind the activation of this operator type; x for None."""
        if act is None:
            return x
        if not isinstance(act, str):
            raise TypeError(f"{self.layer_type}(act): must be the type of an operator, such as 'relu'. "
                            f"Received {type(act).__name__}.")
        if not is_declared(act):
            raise ValueError(f"{self.layer_type}(act): must be the type of an operator, such as 'relu'. "
                             f"There is none called {act!r}.")
        return self.apply(act, x)

    # What users' layers call

    def multiple_param_attr(self, length: int) -> list[Any]:
        """A `param_attr` for each of so many inputs; one that is given for all is copied."""
        given = self.kwargs.get("param_attr")
        if not isinstance(given, (list, tuple)):
            return [copy.copy(ParamAttr._to_attr(given)) for _ in range(length)]
        if len(given) not in (1, length):
            raise ValueError(f"{self.layer_type}(param_attr): give one, or one for each of the {length} inputs. "
                             f"Received {len(given)}.")
        attrs = [ParamAttr._to_attr(attr) for attr in given]
        return attrs if len(attrs) == length else [copy.copy(attrs[0]) for _ in range(length)]

    def iter_inputs_and_params(self, input_param_name: str = "input") -> Iterator[tuple[Any, Any]]:
        """Each input with the attribute of its parameter."""
        inputs = self.multiple_input(input_param_name)
        yield from zip(inputs, self.multiple_param_attr(len(inputs)), strict=True)

    @face
    def create_parameter(self, attr: Any, shape: Any, dtype: Any = None, is_bias: bool = False,
                         default_initializer: Any = None, stop_gradient: bool = False, type: Any = None) -> Any:
        """A parameter of this layer; None for `attr=False`."""
        made = self.parameter(attr, shape, dtype or "float32", is_bias, default_initializer)
        if made is not None and stop_gradient:
            made.stop_gradient = True
        return made

    @face
    def create_variable_for_type_inference(self, dtype: Any, stop_gradient: bool = False, shape: Any = None) -> Any:
        """A variable for a result of `append_op`, which decides about its shape and dtype."""
        trace = current_trace()
        if trace.computes:
            return trace.zeros((0,), convert_dtype(dtype))
        return trace.block.new_var(self._result_name(), shape or (), convert_dtype(dtype),
                                   stop_gradient=stop_gradient)

    create_tmp_variable = create_variable_for_type_inference

    @face
    def create_variable(self, *args: Any, **kwargs: Any) -> Any:
        """A variable of the block that is written."""
        return current_trace().block.new_var(*args, **kwargs)

    @face
    def create_global_variable(self, persistable: bool = False, *args: Any, **kwargs: Any) -> Any:
        """A variable of the Program's outermost block."""
        return current_trace().main.global_block().new_var(*args, persistable=persistable, **kwargs)

    @face
    def create_or_get_global_variable(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, bool]:
        """The variable of this name of the Program's outermost block, and whether it was made."""
        block = current_trace().main.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(*args, name=name, **kwargs), True

    @face
    def set_variable_initializer(self, var: Any, initializer: Any) -> Any:
        """Lets the startup Program fill a persistable variable."""
        current_trace().initialize(var, lambda: initialized(initializer, tuple(var.shape), var.dtype))
        return var

    def get_parameter(self, name: str) -> Any:
        """The Program's parameter of this name; ValueError where it is none."""
        found = self.main_program.global_block().var(name)
        if not found.is_parameter:
            raise ValueError(f"{name!r} is a variable of the Program, and no parameter.")
        return found

    @face
    def append_op(self, type: str, inputs: Any = None, outputs: Any = None, attrs: Any = None,
                  stop_gradient: bool = False) -> None:
        """Applies an operator to `inputs`, by slot a variable or a list, and writes its results to those of `outputs`.

        See `paddle.common_ops_import.LayerHelper.append_op`.
        """
        op = find(type)
        check_slots(op, "inputs", inputs or {}, op.inputs)
        check_slots(op, "outputs", outputs or {}, op.outputs)
        targets = {slot: as_list(value) for slot, value in (outputs or {}).items()}

        def result(slot: str) -> Any:
            return targets[slot].pop(0) if targets.get(slot) else self._result_name()

        given = [given_to(slot, (inputs or {}).get(slot.name)) for slot in op.inputs]
        known = without_hints(op, attributes_of_code(op, attrs or {}), f"append_op({op.type!r})")
        with current_trace().naming(result):
            made = apply(op, *given, **known)
        if current_trace().computes:
            for slot, value in zip(op.results, made if isinstance(made, tuple) else (made,), strict=True):
                for target, found in zip(targets.get(slot.name, ()), as_list(value), strict=False):
                    target._become(found)
        if stop_gradient:
            for value in (outputs or {}).values():
                for variable in as_list(value):
                    variable.stop_gradient = True

    @face
    def append_bias_op(self, input_var: Any, dim_start: int = 1, dim_end: int | None = None,
                       bias_attr: Any = None) -> Any:
        """The variable with the layer's bias added."""
        return self.biased(input_var, self.kwargs.get("bias_attr") if bias_attr is None else bias_attr, dim_start,
                           dim_end)

    @face
    def append_activation(self, input_var: Any) -> Any:
        """The variable behind the layer's `act`."""
        return self.activated(input_var, self.kwargs.get("act"))

    def is_instance(self, param_name: str, cls: type) -> None:
        """TypeError unless the layer's argument is of a class."""
        given = self.kwargs.get(param_name)
        if not isinstance(given, cls):
            raise TypeError(f"{self.layer_type}({param_name}): must be {cls.__name__}. Received "
                            f"{type(given).__name__}.")


def need_floats(what: str, *values: Any) -> None:
    """TypeError, naming the argument `what`, unless values hold floats."""
    for value in values:
        if not is_value(value):
            raise TypeError(f"{what}: must be a Variable, or a Tensor in dynamic mode. "
                            f"Received {type(value).__name__}.")
        if not value.dtype.is_floating:
            raise TypeError(f"{what}: must hold floats. Received {value.dtype.name}. Convert it with "
                            "layers.cast(…, 'float32').")


def need_one_of(what: str, value: Any, *allowed: Any) -> None:
    """ValueError, naming the argument `what`, unless a value is one of those that are allowed."""
    if value not in allowed:
        raise ValueError(f"{what}: must be one of {', '.join(map(repr, allowed))}. Received {value!r}.")


def need_format(what: str, data_format: str, rank: int) -> None:
    """ValueError, naming the argument `what`, unless it is a format of images (rank 2) or volumes (rank 3)."""
    need_one_of(what, data_format, *(("NCDHW", "NDHWC") if rank == 3 else ("NCHW", "NHWC")))


def need_integers(what: str, value: Any) -> None:
    """TypeError, naming the argument `what`, unless a value holds integers."""
    if not value.dtype.is_integer:
        raise TypeError(f"{what}: must hold integers. Received {value.dtype.name}. Convert it with "
                        "layers.cast(…, 'int64').")


def _of_rank_one(made: Any) -> Any:
    """Tensors without dimensions as such of one element, as 1.x has them."""
    if isinstance(made, (tuple, list)):
        return type(made)(_of_rank_one(item) for item in made)
    return reshape(made, [1]) if made is not None and not made.shape else made


def _handed_out(op: Operator, taken: dict[str, Any], made: Any) -> Any:
    """Gives results to the Tensors that they are asked for in."""
    results = made if isinstance(made, tuple) else (made,)
    handed = tuple(value if taken.get(slot.name) is None else _written(taken[slot.name], value)
                   for slot, value in zip(op.results, results, strict=True))
    return handed if isinstance(made, tuple) else handed[0]


def _written(target: Any, value: Any) -> Any:
    """Writes a value into a Tensor, whatever was in it.

    A leaf stays one: how it got its value is not recorded, and what was computed of its former one has that gradient.
    """
    if value._array.size != target._array.size and not target._is_view:
        target._replace(value._array)
    if not isinstance(target._edge, Leaf):
        return target._rebind(value)
    former = target._array
    with grad_mode(False):
        target._rebind(value)
    superseded.pop(id(former), None)
    return target


__all__ = ["LayerHelper", "need_floats", "need_integers"]
__dir__ = listed(__name__)
