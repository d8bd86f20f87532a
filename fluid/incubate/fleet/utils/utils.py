"""`fleet.utils.utils`: Programs in files, as bytes or as protobuf's text."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import text_format

from .....core.files import atomic_write
from .....static.files.program_codec import to_desc
from .....static.format import framework_pb2 as pb
from .....static.format.program_file import read_program_desc, serialize_program_desc
from .....static.program import Program, from_desc

__all__ = ["check_pruned_program_vars", "load_program", "program_type_trans", "save_program"]


def load_program(model_filename: str, is_text: bool = False) -> Program:
    """The Program of a file, `__model__` or protobuf's text of one; CorruptFileError for another file."""
    if not is_text:
        return from_desc(read_program_desc(model_filename), model_filename)
    with open(model_filename, encoding="utf-8") as file:
        text = file.read()
    try:
        desc: Any = text_format.Parse(text, pb.ProgramDesc())
    except text_format.ParseError as error:
        raise ValueError(f"load_program: {model_filename} is no text of a Program: {error}") from error
    return from_desc(read_program_desc(desc.SerializePartialToString(), model_filename), model_filename)


def save_program(program: Program, model_filename: str = "__model__", is_text: bool = False) -> None:
    """Writes a Program to a file, as bytes or as protobuf's text; whole or not at all."""
    desc = to_desc(program)
    data = text_format.MessageToString(desc).encode() if is_text else serialize_program_desc(desc)
    with atomic_write(model_filename) as file:
        file.write(data)


def program_type_trans(prog_dir: str, prog_fn: str, is_text: bool) -> str:
    """Writes a Program's file again, bytes as text (`NAME.pbtxt`) or text as bytes (`NAME.bin`); the new name."""
    made = f"{prog_fn}.bin" if is_text else f"{prog_fn}.pbtxt"
    save_program(load_program(os.path.join(prog_dir, prog_fn), is_text), os.path.join(prog_dir, made), not is_text)
    return made


def check_pruned_program_vars(train_prog: Program, pruned_prog: Program) -> bool:
    """Whether what a pruned Program keeps between runs is in the Program of training, with the same shape and dtype.

    Prints each variable that is not.
    """
    trained, is_good = {var.name: var for var in train_prog.list_vars()}, True
    for var in pruned_prog.list_vars():
        if var.persistable and var.kind == "tensor":
            other = trained.get(var.name)
            if other is None or (tuple(other.shape), other.dtype) != (tuple(var.shape), var.dtype):
                is_good = False
                told = "none" if other is None else f"{list(other.shape)} {other.dtype}"
                print(f"{var.name}: {list(var.shape)} {var.dtype} in the pruned Program, {told} in that of training")
    return is_good
