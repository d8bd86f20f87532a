"""Feed and fetch operations: which values of a Program go in and come out, as files say it."""

from __future__ import annotations

from collections.abc import Sequence

from .operation import Operation
from .program import Program


def prepend_feed_ops(inference_program: Program, feed_target_names: Sequence[str],
                     feed_holder_name: str = "feed") -> None:
    """Puts a feed operation for each of these names before the others; ValueError for a name that is not there.

    They stand from the last to the first: PaddlePaddle's `jit.load` goes by their order and not by `col`.
    """
    if not feed_target_names:
        return
    block = inference_program.global_block()
    block.new_var(feed_holder_name, kind="feed", persistable=True)
    block.ops[:0] = [Operation(block, "feed", {"X": [feed_holder_name]}, {"Out": [block.var(name).name]}, {"col": n})
                     for n, name in enumerate(feed_target_names)][::-1]
    inference_program.version += 1


def append_fetch_ops(inference_program: Program, fetch_target_names: Sequence[str],
                     fetch_holder_name: str = "fetch") -> None:
    """Puts a fetch operation for each of these names behind the others."""
    block = inference_program.global_block()
    block.new_var(fetch_holder_name, kind="fetch", persistable=True)
    block.ops += [Operation(block, "fetch", {"X": [name]}, {"Out": [fetch_holder_name]}, {"col": n})
                  for n, name in enumerate(fetch_target_names)]
    inference_program.version += 1


def feed_names(program: Program) -> list[str]:
    """The names that a Program's feed operations fill, in order."""
    found = [op for op in program.global_block().ops if op.type == "feed"]
    return [op.output("Out")[0] for op in sorted(found, key=lambda op: op.attrs.get("col", 0))]


def fetch_names(program: Program) -> list[str]:
    """The names that a Program's fetch operations read, in order."""
    found = [op for op in program.global_block().ops if op.type == "fetch"]
    return [op.input("X")[0] for op in sorted(found, key=lambda op: op.attrs.get("col", 0))]
