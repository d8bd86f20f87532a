"""Loops and branches of functions: cond, case, switch_case, while_loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...static.building import cases, control_flow
from ..mode import face

cond = face(control_flow.cond)
case = face(cases.case)
switch_case = face(cases.switch_case)


@face
def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any], is_test: bool = False,
               name: str | None = None) -> list[Any]:
    """As `paddle.static.nn.while_loop`: repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` is true."""
    return control_flow.while_loop(cond, body, loop_vars, is_test, name)


__all__ = ["case", "cond", "switch_case", "while_loop"]
