"""Program, Block and Operation: a computation written down instead of done.

A Program is data: it knows operators by type name, slots by name and values by variable name, as the `.pdmodel` format
does; `variable.py` has its values. What appends to it is `building/trace.py`; what runs it is `run/executor.py`.
"""

from __future__ import annotations

import contextlib
import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from ...core.dtype import DType
from ...core.errors import user_line
from ...core.var_type import AttrType, VarType
from .append_op import described
from .batch_source import BatchSource
from .descriptions import BlockDesc, OpDesc, ProgramDesc
from .name_scopes import ATTRIBUTE, OUTSIDE, current_path
from .variable import KINDS, ParameterVariable, Variable

BACKWARD_ROLE, OPTIMIZE_ROLE, SCHEDULE_ROLE = 1, 2, 16  # of the attribute op_role in files
GRAD_SUFFIX = "@GRAD"
_global_seed = [0]


class Operation:
    """One operator applied in a Block: its type, variable names by slot, and attributes.

    `source` is the user's file and line that appended it, for error messages. `inferred` is what its rule said when it
    was appended: the specs of the inputs and of the results, by slot; None where it was not asked.
    """

    __slots__ = ("block", "type", "inputs", "outputs", "attrs", "source", "inferred", "_reads", "_writes")

    def __init__(self, block: Block, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]],
                 attrs: dict[str, Any], source: str = "", inferred: tuple[tuple, tuple] | None = None):
        self.block, self.type, self.attrs, self.source, self.inferred = block, type, attrs, source, inferred
        self.inputs = {slot: list(names) for slot, names in inputs.items()}
        self.outputs = {slot: list(names) for slot, names in outputs.items()}
        self._reads: list[str] | None = None  # of all slots, collected when they are first asked for
        self._writes: list[str] | None = None

    def input(self, slot: str) -> list[str]:
        """The names in an input slot; empty when it is not there."""
        return self.inputs.get(slot, [])

    def output(self, slot: str) -> list[str]:
        """The names in an output slot; empty when it is not there."""
        return self.outputs.get(slot, [])

    @property
    def input_names(self) -> list[str]:
        """The input slots."""
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        """The output slots."""
        return list(self.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        """Every variable read."""
        found = self._reads
        if found is None:
            found = self._reads = [name for names in self.inputs.values() for name in names]
        return found

    @property
    def output_arg_names(self) -> list[str]:
        """Every variable written."""
        found = self._writes
        if found is None:
            found = self._writes = [name for names in self.outputs.values() for name in names]
        return found

    def set_input(self, slot: str, names: list[str]) -> None:
        """Puts these names into an input slot."""
        self.inputs[slot], self._reads = names, None
        self.block.program.version += 1

    def set_output(self, slot: str, names: list[str]) -> None:
        """Puts these names into an output slot."""
        self.outputs[slot], self._writes = names, None
        self.block.program.version += 1

    def attr(self, name: str) -> Any:
        """The value of an attribute; KeyError, with those that there are, for a name without one."""
        if name not in self.attrs:
            if name == ATTRIBUTE:
                return OUTSIDE
            raise KeyError(f"attr(name): the operation {self.type!r} has no attribute {name!r}. It has: "
                           f"{sorted(self.attrs)}.")
        return self.attrs[name]

    def attr_type(self, name: str) -> AttrType:
        """The type in files of an attribute's value."""
        return AttrType[self.block.program.attribute_type(self, name, self.attr(name))]

    def _block_attr_id(self, name: str) -> int:
        return int(self.attr(name))

    def _block_attr(self, name: str) -> Block:
        return self.block.program.block(self._block_attr_id(name))

    def _blocks_attr_ids(self, name: str) -> list[int]:
        return list(self.attr(name))

    def _blocks_attr(self, name: str) -> list[Block]:
        return [self.block.program.block(index) for index in self.attr(name)]

    def _var_attr(self, name: str) -> Variable:
        return self.block.var(self.attr(name))

    def _vars_attr(self, name: str) -> list[Variable]:
        return [self.block.var(each) for each in self.attr(name)]

    def _is_backward_op(self) -> bool:
        return bool(self.attrs.get("op_role", 0) & BACKWARD_ROLE)

    def _is_optimize_op(self) -> bool:
        return bool(self.attrs.get("op_role", 0) & OPTIMIZE_ROLE)

    def _remove_attr(self, name: str) -> None:
        self.attrs.pop(name, None)
        self.inferred = None
        self.block.program.version += 1

    @property
    def attr_names(self) -> list[str]:
        """The attributes."""
        return list(self.attrs)

    def all_attrs(self) -> dict[str, Any]:
        """The attributes with their values."""
        return dict(self.attrs)

    @property
    def desc(self) -> OpDesc:
        """This operation as Paddle's desc: its type and names are methods."""
        return OpDesc(self)

    @property
    def idx(self) -> int:
        """Its place in the block."""
        return next(n for n, op in enumerate(self.block.ops) if op is self)

    def to_string(self, throw_on_error: bool = True) -> str:
        """The operation as text: what stands of it in a file."""
        return self.block.program.text_of(self)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return repr(self)

    def set_attr(self, name: str, value: Any) -> None:
        """Gives an attribute a value; what the rule said of the results with another one is forgotten."""
        self.attrs[name], self.inferred = value.idx if isinstance(value, Block) else value, None
        self.block.program.version += 1

    def has_attr(self, name: str) -> bool:
        """True when the attribute is there."""
        return name in self.attrs

    def rename_input(self, old: str, new: str) -> None:
        """Reads `new` wherever it read `old`."""
        self.inputs = {s: [new if n == old else n for n in names] for s, names in self.inputs.items()}
        self._reads = None
        self.block.program.version += 1

    def rename_output(self, old: str, new: str) -> None:
        """Writes `new` wherever it wrote `old`."""
        self.outputs = {s: [new if n == old else n for n in names] for s, names in self.outputs.items()}
        self._writes = None
        self.block.program.version += 1

    # Older names of the same.
    _set_attr = _update_desc_attr = _update_desc_plain_attr = set_attr
    _rename_input, _rename_output = rename_input, rename_output

    def __repr__(self) -> str:
        def side(slots: dict[str, list[str]]) -> str:
            return ", ".join(f"{slot}={names}" for slot, names in slots.items() if names)

        attrs = ", ".join(f"{k} = {v}" for k, v in sorted(self.attrs.items()))
        return f"{{{side(self.outputs)}}} = {self.type}(inputs={{{side(self.inputs)}}}, {attrs})"

    __str__ = __repr__


class Block:
    """A list of operations and the variables they name; a name not found here is looked up in the parent block."""

    repeats = False  # whether it is the body of a loop

    def __init__(self, program: Program, idx: int, parent_idx: int = -1):
        self.program, self.idx, self.parent_idx = program, idx, parent_idx
        self.forward_block_idx = -1
        self.vars: dict[str, Variable] = {}
        self.ops: list[Operation] = []

    @property
    def parent(self) -> Block | None:
        """The enclosing block; None for the outermost."""
        return self.program.blocks[self.parent_idx] if self.parent_idx >= 0 else None

    def find_var(self, name: str) -> Variable | None:
        """The variable of this name here or in an enclosing block; None when there is none."""
        block: Block | None = self
        while block is not None:
            if name in block.vars:
                return block.vars[name]
            block = block.parent
        return None

    def var(self, name: str) -> Variable:
        """As `find_var`; ValueError when there is none."""
        found = self.find_var(name)
        if found is None:
            raise ValueError(f"Block {self.idx} has no variable {name!r}.")
        return found

    _var_recursive = var
    _find_var_recursive = find_var

    def has_var(self, name: str) -> bool:
        """True when this very block has the variable."""
        return name in self.vars

    def create_var(self, name: str | None = None, shape: Any = (), dtype: Any = None, type: VarType | None = None,
                   **attributes: Any) -> Variable:
        """A new variable here; without a name it gets one of its own.

        `type`: what it holds, a tensor by default. Where `stop_gradient` is not given, the operation that makes its
        value says whether gradients stop there.
        """
        from ...core.dtype import convert_dtype

        name = name or self.program.new_name("_generated_var")
        dtype = None if dtype is None else convert_dtype(dtype)
        if type is not None:
            attributes["kind"] = VarType(type).kind
        made = KINDS.get(attributes.get("kind", "tensor"), Variable)
        variable = self.vars[name] = made(self, name, shape or (), dtype, **attributes)
        variable.undecided = "stop_gradient" not in attributes and not attributes.get("is_data")
        return variable

    def create_parameter(self, shape: Any, dtype: Any, name: str | None = None, initializer: Any = None,
                         **attributes: Any) -> ParameterVariable:
        """A new parameter of the outermost block; with an initializer this block begins to fill it.

        Of the other attributes `trainable`, `optimize_attr`, `regularizer` and `need_clip` are those of a ParamAttr.
        Raises ValueError where there is a variable of this name that is another one.
        """
        from ...core.dtype import convert_dtype

        home = self.program.global_block()
        name, dtype = name or self.program.new_name("_generated_var"), convert_dtype(dtype)
        home.check_redeclared("create_parameter(name)", name, shape, dtype, persistable=True)
        known = {key: attributes[key] for key in _OF_PARAMETERS if attributes.get(key) is not None}
        parameter = ParameterVariable(home, name, shape, dtype, **known)
        home.add_var(parameter)
        if initializer is not None:
            self.program.initialize(self, parameter, initializer)
        return parameter

    def _clone_variable(self, var: Variable, force_persistable: bool = True) -> Variable:
        return self.create_var(var.name, var.shape, var._dtype, kind=var.kind, lod_level=var.lod_level,
                               persistable=force_persistable or var.persistable, is_data=var.is_data,
                               stop_gradient=var.stop_gradient)

    def _remove_var(self, name: str, sync: bool = True) -> None:
        del self.vars[self.var(name).name]
        self.program.version += 1

    def _rename_var(self, name: str, new_name: str) -> Variable:
        name, new_name = _text(name), _text(new_name)
        if not self.has_var(name):
            raise ValueError(f"_rename_var(name): block {self.idx} has no variable {name!r}.")
        variable = self.vars[name]
        variable.name = new_name
        self.vars = {new_name if key == name else key: value for key, value in self.vars.items()}
        for op in self.ops:
            op.rename_input(name, new_name)
            op.rename_output(name, new_name)
        return variable

    def check_redeclared(self, what: str, name: str, shape: Any, dtype: Any, persistable: bool) -> None:
        """Raises ValueError where there is a variable of this name that is another one than `what` would make."""
        old = self.vars.get(name)
        shape = tuple(-1 if size is None else int(size) for size in shape)
        if old is None or (old.shape, old._dtype, old.persistable) == (shape, dtype, persistable):
            return
        kinds = {True: "a value that is kept between runs", False: "a value of one run"}
        raise ValueError(
            f"{what}: the Program has a variable {name!r} already: {kinds[old.persistable]}, shape {list(old.shape)}, "
            f"dtype {old._dtype and old._dtype.name}. Received {kinds[persistable]}, shape {list(shape)}, dtype "
            f"{dtype.name}. Give it another name, or declare it as it was.")

    def add_var(self, variable: Variable) -> Variable:
        """Puts a variable made elsewhere into this block."""
        variable.block = self
        self.vars[variable.name] = variable
        return variable

    @property
    def desc(self) -> BlockDesc:
        """This block as Paddle's desc."""
        return BlockDesc(self)

    def iter_parameters(self) -> Iterator[ParameterVariable]:
        """The parameters, one after the other."""
        return iter(self.all_parameters())

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The block as text: what stands of it in a file."""
        return self.program.text_of(self)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return repr(self)

    def all_parameters(self) -> list[ParameterVariable]:
        """The parameters of this block, in the order they were made."""
        return [v for v in self.vars.values() if isinstance(v, ParameterVariable)]

    def append(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], attrs: dict[str, Any],
               source: str = "", inferred: tuple[tuple, tuple] | None = None) -> Operation:
        """Appends an operation."""
        operation = Operation(self, type, inputs, outputs, attrs, source, inferred)
        self.ops.append(operation)
        self.program.version += 1
        return operation

    def append_op(self, type: str | None = None, inputs: Any = None, outputs: Any = None, attrs: Any = None,
                  **others: Any) -> Operation:
        """Appends an operation: `inputs` and `outputs` are Variables or names by slot, one or a list each.

        The variables of `outputs` are there before, and take the shapes and dtypes of the results. Attributes that are
        not given have their defaults; what the operator does not have is passed over. Raises ValueError for slots that
        do not fit, for variables that are not there, and for inputs that the operator refuses.

        >>> import proa as paddle
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2, 3])
        >>> block = main.global_block()
        >>> y = block.create_var(name="y")
        >>> block.append_op(type="relu", inputs={"X": x}, outputs={"Out": y}).type, y.shape
        ('relu', (2, 3))
        """
        return self._insert_op(len(self.ops), type=type, inputs=inputs, outputs=outputs, attrs=attrs)

    def _prepend_op(self, *args: Any, **kwargs: Any) -> Operation:
        return self._insert_op(0, *args, **kwargs)

    def _insert_op(self, index: int, type: Any = None, inputs: Any = None, outputs: Any = None, attrs: Any = None,
                   **others: Any) -> Operation:
        found = described(self, type, inputs, outputs, attrs)
        if self.program._op_role:
            found.attrs.setdefault("op_role", self.program._op_role)
        if current_path() != OUTSIDE:
            found.attrs.setdefault(ATTRIBUTE, current_path())
        operation = Operation(self, type, found.inputs, found.outputs, found.attrs, user_line(), found.inferred)
        self.ops.insert(index, operation)
        self.program.version += 1
        return operation

    _insert_op_without_sync = _insert_op

    def _remove_op(self, index: int, sync: bool = True) -> None:
        if not 0 <= index < len(self.ops):
            raise IndexError(f"_remove_op(index): the block has {len(self.ops)} operations. Received {index}.")
        del self.ops[index]
        self.program.version += 1

    def _slice_ops(self, start: int, end: int) -> list[Operation]:
        return self.ops[start:end]

    def _set_forward_block_idx(self, idx: int) -> None:
        self.forward_block_idx = idx

    backward_block_idx = -1

    def _sync_with_cpp(self) -> None:
        """Nothing: this is the block itself, and no copy of it."""

    def __repr__(self) -> str:
        variables = "\n".join(f"    {v!r}" for v in self.vars.values())
        operations = "\n".join(f"    {op!r}" for op in self.ops)
        return (f"{{ // block_idx:{self.idx}  parent_idx:{self.parent_idx}  forward_idx:{self.forward_block_idx}  "
                f"backward_idx:{self.backward_block_idx}\n{variables}\n\n{operations}\n}}")


_OF_PARAMETERS = ("trainable", "optimize_attr", "regularizer", "need_clip")


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


class Program:
    """A computation as data: blocks of operations, the first being the outermost.

    What users hold is `static.program.Program`, which can also be asked for what others make of it.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 3]); y = x * 2
    >>> [op.type for op in main.global_block().ops]
    ['scale']
    """

    def __init__(self) -> None:
        self.blocks = [Block(self, 0)]
        self.current_block_idx = 0
        self.value_wanted: Exception | None = None  # the first reason why this cannot be run: a value asked for
        self.wide_sizes = False  # sizes that only a run knows are int64 where the user's code asks for them
        self.must_be_whole = False  # a value asked for as an array is then the variable, without a gradient
        self.stands_for_arrays = False  # that this has happened
        self.ungradable: Exception | None = None  # the first reason why a part of this cannot be differentiated
        self.version = 0  # counts changes: what was compiled from an older version is compiled again
        self._random_seed = _global_seed[0]
        self.plans: dict[Any, Any] = {}  # the Executor's cache
        self.raised: dict[str, Exception] = {}  # by the messages of assertions that stand for them
        self.host_values: dict[str, Callable[[], float]] = {}  # filled anew before each run: learning rates
        self.readers: dict[str, BatchSource] = {}  # by a variable that they fill: what each run takes a batch of
        self.renamed: list[tuple[Variable, Variable]] = []  # by operations in place: with the variables that they were
        self.numbers: set[str] = set()  # ints of Python that only a run knows: beside them a tensor keeps its dtype
        self.counters: set[str] = set()  # of these, what counts up from 0 or more
        self.leaves: set[str] = set()  # what was computed and told that gradients are taken with respect to it
        self.hooked: dict[str, tuple] = {}  # by name, what has hooks: the value without them, and the hooks
        self.open_ranks: tuple[int, frozenset[str]] = (-1, frozenset())  # the version, and what `open_ranks` says of it
        self._op_role = 0  # the attribute op_role of what `append_op` appends
        self.has_lod = False  # whether any variable has offsets beside it
        self.gradient_passes = 0  # how often gradients have been appended
        self._counts: defaultdict[str, int] = defaultdict(int)

    def new_name(self, key: str) -> str:
        """A variable name that this Program does not have yet."""
        while True:
            name = f"{key}_{self._counts[key]}.tmp_0"
            self._counts[key] += 1
            if not any(name in block.vars for block in self.blocks):
                return name

    @property
    def random_seed(self) -> int:
        """Where it is not 0, initializers and dropouts that are appended from now on draw the same in every run.

        Each has this very seed, so layers of one shape begin alike. What else draws goes by `paddle.seed`. ValueError
        for what is no int.
        """
        return self._random_seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise ValueError(f"Program.random_seed: must be an int. Received {type(seed).__name__}.")
        self._random_seed = seed

    def global_seed(self, seed: int = 0) -> None:
        """Sets the random seed of this Program and of those that are made from now on."""
        self.random_seed = seed
        _global_seed[:] = [seed]

    def global_block(self) -> Block:
        """The outermost block."""
        return self.blocks[0]

    def current_block(self) -> Block:
        """The block that operations are being appended to."""
        return self.blocks[self.current_block_idx]

    def block(self, index: int) -> Block:
        """The block of this index."""
        return self.blocks[index]

    @property
    def desc(self) -> ProgramDesc:
        """This Program as Paddle's desc, which gives its bytes: `desc.serialize_to_string()`."""
        return ProgramDesc(self)

    @property
    def num_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    def create_block(self, parent_idx: int | None = None) -> Block:
        """A new block inside the current one (or another), which becomes the current one."""
        parent = self.current_block_idx if parent_idx is None else parent_idx
        block = Block(self, len(self.blocks), parent)
        self.blocks.append(block)
        self.current_block_idx = block.idx
        self.version += 1
        return block

    def rollback(self) -> None:
        """Makes the parent of the current block current again."""
        self.current_block_idx = self.current_block().parent_idx

    _create_block, _rollback = create_block, rollback

    def _roll_to_global_block(self) -> None:
        self.current_block_idx = 0

    @contextlib.contextmanager
    def _in_role(self, role: int) -> Iterator[None]:
        self._op_role, old = role, self._op_role
        try:
            yield
        finally:
            self._op_role = old

    def _optimized_guard(self, param_and_grads: Any = None) -> Any:
        return self._in_role(OPTIMIZE_ROLE)

    def _backward_role_guard(self) -> Any:
        return self._in_role(BACKWARD_ROLE)

    def _lr_schedule_guard(self, is_with_opt: bool = False) -> Any:
        return self._in_role(SCHEDULE_ROLE | (OPTIMIZE_ROLE if is_with_opt else 0))

    def _sync_with_cpp(self) -> None:
        """Nothing: this is the Program itself, and no copy of it."""

    def _get_desc(self) -> ProgramDesc:
        return self.desc

    def _version(self) -> int:
        return self.version

    def list_vars(self) -> Iterator[Variable]:
        """Every variable of every block, but for the offsets of others."""
        for block in self.blocks:
            yield from (variable for variable in block.vars.values() if not variable.is_offsets)

    def all_parameters(self) -> list[ParameterVariable]:
        """Every parameter."""
        return [p for block in self.blocks for p in block.all_parameters()]

    # What others make of it: `static.program.Program`, which users hold, knows them.

    def own_trace(self) -> Any:
        """What appends to it while operations are computed, and initial values to the default startup Program."""
        return _own_trace[0](self)

    def text_of(self, part: Variable | Operation | Block | Program) -> str:
        """A part as text: what stands of it in a file."""
        raise NotImplementedError(type(self).__name__)

    def attribute_type(self, operation: Operation, name: str, value: Any) -> str:
        """The name of the type that an attribute of an operation has in files."""
        raise NotImplementedError(type(self).__name__)

    def initialize(self, block: Block, parameter: ParameterVariable, initializer: Any) -> None:
        """Appends to a block of this Program what an initializer makes a parameter of."""
        raise NotImplementedError(type(self).__name__)

    def serialized(self) -> bytes:
        """The bytes of a `.pdmodel` file."""
        raise NotImplementedError(type(self).__name__)

    def find_held(self, name: str, scope: Any = None) -> Any:
        """What the scope in use, or another one, holds under a name; None where it holds nothing."""
        raise NotImplementedError(type(self).__name__)

    def __deepcopy__(self, memo: dict) -> Program:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        result.blocks = [_bare_copy(block, memo) for block in self.blocks]  # first: all else refers to them
        for block, made in zip(self.blocks, result.blocks, strict=True):
            _fill_copy(block, made, memo)
        for key, value in self.__dict__.items():
            shared = {"plans": {}, "raised": dict(self.raised), "host_values": dict(self.host_values),
                      "readers": dict(self.readers),
                      "ungradable": self.ungradable, "renamed": [], "hooked": {}, "blocks": result.blocks}
            result.__dict__[key] = shared[key] if key in shared else copy.deepcopy(value, memo)
        return result

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The Program as text: what stands of it in a file. `print(program)` is what a person reads."""
        return self.text_of(self)

    def __repr__(self) -> str:
        return "\n".join(repr(block) for block in self.blocks)

    __str__ = __repr__


_own_trace: list[Callable[[Program], Any]] = []


def offer_own_trace(make: Callable[[Program], Any]) -> None:
    """Makes `make(program)` what appends to a Program that is not being written."""
    _own_trace[:] = [make]


# Copies, as `copy.deepcopy` would make them, of which a Program has hundreds: it asks each object how it is copied.

_ATOMS = frozenset({str, int, float, bool, type(None), DType})


def _copied(value: Any, memo: dict) -> Any:
    """What stands for an attribute's value in a copy."""
    kind = type(value)
    if kind in _ATOMS or kind is tuple and all(type(item) in _ATOMS for item in value):
        return value
    if kind is list and all(type(item) in _ATOMS for item in value):
        return list(value)
    return copy.deepcopy(value, memo)


def _bare_copy(block: Block, memo: dict) -> Block:
    """A block to be filled, with variables to be filled: these, and operations, refer to it and to each other."""
    made = memo[id(block)] = Block.__new__(Block)
    made.vars = {}
    for name, variable in block.vars.items():
        made.vars[name] = memo[id(variable)] = type(variable).__new__(type(variable))
    return made


def _fill_copy(block: Block, made: Block, memo: dict) -> None:
    for name, variable in block.vars.items():
        made.vars[name].__dict__.update({key: memo[id(value)] if id(value) in memo else _copied(value, memo)
                              for key, value in variable.__dict__.items()})
    made.ops = []
    for op in block.ops:
        attrs = {key: _copied(value, memo) for key, value in op.attrs.items()}
        made.ops.append(Operation(memo[id(op.block)], op.type, op.inputs, op.outputs, attrs, op.source, op.inferred))
    for key, value in block.__dict__.items():
        if key not in ("vars", "ops"):
            made.__dict__[key] = memo[id(value)] if id(value) in memo else _copied(value, memo)
