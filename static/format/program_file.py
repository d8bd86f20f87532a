"""`.pdmodel` files: a serialized `ProgramDesc`, checked for everything that a reader of its blocks relies on.

Knows the messages, and nothing of what an operator means.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NoReturn

from ...core.byte_reader import open_reader
from ...core.file_kind import LOOKED_AT, kind_of
from ...core.files import CorruptFileError
from . import messages as pb
from . import plain_messages
from .attributes import BLOCK, BLOCKS, STRING, STRINGS, VAR, VARS
from .tensor_stream import ELEMENTS

_MOST_DIMENSIONS = 32
_WITH_ELEMENTS = ("selected_rows", "lod_tensor", "tensor_array", "sparse_coo", "sparse_csr")  # fields of VarType
_OF_BLOCKS = frozenset((BLOCK, BLOCKS))
_TEXTS, _LISTS_OF_TEXTS = {STRING: "s", VAR: "var_name"}, {STRINGS: "strings", VARS: "vars_name"}


def read_program_desc(source: str | os.PathLike[str] | bytes | Any, name: str | None = None) -> pb.ProgramDesc:
    """The message in a `.pdmodel` file, given as a path, as bytes or as a binary file; `name` is for errors.

    Raises CorruptFileError, naming the file and the place in it, when it is truncated, is no ProgramDesc, has no
    blocks, or refers to blocks or element types that there are not.

    >>> from proa.static.format.program_file import read_program_desc
    >>> read_program_desc(b"", "empty.pdmodel")
    Traceback (most recent call last):
    ...
    proa.core.files.CorruptFileError: empty.pdmodel: byte 0: there are no blocks; the file is empty or no .pdmodel file
    """
    from google.protobuf.message import DecodeError  # with the first message

    with open_reader(source) as reader:
        data, called = reader.take(reader.remaining), name or reader.name
    try:
        desc = pb.ProgramDesc.FromString(data)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        _fail_parse(data, called, str(error))
    if not desc.IsInitialized():
        missing = desc.FindInitializationErrors()  # type: ignore[attr-defined]
        raise CorruptFileError(called, missing[0], "the field is missing, or has a value that is not known")
    if not desc.blocks:
        raise CorruptFileError(called, "byte 0", "there are no blocks; the file is empty or no .pdmodel file")
    if not {str}.issuperset(map(type, _texts(desc))):
        _fail_parse(data, called, "a text is not UTF-8")
    _Checks(desc, called).run()
    return desc


def read_plain_program(data: bytes, name: str, without: frozenset[str] | None = None) -> Any:
    """The same for who reads the message and no more: plain objects, where these bytes can be read so.

    `without`: attributes of operators that nobody asks for, and that may be left out.

    >>> from proa.static.format.program_file import read_plain_program
    >>> read_plain_program(b"", "empty.pdmodel")
    Traceback (most recent call last):
    ...
    proa.core.files.CorruptFileError: empty.pdmodel: byte 0: there are no blocks; the file is empty or no .pdmodel file
    """
    desc = plain_messages.read(data, without)
    if desc is None or not desc.blocks:
        return read_program_desc(data, name)
    _ChecksOfPlain(desc, name).run()
    return desc


def serialize_program_desc(desc: pb.ProgramDesc) -> bytes:
    """The bytes of a `.pdmodel` file; ValueError for a message that lacks fields or is larger than 2 GiB."""
    from google.protobuf.message import EncodeError

    try:
        return desc.SerializeToString(deterministic=True)
    except (EncodeError, ValueError) as error:
        raise ValueError(f"The Program cannot be written: {error}. Large constants belong into parameters.") from error


def _fail_parse(data: bytes, name: str, reason: str) -> NoReturn:
    from .wire import find_damage  # for what is damaged

    if kind := kind_of(data[:LOOKED_AT]):
        raise CorruptFileError(name, "byte 0", f"this is no .pdmodel file; {kind}")
    damage = find_damage(data, pb.ProgramDesc.DESCRIPTOR)
    if damage is None:
        raise CorruptFileError(name, "byte 0", f"the file is no .pdmodel file, or damaged: {reason}")
    raise CorruptFileError(name, f"byte {damage.offset}, {damage.field}", f"the file is no .pdmodel file, or damaged: "
                                                                          f"{damage.reason}")


def _texts(desc: pb.ProgramDesc) -> list[Any]:
    """Every text of the message that is read: of an attribute the one that its type says."""
    found: list[Any] = [pair.op_name for pair in desc.op_version_map.pair]
    for block in desc.blocks:
        for var in block.vars:
            found.append(var.name)
            for var_attr in var.attrs:
                found += var_attr.name, var_attr.s
        for op in block.ops:
            found.append(op.type)
            for slot in (*op.inputs, *op.outputs):
                found.append(slot.parameter)
                found += slot.arguments
            for attr in op.attrs:
                found.append(attr.name)
                field = _TEXTS.get(attr.type)
                if field is not None:
                    found.append(getattr(attr, field))
                elif attr.type in _LISTS_OF_TEXTS:
                    found += getattr(attr, _LISTS_OF_TEXTS[attr.type])
    return found


class _Checks:
    """The checks of a message that could be parsed."""

    def __init__(self, desc: pb.ProgramDesc, name: str):
        self.desc, self.name, self.count = desc, name, len(desc.blocks)
        self.inner: list[set[int]] = [set() for _ in desc.blocks]

    def fail(self, place: str, reason: str) -> NoReturn:
        """Raises CorruptFileError."""
        raise CorruptFileError(self.name, place, reason)

    def run(self) -> None:
        """All of them."""
        for index, block in enumerate(self.desc.blocks):
            self.block(index, block)
            for var in block.vars:
                self.var(index, var)
            for number, op in enumerate(block.ops):
                self.op(index, number, op)
        self.no_cycle()

    def block(self, index: int, block: pb.BlockDesc) -> None:
        """Its own number, and its parent's and forward block's."""
        if block.idx != index:
            self.fail(f"block {index}, idx", f"the block should have the number {index}, not {block.idx}")
        parent, forward = block.parent_idx, block.forward_block_idx
        if not -1 <= parent < self.count or parent == index or (index == 0) != (parent < 0):
            self.fail(f"block {index}, parent_idx", f"{parent} cannot be the parent of block {index} of {self.count}")
        if not -1 <= forward < self.count:
            self.fail(f"block {index}, forward_block_idx", f"there is no block {forward}, only {self.count}")
        steps = 0
        while parent > 0 and steps <= self.count:
            steps, parent = steps + 1, self.desc.blocks[parent].parent_idx
        if steps > self.count:
            self.fail(f"block {index}, parent_idx", "the parents go round in a circle")

    def var(self, index: int, var: pb.VarDesc) -> None:
        """Element types and dims. Paddle 1.x multiplies sizes with the -1 of one that is not known: all are unknown."""
        kind = var.type
        for field in self.with_elements(kind):
            message = getattr(kind, field)
            tensor = getattr(message, "tensor", message)
            if tensor.data_type not in ELEMENTS:
                self.fail(f"block {index}, variable {var.name!r}, data_type",
                          f"{tensor.data_type} is not the number of an element type")
            dims = tensor.dims
            multiplied = [n for n, size in enumerate(dims) if size < -1] if min(dims, default=0) < -1 else ()
            if len(dims) > _MOST_DIMENSIONS or multiplied and var.persistable:
                self.fail(f"block {index}, variable {var.name!r}, dims",
                          f"a shape of {list(dims)[:_MOST_DIMENSIONS]} cannot be")
            for n in multiplied:
                dims[n] = -1

    def with_elements(self, kind: pb.VarType) -> Iterable[str]:
        """Those fields of a type that it has and that say an element type."""
        return filter(kind.HasField, _WITH_ELEMENTS)

    def op(self, index: int, number: int, op: pb.OpDesc) -> None:
        """The blocks that attributes name."""
        if _OF_BLOCKS.isdisjoint([attr.type for attr in op.attrs]):
            return
        for attr in op.attrs:
            if attr.type not in _OF_BLOCKS:
                continue
            for block in [attr.block_idx] if attr.type == BLOCK else attr.blocks_idx:
                if not 0 < block < self.count:
                    self.fail(f"block {index}, operator {number} ({op.type}), attribute {attr.name!r}",
                              f"{block} is not the number of one of the {self.count - 1} inner blocks")
                self.inner[index].add(block)

    def no_cycle(self) -> None:
        """No block may run itself, directly or through others."""
        state = [0] * self.count  # 1: on the way here, 2: done
        for root in range(self.count):
            path = [(root, iter(self.inner[root]))] if state[root] == 0 else []
            state[root] = state[root] or 1
            while path:
                block, rest = path[-1]
                following = next(rest, None)
                if following is None:
                    state[block] = 2
                    path.pop()
                elif state[following] == 1:
                    self.fail(f"block {block}", f"it runs block {following}, which runs it in turn")
                elif state[following] == 0:
                    state[following] = 1
                    path.append((following, iter(self.inner[following])))


class _ChecksOfPlain(_Checks):
    """The same of plain objects: a file has hundreds of variables, each with one of these fields or none."""

    def with_elements(self, kind: pb.VarType) -> Iterable[str]:
        """Those fields of a type that it has and that say an element type."""
        return kind.__dict__.keys() & _WITH_ELEMENTS
