"""Program, Block, Operation and Variable: a computation written down instead of done.

A Program is data: it knows operators by type name, slots by name and values by variable name, as the `.pdmodel` format
does. What appends to it is `trace.py`; what runs it is `executor.py`.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from ..core.dtype import DType
from ..ops.methods import METHODS
from ..ops.spec import Spec

GRAD_SUFFIX = "@GRAD"

KINDS: dict[str, type[Variable]] = {}
"""The classes of variables that hold something else than a tensor, by kind, where they have one of their own."""

_VariableMethods: Any = type("_VariableMethods", (), {"__slots__": (), **METHODS})


class Variable(_VariableMethods):
    """A value of a Program, known by name, shape (-1: a size not yet known) and dtype. It has no value of its own.

    `kind` tells what it holds: 'tensor', or one of the format's other types ('array', 'scopes', 'feed', 'fetch', …).
    """

    _is_proa_value = True
    __array_priority__ = 100

    def __init__(self, block: Block, name: str, shape: Any = (), dtype: DType | None = None, *,
                 persistable: bool = False, stop_gradient: bool = True, is_data: bool = False, lod_level: int = 0,
                 kind: str = "tensor"):
        self.block, self.name = block, name
        self.shape = tuple(-1 if size is None else int(size) for size in shape)
        self._dtype = dtype
        self.persistable, self.stop_gradient = persistable, stop_gradient
        self.is_data, self.lod_level, self.kind = is_data, lod_level, kind

    is_parameter = False

    @property
    def dtype(self) -> DType:
        """The element type; a variable that holds no tensor has none and raises TypeError."""
        if self._dtype is None:
            raise TypeError(f"The variable {self.name!r} holds a {self.kind}, which has no dtype.")
        return self._dtype

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return Spec(self.shape, self.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements; -1 where a size is not known."""
        from ..ops.infer import product

        return product(self.shape)

    @property
    def program(self) -> Program:
        """The Program it belongs to."""
        return self.block.program

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __hash__(self) -> int:
        return id(self)

    def _no_value(self, what: str) -> TypeError:
        from .trace import user_source

        error = TypeError(
            f"{what}: the variable {self.name!r} of a static Program has no value while the Program is being built "
            f"({user_source()}). Run the Program and fetch it; in a function under to_static, keep to tensor "
            f"operations here."
        )
        self.program.value_wanted = self.program.value_wanted or error
        return error

    def __bool__(self) -> bool:
        raise self._no_value("bool(x), as in `if x` or `while x`")

    def __int__(self) -> int:
        raise self._no_value("int(x)")

    def __float__(self) -> float:
        raise self._no_value("float(x)")

    def __index__(self) -> int:
        raise self._no_value("x as an index")

    def __len__(self) -> int:
        if not self.shape or self.shape[0] < 0:
            raise self._no_value("len(x) of an unknown first dimension")
        return self.shape[0]

    def __iter__(self) -> Iterator:
        if not self.shape or self.shape[0] < 0:
            raise self._no_value("iteration over an unknown first dimension")
        return (self[i] for i in range(self.shape[0]))

    def numpy(self) -> Any:
        """Raises TypeError: there is no value yet."""
        raise self._no_value("x.numpy()")

    def item(self, *args: int) -> Any:
        """Raises TypeError: there is no value yet."""
        raise self._no_value("x.item()")

    def tolist(self) -> Any:
        """Raises TypeError: there is no value yet."""
        raise self._no_value("x.tolist()")

    def detach(self) -> Variable:
        """A variable of the same value through which no gradient flows."""
        from ..ops.manipulation import assign

        result = assign(self)
        result.stop_gradient = True
        return result

    def _alias(self) -> Variable:
        return self

    def _rebind(self, result: Variable) -> Variable:
        """Gives this variable the value of another from here on: what the in-place forms do."""
        self.program.current_block().append("assign", {"X": [result.name]}, {"Out": [self.name]}, {})
        self.stop_gradient = result.stop_gradient
        return self

    def __repr__(self) -> str:
        kind = "param" if self.is_parameter else "persist var" if self.persistable else "var"
        what = f"shape{list(self.shape)}.dtype({self._dtype.name})" if self._dtype else self.kind
        return f"{kind} {self.name} : {what}.stop_gradient({self.stop_gradient})"

    __str__ = __repr__


class ParameterVariable(Variable):
    """A variable that is trained; optimizers read the attributes they read of an eager Parameter."""

    is_parameter = True

    def __init__(self, block: Block, name: str, shape: Any, dtype: DType, *, trainable: bool = True,
                 optimize_attr: dict[str, float] | None = None, regularizer: Any = None, need_clip: bool = True):
        super().__init__(block, name, shape, dtype, persistable=True, stop_gradient=not trainable)
        self.optimize_attr = optimize_attr or {"learning_rate": 1.0}
        self.regularizer, self.need_clip = regularizer, need_clip
        self.is_distributed = False

    @property
    def trainable(self) -> bool:
        """True when optimizers change it."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.stop_gradient = not value


class Operation:
    """One operator applied in a Block: its type, variable names by slot, and attributes.

    `source` is the user's file and line that appended it, for error messages.
    """

    __slots__ = ("block", "type", "inputs", "outputs", "attrs", "source")

    def __init__(self, block: Block, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]],
                 attrs: dict[str, Any], source: str = ""):
        self.block, self.type, self.attrs, self.source = block, type, attrs, source
        self.inputs = {slot: list(names) for slot, names in inputs.items()}
        self.outputs = {slot: list(names) for slot, names in outputs.items()}

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
        return [name for names in self.inputs.values() for name in names]

    @property
    def output_arg_names(self) -> list[str]:
        """Every variable written."""
        return [name for names in self.outputs.values() for name in names]

    def attr(self, name: str) -> Any:
        """The value of an attribute."""
        return self.attrs[name]

    def has_attr(self, name: str) -> bool:
        """True when the attribute is there."""
        return name in self.attrs

    def rename_input(self, old: str, new: str) -> None:
        """Reads `new` wherever it read `old`."""
        self.inputs = {s: [new if n == old else n for n in names] for s, names in self.inputs.items()}

    def rename_output(self, old: str, new: str) -> None:
        """Writes `new` wherever it wrote `old`."""
        self.outputs = {s: [new if n == old else n for n in names] for s, names in self.outputs.items()}

    def __repr__(self) -> str:
        def side(slots: dict[str, list[str]]) -> str:
            return ", ".join(f"{slot}={names}" for slot, names in slots.items() if names)

        attrs = ", ".join(f"{k}={v!r}" for k, v in sorted(self.attrs.items()))
        return f"{{{side(self.outputs)}}} = {self.type}(inputs={{{side(self.inputs)}}}, {attrs})"

    __str__ = __repr__


class Block:
    """A list of operations and the variables they name; a name not found here is looked up in the parent block."""

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

    def has_var(self, name: str) -> bool:
        """True when this very block has the variable."""
        return name in self.vars

    def create_var(self, name: str | None = None, shape: Any = (), dtype: Any = None, **attributes: Any) -> Variable:
        """A new variable here; without a name it gets one of its own."""
        from ..core.dtype import convert_dtype

        name = name or self.program.new_name("_generated_var")
        dtype = None if dtype is None else convert_dtype(dtype)
        made = KINDS.get(attributes.get("kind", "tensor"), Variable)
        variable = self.vars[name] = made(self, name, shape, dtype, **attributes)
        return variable

    def add_var(self, variable: Variable) -> Variable:
        """Puts a variable made elsewhere into this block."""
        variable.block = self
        self.vars[variable.name] = variable
        return variable

    def all_parameters(self) -> list[ParameterVariable]:
        """The parameters of this block, in the order they were made."""
        return [v for v in self.vars.values() if isinstance(v, ParameterVariable)]

    def append(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], attrs: dict[str, Any],
               source: str = "") -> Operation:
        """Appends an operation."""
        operation = Operation(self, type, inputs, outputs, attrs, source)
        self.ops.append(operation)
        self.program.version += 1
        return operation

    def __repr__(self) -> str:
        variables = "\n".join(f"    {v!r}" for v in self.vars.values())
        operations = "\n".join(f"    {op!r}" for op in self.ops)
        return f"{{ // block {self.idx}, parent {self.parent_idx}\n{variables}\n\n{operations}\n}}"


class Program:
    """A computation: blocks of operations, the first being the outermost.

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
        self.value_wanted: TypeError | None = None  # the first error about a value that something asked for
        self.version = 0  # counts changes: what was compiled from an older version is compiled again
        self.random_seed = 0
        self.plans: dict[Any, Any] = {}  # the Executor's cache
        self.host_values: dict[str, Callable[[], float]] = {}  # filled anew before each run: learning rates
        self._counts: defaultdict[str, int] = defaultdict(int)

    def new_name(self, key: str) -> str:
        """A variable name that this Program does not have yet."""
        while True:
            name = f"{key}_{self._counts[key]}.tmp_0"
            self._counts[key] += 1
            if not any(name in block.vars for block in self.blocks):
                return name

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

    def list_vars(self) -> Iterator[Variable]:
        """Every variable of every block."""
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self) -> list[ParameterVariable]:
        """Every parameter."""
        return [p for block in self.blocks for p in block.all_parameters()]

    def clone(self, for_test: bool = False) -> Program:
        """A copy. With `for_test` dropout and batch norm work as in evaluation, without gradients and updates."""
        from .transform import for_evaluation

        return for_evaluation(self) if for_test else copy.deepcopy(self)

    def __deepcopy__(self, memo: dict) -> Program:
        result = Program.__new__(Program)
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            shared = {"plans": {}, "host_values": dict(self.host_values)}
            result.__dict__[key] = shared[key] if key in shared else copy.deepcopy(value, memo)
        return result

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """The persistable values in `scope` by name: mode 'all', 'param' (parameters) or 'opt' (the others)."""
        from .state import program_state

        return program_state(self, mode, scope)

    def set_state_dict(self, state_dict: dict[str, Any], scope: Any = None) -> None:
        """Puts values into `scope` by name; a name that the Program does not have is warned of."""
        from .state import set_program_state_dict

        set_program_state_dict(self, state_dict, scope)

    def plan(self, feed: Any = (), fetch_list: Any = ()) -> Any:
        """What the Executor makes of this Program for these inputs and results: printed, a table of what a run does.

        `feed`: names of inputs; `fetch_list`: Variables or names. Raises ValueError for a result that is not there.

        >>> import proa as paddle
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [8, 4]); y = paddle.tanh(x * 2.0 + 1.0)
        >>> print(main.plan(["x"], [y]))  # doctest: +ELLIPSIS
        1 operations a run, 0 prepared; 96 operations
        ...
        1  one loop: scale + scale + tanh  float32[8, 4]  96          256    ...
        """
        from .compiler import compile_plan

        names = [item if isinstance(item, str) else item.name for item in fetch_list]
        for name in names:
            self.global_block().var(name)
        return compile_plan(self, list(feed), names)[0]

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The Program as text."""
        return "\n".join(repr(block) for block in self.blocks)

    def __repr__(self) -> str:
        return self.to_string()

    __str__ = __repr__
