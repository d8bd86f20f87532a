"""VarBase and ParamBase: Paddle 1.x's eager values, a second face of the engine beside Tensor, and the trace of both.

What is different from a Tensor: a result has at least one dimension; an operand is brought to the dtype of what stands
before it; integers are divided towards zero; a backward pass replaces the gradients that it finds; and a value that was
computed has its gradient afterwards, as long as someone holds it.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import backend
from ...backend.one_number import as_number
from ...core.dtype import DType
from ...core.hooks import add_hook
from ...core.param_attr import ParamAttr
from ...core.place import CPUPlace, CUDAPlace, parse_place
from ...core.unique_name import generate
from ...core.var_type import VarType
from ...dygraph.eager import EagerTrace, eager_trace
from ...dygraph.held_array import HeldArray
from ...dygraph.parameter import EagerParameter
from ...dygraph.selected_rows import SelectedRowsValue
from ...dygraph.superseded import superseded
from ...dygraph.value import EagerValue
from ...ops.array.full import full, is_value
from ...ops.array.reshape import reshape_op
from ...ops.core.backward import Leaf, Output
from ...ops.core.operator import Operator, find
from ...ops.core.operator_node import OperatorNode, SingleResultNode
from ...ops.core.trace import apply, current_trace, state
from ...ops.math.casting import cast
from ...ops.math.elementwise import scale_op
from ...static.building.mode import default_main_program

_NUMBERS = (int, float)
_SHOWN = {"bool": "bool", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
          "float32": "float", "float64": "double", "float16": "::paddle::platform::float16"}


def _beside(x: Any, other: Any) -> Any:
    """The operand of x that `other` is: a value of x's dtype."""
    if not is_value(other):
        other = full([1], other, x.dtype) if np.ndim(other) == 0 else current_trace().constant(
            np.asarray(other), None, True)
    return other if other.dtype is x.dtype else cast(other, x.dtype)


def _check_whole(x: Any, number: Any) -> None:
    if isinstance(number, float) and x.dtype.is_integer and number != int(number):
        raise ValueError(f"An integer VarBase has integer operands: {x.name} is of {x.dtype.name}. Received {number}. "
                         f"Convert it first, by astype('float32').")


def _operator(type: str, reverse: bool = False, scaled: Callable[[float], tuple[float, float]] | None = None,
              towards_zero: Callable[[Any, Any], Any] | None = None) -> Callable[[Any, Any], Any]:
    """A method for one of Python's operators.

    `scaled`: of a number the factor and the summand that it stands for; `towards_zero` does it for integers.
    """
    op = find(type)

    def method(self: Any, other: Any) -> Any:
        if other is None or isinstance(other, (str, bytes)):
            return NotImplemented
        is_integer = self.dtype.is_integer
        if isinstance(other, _NUMBERS) and scaled is not None and not (is_integer and towards_zero):
            _check_whole(self, other)
            factor, bias = scaled(float(other))
            return apply(scale_op, self, None, scale=factor, bias=bias)
        x, y = self, _beside(self, other)
        if reverse:
            x, y = y, x
        return towards_zero(x, y) if is_integer and towards_zero is not None else apply(op, x, y)

    return method


def _quotient(x: Any, y: Any) -> Any:
    """x / y of integers, cut towards zero."""
    quotient = apply(find("elementwise_floordiv"), x, y)
    zero = full([1], 0, x.dtype)
    inexact = apply(find("not_equal"), apply(find("elementwise_mod"), x, y), zero)
    negative = apply(find("logical_xor"), apply(find("less_than"), x, zero), apply(find("less_than"), y, zero))
    return apply(find("elementwise_add"), quotient, cast(apply(find("logical_and"), inexact, negative), x.dtype))


def _remainder(x: Any, y: Any) -> Any:
    """What the quotient leaves of x."""
    return apply(find("elementwise_sub"), x, apply(find("elementwise_mul"), _quotient(x, y), y))


def _nothing_of(gradient: Any) -> Any:
    return gradient * 0.0


class VarBase(EagerValue):
    """A value of `fluid.dygraph`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1.0, 2.0], "float32"))
    ...     x.stop_gradient = False
    ...     (x * x).backward()
    >>> x.gradient()
    array([2., 4.], dtype=float32)
    """

    __slots__ = ()

    _passed: Any = None  # the gradient that the latest pass took through a computed value
    _passed_over: Leaf | None = None  # the end of what was computed of it, while stop_gradient is True
    _stop: Any = None  # stops the gradient that comes by what was computed of it before stop_gradient was True

    @property
    def stop_gradient(self) -> bool:
        """True when no gradient flows to or through this value, nor through what was computed of it before."""
        return self._edge is None

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        was_leaf = type(self._edge) is Leaf
        if value and self._edge is not None and not was_leaf:
            self._stop = add_hook(self._hooks(), self._eager.hook(_nothing_of))
        elif not value and self._stop is not None:
            self._stop.remove()
            self._stop = None
        EagerValue.stop_gradient.fset(self, value)  # type: ignore[attr-defined]
        old = self._leaf
        if value and was_leaf and old is not None:  # what a pass finds there meanwhile is not this value's gradient
            self._passed_over, self._leaf = old, Leaf(self._eager)
            self._leaf.grad, self._leaf.cleared = old.grad, old.cleared
        elif not value and self._passed_over is not None and self._leaf is not None:
            self._passed_over.grad, self._passed_over.cleared = self._leaf.grad, self._leaf.cleared
            self._leaf = self._edge = self._passed_over
            self._passed_over = None

    def numpy(self, force: bool = True) -> np.ndarray:
        """The value as an array of NumPy's; one of one element is a number to Python, as NumPy 1 had it."""
        return as_number(super().numpy())

    __add__ = __radd__ = _operator("elementwise_add", scaled=lambda n: (1.0, n))
    __sub__ = _operator("elementwise_sub", scaled=lambda n: (1.0, -n))
    __rsub__ = _operator("elementwise_sub", True, scaled=lambda n: (-1.0, n))
    __mul__ = __rmul__ = _operator("elementwise_mul", scaled=lambda n: (n, 0.0))
    __truediv__ = __div__ = _operator("elementwise_div", scaled=lambda n: (1.0 / n, 0.0), towards_zero=_quotient)
    __rtruediv__ = __rdiv__ = _operator("elementwise_div", True, towards_zero=_quotient)
    __floordiv__ = _operator("elementwise_floordiv", towards_zero=_quotient)
    __mod__ = _operator("elementwise_mod", towards_zero=_remainder)
    __pow__ = _operator("elementwise_pow")
    __rpow__ = _operator("elementwise_pow", True)
    __eq__ = _operator("equal")
    __ne__ = _operator("not_equal")
    __lt__ = _operator("less_than")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater_than")
    __ge__ = _operator("greater_equal")
    __hash__ = EagerValue.__hash__

    @property
    def name(self) -> str:
        """The name; one is made up for a value that was given none."""
        if self._name is None:
            self._name = generate("generated_var")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def type(self) -> VarType:
        """What it holds: `VarType.LOD_TENSOR`, or `VarType.SELECTED_ROWS` of a gradient by rows."""
        return VarType.SELECTED_ROWS if self.is_selected_rows() else VarType.LOD_TENSOR

    @property
    def block(self) -> Any:
        """The outermost block of the default main Program."""
        return default_main_program().global_block()

    def __bool__(self) -> bool:
        """Whether its only element is positive."""
        return bool(self._number("bool") > 0)

    def __str__(self) -> str:
        return self.to_string(True)

    def __repr__(self) -> str:
        return self.to_string(True)

    def to_string(self, throw_on_error: bool, with_details: bool = False) -> str:
        """Its name, dtype, shape and elements as text."""
        dtype = self.dtype
        data = " ".join(f"{n:g}" if dtype.is_floating else str(int(n)) for n in self._on_host().ravel())
        return (f"name {self.name}, dtype: VarType.{dtype.name_in_files} shape: {self.shape} "
                f"\tlod: {{}}\n\tdim: {', '.join(map(str, self.shape))}\n\tlayout: NCHW\n"
                f"\tdtype: {_SHOWN.get(dtype.name, dtype.name)}\n\tdata: [{data}]\n")

    def astype(self, dtype: Any) -> Any:
        """The value in another dtype."""
        return cast(self, dtype)

    # Gradient

    def backward(self, backward_strategy: Any = None, retain_graph: bool = False) -> None:
        """Gives every leaf that it was computed from its gradient, in the place of the one that it had.

        That of a value that is computed and that someone holds is kept, too. Without anything to give a gradient to it
        warns, and does nothing.
        """
        self._eager.backward([self], [None], retain_graph)

    def gradient(self) -> Any:
        """The gradient as an array, or None; of one that holds some rows, the pair of these and their numbers."""
        found = self._passed if type(self._edge) is not Leaf and self._leaf is None else self.grad
        if found is None:
            return None
        if isinstance(found, SelectedRowsValue) and found.is_selected_rows():
            held = found.get_selected_rows()
            return backend.to_numpy(held.values).copy(), backend.to_numpy(held.rows).copy()
        return found.numpy() if isinstance(found, EagerValue) else backend.to_numpy(found).copy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Sets the gradient to zeros; one that holds some rows is forgotten. 1.x has no other way."""
        if not state.trace.computes and state.trace.clears_gradient(self, True):
            return
        self._passed = None if self._passed is None else self._passed * 0
        holder = self._holder()
        if holder is not None:
            held = holder.cleared or (holder.grad is not None and holder.grad.is_dense())
            holder.grad, holder.cleared = None, held

    def _grad_ivar(self) -> Any:
        """The gradient as a value that has its name, or None."""
        found = self.grad if self._passed is None else self._eager.new(self._passed)
        if found is not None:
            found.name = self._grad_name()
        return found

    def _grad_name(self) -> str:
        return f"{self.name}@GRAD"

    def set_value(self, value: Any) -> None:
        """Sets the value from an array or another value of the same shape and dtype.

        What was computed of its former value has the gradient of that: parameters as well are set between a forward
        pass and its gradient (a spectral norm's vectors, where a network is asked twice).
        """
        former = self._array
        super().set_value(value)
        superseded.pop(id(former), None)

    # What older code asks of the tensor within

    def value(self) -> VarBase:
        """Itself, on which `get_tensor()` is called."""
        return self

    def get_tensor(self) -> HeldArray:
        """The array's holder: it is read as an array, and what it is set to is the value from then on."""
        return HeldArray(self)

    def _is_initialized(self) -> bool:
        return True

    def _copy_to(self, place: Any, blocking: bool = True) -> Any:
        """A value of its own at a place."""
        return current_trace().copy(self, parse_place(place))

    def cpu(self) -> Any:
        """On the host."""
        return self._moved(CPUPlace())

    def cuda(self, device_id: int | None = None, blocking: bool = True) -> Any:
        """On a CUDA device."""
        return self._moved(CUDAPlace(device_id or 0))


class ParamBase(EagerParameter, VarBase):
    """A VarBase that is trained: `layer.weight`."""

    __slots__ = ()

    is_distributed = False
    __repr__ = VarBase.__repr__
    __str__ = VarBase.__str__


def _nobody() -> None:
    return None


class _Single(SingleResultNode):
    """An application with one result, which it tells its gradient while someone holds it."""

    __slots__ = ("holder",)

    def gradients(self, gs: Sequence[Any], saved: tuple[Any, ...]) -> Sequence[Any]:
        """What the operator's gradient rules give."""
        result = getattr(self, "holder", _nobody)()
        if result is not None and not isinstance(gs[0], EagerValue):
            result._passed = gs[0]
        return super().gradients(gs, saved)


class _Several(OperatorNode):
    """An application with several results, which it tells their gradients while someone holds them."""

    __slots__ = ("holders",)

    def gradients(self, gs: Sequence[Any], saved: tuple[Any, ...]) -> Sequence[Any]:
        """What the operator's gradient rules give."""
        for index, position, holder in getattr(self, "holders", ()):
            result, g = holder(), gs[index]
            if result is not None and g is not None:
                g = g if position is None else g.get(position)
                result._passed = None if isinstance(g, EagerValue) else g
        return super().gradients(gs, saved)


class FluidTrace(EagerTrace):
    """The eager trace of VarBases."""

    adds_up = False
    least_rank = 1

    def __init__(self, value_class: type[EagerValue], parameter_class: type[EagerParameter]) -> None:
        super().__init__(value_class, parameter_class)
        self.single_node, self.node = _Single, _Several
        self.made: list[weakref.ref[Any]] = []  # the parameters made since the guard in charge began

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> EagerParameter:
        """A ParamBase, filled by its initializer."""
        made = super().parameter(shape, dtype, attr, initializer)
        self.made.append(weakref.ref(made))
        return made

    def trained(self) -> list[Any] | None:
        """The parameters made within the guard: what 1.5's optimizers train, which are given none."""
        self.made = [held for held in self.made if held() is not None]
        return [held() for held in self.made] or None

    def gradients(self, loss: Any, parameters: list[Any] | None, no_grad: Any = None,
                  callbacks: Any = None) -> list[tuple[Any, Any]]:
        """The parameters that have a gradient, with it: of those given, or else of those made within the guard."""
        return super().gradients(loss, self.trained() if parameters is None else parameters, no_grad, callbacks)

    def apply(self, op: Operator, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Runs the kernel and records the application when an input wants a gradient."""
        result = super().apply(op, inputs, attrs)
        if type(result) is VarBase:
            return self._given(result)
        if type(result) is tuple:
            return tuple([self._given(part) if type(part) is VarBase else list(map(self._given, part))
                          if type(part) is list else part for part in result])
        return list(map(self._given, result)) if type(result) is list else result

    def _given(self, result: Any) -> Any:
        """A result as it is handed out: with a dimension, and known to what computed it."""
        edge = result._edge
        kind = type(edge)
        if kind is _Single:
            edge.holder = weakref.ref(result)
        elif kind is Output and type(edge.node) is _Several:
            node: Any = edge.node
            node.holders = (*getattr(node, "holders", ()), (edge.index, edge.position, weakref.ref(result)))
        return result if result._array.ndim else self.apply(reshape_op, (result, None, None), {"shape": [1]})

    def backward(self, values: list[Any], starts: list[Any], retain_graph: bool) -> None:
        """Gives the leaves that values were computed from their gradients."""
        if all(value._edge is None for value in values):
            warnings.warn("backward(): nothing gets a gradient: what this value was computed from has "
                          "stop_gradient=True, or it was computed under no_grad or in evaluation mode.", stacklevel=3)
            return
        if all(type(value._edge) is Leaf for value in values):
            warnings.warn("backward(): this value alone gets a gradient: nothing made it, or an earlier backward() "
                          "began at it and has freed what did.", stacklevel=3)
        super().backward(values, starts, retain_graph)
        if not retain_graph:
            for value in values:
                self._forget_maker(value)

    def _forget_maker(self, value: Any) -> None:
        """Makes a leaf of a value that a pass has begun at, as in 1.8: later passes from it or through it end there."""
        if value._edge is not None and type(value._edge) is not Leaf:
            value._leaf = value._edge = Leaf(self)
            value._leaf.grad = None if value._passed is None else self.new(value._passed)

    def number(self, value: Any, dtype: DType) -> Any:
        """A value of one element."""
        return self._given(super().number(value, dtype))

    @property
    def _train_mode(self) -> bool:
        return state.grad_enabled

    def train_mode(self) -> None:
        """What is computed from now on is recorded for gradients."""
        state.grad_enabled = True

    def eval_mode(self) -> None:
        """What is computed from now on is not recorded."""
        state.grad_enabled = False


FLUID = eager_trace(VarBase, ParamBase, FluidTrace)
