"""A variable of a Program: a value that is known by name, shape and dtype, and has Tensor's methods.

Knows of its Block only that it has one; see `program.py`.
"""

from __future__ import annotations

import copy
import functools
import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.dtype import DType
from ...core.errors import WrongKindError
from ...core.lazy import require
from ...core.place import expected_place
from ...core.var_type import VarType
from ...ops.core.result_names import results_named
from ...ops.core.spec import Spec
from ...ops.core.trace import Trace, apply, current_trace, using
from ...ops.methods import METHODS, SYNTAX, Later
from .python_numbers import StandsForNumbers
from .tensor_like import TensorLike
from .without_value import WithoutValue

if TYPE_CHECKING:
    from .block import Block
    from .descriptions import VarDesc
    from .operation import Operation
    from .program import Program
    from .variable_methods import VariableMethods as _VariableMethods  # a stub alone: who checks types sees them there

KINDS: dict[str, type[Variable]] = {}
"""The classes of variables that hold something else than a tensor, by kind, where they have one of their own."""
_OF_LISTS = frozenset(("array", "array_gradient", "rank_table"))  # kinds whose classes know what builds Programs
_REPEATED = (list, tuple, str)
GRAD_SUFFIX = "@GRAD"  # of the names of gradients


def class_of_kind(kind: str, otherwise: type[Variable]) -> type[Variable]:
    """The class of variables of a kind; `otherwise` where it has none of its own."""
    if kind in _OF_LISTS:
        require("lists of Programs")
    return KINDS.get(kind, otherwise)


def _in_its_program(method: Any, is_operator: bool = False) -> Any:
    """A method or property, while operations are computed or go to another Program: its own takes what it applies.

    What Python's operators (`is_operator`) apply is called `tmp_0`, `tmp_1`…
    """
    if type(method) is Later:
        return method.then(functools.partial(_in_its_program, is_operator=is_operator))
    if isinstance(method, property):
        return property(_in_its_program(method.fget), method.fset, method.fdel, method.__doc__)
    if not inspect.isfunction(method):
        return method
    if is_operator:
        return _operator(_in_its_program(method))

    @functools.wraps(method)
    def called(self: Variable, *args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if not trace.computes and trace.main is self.program:
            return method(self, *args, **kwargs)
        with using(self.own_trace()):
            return method(self, *args, **kwargs)

    return called


def _operator(method: Any) -> Any:
    @results_named("tmp", bare=True, overall=True)
    def applied(self: Variable, *args: Any, **kwargs: Any) -> Any:
        return method(self, *args, **kwargs)

    return functools.wraps(method)(applied)


class _Count(int):
    """The number of elements of a variable, known; called, it is the Variable that a run computes."""

    variable: Variable

    def __new__(cls, count: int, variable: Variable) -> _Count:
        """The count, which knows whose it is."""
        made = super().__new__(cls, count)
        made.variable = variable
        return made

    def __call__(self) -> Variable:
        """The count as a variable of the Program."""
        return _in_its_program(_size_of)(self.variable)

    def __reduce__(self) -> tuple:
        """Pickles and copies as the number."""
        return int, (int(self),)


@results_named("{input}_size", bare=True)
def _size_of(x: Variable) -> Any:
    from ...ops.math.reduce import size_op

    return apply(size_op, x)


@results_named(bare=True)
def _detached(cut: Variable, name: str) -> Variable:
    from ...ops.array.assign import assign_op

    return apply(assign_op, cut)


_AS_OPERATORS = {"astype", *SYNTAX} - {name for name in SYNTAX if name.strip("_").lstrip("r") in (
    "and", "or", "xor", "invert", "abs", "getitem", "setitem")}

if not TYPE_CHECKING:
    _VariableMethods = type("_VariableMethods", (), {"__slots__": (), **{
        name: _in_its_program(method, name in _AS_OPERATORS)
        for name, method in METHODS.items()}})


class Variable(WithoutValue, StandsForNumbers, _VariableMethods, TensorLike):
    """A value of a Program, known by name, shape (-1: a size not yet known) and dtype. It has no value of its own.

    `kind` tells what it holds: 'tensor', or one of the format's other types ('array', 'scopes', 'feed', 'fetch', …).
    """

    _is_proa_value = True
    __array_priority__ = 100

    def __init__(self, block: Block, name: str, shape: Any = (), dtype: DType | None = None, *,
                 persistable: bool = False, stop_gradient: bool = True, is_data: bool = False, lod_level: int = 0,
                 kind: str = "tensor"):
        self.block, self.name = block, name
        self.shape = tuple([-1 if size is None else int(size) for size in shape])
        self._dtype = dtype
        self.persistable, self.stop_gradient = persistable, stop_gradient
        self.is_data, self.lod_level, self.kind = is_data, lod_level, kind
        self.lod: tuple[Variable, ...] = ()  # its offsets, the outermost level first: see ir/lod.py

    def __getattr__(self, name: str) -> Any:
        """What the user's code has set on Tensors, where this stands for one; AttributeError otherwise."""
        found = None if name.startswith("__") else current_trace().set_on_tensors(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        return found.__get__(self, type(self))

    view_of: tuple | None = None  # of a view: what it is a view of (see static/building/views.py)
    changes = 0  # how often an operation in place has changed it
    partings: tuple = ()  # the numbers of those that gave it another shape or dtype, and what it was before
    before_cut: tuple | None = None  # how often that had been when it was last cut off, and what it was before
    chosen: tuple = ()  # of a value that a condition chose: see static/building/views.py
    is_one_of_several = False  # whether it may be, or be a view of, values that cannot be told apart before a run
    turn: Block | None = None  # of one that turns of a loop hand on: the block of a turn, which finds it there
    flows_to: Variable | None = None  # while it stops gradients: the value that had one, should it have one again
    is_of: Variable | None = None  # the variable that this one is as it was, or as it is by now: see views.py
    shown: tuple = ()  # of a view that is behind: what it was read as last, and what that was made of
    is_offsets = False  # whether it is the offsets of another one
    is_list = False
    takes_any_size = False  # whether what is fed may have other sizes than it: 1.x's `layers.data`, `read_file`

    @property
    def need_check_feed(self) -> bool:
        """Whether what is fed must have its sizes."""
        return self.is_data and not self.takes_any_size

    is_parameter = False
    undecided = False  # whether the operation that makes its value is to say if gradients stop at it

    @property
    def dtype(self) -> DType:
        """The element type; a variable that holds no tensor has none and raises TypeError."""
        if self._dtype is None:
            raise WrongKindError(f"The variable {self.name!r} holds a {self.kind}, which has no dtype.")
        return self._dtype

    @property
    def type(self) -> VarType:
        """What it holds: `VarType.LOD_TENSOR`, or one of the format's other types."""
        return VarType.of_kind(self.kind)

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return Spec(self.shape, self._dtype or self.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    @_in_its_program
    def size(self) -> Any:
        """The number of elements: an int, or a 0-d int64 Variable where a size is not known.

        In a Program that is written by hand it may be called, as Paddle has it: `x.size()` is the Variable in any case.
        """
        from ...ops.core.infer import product
        from ...ops.math.reduce import numel

        if current_trace().captures:
            return product(self.shape) if -1 not in self.shape else numel(self)
        if -1 not in self.shape:
            return _Count(product(self.shape), self)
        made = _size_of(self)
        made.__class__ = _CountVariable
        return made

    @property
    def program(self) -> Program:
        """The Program it belongs to."""
        return self.block.program

    @property
    def is_number(self) -> bool:
        """Whether it stands for a number of Python, which only a run knows: beside it a tensor keeps its dtype."""
        return self.name in self.program.numbers

    @is_number.setter
    def is_number(self, told: bool) -> None:
        (self.program.numbers.add if told else self.program.numbers.discard)(self.name)

    @property
    def op(self) -> Operation | None:
        """The last operation of its block that writes it; None for inputs, and parameters that nothing updates."""
        return next((op for op in reversed(self.block.ops) if self.name in op.output_arg_names), None)

    @property
    def is_gradient(self) -> bool:
        """Whether it is called as the gradient of another variable is."""
        return GRAD_SUFFIX in self.name

    def own_trace(self) -> Trace:
        """What appends to its Program: operators that are applied to it while others are computed are handed there."""
        return self.program.own_trace()

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    ndimension = dim
    error_clip = None

    def _set_error_clip(self, error_clip: Any) -> None:
        self.error_clip = error_clip

    @property
    def attr_names(self) -> list[str]:
        """The names of what has been noted on it with `_set_attr`."""
        return list(self.__dict__.get("_attrs", ()))

    def _has_attr(self, name: str) -> bool:
        return name in self.attr_names

    def attr(self, name: str) -> Any:
        """What has been noted on it under a name; KeyError where nothing was."""
        if not self._has_attr(name):
            raise KeyError(f"attr(name): the variable {self.name!r} has no attribute {name!r}. It has: "
                           f"{self.attr_names}.")
        return self.__dict__["_attrs"][name]

    def _set_attr(self, name: str, value: Any) -> None:
        self.__dict__.setdefault("_attrs", {})[name] = value

    def _remove_attr(self, name: str) -> None:
        self.__dict__.get("_attrs", {}).pop(name, None)

    def _set_info(self, key: str, value: Any) -> None:
        self.__dict__.setdefault("_info", {})[key] = value

    def _get_info(self, key: str) -> Any:
        return self.__dict__.get("_info", {}).get(key)

    def _to_readable_code(self) -> str:
        return repr(self)

    @property
    def place(self) -> Any:
        """In a function under to_static the place that is in use, as a Tensor's.

        In a Program that is written by hand a method, as Paddle has it: None, with a warning.
        """
        return expected_place() if current_trace().captures else self._no_place

    def _no_place(self) -> None:
        warnings.warn(f"{self.name}.place(): a variable of a Program lies nowhere before it is run; its Executor says "
                      "where.", stacklevel=2)

    @_in_its_program
    def cpu(self) -> Variable:
        """A variable of the same value: all of a Program runs at its Executor's place."""
        from ...ops.array.creation import assign

        return assign(self)

    def cuda(self, device_id: int | None = None, blocking: bool = True) -> Variable:
        """As `cpu`."""
        return self.cpu()

    @property
    def desc(self) -> VarDesc:
        """This variable as Paddle's desc: its name, shape and dtype are methods."""
        from .descriptions import VarDesc  # for who asks

        return VarDesc(self)

    @property
    def grad_name(self) -> str:
        """The name of its gradient."""
        return f"{self.name}@GRAD"

    def element_size(self) -> int:
        """Bytes an element."""
        return self.dtype.itemsize

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The variable as text: what stands of it in a file, and what does not."""
        named = self._details(self.program.printed_as_in_files) if with_details else ()
        return self.program.text_of(self) + "".join(f"{name}: {getattr(self, name)}\n" for name in named)

    def _details(self, is_of_1: bool) -> tuple[str, ...]:
        return ("error_clip", "stop_gradient") if is_of_1 else ("error_clip",)

    def retain_grads(self) -> None:
        """Nothing: a Program's gradients are variables, which are there when they are computed."""

    def get_value(self, scope: Any = None) -> Any:
        """The value that the scope in use, or another one, holds of it; ValueError where it holds none."""
        return self._held(scope, "get_value").get_tensor()

    def set_value(self, value: Any, scope: Any = None) -> None:
        """Gives it a value in the scope in use, or another one: an array of its shape; ValueError otherwise.

        In a function under to_static: at each run, as Tensor's.
        """
        if scope is None and current_trace().writes(self, value):
            return
        if isinstance(value, Variable):
            raise TypeError(f"set_value(value): must be an array or a Tensor, which {self.name} is given now. Received "
                            f"the variable {value.name} of a Program, which has a value when the Program runs. Use "
                            "paddle.assign(value, x), which does it at each run.")
        held = self._held(scope, "set_value")
        array = np.asarray(value)
        known = held.get_tensor().shape() if held.get_tensor()._is_initialized() else self.shape
        if len(known) != array.ndim or any(n not in (-1, m) for n, m in zip(known, array.shape, strict=True)):
            raise ValueError(f"set_value(value): {self.name} has shape {list(known)}. Received {list(array.shape)}.")
        held.get_tensor().set(array.astype(self.dtype.dtype))

    def copy_(self, other: Any, blocking: bool = True) -> Variable:
        """In a function under to_static: takes over the value of another tensor of this shape, as Tensor's."""
        self.set_value(other)
        return self

    def _held(self, scope: Any, what: str) -> Any:
        held = self.program.find_held(self.name, scope)
        if held is None:
            raise ValueError(f"{what}(): the scope holds no variable {self.name!r}. Run the startup Program first.")
        return held

    def __hash__(self) -> int:
        program = self.block.program
        if self.name in program.numbers or self.name in program.truths:
            raise self._no_key()
        return id(self)

    @_in_its_program
    def detach(self) -> Variable:
        """A variable of the same value through which no gradient flows. A change of it in place is one of this, too.

        It stays cut off when it is told to want a gradient: what stops is a variable of its own between the two.
        """
        from ...ops.array.creation import assign

        cut = assign(self)
        cut.stop_gradient = True
        detached = _detached(cut, self.program.draw_name(f"detach_{self.name}"))
        seen = self._alias()
        detached.view_of = (seen, seen.changes, None, {}, ())  # as views of other kinds have it: see building/views.py
        return detached

    def __deepcopy__(self, memo: dict) -> Variable:
        """A variable of the same value, through which no gradient flows, and which changes apart from this one."""
        if id(self.program) in memo:  # the Program is copied
            made = memo[id(self)] = type(self).__new__(type(self))
            made.__dict__.update({key: copy.deepcopy(value, memo) for key, value in self.__dict__.items()})
            return made
        made = memo[id(self)] = self.detach()
        made.view_of = None
        return made

    def detach_(self) -> Variable:
        """Lets no gradient flow through this variable from here on."""
        current_trace().cut_off(self)
        return self

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Lets this variable's gradient go through `hook(gradient)`; a variable that it returns takes its place."""
        return current_trace().hooked(self, hook)

    @property
    def _is_view(self) -> bool:
        return self.view_of is not None

    def _alias(self) -> Variable:
        return self if self.view_of is None and not self.chosen else current_trace().up_to_date(self)

    def _rebind(self, result: Variable, former: Any = None) -> Variable:
        """Gives this variable the value of another from here on: what the in-place forms do."""
        current_trace().change(self, result)
        return self

    def _assigned(self, result: Variable) -> Variable:
        """As `_rebind`; but in a Program that is written by hand, a variable that stops gradients goes on to do so."""
        current_trace().assign_to(self, result)
        return self

    def __getitem__(self, index: Any) -> Variable:
        """A part; of what stands for an array of NumPy: an array or a number, beside which a tensor keeps its dtype."""
        part = super().__getitem__(index)  # type: ignore[misc]
        if self.name in self.program.arrays:
            if part.shape:
                self.program.arrays.add(part.name)
            else:
                part.is_number = part.dtype.name != "bool"
        return part

    def __mul__(self, other: Any) -> Variable:
        """The product; a list as many times as a number of Python says, which only the run knows (`[0] * n`)."""
        if type(other) in _REPEATED and self.is_number:
            return current_trace().repeated(other, self)
        return super().__mul__(other)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        trainable = "trainable " if not self.stop_gradient else ""
        kind = f"{trainable}param" if self.is_parameter else "var"
        what = self.type.name
        if self._dtype:
            what += f".shape{self.shape}.dtype({self._dtype.name}).stop_gradient({self.stop_gradient})"
        return f"{'persist ' if self.persistable else ''}{kind} {self.name} : {what}"

    def __str__(self) -> str:
        return self.to_string() if self.program.printed_as_in_files else repr(self)


class OffsetsVariable(Variable):
    """One level of the offsets of sequences, which lie beside the variable that holds their rows, `of`."""

    is_offsets = True

    def __init__(self, *args: Any, of: str, **attributes: Any):
        super().__init__(*args, **attributes)
        self.of = of


class _CountVariable(Variable):
    """The number of elements of a variable, which only a run knows; called, it is itself."""

    def __call__(self) -> Variable:
        """Itself."""
        return self


class ParameterVariable(Variable):
    """A variable that is trained; optimizers read the attributes they read of an eager Parameter."""

    is_parameter = True

    def __init__(self, block: Block, name: str, shape: Any, dtype: DType, *, trainable: bool = True,
                 optimize_attr: dict[str, float] | None = None, regularizer: Any = None, need_clip: bool = True,
                 do_model_average: bool | None = None):
        super().__init__(block, name, shape, dtype, persistable=True, stop_gradient=not trainable)
        self.optimize_attr = optimize_attr or {"learning_rate": 1.0}
        self.regularizer, self.need_clip = regularizer, need_clip
        self.is_distributed = self.belong_to_optimizer = False
        self.do_model_average = do_model_average
        self.table_entry: str | None = None  # which rows begin, of a table on parameter servers

    @property
    def trainable(self) -> bool:
        """True when optimizers change it."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.stop_gradient = not value

    def _details(self, is_of_1: bool) -> tuple[str, ...]:
        own = ("trainable", "optimize_attr", "regularizer", "do_model_average")
        return (*super()._details(is_of_1), *own, *(() if is_of_1 else ("need_clip",)))
