"""The program trace: infers a result's shape and dtype, and appends the operator to the current block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.dtype import DType, bool_, from_numpy_dtype, promote
from ...core.errors import out_of_bounds, user_line
from ...core.param_attr import ParamAttr
from ...core.place import Place
from ...core.unique_name import generate
from ...ops.array.full import assign_value, full, full_of_shape
from ...ops.core.infer import product
from ...ops.core.operator import Operator
from ...ops.core.signature import Slot
from ...ops.core.spec import Spec
from ...ops.core.trace import Trace, grad_mode, initialized, staging, state, using
from ...ops.math.casting import cast
from ...ops.program.tensor_arrays import ArraySpec, GradientArraySpec
from ...ops.sequence.rank_table import RankTableSpec
from ..autodiff.backward import derivatives, gradients_of_parameters
from ..autodiff.py_layer import apply_in_program
from ..ir.block import Block
from ..ir.host_value import HostValue
from ..ir.known_values import known_value
from ..ir.late_lod import with_given_offsets
from ..ir.lod import carry, new_offsets, with_offsets
from ..ir.name_scopes import ATTRIBUTE, OUTSIDE, current_path
from ..ir.operation import BACKWARD_ROLE
from ..ir.program import Program
from ..ir.variable import ParameterVariable, Variable
from .first_values import begin_with
from .in_place import assigned, cut_off, keeping_gradient, rebind
from .operands import aligned_at_first, beside_a_number, converted, counted, flat, names_of, refuse_lists, spec_of
from .result_names import Calls, namer
from .stand_ins import filled, like, twin
from .tensor_arrays import repeated_list
from .tensor_hooks import before_hooks, register_hook
from .views import source_of, up_to_date

_KINDS: dict[type, str] = {ArraySpec: "array", GradientArraySpec: "array_gradient", RankTableSpec: "rank_table"}
_UNKNOWN = "(-1 is a size that is not known while the Program is built. Declare it where the rule needs it.)"
_OF_A_DTYPE = {"dtype", "out_dtype"}  # attributes with which a dtype is asked for
_OPEN_DTYPE = DType | None  # the annotation of an attribute that files must hold though it says nothing


class ProgramTrace(Trace):
    """Appends to `main`; initializers of parameters go to `startup`."""

    computes = False
    eager: Trace | None = None  # what computes around the function that is traced
    device = ""  # the attribute op_device of what is appended
    source = ""  # the line of what is appended, where that is not the user's line that is running
    _own_names = False  # what it names counts in the Program alone, and not among the names of layers
    _namer: Callable[[str], Any] | None = None  # gives results' names, or variables, by their slots
    # With a `least_rank`, as in Paddle 1.x:
    _aligns_at_first = True  # a y of unknown size stands at x's first dimension
    _names_by_turn = True  # most results are called tmp_0, tmp_1, and not after the functions that give them

    def __init__(self, main: Program, startup: Program | None = None):
        self.main, self.startup = main, startup
        self._calls = Calls()

    def _cannot(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"A Program cannot {what}.")

    @property
    def block(self) -> Block:
        """The block to which operations are appended."""
        return self.main.current_block()

    def lift(self, value: Any, what: str) -> Variable:
        """The Variable that an operator's input is; TypeError for a Tensor with a value.

        An array is a constant of what is converted. In a Program by hand it is refused, as in PaddlePaddle: what a run
        is to be given belongs into its feed, and here it would be the same in every run.
        """
        if isinstance(value, Variable):
            return value
        if isinstance(value, np.generic) or self.captures and isinstance(value, np.ndarray):
            return self.constant(np.array(value), None, True)
        raise TypeError(
            f"{what} must be a Variable of the Program being built. Received {type(value).__name__}. "
            "In static mode make values with paddle.static.data, which a run is fed with, or constants with "
            "paddle.to_tensor, paddle.full…")

    def rebind(self, value: Any, result: Variable) -> None:
        """Makes a Tensor the result of an operation on it in the Program; TypeError where no Tensor belongs."""
        self.change(self.lift(value, "a tensor that is changed in place"), result)

    def change(self, variable: Variable, result: Variable) -> None:
        """Gives a variable the value of another from here on, or to begin with: what its in-place forms do."""
        if not self.begins_with(variable, result):
            rebind(variable, result)

    def begins_with(self, value: Any, result: Any) -> bool:
        """Whether a parameter of a Program by hand has been told to begin with a result, as nothing has read it yet."""
        return not self.captures and isinstance(value, ParameterVariable) and begin_with(value, result, self.startup)

    def fills_elsewhere(self, value: Any, block: Any) -> bool:
        """Whether a variable is to be filled in another block, as that of the startup Program."""
        return isinstance(value, Variable) and isinstance(block, Block) and block is not self.block

    def up_to_date(self, variable: Variable) -> Variable:
        """The variable, or what a view shows of a value that was changed since."""
        return up_to_date(variable)

    def note_views(self, parts: Sequence[Any], op: Operator, value: Any, attrs: Sequence[dict[str, Any]]) -> None:
        """Lets variables know that they are views of another one."""
        base = self.lift(value, f"{op.type}: x")
        for part, how in zip(parts, attrs, strict=True):
            part.view_of = source_of(op, (base,), how)

    def assign_to(self, variable: Variable, result: Variable) -> None:
        """Gives a variable the value of another; by hand, one that stops gradients goes on to do so."""
        if self.captures:
            rebind(variable, keeping_gradient(variable, result))
        else:
            assigned(variable, result)

    def cut_off(self, variable: Variable) -> None:
        """Lets no gradient flow through a variable from here on."""
        cut_off(variable)

    def hooked(self, variable: Variable, hook: Callable[[Any], Any]) -> Any:
        """Lets the gradient of a variable that was just computed go through a hook."""
        return register_hook(variable, hook)

    def repeated(self, items: Any, times: Variable) -> Any:
        """A list of the Program; TypeError for what is no list, or holds something else than tensors and numbers."""
        return repeated_list(items, times)

    def known_value(self, variable: Variable) -> np.ndarray | None:
        """The value of a constant, and of what is computed of constants in this block."""
        return known_value(variable, self.block)

    def draws(self, key: str, name: str | None = None) -> None:
        """Draws a name for what a function gives, unless it is a function of Paddle 1.x, which do so themselves."""
        if not (self.least_rank and self._names_by_turn):
            self._calls.note(name or self._draw(key))

    def _draw(self, key: str) -> str:
        """The next name that begins with `key`."""
        return self.main.own_names(key) if self._own_names or self.main.counts_apart else generate(key)

    def _draw_variable(self, key: str) -> str:
        """The next name that begins with `key` and that no variable of the Program has."""
        name = self._draw(key)
        while self.main.has_name(name):
            name = self._draw(key)
        return name

    @contextlib.contextmanager
    def apart(self, what: str) -> Iterator[None]:
        """Around code that is to compute and nothing else: RuntimeError where it leaves anything else changed."""
        before = self.main.value_wanted
        self.main.value_wanted = None
        try:
            yield
            if self.main.value_wanted is not None:
                raise self.main.value_wanted
        finally:
            self.main.value_wanted = before

    @contextlib.contextmanager
    def meant_for(self, device: str) -> Iterator[None]:
        """Within the block operations have the attribute op_device."""
        self.device, old = device, self.device
        try:
            yield
        finally:
            self.device = old

    @contextlib.contextmanager
    def naming(self, name: Callable[[str], Any]) -> Iterator[None]:
        """Within the block results are called, or are, what `name(slot)` gives, and have a dimension at least."""
        old = self._namer, self.least_rank
        self._namer, self.least_rank = name, 1
        try:
            yield
        finally:
            self._namer, self.least_rank = old

    def py_layer(self, layer: Any, context: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Appends what `forward` does; its gradient will be what `backward` says."""
        return apply_in_program(self, layer, context, args, kwargs)

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Appends the operator, or those that it is composed of, and gives the Variables of its results."""
        inputs = tuple(self._lift_slot(op, slot, v) for slot, v in zip(op.inputs, inputs, strict=False))
        if op.composed is not None:
            results: Any = op.composed(*inputs, **attrs)
            if results is not NotImplemented:
                if not op.inputs:  # of numbers alone, of which the operations behind it know less
                    results.shape = op.infer_specs((), attrs)[0].shape
                return results
        if op.given_offsets:
            # What a converted function is called with has no LoD, and gets none.
            inputs = with_offsets(op, inputs) if self.captures else with_given_offsets(op, inputs, attrs)
        if op.promotes:
            inputs = self._promoted(op, inputs)
        if op.adapted is not None:
            inputs, attrs = op.adapted(*inputs, **attrs)
        attrs = {**op.defaults, **attrs}
        if self.least_rank and self._aligns_at_first and self._namer is None and attrs.get("axis") == -1:
            attrs = aligned_at_first(op, inputs, attrs)
        if any(isinstance(value, Variable) for value in attrs.values()):
            attrs = {name: value._known(f"{op.type}({name})") if isinstance(value, Variable) else value
                     for name, value in attrs.items()}
        if op.random and self.main.random_seed:
            attrs = self._seeded(op, attrs)
        given = tuple(map(spec_of, inputs))
        specs = self._inferred(op, inputs, given, attrs)
        stop = self._stops(op, inputs)
        name = self._namer or self._naming(op, inputs)
        aliases = dict(op.aliases)
        results = []
        for index, (slot, spec) in enumerate(zip(op.results, specs, strict=True)):
            if index in aliases:
                results.append(inputs[aliases[index]])
                for value in flat((results[-1],)):
                    value.changes += 1
            elif spec is None:
                results.append(None)
            elif slot.offsets_of:
                results.append([new_offsets(self.block, self.main.new_name("lod"), slot.offsets_of, s) for s in spec])
            elif slot.many:
                results.append([self._result(name(slot.name), s, stop or not (op.moves or s.dtype.is_differentiable))
                                for s in spec])
            else:
                results.append(self._result(
                    name(slot.name), spec, stop or not (op.is_single or op.moves or spec.dtype.is_differentiable)))
        extras = [self._extra(name, slot, inputs) for slot in op.outputs if slot.file_only]
        self._append(op, inputs, results, extras, attrs, (given, specs))
        if self.main.has_lod:
            carry(op, inputs, results, attrs)
        if (self.main.numbers or self.main.truths) and inputs:
            self._note_numbers(op, inputs, results)
        if op.written is not None:
            results[0].view_of = source_of(op, inputs, attrs)
        return results[0] if len(results) == 1 else tuple(results)

    def stops_at(self, variable: Variable) -> bool:
        """Whether gradients stop at a variable."""
        return variable.stop_gradient

    def stops_from_here(self, variable: Variable, stop: bool) -> None:
        """Is told that converted code says whether gradients stop at a variable, otherwise than before."""

    def _stops(self, op: Operator, inputs: tuple) -> bool:
        """Whether gradients stop at results: in Paddle 1.x at none that is computed of floats, whatever these say."""
        if not state.grad_enabled or op.gradient is None:
            return True
        values = flat(inputs)
        if self.least_rank and self._aligns_at_first and any(v.dtype.is_differentiable for v in values):
            return False
        return all(v.stop_gradient for v in values)

    def _note_numbers(self, op: Operator, inputs: tuple, results: list) -> None:
        """What is computed of numbers and truth values of Python alone is one of both, but for a number's cast."""
        numbers, truths = self.main.numbers if _OF_A_DTYPE.isdisjoint(op.attributes) else (), self.main.truths
        if all(v.name in numbers or v.name in truths for v in flat(inputs)):
            for result in flat(tuple(results)):
                if result.shape == (1,) * self.least_rank:
                    (self.main.truths if result.dtype is bool_ else self.main.numbers).add(result.name)

    def _seeded(self, op: Operator, attrs: dict[str, Any]) -> dict[str, Any]:
        """The attributes with a seed of the Program's, where the operator is one that it seeds and has none yet."""
        if "fix_seed" in op.attributes:
            return attrs if attrs["fix_seed"] else {**attrs, "fix_seed": True, "seed": self.main.random_seed}
        return attrs

    @staticmethod
    def _inferred(op: Operator, inputs: tuple, specs: tuple, attrs: dict[str, Any]) -> tuple:
        try:
            return op.infer_specs(specs, attrs)
        except ValueError as error:
            if any(-1 in v.shape for v in flat(inputs)) and len(error.args) == 1:
                error.args = (f"{error.args[0]} {_UNKNOWN}",)
            raise

    def _lift_slot(self, op: Operator, slot: Slot, value: Any) -> Any:
        what = f"{op.type}: the input {slot.name}"
        if value is None and (slot.optional or slot.many):
            return None
        values = [self._operand(v, what) for v in (value if slot.many else (value,))]
        if not op.lists:
            refuse_lists(op, values)
        return values if slot.many else values[0]

    def _operand(self, value: Any, what: str) -> Variable:
        """The Variable that stands for what an operator reads."""
        return self.lift(value, what)

    def _promoted(self, op: Operator, inputs: tuple) -> tuple:
        x, y = inputs[0], inputs[1]
        if x.dtype is y.dtype:
            return (*counted(op, x, y, self.main.truths), *inputs[2:]) if self.main.truths else inputs
        dtype = promote(x.dtype, y.dtype)
        if self.main.numbers and x.is_number is not y.is_number:
            dtype = beside_a_number(*((y.dtype, x.dtype) if x.is_number else (x.dtype, y.dtype)))
        return (*(v if v.dtype is dtype else converted(v, dtype) for v in (x, y)), *inputs[2:])

    def _naming(self, op: Operator, inputs: tuple) -> Callable[[str], str]:
        """What names the results of an application, by their slots."""
        if self.least_rank and self._names_by_turn:
            rule, _ = self._calls.applying()
            if not rule.always and op not in rule.only:  # parts of a variable are called after it
                return lambda slot: generate("tmp")
        return namer(op, inputs, self._calls, self._draw_variable, self.main.has_name)

    def _extra(self, name: Callable[[str], Any], slot: Slot, inputs: tuple) -> list[str]:
        """The variable of a slot that files alone have, by name; none where nobody wants it."""
        found = name(slot.name)
        if found is None:
            return []
        return [self._result(found, Spec((0, *inputs[0].shape), inputs[0].dtype), True).name]

    def _result(self, name: Any, spec: Spec, stop_gradient: bool) -> Variable:
        """The variable of a result: the one that it is, or a new one of this name."""
        shape = spec.shape or (1,) * self.least_rank
        if isinstance(name, Variable):
            return filled(name, shape, spec.dtype, stop_gradient)
        kind = _KINDS.get(type(spec), "tensor")
        return self.block.new_var(name, shape, spec.dtype, kind=kind, stop_gradient=stop_gradient)

    def _append(self, op: Operator, inputs: tuple, results: list, extras: list[list[str]], attrs: dict[str, Any],
                inferred: tuple[tuple, tuple]) -> None:
        outputs = {slot.name: names_of(value) for slot, value in zip(op.results, results, strict=True)}
        outputs.update(zip((slot.name for slot in op.outputs if slot.file_only), extras, strict=True))
        named = {slot.name: names_of(value) for slot, value in zip(op.inputs, inputs, strict=False)}
        kept = {name: value for name, value in attrs.items()
                if value is not None or op.attributes[name].annotation == _OPEN_DTYPE}
        role = self.role or self.main._op_role
        if role:
            kept["op_role"] = role
        if self.device:
            kept["op_device"] = self.device
        if current_path() != OUTSIDE and not role & BACKWARD_ROLE:
            kept[ATTRIBUTE] = current_path()
        self.block.append(op.type, named, outputs, kept, self.source or user_line(), inferred)

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> Variable:
        """A Variable to which an operator of the Program assigns the array."""
        result = self.apply(assign_value, (), {
            "shape": list(array.shape), "dtype": from_numpy_dtype(array.dtype), "values": array})
        if not stop_gradient:
            self.begin_gradient(result)
        return result

    def begin_gradient(self, x: Variable) -> None:
        """Makes a Variable, which was just computed, one that gradients are taken with respect to."""
        x.stop_gradient = False
        self.main.leaves.add(x.name)

    def number(self, value: Any, dtype: DType) -> Variable:
        """A Variable without dimensions, which stands for a number of Python."""
        if dtype.is_integer and not isinstance(value, float) and dtype.wrapped(value) != value:
            raise out_of_bounds(value, dtype)
        made = full((), value, dtype)
        if self.main.numbers and dtype is not bool_:
            self.main.numbers.add(made.name)
        return made

    def zeros(self, shape: Any, dtype: DType) -> Variable:
        """A Variable of zeros."""
        return full_of_shape(shape, 0.0, dtype)

    def copy(self, x: Variable, place: Place | None) -> Variable:
        """A Variable of its own with x's value."""
        return x.detach()

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> ParameterVariable:
        """A parameter of the Program, whose initializer goes to the startup Program."""
        assert attr.name is not None
        self.main.global_block().check_redeclared("a parameter", attr.name, shape, dtype, persistable=True)
        parameter = ParameterVariable(
            self.main.global_block(), attr.name, shape, dtype, trainable=attr.trainable, regularizer=attr.regularizer,
            optimize_attr={"learning_rate": attr.learning_rate}, need_clip=attr.need_clip,
            do_model_average=attr.do_model_average)
        self.main.global_block().add_var(parameter)
        self.initialize(parameter, lambda: initialized(initializer, shape, dtype))
        return parameter

    def joined(self, name: str, parameters: Sequence[Any]) -> None:
        """A parameter that holds the values of others in a row, for who reads the files: nothing computes with it."""
        if not self.captures:
            size = sum(product(parameter.shape) for parameter in parameters)
            self.parameter((size,), parameters[0].dtype, ParamAttr(name), lambda shape, dtype: full(shape, 0.0, dtype))
            self.main.joined[name] = [parameter.name for parameter in parameters]

    def gradients(self, loss: Variable, parameters: list | None, no_grad: Any = None,
                  callbacks: Any = None) -> list[tuple[Any, Any]]:
        """Appends the gradient of `loss`; the parameters with their gradients. ValueError for more than one element."""
        if any(size != 1 for size in loss.shape):
            raise ValueError(f"minimize(loss): loss must have one element; take its mean. Received shape {loss.shape}.")
        return gradients_of_parameters(GradientTrace(loss.block.program), loss, parameters, no_grad, callbacks)

    def derivatives(self, outputs: list, inputs: list, starts: list, no_grad: Any, create_graph: bool) -> list:
        """Appends the gradients of Variables with respect to Variables."""
        given = [] if no_grad is None else no_grad if isinstance(no_grad, (list, tuple, set)) else [no_grad]
        targets = [self.lift(v, "grad(outputs)") for v in outputs]
        stopped = [self.lift(v, "grad(no_grad_vars)") for v in given]
        asked = [self.lift(v, "grad(inputs)") for v in inputs]
        begun = [None if v is None else self.lift(v, "grad(grad_outputs)") for v in starts]
        own = {target.name for target in targets} if self.captures else set()  # as eagerly, they are no constants,
        found = derivatives(self, targets, [before_hooks(v) for v in asked], begun,
                            [v for v in stopped if v.name not in own], create_graph)
        without = {v.name for v in stopped if v.name in own}  # though nobody is told their gradients
        return [None if v.name in without else gradient for v, gradient in zip(asked, found, strict=True)]

    @contextlib.contextmanager
    def updating(self) -> Iterator[None]:
        """What the block appends is marked as an optimizer's update, what code appends by its type as well."""
        self.role, old = 2, self.role
        try:
            with grad_mode(False), self.main._optimized_guard():
                yield
        finally:
            self.role = old

    def trained(self) -> list:
        """The Program's trainable parameters."""
        return [parameter for parameter in self.main.all_parameters() if parameter.trainable]

    def averaged(self) -> list:
        """The Program's parameters, batch normalization's means too, but for those with `do_model_average=False`."""
        return [parameter for parameter in self.main.all_parameters() if parameter.do_model_average is not False]

    @contextlib.contextmanager
    def training(self, loss: Variable, startup: Program | None = None) -> Iterator[None]:
        """What the block appends goes to the loss's Program, and initial values to `startup`, if it is given."""
        if loss.program is self.main and startup in (None, self.startup):
            yield
            return
        with using(ProgramTrace(loss.program, startup or self.startup)):
            yield

    def staged(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, converted: its control flow becomes operations where a Variable decides about it."""
        return staging()(function)

    def host_value(self, source: Any, dtype: DType, name: str, scheduled: Any = None) -> Variable:
        """A persistable Variable of what `source()` gives; one of a source and dtype in each Program."""
        block = self.main.global_block()
        for found, held in self.main.host_values.items():
            if held.source == source and block.var(found).dtype is dtype:
                return block.var(found)
        held = HostValue(source, scheduled)
        variable = self.persistent((1,) * self.least_rank, dtype, held.first, generate(name))
        self.main.host_values[variable.name] = held
        return variable

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> Variable:
        """A persistable Variable of this name, filled by the startup Program."""
        self.main.global_block().check_redeclared("a persistable variable", name, shape, dtype, persistable=True)
        variable = self.main.global_block().new_var(name, shape, dtype, persistable=True)
        if isinstance(value, Variable):
            self.initialize(variable, lambda: cast(like(value, self.startup), dtype))
        else:
            self.initialize(variable, lambda: full(shape, value, dtype))
        return variable

    def blank(self, dtype: DType, name: str) -> Variable:
        """A Variable for an operation to give its result to: gradients pass through it then."""
        variable = self.persistent((1,), dtype, 0.0, name)
        variable.stop_gradient = False
        return variable

    def store(self, target: Variable, value: Variable) -> None:
        """Appends the assignment."""
        self.block.append("assign", {"X": [value.name]}, {"Out": [target.name]}, {"op_role": self.role}, user_line())

    def initialize(self, variable: Variable, make: Callable[[], Any]) -> None:
        """Lets the startup Program give a persistable variable what `make()` appends there; once for each name.

        Its shape is what is made then (`Assign` gives values of another shape as they are).
        """
        if self.startup is None:
            raise RuntimeError(
                f"The parameter {variable.name!r} is made while a Program without a startup Program is being traced. "
                f"Make parameters before, in the layer's __init__."
            )
        block = self.startup.global_block()
        if block.has_var(variable.name):
            return
        with using(StartupTrace(self.startup)):
            made = make()
        variable.shape = tuple(made.shape)
        block.give_as(made, variable.name)
        block.add_var(twin(variable, block))


class GradientTrace(ProgramTrace):
    """A program trace whose operations are marked as part of the backward pass."""

    role = BACKWARD_ROLE
    _own_names = True

    def _naming(self, op: Operator, inputs: tuple) -> Callable[[str], str]:
        return lambda slot: self.main.new_name(f"of_gradient.{op.type}")


class StartupTrace(ProgramTrace):
    """Appends initializers to a startup Program."""

    _own_names = True

    def _seeded(self, op: Operator, attrs: dict[str, Any]) -> dict[str, Any]:
        return {**attrs, "seed": self.main.random_seed} if attrs.get("seed") == 0 else super()._seeded(op, attrs)
