"""What a notebook shows of a Program: its blocks, which fold, as tables of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.html import escaped, faint, folding, framed, strong, table

if TYPE_CHECKING:
    from .block import Block
    from .operation import Operation
    from .program import Program

_MOST, _ATTRIBUTES = 300, 6
_UNSAID = {"op_role", "op_role_var", "op_namescope", "op_device", "op_callstack", "with_quant_attr"}


def program_html(program: Program) -> str:
    """A Program: a part for each block, the first one open; of more than 300 operations the first."""
    parts, left = [], _MOST
    for block in program.blocks:
        shown = block.ops[:max(left, 0)]
        left -= len(shown)
        more = len(block.ops) - len(shown)
        inner = table([_operation(n, op) for n, op in enumerate(shown)], ["", "gives", "operator", "takes", "with"])
        inner += faint(f"and {more:,} more operations") if more else ""
        parts.append(folding(f"{strong(f'block {block.idx}')} {faint(_facts(block))}", inner, block.idx == 0))
    return framed(strong(type(program).__name__), *parts)


def _facts(block: Block) -> str:
    parameters = sum(1 for v in block.vars.values() if v.is_parameter)
    within = f" of block {block.parent_idx}" if block.idx else ""
    return f"{within} {len(block.ops):,} operations, {len(block.vars):,} variables, {parameters:,} of them parameters"


def _operation(number: int, op: Operation) -> list[str]:
    return [faint(number), _variables(op, op.output_arg_names), strong(op.type), _variables(op, op.input_arg_names),
            faint(", ".join(_attributes(op)))]


def _variables(op: Operation, names: list[str]) -> str:
    return ", ".join(_variable(op, name) for name in names[:4]) + (" …" if len(names) > 4 else "")


def _variable(op: Operation, name: str) -> str:
    found = op.block.find_var(name)
    if found is None or found._dtype is None:  # not there, or no tensor
        return escaped(name, 40)
    return escaped(name, 40) + faint(f" {found.dtype.name}{list(found.shape)}")


def _attributes(op: Operation) -> list[str]:
    said = [(k, v) for k, v in sorted(op.attrs.items()) if k not in _UNSAID]
    texts = [f"{k}={_short(v)}" for k, v in said[:_ATTRIBUTES]]
    return texts + (["…"] if len(said) > _ATTRIBUTES else [])


def _short(value: Any) -> str:
    index = getattr(value, "idx", None)
    text = repr(value) if index is None else f"block {index}"
    return text if len(text) <= 40 else text[:40] + "…"
