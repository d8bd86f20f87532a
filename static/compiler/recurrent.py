"""Emits a `recurrent`, which runs its block for each item of its inputs, and its gradient, as Python's `for`.

In the block a variable that has the name of an outer one is the item of it, or what is put together to it.
"""

from __future__ import annotations

from typing import Any

from ..ir.operation import Operation
from ..ir.usage import sub_block


def emit_recurrent(emitter: Any, op: Operation, depth: int) -> None:
    """Emits the `for` of a `recurrent`, which runs its block for each item of the inputs."""
    block = sub_block(op)
    assert block is not None
    here, inside = (lambda name: emitter.local(op.block, name)), (lambda name: emitter.local(block, name))
    reverse, items = op.attrs.get("reverse", False), op.input("inputs")
    scopes = [here(name) for name in op.output("step_scopes")] if "saved" in op.attrs else []
    states = list(zip(op.attrs["ex_states"], op.attrs["states"], op.input("initial_states"), strict=True))
    for before, _, initial in states:
        emitter.line(depth, f"{inside(before)} = {here(initial)}")
    for local in (*(emitter.assigned(op.block, name) for name in op.output("outputs")), *scopes):
        emitter.line(depth, f"{local} = []")
    step = emitter.new_name("t")
    steps = f"range(len({here(items[0])}))"
    emitter.line(depth, f"for {step} in {f'reversed({steps})' if reverse else steps}:", op)
    emitter.count_round(op, depth + 1)
    for name in items:
        emitter.line(depth + 1, f"{inside(name)} = {here(name)}[{step}, ...]")
    emitter.inner(op, block, depth + 1)
    for name in op.output("outputs"):
        emitter.line(depth + 1, f"{here(name)}.append({inside(name)})")
    for local in scopes:
        emitter.line(depth + 1, f"{local}.append({emitter.saved_tuple(op, block)})")
    for before, after, _ in states:
        emitter.line(depth + 1, f"{inside(before)} = {inside(after)}")
    for name in op.output("outputs"):
        emitter.line(depth, f"{here(name)} = xp.stack({here(name)}{'[::-1]' if reverse else ''})", op)


def emit_recurrent_grad(emitter: Any, op: Operation, depth: int) -> None:
    """Emits the `for` of a gradient, which takes the steps back and puts the inputs' gradients together again."""
    block = sub_block(op)
    assert block is not None
    here, inside = (lambda name: emitter.local(op.block, name)), (lambda name: emitter.local(block, name))
    reverse, scopes = op.attrs["reverse"], here(op.input("step_scopes")[0])
    states = list(zip(op.attrs["of_states"], op.attrs["of_ex_states"], op.input("initial_states@GRAD"), strict=True))
    for after, _, zeros in states:
        emitter.line(depth, f"{inside(after)} = {here(zeros)}")
    found = [(emitter.assigned(op.block, outer), inner)
             for outer, inner in zip(op.output("inputs@GRAD"), op.attrs["of_inputs"], strict=True)]
    for local, _ in found:
        emitter.line(depth, f"{local} = []")
    step = emitter.new_name("t")
    steps = f"range(len({scopes}))" if reverse else f"range(len({scopes}) - 1, -1, -1)"
    saved = emitter.saved_tuple(op, block).replace("()", "_")
    emitter.line(depth, f"for {step}, {saved} in zip({steps}, reversed({scopes})):", op)
    for inner, outer in zip(op.attrs["of_outputs"], op.input("outputs@GRAD"), strict=True):
        emitter.line(depth + 1, f"{inside(inner)} = {here(outer)}[{step}, ...]")
    emitter.inner(op, block, depth + 1)
    for local, inner in found:
        emitter.line(depth + 1, f"{local}.append({inside(inner)})")
    for after, before, _ in states:
        emitter.line(depth + 1, f"{inside(after)} = {inside(before)}")
    for local, _ in found:
        emitter.line(depth, f"{local} = xp.stack({local}{'' if reverse else '[::-1]'})", op)
    for (after, _, _), outer in zip(states, op.output("initial_states@GRAD"), strict=True):
        emitter.line(depth, f"{emitter.assigned(op.block, outer)} = {inside(after)}")
