"""The variables and operations that stand in a Program for a reader, with 1.x's types, names and attributes.

No plan has them: the Executor asks `Program.readers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.errors import user_line
from ....core.unique_name import UniqueNameGenerator
from ....static.ir.block import Block
from ....static.ir.program import Program
from ....static.ir.variable import Variable
from .epochs import EpochReader, VariablesRead

_names = UniqueNameGenerator()  # of loaders; no guard begins it anew, so that loaders have names of their own


def append_reader(block: Block, variables: Sequence[Variable], names: tuple[str, str]) -> Variable:
    """The variable of a reader of values like these, and the operation that makes it. `names`: of queue and reader."""
    queue, name = names
    reader = block.new_var(name, kind="reader", persistable=True)
    block.append("create_py_reader", {"blocking_queue": [queue]}, {"Out": [name]}, {
        "shape_concat": [size for v in variables for size in v.shape],
        "lod_levels": [v.lod_level for v in variables],
        "dtypes": [v.dtype.number for v in variables],
        "need_check_feed": [int(v.need_check_feed) for v in variables],
        "ranks": [len(v.shape) for v in variables],
        "use_data_config": True, "device_count": 1, "device_index": 0,
    }, user_line())
    return reader


def append_double_buffer(block: Block, reader: Variable, name: str, place: Any = None) -> Variable:
    """The variable of a reader that reads another one ahead."""
    made = block.new_var(name, kind="reader", persistable=True)
    where = "AUTO" if place is None else str(place).upper()
    block.append("create_double_buffer_reader", {"UnderlyingReader": [reader.name]}, {"Out": [name]},
                 {"place": where}, user_line())
    return made


def append_read(block: Block, reader: Variable, source: EpochReader, variables: Sequence[Variable],
                drop_last: bool = True) -> None:
    """The operation that fills the variables with the reader's next batch, which each run takes of `source`."""
    block.append("read", {"Reader": [reader.name]}, {"Out": [v.name for v in variables]},
                 {"drop_last": drop_last, "throw_eof_exp": True, "infer_out": True}, user_line())
    names = [v.name for v in variables]
    block.program.readers[names[0]] = VariablesRead(source, names, drop_last)


def read_by(source: EpochReader, program: Program, double_buffer: bool, drop_last: bool) -> None:
    """Makes the Program take a batch from a loader before each run, for the loader's own variables."""
    block = program.current_block()
    queue, name, buffer = (_names(key) for key in ("lod_tensor_blocking_queue", "create_py_reader", "double_buffer"))
    reader = append_reader(block, source.variables, (queue, name))
    if double_buffer:
        reader = append_double_buffer(block, reader, buffer)
    append_read(block, reader, source, source.variables, drop_last)
