"""Program: a computation written down instead of done.

A Program is data: it knows operators by type name (`operation.py`), slots by name and values by variable name
(`variable.py`), in blocks (`block.py`), as the `.pdmodel` format does. What appends to it is `building/trace.py`; what
runs it is `run/executor.py`.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...core.lazy import require
from ...core.limits import Limits
from ...core.unique_name import UniqueNameGenerator, generate
from .block import Block
from .global_seed import global_seed
from .operation import BACKWARD_ROLE, OPTIMIZE_ROLE, SCHEDULE_ROLE, Operation
from .variable import ParameterVariable, Variable

if TYPE_CHECKING:
    from .batch_source import BatchSource
    from .descriptions import ProgramDesc
    from .host_value import HostValue


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

    variable_class: type[Variable] = Variable  # of its variables that hold tensors: another face's have other methods

    _is_distributed = _is_chief = False  # as Paddle's launchers mark Programs; nothing here does

    printed_as_in_files = False  # whether `print` shows what stands in a file, as it does in Paddle 1.x

    def __init__(self) -> None:
        self.blocks = [Block(self, 0)]
        self.current_block_idx = 0
        self.stops_are_open = False  # gradients may stop at what it is given, which its variables do not tell
        self.value_wanted: Exception | None = None  # the first reason why this cannot be run: a value asked for
        self.wide_sizes = False  # sizes that only a run knows are int64 where the user's code asks for them
        self.must_be_whole = False  # a value asked for as an array is then the variable, without a gradient
        self.stands_for_arrays = False  # that this has happened
        self.arrays: set[str] = set()  # what stands for an array of NumPy: an element of one is a number
        self.ungradable: Exception | None = None  # the first reason why a part of this cannot be differentiated
        self.version = 0  # counts changes: what was compiled from an older version is compiled again
        self.flushed_version = -1  # the one that `desc.flush` has noted
        self._random_seed = global_seed[0]
        self.plans: dict[Any, Any] = {}  # the Executor's cache
        self.raised: dict[str, Exception] = {}  # by the messages of assertions that stand for them
        self.lacking: set[str] = set()  # messages of assertions that a value is there which some runs lack
        self.told: list[str] = []  # what the user is warned of when the program is made
        self.shared: dict[int, Any] = {}  # lists and dicts, by id, that something else holds too
        self.items_held: list[tuple[Any, Any, str]] = []  # that must not change, and what is said then
        self.host_values: dict[str, HostValue] = {}  # by the variables that hold them: learning rates
        self.joined: dict[str, list[str]] = {}  # by a parameter of files alone: those whose values it holds in a row
        self.readers: dict[str, BatchSource] = {}  # by a variable that they fill: what each run takes a batch of
        self.renamed: list[tuple[Variable, Variable]] = []  # by operations in place: with the variables that they were
        self.numbers: set[str] = set()  # of Python, that only a run knows: beside them a tensor keeps its dtype
        self.truths: set[str] = set()  # of Python, likewise: `bool(x)`
        self.mixed: dict[str, str] = {}  # by name, what may be a truth value or a number, which a run knows: where
        self.counters: set[str] = set()  # of these, what counts up from 0 or more
        self.leaves: set[str] = set()  # what was computed and told that gradients are taken with respect to it
        self.read_by_hooks: list[tuple] = []  # of hooks: names of around them, cells, what was there
        self.hooked: dict[str, tuple] = {}  # by name, what has hooks: the value without them, and the hooks
        self.leaf_hooks: dict[str, dict[int, Any]] = {}  # by name, what is done to gradients of what nothing computes
        self.open_ranks: tuple[int, frozenset[str]] = (-1, frozenset())  # the version, and what `open_ranks` says of it
        self.rank_sources: Any = None  # and where it looks
        self.is_loaded = False  # it is from a file: its shapes are inferred again before it runs
        self.limits: Limits | None = None  # what a run may take
        self._trainers_endpoints: list[str] = []  # the addresses of the processes that it was made for
        self._op_role = 0  # the attribute op_role of what `append_op` appends
        self.has_lod = False  # whether any variable has offsets beside it
        self.gradient_passes = 0  # how often gradients have been appended
        self.counts_apart = False  # names within it concern nothing outside: it is traced while eager code runs
        self.own_names = UniqueNameGenerator()  # of what takes none of those that layers and functions count

    def new_name(self, key: str) -> str:
        """A variable name that this Program does not have yet."""
        while True:
            name = f"{self.own_names(key)}.tmp_0"
            if not self.has_name(name):
                return name

    def draw_name(self, key: str) -> str:
        """The next name of those that layers, functions and variables without names count; one that is free here."""
        while True:
            name = self.own_names(key) if self.counts_apart else generate(key)
            if not self.has_name(name):
                return name

    def has_name(self, name: str) -> bool:
        """Whether a variable of any block has the name."""
        return any(name in block.vars for block in self.blocks)

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
        global_seed[:] = [seed]

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
        from .descriptions import ProgramDesc  # for who asks

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
        if not _own_trace:
            require("traces of Programs")
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
        from .copies import bare_copy, fill_copy  # for who makes another of it

        result = type(self).__new__(type(self))
        memo[id(self)] = result
        result.blocks = [bare_copy(block, memo) for block in self.blocks]  # first: all else refers to them
        for block, made in zip(self.blocks, result.blocks, strict=True):
            fill_copy(block, made, memo)
        for key, value in self.__dict__.items():
            shared = {"plans": {}, "raised": dict(self.raised), "lacking": set(self.lacking),
                      "host_values": dict(self.host_values), "readers": dict(self.readers),
                      "leaf_hooks": {name: dict(hooks) for name, hooks in self.leaf_hooks.items()},
                      "ungradable": self.ungradable, "renamed": [], "hooked": {}, "read_by_hooks": [],
                      "blocks": result.blocks}
            result.__dict__[key] = shared[key] if key in shared else copy.deepcopy(value, memo)
        return result

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The Program as text: what stands of it in a file. `print(program)` is what a person reads."""
        return self.text_of(self)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return "\n".join(repr(block) for block in self.blocks)

    def __str__(self) -> str:
        return self.to_string() if self.printed_as_in_files else repr(self)

    def _repr_html_(self) -> str:
        from .tables import program_html  # needed in notebooks alone

        return program_html(self)


_own_trace: list[Callable[[Program], Any]] = []


def offer_own_trace(make: Callable[[Program], Any]) -> None:
    """Makes `make(program)` what appends to a Program that is not being written."""
    _own_trace[:] = [make]
