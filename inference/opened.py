"""What a model is when it has been opened: its inputs and outputs, the values that it takes, and its plan.

It is kept on disk by the content of the model's file, so that the next process neither reads a Program nor imports what
one is made of. Knows no Program: `opening.py` makes it of one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.dtype import DType
from ..ops.core.spec import Spec
from ..static.compiler import kept_plans
from ..static.compiler.plan import PlanForm


class Described(NamedTuple):
    """An input or output: what a variable of the Program says of it."""

    name: str
    shape: tuple[int, ...]
    dtype: DType

    @property
    def lod(self) -> tuple[()]:
        """Its offsets: it has none."""
        return ()

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return Spec(self.shape, self.dtype)


class Opened(NamedTuple):
    """A model that takes no sequences, and what a run on inputs of the sizes that its file says needs."""

    inputs: list[Described]
    outputs: list[Described]
    parameters: list[str]  # the names of the values in its file, in order
    form: PlanForm
    taken: list[str]  # the names that the plan takes beyond the inputs


def key_of(content: bytes, limits: Any) -> str | None:
    """The key of a model whose file has this content, and whose runs may take so much; None where none is kept."""
    return kept_plans.key_of_content(content, ("opened", *limits))


def read(key: str | None) -> Opened | None:
    """The model that is kept under a key; None where there is none."""
    return kept_plans.read(key)


def write(key: str | None, opened: Opened) -> None:
    """Keeps a model."""
    kept_plans.write(key, opened)
