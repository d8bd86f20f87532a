"""Gradients of the user's own between a Program and its file.

In a file a `custom_gradient` is the assignments that it computes, which any reader knows. The first of them has the
gradient as an attribute, a text that other readers pass over: names, and what `backward` has written down, as Programs
in the same format. So a loaded model is fine-tuned with the `backward` of its PyLayers.
"""

from __future__ import annotations

import base64
import copy
import json
import warnings
from collections.abc import Callable, Collection
from typing import Any

from ...core.files import CorruptFileError
from ...ops.program.custom_gradient import WrittenGradient, custom_gradient_op
from ..autodiff.py_layer import BackwardCode, PyLayerGradient
from ..format.attributes import OWN_GRADIENT
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import without_gradient

Decode = Callable[[bytes, Collection[str]], Program]
_SLOTS = {"X": "x", "Inputs": "inputs", "Kept": "kept"}


def to_file(program: Program, encode: Callable[[Program], bytes]) -> Program:
    """The Program without operators of this kind: itself where it has none, otherwise a copy. Warns of gradients lost.

    `encode` makes the bytes of a Program.
    """
    if not any(op.type == custom_gradient_op.type for block in program.blocks for op in block.ops):
        return program
    result = copy.deepcopy(program)
    for block in result.blocks:
        block.ops = [plain for op in block.ops for plain in _written(op, encode)]
    return result


def _written(op: Operation, encode: Callable[[Program], bytes]) -> list[Operation]:
    plain = without_gradient(op)
    if op.type != custom_gradient_op.type or not isinstance(op.attrs.get("backward"), WrittenGradient):
        return plain
    gradient: PyLayerGradient = op.attrs["backward"].function
    if gradient.failure is not None:
        warnings.warn(f"{gradient.what} is not in the file: it cannot become part of a Program ({gradient.failure}). "
                      "Where the model is loaded and fine-tuned, no gradient flows there.", stacklevel=2)
        return plain
    codes = [{"there": there, "given": code.given, "kept": code.kept, "results": code.results,
              "program": base64.b64encode(encode(code.program)).decode()} for there, code in gradient.codes.items()]
    content = {"what": gradient.what, "fills": gradient.fills, "names": gradient.kept, "own": gradient.outputs,
               "out": op.output("Out"), "codes": codes, **{key: op.input(slot) for slot, key in _SLOTS.items()}}
    plain[0].attrs[OWN_GRADIENT] = json.dumps(content)
    return plain


def from_file(program: Program, source: str, given: Collection[str], decode: Decode) -> None:
    """Puts the operators back into a Program that was read; CorruptFileError for an attribute that makes no sense.

    `given`: names that the Program gets from around it.
    """
    for block in program.blocks:
        for op in [op for op in block.ops if OWN_GRADIENT in op.attrs]:
            try:
                _restore(block, op, json.loads(op.attrs.pop(OWN_GRADIENT)), given, decode)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                place = f"block {block.idx}, the attribute {OWN_GRADIENT!r}"
                raise CorruptFileError(source, place, f"it holds no gradient: {error!r}") from error


def _restore(block: Block, first: Operation, content: dict[str, Any], given: Collection[str],
             decode: Decode) -> None:
    slots = {slot: list(map(str, content[key])) for slot, key in _SLOTS.items()}
    made = list(map(str, content["out"]))
    place = block.ops.index(first)
    replaced = block.ops[place:place + len(made)]
    if [(op.type, op.input("X"), op.output("Out")) for op in replaced] != [
            ("assign", [x], [out]) for x, out in zip(slots["X"], made, strict=True)]:
        raise ValueError("the assignments that it belongs to are others")
    for name in (*slots["Inputs"], *slots["Kept"]):
        if name not in given:
            block.var(name)
    gradient = PyLayerGradient(str(content["what"]), bool(content["fills"]))
    gradient.kept = list(map(str, content["names"]))
    gradient.outputs = {str(name): int(number) for name, number in content["own"].items()}
    for code in content["codes"]:
        inner = decode(base64.b64decode(code["program"]), {*code["kept"], *given})
        gradient.codes[tuple(map(bool, code["there"]))] = BackwardCode(
            inner, list(code["given"]), list(code["kept"]), list(code["results"]))
    block.ops[place:place + len(made)] = [Operation(
        block, custom_gradient_op.type, slots, {"Out": made}, {"backward": WrittenGradient(gradient)})]
