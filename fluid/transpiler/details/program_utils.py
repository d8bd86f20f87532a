"""Operations of a block: found by what they read and write, and taken out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def delete_ops(block: Any, ops: Iterable[Any]) -> None:
    """Takes operations out of a block; such as it does not have are passed over."""
    gone = {id(op) for op in ops}
    for index in reversed([n for n, op in enumerate(block.ops) if id(op) in gone]):
        block._remove_op(index)


def find_op_by_input_arg(block: Any, arg_name: str) -> int:
    """The place of the first operation that reads a variable; -1 for none."""
    return next((n for n, op in enumerate(block.ops) if arg_name in op.input_arg_names), -1)


def find_op_by_output_arg(block: Any, arg_name: str, reverse: bool = False) -> int:
    """The place of the first operation, or the last, that writes a variable; -1 for none."""
    found = [n for n, op in enumerate(block.ops) if arg_name in op.output_arg_names]
    return found[-1 if reverse else 0] if found else -1


__all__ = ["delete_ops", "find_op_by_input_arg", "find_op_by_output_arg"]
