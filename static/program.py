"""Program: a computation written down, and what is asked of it: copies, persistable values, its plan."""

from __future__ import annotations

import copy
from typing import Any

from .compiler import compile_plan
from .files.program_codec import to_desc, variable_text
from .format.program_file import serialize_program_desc
from .ir import program as ir
from .ir.transform import for_evaluation
from .run.scope import global_scope
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

    def text_of(self, variable: ir.Variable) -> str:
        """A variable as text: what stands of it in a file."""
        return variable_text(variable)

    def serialized(self) -> bytes:
        """The bytes of a `.pdmodel` file."""
        return serialize_program_desc(to_desc(self))

    def find_held(self, name: str, scope: Any = None) -> Any:
        """What the scope in use, or another one, holds under a name; None where it holds nothing."""
        return (scope or global_scope()).find_var(name)
