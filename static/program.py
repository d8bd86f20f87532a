"""Program: a computation written down, and what is asked of it: copies, persistable values, its plan."""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any

from ..core.limits import limits_of
from .building.initialization import append_initializer
from .compiler import compile_plan
from .files import value_files  # noqa: F401 - tells operators how values lie in files
from .files.program_codec import file_type, text_of, to_desc
from .files.program_reader import read_into
from .format.program_file import read_program_desc, serialize_program_desc
from .ir import program as ir
from .ir.transform import for_evaluation, pruned_to, without_readers
from .run.scope import Scope, global_scope
from .run.state import program_state, set_program_state_dict


class Program(ir.Program):
    """A computation: blocks of operations, the first being the outermost.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 3]); y = x * 2
    >>> [op.type for op in main.global_block().ops]
    ['scale']
    """

    def clone(self, for_test: bool = False) -> Program:
        """A copy. With `for_test` dropout and batch norm work as in evaluation, without gradients and updates."""
        copied: Any = for_evaluation(self) if for_test else copy.deepcopy(self)
        return copied

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """The persistable values in `scope` by name: mode 'all', 'param' (parameters) or 'opt' (the others)."""
        return program_state(self, mode, scope)

    def set_state_dict(self, state_dict: dict[str, Any], scope: Any = None) -> None:
        """Puts values into `scope` by name; a name that the Program does not have is warned of."""
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
        names = [item if isinstance(item, str) else item.name for item in fetch_list]
        for name in names:
            self.global_block().var(name)
        return compile_plan(self, list(feed), names)[0]

    @staticmethod
    def parse_from_string(binary_str: bytes) -> Program:
        """The Program in the bytes of a `.pdmodel` or `__model__` file; CorruptFileError where they hold none."""
        name = "Program.parse_from_string(binary_str)"
        return from_desc(read_program_desc(binary_str, name), name)

    def _prune(self, targets: Any) -> Program:
        return self._prune_with_input([], targets)

    def _prune_with_input(self, feeded_var_names: Any, targets: Any) -> Program:
        pruned: Any = pruned_to(self, feeded_var_names, targets)
        return pruned

    def _inference_optimize(self, prune_read_op: bool = True) -> Program:
        copied: Any = for_evaluation(self)
        return without_readers(copied) if prune_read_op else copied

    def text_of(self, part: Any) -> str:
        """A variable, an operation, a block or a Program as text: what stands of it in a file."""
        return text_of(part)

    def attribute_type(self, operation: ir.Operation, name: str, value: Any) -> str:
        """The name of the type that an attribute of an operation has in files."""
        return file_type(operation.type, name, value)

    def initialize(self, block: ir.Block, parameter: ir.ParameterVariable, initializer: Any) -> None:
        """Appends to a block of this Program what an initializer makes a parameter of."""
        append_initializer(block, parameter, initializer)

    def serialized(self) -> bytes:
        """The bytes of a `.pdmodel` file."""
        return serialize_program_desc(to_desc(self))

    def find_held(self, name: str, scope: Any = None) -> Any:
        """What the scope in use, or another one, holds under a name; None where it holds nothing."""
        if scope is not None and not isinstance(scope, Scope):
            raise TypeError(f"get_value(scope): must be a Scope. Received {type(scope).__name__}.")
        return (scope or global_scope()).find_var(name)


def from_desc(desc: Any, source_name: str, given: Collection[str] = ()) -> Program:
    """The Program of a message that `read_program_desc` has checked; `source_name` is what errors call the file.

    `given`: the names that one Program inside of another gets from there.
    Raises CorruptFileError, naming file and place, where a variable or an attribute makes no sense.
    """
    program = read_into(Program(), desc, source_name, given)
    program.is_loaded, program.limits = True, limits_of(source_name, None, None)
    return program
