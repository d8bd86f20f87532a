"""PaddlePaddle 3's Programs in the operators of `.pdmodel` files.

A value there has a number; here it is a variable. What a constant feeds becomes an attribute where `.pdmodel` has one
(`operators.py` says which), regions become blocks, and a block that yields values assigns them to variables around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....core.dtype import convert_dtype
from ....ops.core.trace import using
from ...building.trace import ProgramTrace
from ...ir.frame import append_fetch_ops, prepend_feed_ops
from ...ir.program import Program
from ...ir.variable import ParameterVariable
from . import blocks, constants, lists
from .json_file import PirBlock, PirOperation, TensorType
from .operators import correspondences
from .table import plain, translate
from .values import Handler, Translation


def translated(outermost: PirBlock, source: str) -> Program:
    """The Program of a file that `read_json_program` has checked.

    NotImplementedError names the operators that have no counterpart here; CorruptFileError the place of what makes no
    sense.
    """
    unknown = sorted({op.name for op in _all(outermost) if _handler(op.name) is None})
    if unknown:
        raise NotImplementedError(
            f"{source}: the Program has operators of PaddlePaddle 3 that are not known here: {', '.join(unknown)}. "
            "Save it with PaddlePaddle 3 as a .pdmodel (FLAGS_enable_pir_api=0), or compute them outside of it.")
    found = Translation(source, _handler)
    with using(ProgramTrace(found.program, Program())):
        return _run(found, outermost)


def _all(block: PirBlock) -> Iterator[PirOperation]:
    for op in block.operations:
        yield op
        for region in op.regions:
            yield from _all(region)


def _handler(name: str) -> Handler | None:
    own = _OWN.get(name) or _OWN.get(name.removesuffix("_"))
    return own if own is not None else (translate if plain(name) in correspondences() else None)


def _run(t: Translation, outermost: PirBlock) -> Program:
    """The Program."""
    for op in outermost.operations:
        if op.name in ("builtin.parameter", "pd_op.data", "pd_op.feed"):
            t.taken.add(str(op.attributes.get("parameter_name", op.attributes.get("name"))))
    columns: dict[int, tuple[int, str]] = {}
    for op in outermost.operations:
        if op.name in ("pd_op.fetch", "builtin.shadow_output") and len(op.operands) == 1:
            t.op = op
            column, name = op.attributes.get("col", len(columns)), op.attributes.get("name")
            if type(column) is not int or column in columns or not isinstance(name, str) or not name:
                t.fail("a fetch has a name, and a column of its own")
            columns[column] = op.operands[0], name
    for column in sorted(columns):
        number, name = columns[column]
        t.fetched[column] = number
        if name not in t.taken:
            t.fetches.setdefault(number, name)
    t.taken.update(t.fetches.values())
    t.operations(outermost)
    names = []
    for column in sorted(columns):
        names.append(_output(t, t.fetched[column], columns[column][1]))
    _drop_unused(t, names)
    prepend_feed_ops(t.program, t.feeds)
    append_fetch_ops(t.program, names)
    return t.program


def _output(t: Translation, number: int, name: str) -> str:
    """The variable that is fetched: a copy where its value has another name."""
    found = t.tensor(number)
    if found == name or name in t.program.global_block().vars:
        return found
    of_type = t.types[number]
    made = t.variable(name, of_type[0] if isinstance(of_type, list) else of_type, True)
    t.append("assign", {"X": [found]}, {"Out": [made]}, {})
    return made


def _drop_unused(t: Translation, fetched: list[str]) -> None:
    """Takes constants away that became attributes."""
    read = set(fetched) | {name for block in t.program.blocks for op in block.ops for name in op.input_arg_names}
    for op in t.made:
        if op.output("Out")[0] not in read:
            op.block.ops.remove(op)
            del op.block.vars[op.output("Out")[0]]


def _parameter(t: Translation) -> None:
    """A parameter, or a buffer."""
    number, of_type = t.result(0)
    name, persistable = t.attribute("parameter_name", str), t.op.marks["persistable"][0]
    assert isinstance(of_type, TensorType) and of_type.dtype is not None
    block = t.program.global_block()
    if t.block is not block or name in block.vars:
        t.fail(f"there is a variable {name!r} already, or the parameter stands in an inner block")
    if persistable and t.op.attributes["trainable"] and not t.op.marks["stop_gradient"][0]:
        block.add_var(ParameterVariable(block, name, of_type.shape, of_type.dtype, trainable=True))
    else:
        t.variable(name, of_type, True, persistable)
    t.bind(number, name, of_type)


def _data(t: Translation) -> None:
    """An input."""
    number, of_type = t.result(0)
    name = t.attribute("name", str)
    if not isinstance(of_type, TensorType) or of_type.dtype is None or not name or t.block.idx or \
            name in t.block.vars:
        t.fail("an input is a tensor of the outermost block, with a name of its own")
    t.block.new_var(name, of_type.shape, of_type.dtype, stop_gradient=True)
    t.feeds.append(name)
    t.bind(number, name, of_type)


def _nothing(t: Translation) -> None:
    """What says something to PaddlePaddle alone, or has been seen to."""


def _deformable_conv(t: Translation) -> None:
    """Without a mask it is another operator here."""
    if not t.operand(3):
        del t.op.operands[3:]
    translate(t, "deformable_conv" if t.operand(3) else "deformable_conv_v1")


def _generate_proposals(t: Translation) -> None:
    """PaddlePaddle 3 says of the numbers of boxes that they are floats; they are 32-bit integers there, too."""
    translate(t)
    if len(t.op.results) > 2 and t.op.results[2][0]:
        t.block.var(t.tensor(t.op.results[2][0]))._dtype = convert_dtype("int32")


def _set_value(t: Translation) -> None:
    """The dtype of the values is that of the tensor; PaddlePaddle 3 does not say it."""
    t.op.attributes.setdefault("dtype", t.block.var(t.tensor(t.operand(0)))._dtype)
    translate(t)


def _stack(t: Translation) -> None:
    """What is put together is remembered: sizes are stacked there, where a list of them is taken here."""
    translate(t)
    t.stacked[t.result(0)[0]] = t.values(t.operand(0))


_OWN: dict[str, Handler] = {
    "builtin.parameter": _parameter, "pd_op.data": _data, "pd_op.feed": _data,
    "pd_op.fetch": _nothing, "builtin.shadow_output": _nothing,
    "builtin.combine": lists.combine, "builtin.split": lists.split, "builtin.slice": lists.slice,
    "pd_op.full": constants.full, "pd_op.full_int_array": constants.full_int_array,
    "pd_op.empty": constants.empty, "pd_op.full_with_tensor": constants.full_with_tensor,
    "pd_op.full_like": constants.full_like, "pd_op.assign_value": constants.assign_value,
    "pd_op.shape64": constants.shape64, "pd_op.arange": constants.arange, "pd_op.if": blocks.branch,
    "pd_op.while": blocks.loop, "pd_op.deformable_conv": _deformable_conv,
    "pd_op.generate_proposals": _generate_proposals, "pd_op.stack": _stack,
    "pd_op.set_value": _set_value, "pd_op.set_value_with_tensor": _set_value,
    "pd_op.create_array": lists.create_array, "pd_op.array_write": lists.array_write, "cf.yield": _nothing,
}
