"""`LayerHelper`: by which code of users appends operators to a Program by their types, slots and attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.dtype import convert_dtype, get_default_dtype
from ...core.param_attr import ParamAttr
from ...core.unique_name import generate
from ...ops.array.full import empty
from ...ops.core.trace import current_trace, using
from ..ir.applied_op import apply_by_slots, as_list, holds_tensors
from ..ir.program import Program
from .data import create_parameter
from .mode import default_main_program, default_startup_program, eager_trace, in_dynamic_mode


class LayerHelper:
    """Appends operators and makes their variables; in eager code operators are computed at once, into Tensors.

    `paddle.common_ops_import.LayerHelper`.

    `layer_type`: what names begin with; `kwargs`: what the layer was called with, kept for its own use.

    >>> import proa as paddle
    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data("x", [2, 3])
    ...     helper = paddle.common_ops_import.LayerHelper("double")
    ...     out = helper.create_variable_for_type_inference("float32")
    ...     helper.append_op(type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 2.0})
    ...     out.shape
    (2, 3)
    >>> paddle.disable_static()
    """

    def __init__(self, layer_type: str, **kwargs: Any):
        self.layer_type, self.kwargs = layer_type, kwargs
        self.name = kwargs.get("name") or generate(layer_type)

    @property
    def main_program(self) -> Program:
        """The Program that is built: within `to_static` the one of the function."""
        trace = current_trace()
        return default_main_program() if trace.computes else trace.main

    @property
    def startup_program(self) -> Program:
        """The Program that fills parameters."""
        return default_startup_program()

    @property
    def param_attr(self) -> Any:
        """What the layer's `param_attr` means."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        """What the layer's `bias_attr` means."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_input(self, input_param_name: str = "input") -> list[Any]:
        """The layer's inputs as a list."""
        given = self.kwargs.get(input_param_name, [])
        return list(given) if isinstance(given, (list, tuple)) else [given]

    def input(self, input_param_name: str = "input") -> Any:
        """The layer's only input; ValueError where there are several."""
        given = self.multiple_input(input_param_name)
        if len(given) != 1:
            raise ValueError(f"{self.layer_type}({input_param_name}): takes one. Received {len(given)}.")
        return given[0]

    def input_dtype(self, input_param_name: str = "input") -> Any:
        """The dtype that the inputs have; ValueError where they have several."""
        dtypes = {value.dtype for value in self.multiple_input(input_param_name)}
        if len(dtypes) > 1:
            raise ValueError(f"{self.layer_type}({input_param_name}): all must have one dtype. Received "
                             f"{sorted(d.name for d in dtypes)}.")
        return dtypes.pop() if dtypes else None

    def create_variable_for_type_inference(self, dtype: Any, stop_gradient: bool = False,
                                           shape: Any = None) -> Any:
        """A variable for a result of `append_op`, which decides about its shape and dtype; in eager code a Tensor."""
        if in_dynamic_mode():
            return empty([0], dtype)
        block = self.main_program.current_block()
        return block.new_var(generate(f"{self.name}.tmp"), shape or (), convert_dtype(dtype),
                             stop_gradient=stop_gradient)

    def create_parameter(self, attr: Any, shape: Any, dtype: Any = None, is_bias: bool = False,
                         default_initializer: Any = None, stop_gradient: bool = False) -> Any:
        """A parameter, as a Layer makes it; None for `attr=False`."""
        if attr is False:
            return None
        given = ParamAttr._to_attr(attr) or ParamAttr()
        parameter = create_parameter(shape, dtype or "float32", self.name, given, is_bias, default_initializer)
        parameter.stop_gradient = parameter.stop_gradient or stop_gradient
        return parameter

    def append_op(self, type: str, inputs: Mapping[str, Any] | None = None, outputs: Mapping[str, Any] | None = None,
                  attrs: Mapping[str, Any] | None = None, stop_gradient: bool = False) -> None:
        """Applies an operator to `inputs`, by slot a variable or a list; the variables of `outputs` become its results.

        Attributes that do not change values (`use_cudnn`) are passed over. Raises NotImplementedError for a type that
        is not known, TypeError for other attributes that the operator does not have, ValueError for such slots and for
        another number of results. Of Tensors it is computed at once, within `program_guard` too, as in Paddle.
        """
        trace = current_trace()
        if trace.tensors_are_variables:
            outputs = {slot: [trace.lift(value, slot) for value in as_list(values)]
                       for slot, values in (outputs or {}).items()}
        at_once = not (trace.captures or trace.tensors_are_variables) and holds_tensors(inputs, outputs)
        with using(eager_trace() if at_once else trace):
            apply_by_slots(type, inputs, outputs, attrs, stop_gradient)

    def append_bias_op(self, input_var: Any, dim_start: int = 1, dim_end: int | None = None,
                       bias_attr: Any = None) -> Any:
        """The variable with a bias added, of the sizes of its dimensions from `dim_start` on; as it is without one."""
        attr = self.kwargs.get("bias_attr") if bias_attr is None else bias_attr
        bias = self.create_parameter(attr, input_var.shape[dim_start:dim_end], input_var.dtype, is_bias=True)
        return input_var if bias is None else self._applied(
            "elementwise_add", {"X": input_var, "Y": bias}, {"axis": dim_start})

    def append_activation(self, input_var: Any) -> Any:
        """The variable behind the layer's `act`, a type or a dict of a "type" and attributes; as it is without one."""
        act = self.kwargs.get("act")
        if act is None:
            return input_var
        attrs = dict(act) if isinstance(act, Mapping) else {"type": act}
        return self._applied(attrs.pop("type"), {"X": input_var}, attrs)

    def _applied(self, op: str, inputs: dict[str, Any], attrs: dict[str, Any]) -> Any:
        out = self.create_variable_for_type_inference(inputs["X"].dtype)
        self.append_op(op, inputs, {"Out": out}, attrs)
        return out


class LayerObjectHelper(LayerHelper):
    """What `layer._helper` gives: a helper whose parameters and variables are named after the layer."""

    def __init__(self, name: str):
        super().__init__(name, name=name)

    def append_activation(self, input_var: Any, act: Any = None, use_cudnn: bool | None = None) -> Any:
        """The variable behind `act`, a type or a dict of a "type" and attributes; as it is without one."""
        self.kwargs["act"] = act
        return super().append_activation(input_var)

    @staticmethod
    def get_default_dtype() -> str:
        """The dtype that new parameters get: `paddle.get_default_dtype()`."""
        return get_default_dtype()
