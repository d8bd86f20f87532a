"""The eager trace: runs an operator's kernel now and records a node for the backward walk.

This is the path every small operation takes, so it allocates nothing that is not needed: the shape and dtype checks
of an operator are asked for only once its kernel has failed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from .. import backend
from ..backend import float_errors
from ..backend.numpy_1 import IS_OLD
from ..backend.selected_rows import SelectedRows
from ..core import flags
from ..core.dtype import DType, from_numpy_dtype
from ..core.errors import out_of_bounds
from ..core.param_attr import ParamAttr
from ..core.place import Place, expected_place
from ..core.random import drawing_first_values
from ..ops.core import native
from ..ops.core.accounts import NOT_IN_WORDS
from ..ops.core.backward import Output, next_order
from ..ops.core.checking import check_finite
from ..ops.core.kernels import ANY, ONE, TWO, Choice, Kernels
from ..ops.core.operator import Operator
from ..ops.core.operator_node import OperatorNode, SingleResultNode
from ..ops.core.trace import Trace, grad_mode, initialized, offer_default_trace, state
from ..ops.math.comparison import SYNTAX as COMPARING
from ..ops.math.elementwise import (
    SYNTAX,
    add_op,
    divide_op,
    equal_op,
    floor_divide_op,
    greater_equal_op,
    greater_than_op,
    less_equal_op,
    less_than_op,
    mod_op,
    multiply_op,
    not_equal_op,
    scale_op,
    subtract_op,
)
from .engine import backward, derivatives, tensor_hook
from .operator_inputs import (
    expected_namespace,
    failed,
    namespace,
    own_trace_of,
    promoted,
    slot_arrays,
    slot_edges,
)
from .parameter import EagerParameter, Parameter
from .py_layer import apply_eagerly
from .selected_rows import SelectedRowsValue, rows_class
from .tensor import Tensor
from .value import EagerValue
from .views import note, show, source_of

_ndarray = np.ndarray
_flags = flags.values
_make = object.__new__
_HOST = {np.ndarray}
_ARRAYS = (np.ndarray, np.generic)
_NUMBERS = (float, int)


class EagerTrace(Trace):
    """Runs kernels on the arrays that Tensors hold.

    Its values are of `value_class`, an EagerValue with the methods of a face, and its parameters of
    `parameter_class`. `single_node` and `node` make what it records of an operator with one result, and with several.
    """

    variable_class: type | None = None  # of the Programs that functions become under `to_static`: a face's own
    adds_up = True  # a leaf has the sum of what the backward passes give it, and not what the latest gave
    rows_class: type[SelectedRowsValue]  # that of values that hold some rows, of the face's own trace

    def __init__(self, value_class: type[EagerValue], parameter_class: type[EagerParameter]) -> None:
        self.value_class, self.parameter_class = value_class, parameter_class
        self.single_node: Callable[..., OperatorNode] = SingleResultNode
        self.node: Callable[..., OperatorNode] = OperatorNode

    def serve(self, value_class: type[EagerValue], parameter_class: type[EagerParameter]) -> None:
        """Makes its values of these classes, which know it as theirs from now on."""
        self.value_class, self.parameter_class = value_class, parameter_class
        value_class._eager = parameter_class._eager = self
        self.rows_class = rows_class(value_class)

    def faced(self, eager: Trace) -> Trace:
        """The other one."""
        return eager

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Runs the kernel and records the application when an input wants a gradient.

        Operators of one or two Tensors on the host, which are most of most programs, are done here; `_apply_any` does
        the rest. `ops/core/_apply.c` does the same as these lines, where it is built.
        """
        kernels = op.kernels
        arity = kernels.arity
        if arity == ANY or _flags["FLAGS_check_nan_inf"]:
            return self._apply_any(op, inputs, attrs)
        try:
            x = inputs[0]
            a, b = x._array, None
            if arity == TWO:
                _, y = inputs
                b = y._array
                if type(b) is not _ndarray or a.dtype is not b.dtype and op.promotes:
                    return self._apply_any(op, inputs, attrs)
            elif arity != ONE:
                for other in inputs[1:]:
                    if other is not None:
                        return self._apply_any(op, inputs, attrs)
        except (ValueError, IndexError, AttributeError):
            return self._apply_any(op, inputs, attrs)
        if type(a) is not _ndarray:
            return self._apply_any(op, inputs, attrs)
        choice = kernels.of_dtype[a.dtype]
        direct = None if attrs else choice.direct
        told = float_errors.begin()
        try:
            if b is not None:
                if a.size < choice.least > b.size:
                    array = choice.small(np, a, b, **attrs) if direct is None else direct(a, b)
                else:
                    array = choice.large(np, a, b, **attrs)
            elif a.size < choice.least:
                if attrs and choice.with_number:
                    array = _with_number(choice, a, attrs)
                else:
                    array = choice.small(np, a, **attrs) if direct is None else direct(a)
            else:
                array = choice.large(np, a, *inputs[1:], **attrs)
        except NOT_IN_WORDS as error:
            failed(op, inputs, attrs, error)
            raise
        finally:
            float_errors.end(told)
        result = _make(self.value_class)
        result._array = array = array if type(array) is _ndarray else np.asarray(array)
        result._edge = None
        result._source = None
        if op.written is not None:
            show(result, op, inputs, attrs)
        is_wanted = x._edge is not None or b is not None and y._edge is not None
        if is_wanted and op.gradient is not None and state.grad_enabled:
            edges, arrays = ((x._edge, y._edge), (a, b)) if b is not None else (
                (x._edge, *inputs[1:]), (a, *inputs[1:]))
            result._edge = self.single_node(op, attrs, edges, op.gradient.save_arrays(arrays, (array,)))
        return result

    def _apply_any(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """The same for any operator, wherever its inputs are."""
        arrays: list[Any] = []
        part: Any = None
        is_plain, largest = op.is_plain, 0
        listed = elsewhere = wanted = False
        try:
            for x in inputs:
                if x is None and not is_plain:
                    arrays.append(None)
                elif type(x) is list:
                    if op.promotes:
                        slot_arrays(op, inputs)  # raises: such an operator takes no lists
                    part = [item._array for item in x]
                    arrays.append(part)
                    listed = True
                    wanted = wanted or any([item._edge for item in x])
                    elsewhere = elsewhere or not _HOST.issuperset(map(type, part))
                else:
                    array = x._array
                    arrays.append(array)
                    if type(array) is not _ndarray:
                        elsewhere = True
                    elif array.size > largest:
                        largest = array.size
                    if x._edge is not None:
                        wanted = True
        except AttributeError:
            elsewhere_trace = own_trace_of(inputs)
            if elsewhere_trace is not None:
                return elsewhere_trace.apply(op, inputs, attrs)
            inputs = self._accepted(op, inputs)
            arrays = slot_arrays(op, inputs)
            listed = elsewhere = wanted = True
        if op.promotes and (arrays[1] is None or arrays[0].dtype is not arrays[1].dtype):
            inputs, arrays = promoted(op, inputs)
            listed = wanted = True
        xp: Any = np
        if elsewhere or not arrays or arrays[0] is None:
            xp = namespace(arrays, inputs) if arrays else expected_namespace()
            kernel = op.kernel_for(xp)
        elif listed:
            first = arrays[0]
            if type(first) is list:
                first = first[0] if first else None
            kernel = op.kernels.of_dtype[getattr(first, "dtype", None)].kernel
        else:
            choice = op.kernels.of_dtype[arrays[0].dtype]
            kernel = choice.small if largest < choice.least else choice.large
        told = float_errors.begin()
        try:
            results = kernel(xp, *arrays, **attrs)
        except NOT_IN_WORDS as error:
            failed(op, inputs, attrs, error)
            raise
        finally:
            float_errors.end(told)
        if _flags["FLAGS_check_nan_inf"]:
            check_finite(op.type, results)
        if not op.is_single:
            part = array = None  # an array that only its Tensor holds is known by its count
            return self._several(op, inputs, attrs, arrays, results, xp, wanted)
        result = _make(self.value_class)
        result._array = results if type(results) is _ndarray else xp.asarray(results)
        edge = None
        if wanted and op.gradient is not None and state.grad_enabled:
            edges = slot_edges(inputs) if listed else [None if x is None else x._edge for x in inputs]
            if any(edges):
                edge = self.single_node(op, attrs, edges, op.gradient.save_arrays(arrays, (result._array,)))
        result._edge = edge
        result._source = None
        if op.written is not None:
            show(result, op, inputs, attrs)
        return result

    def _several(self, op: Operator, inputs: tuple, attrs: dict[str, Any], arrays: list, results: Any, xp: Any,
                 wanted: bool) -> Any:
        """The results of an operator with several, or repeated ones, or new values of its inputs."""
        if len(op.results) == 1:
            results = (results,)
        is_recorded = wanted and op.gradient is not None and state.grad_enabled
        if not is_recorded:
            arrays.clear()
        outputs: list[Any] = []
        aliases = dict(op.aliases)
        for index, array in enumerate(results):
            if index in aliases:
                target = inputs[aliases[index]]
                if target is not None:
                    _give_values(target, array, xp)
                outputs.append(target)
            elif array is None:
                outputs.append(None)
            elif op.results[index].many:
                outputs.append([self.new(a if type(a) is _ndarray else xp.asarray(a)) for a in array])
            else:
                outputs.append(self.new(array if type(array) is _ndarray else xp.asarray(array)))
        if is_recorded:
            edges = slot_edges(inputs)
            if any(edges):
                assert op.gradient is not None
                node = self.node(op, attrs, edges, op.gradient.save_arrays(arrays, results))
                _connect(node, outputs, aliases)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _accepted(self, op: Operator, inputs: tuple) -> tuple:
        """The inputs with Tensors of NumPy's arrays, and the first Tensor of a tuple where one belongs.

        Paddle takes that one, and models rely on it.
        """
        taken = list(inputs)
        for index, (slot, value) in enumerate(zip(op.inputs, inputs, strict=False)):
            if isinstance(value, _ARRAYS):
                taken[index] = self._of_array(value)
            elif slot.many and isinstance(value, (list, tuple)):
                taken[index] = [self._of_array(v) if isinstance(v, _ARRAYS) else v for v in value]
            elif type(value) is tuple and value and isinstance(value[0], EagerValue):
                warnings.warn(f"{op.type}: the input {slot.name} must be a Tensor. Received a tuple of {len(value)}, "
                              "whose first item is taken, as Paddle takes it. Write [0] behind what you pass.",
                              stacklevel=2)
                taken[index] = value[0]
        return tuple(taken)

    def note_views(self, parts: Sequence[Any], op: Operator, value: Any, attrs: Sequence[dict[str, Any]]) -> None:
        """Lets Tensors know that they are views of another one."""
        base, seen, *_ = source_of(op, (value,), {})
        for part, how in zip(parts, attrs, strict=True):
            part._source = base, seen, op, how, None
        note(value, *parts)

    def lift(self, value: Any, what: str) -> Any:
        """A Tensor of a NumPy array; any other value as it is."""
        return self._of_array(value) if isinstance(value, _ARRAYS) else value

    def _of_array(self, value: Any) -> EagerValue:
        array = np.asarray(value)
        own = from_numpy_dtype(array.dtype).dtype  # raises for strings and objects
        return self.constant(array.astype(own), None, True)

    @property
    def plain(self) -> EagerTrace:
        """The trace of these values that does nothing else: under it gradients are computed."""
        return self.value_class._eager

    def new(self, array: Any) -> EagerValue:
        """A value of an array, without gradient."""
        value = _make(self.value_class)
        value._array = array
        value._edge = value._source = None
        return value

    def of_gradient(self, gradient: Any) -> EagerValue:
        """The value of a gradient as the backward walk gives it: an array, or some rows of one."""
        if isinstance(gradient, np.generic):  # what NumPy makes of arrays without dimensions
            gradient = np.asarray(gradient)
        return self.plain.rows_class.of(gradient) if isinstance(gradient, SelectedRows) else self.new(gradient)

    def hook(self, hook: Callable[[EagerValue], EagerValue | None]) -> Callable[[Any], Any]:
        """A user's hook on one of its values, in the form that the backward walk calls."""
        return tensor_hook(self, hook)

    def backward(self, values: list, starts: list, retain_graph: bool) -> None:
        """Adds the gradients of values to those of the leaves that they were computed from."""
        backward(values, starts, retain_graph)

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> EagerValue:
        """A Tensor of the array, at `place` or the place in use."""
        tensor = self.new(backend.as_place(array, place or expected_place()))
        if not stop_gradient:
            tensor.stop_gradient = False
        return tensor

    def number(self, value: Any, dtype: DType) -> EagerValue:
        """A Tensor without dimensions, of the host, which goes where the others of an operation are.

        Every comparison with a number makes one.
        """
        array = np.empty((), dtype.dtype)
        try:
            array.fill(value)
        except OverflowError:
            raise out_of_bounds(value, dtype) from None
        return self.new(array)

    def zeros(self, shape: Any, dtype: DType) -> EagerValue:
        """A Tensor of zeros."""
        return self.new(expected_namespace().zeros(shape, dtype.dtype))

    def copy(self, x: EagerValue, place: Place | None) -> EagerValue:
        """A Tensor of its own with x's value, at `place` or the place in use; no gradient flows to x."""
        array = backend.as_place(x._array, place or expected_place())
        return self.new(array.copy() if array is x._array else array)

    def sparse(self, layout: str, index: tuple, values: Any, shape: tuple[int, ...]) -> EagerValue:
        """A coo or csr tensor of its parts."""
        from .sparse_tensor import FORMATS  # few programs have one, and their operators take as long as the others

        return FORMATS[layout].of_parts(index, values, shape)

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> EagerParameter:
        """A Parameter, filled by its initializer."""
        old, state.grad_enabled = state.grad_enabled, False
        try:
            with drawing_first_values():
                value = initialized(initializer, shape, dtype)
        finally:
            state.grad_enabled = old
        return self.parameter_class.of_array(value._array, attr)

    def gradients(self, loss: Any, parameters: list | None, no_grad: Any = None,
                  callbacks: Any = None) -> list[tuple[Any, Any]]:
        """The parameters that have a gradient, with it; `loss.backward()` has been called by the user."""
        if parameters is None:
            raise ValueError(
                "In eager mode an optimizer needs its parameters: Optimizer(parameters=layer.parameters())."
            )
        pairs = [(p, p._gradient()) for p in parameters if p._edge is not None]
        return [(p, gradient) for p, gradient in pairs if gradient is not None]

    def derivatives(self, outputs: list, inputs: list, starts: list, no_grad: Any, create_graph: bool) -> list:
        """The gradients of Tensors with respect to Tensors."""
        return derivatives(self.plain, outputs, inputs, starts, no_grad, create_graph)

    def py_layer(self, layer: Any, context: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Runs `forward` now, and `backward` in the backward pass."""
        return apply_eagerly(self.plain, layer, context, args, kwargs)

    def updating(self) -> Any:
        """Nothing in the block is recorded."""
        return grad_mode(False)

    def host_value(self, source: Any, dtype: DType, name: str, scheduled: Any = None) -> EagerValue:
        """A Tensor of what `source()` gives now."""
        return self.new(expected_namespace().full((1,), source(), dtype.dtype))

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> EagerValue:
        """A Tensor of this name, filled with a number or with another Tensor's value."""
        array = value._array.astype(dtype.dtype) if isinstance(value, EagerValue) else expected_namespace().full(
            shape, value, dtype.dtype)
        tensor = self.new(array.view())  # memory that nothing else sees: updates write in place
        tensor.name, tensor.persistable = name, True
        return tensor

    def store(self, target: EagerValue, value: EagerValue) -> None:
        """Gives `target` the other Tensor's values."""
        target._update(value._array.view())


def _with_number(choice: Choice, a: Any, attrs: dict[str, Any]) -> Any:
    """What an operator gives that has functions for a number alone (`with_number` of a declaration)."""
    if len(attrs) == 1:
        (name, number), = attrs.items()
        function = choice.with_number.get(name)
        if function is not None and type(number) in _NUMBERS:
            return function(a, number)
    return choice.small(np, a, **attrs)


def _give_values(target: Any, array: Any, xp: Any) -> None:
    """A Tensor, or each of several, gets another array; the very same one means that the value did not change."""
    many = isinstance(target, (list, tuple))
    for t, a in zip(target, array, strict=True) if many else ((target, array),):
        if a is not t._array:
            t._update(a if type(a) is _ndarray else xp.asarray(a))


def _connect(node: OperatorNode, outputs: list, aliases: dict[int, int]) -> None:
    for index, value in enumerate(outputs):
        if value is None or index in aliases:
            continue
        if isinstance(value, list):
            for position, item in enumerate(value):
                item._edge = Output(node, index, position)
        elif from_numpy_dtype(value._array.dtype).is_differentiable:
            value._edge = Output(node, index)


_T = TypeVar("_T", bound=EagerTrace)


def eager_trace(value_class: type[EagerValue], parameter_class: type[EagerParameter],
                kind: type[_T] = EagerTrace) -> _T:  # type: ignore[assignment]
    """The eager trace whose values are of these classes, which know it as theirs from now on.

    A second face of this package has values with other methods: a class of its own that derives from `EagerValue`, one
    of that and `EagerParameter`, and a trace that makes them, of a `kind` of its own where more is different. Under
    `using(trace)` all that is computed in a thread is of its class. Values of both may live side by side; each one's
    gradients, copies and hooks are of its own face.
    """
    trace = kind(value_class, parameter_class)
    trace.serve(value_class, parameter_class)
    return trace


EAGER: EagerTrace = eager_trace(Tensor, Parameter)
offer_default_trace(EAGER)


def _serve_native() -> None:
    """Lets the compiled form know what it reads and fills; without it where that is not as it expects."""
    if native.module is None:
        return
    probes = np.zeros((3, 5), "float32"), np.zeros((2, 7), "int64")
    try:
        native.module.serve(
            (EagerValue, EagerTrace, Kernels, Choice, SingleResultNode, _ndarray),
            (np.asarray, next_order, failed, from_numpy_dtype, expected_namespace, NOT_IN_WORDS), np, _flags,
            probes)
        arithmetic = (("add", add_op), ("sub", subtract_op), ("mul", multiply_op), ("truediv", divide_op),
                      ("floordiv", floor_divide_op), ("mod", mod_op), ("neg", scale_op))
        compared = (("lt", less_than_op), ("le", less_equal_op), ("eq", equal_op), ("ne", not_equal_op),
                    ("gt", greater_than_op), ("ge", greater_equal_op))
        native.module.serve_syntax(
            tuple([op for _, op in arithmetic]), tuple([SYNTAX[f"__{name}__"] for name, _ in arithmetic]),
            tuple([SYNTAX.get(f"__r{name}__") for name, _ in arithmetic]), tuple([op for _, op in compared]),
            tuple([COMPARING[f"__{name}__"] for name, _ in compared]), scale_op,
            (np.dtype("float32"), np.dtype("float64")), not IS_OLD)
    except TypeError as error:
        native.give_up(f"cannot be used: {error}")


_serve_native()
