"""Operators that control flow in a Program is made of, with Paddle's types and slots.

`while`, `conditional_block` and `recurrent` run a block of the Program: the compiler turns them into Python's own
`while`, `if` and `for`, so they have no kernel. `select_input` takes one of several values, of which the others need
not have been computed.
"""

from typing import Any

from ...core.dtype import DType, promote
from ..core.infer import same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .tensor_arrays import ArrayValue


def _compiled_only(xp: Any, *inputs: Any, sub_block: Any, is_test: bool = False, is_scalar_condition: bool = True,
                   skip_eager_deletion_vars: list[str] = (), saved: list[str] = ()) -> Any:
    raise RuntimeError("Control flow has no kernel: it runs as part of a compiled Program.")


def _no_rule(*_: Any, **__: Any) -> Any:
    raise RuntimeError("Control flow is appended by static.nn.cond and static.nn.while_loop, which know its outputs.")


while_op = operator("while", "X*, Condition -> Out*, StepScopes", kernel=_compiled_only, infer=_no_rule,
                    precision="keep", runs_block=True)
conditional_block_op = operator(
    "conditional_block", "Cond*, Input* -> Out*, Scope", kernel=_compiled_only, infer=_no_rule,
    precision="keep", runs_block=True)
"""Runs its block where all of `Cond` is true; without `is_scalar_condition` where no `Input` is empty."""


def _compiled_steps(xp: Any, *inputs: Any, sub_block: Any, ex_states: list[str] = (), states: list[str] = (),
                    has_states: bool = False, reverse: bool = False, is_train: bool = True,
                    skip_eager_deletion_vars: list[str] = (), saved: list[str] = ()) -> Any:
    raise RuntimeError("A recurrence over a block has no kernel: it runs as part of a compiled Program.")


recurrent_op = operator("recurrent", "inputs*, initial_states*, parameters* -> outputs*, step_scopes",
                        kernel=_compiled_steps, infer=_no_rule, precision="keep", runs_block=True)
"""Runs its block for each item of `inputs` along the first dimension, from the last to the first with `reverse`.

In the block an input's name is that of its item, and an output's that of what is put together along a new first
dimension. `ex_states` are what `states` were at the step before, at first `initial_states`.
"""


def _merged(x: list[Spec], mask: Spec) -> Spec:
    """Sizes in which branches differ are not known; none is where their numbers of dimensions differ, the most count.

    So what is computed of such a value asks it for its shape when it runs.
    """
    merged = x[0]
    for other in x[1:]:
        shape: tuple[int, ...] = (-1,) * max(merged.rank, other.rank)
        if other.rank == merged.rank:
            shape = tuple(a if a == b else -1 for a, b in zip(merged.shape, other.shape, strict=True))
        merged = type(merged)(shape, promote(merged.dtype, other.dtype))
    return merged


def _under_another_name(x: Any) -> Any:
    """A value under another name: an array object of its own, so that an update in place knows of it."""
    return x if isinstance(x, ArrayValue) else x.view()


select_input_op = operator(
    "select_input", "X*, Mask -> Out~X", kernel=lambda xp, x, mask: _under_another_name(x[int(mask.item())]),
    infer=_merged,
    grad={"X": lambda g, X_shape, Mask: [select_gradient(g, Mask, branch, shape)
                                         for branch, shape in enumerate(X_shape)]},
    moves=True, precision="keep", lists=True, fails="values")


def _select_gradient(xp, g, mask, *, branch: int, shape: list[int] | None = None):
    if int(mask.item()) == branch:
        return _under_another_name(g)
    return ArrayValue() if isinstance(g, ArrayValue) else xp.zeros_like(g)


def _of_branch(g: Spec, mask: Spec, *, branch: int, shape: list[int] | None = None) -> Spec:
    return g if shape is None else type(g)(tuple(shape), g.dtype)


select_gradient_op = operator("select_gradient", "X, Mask -> Out~X", kernel=_select_gradient, infer=_of_branch, grad={
    "X": lambda g, Mask, branch, X_shape: select_gradient(g, Mask, branch, X_shape)},
                              moves=True, precision="keep", only_here=True, lists=True)


def select_gradient(g: Any, mask: Any, branch: int, shape: Any) -> Any:
    """g when the mask names this branch, which has this shape, otherwise zeros."""
    sizes = list(getattr(shape, "shape", shape))  # of the value itself, where a size is not known
    attrs = {} if len(sizes) == len(g.shape) else {"shape": sizes}
    return apply(select_gradient_op, g, mask, branch=branch, **attrs)


share_data_op = operator("share_data", "X -> Out~X", kernel=lambda xp, x: _under_another_name(x), infer=same,
                         grad={"X": lambda g: g}, moves=True, precision="keep", lists=True)
"""The same value under another name, without a copy: for Programs only, in which no value is changed."""


def _memory(xp: Any, x: Any, *, dtype: DType | None = None) -> Any:
    return _under_another_name(x)


rnn_memory_helper_op = operator(
    "rnn_memory_helper", "X -> Out~X", kernel=_memory, infer=lambda x, *, dtype=None: x,
    grad={"X": lambda g: g}, moves=True, precision="keep")
"""A value of a step of `recurrent` under the name that it leaves the step by."""
