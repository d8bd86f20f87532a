"""The Program of a model's file, as data: a `Program` of `ir/`, for who compiles it and asks no more of it.

Knows nothing of what builds Programs, which takes as long to import as many models take to read.
"""

from __future__ import annotations

from typing import Any

from ...core.collection import resting
from ...core.limits import limits_of
from ..format.program_file import read_plain_program, read_program_desc
from ..ir.program import Program
from .model_files import JSON_SUFFIX
from .program_reader import read_into

UNASKED = frozenset((
    "op_callstack",  # the lines of code that appended an operator: most of a file
    "op_role_var", "op_namescope", "op_device", "with_quant_attr", "use_cudnn", "use_mkldnn", "use_onednn",
    "use_quantizer", "workspace_size_MB", "exhaustive_search", "use_addto", "fuse_relu_before_depthwise_conv"))
"""Attributes of operators that are of no use to a run: half of those that files have, and more."""


def program_of_model(data: bytes, name: str, memory_limit_mb: int | None, loop_limit: int | None) -> Program:
    """The Program in the content of a model's file, which errors call by a name, and what a run of it may take."""
    limits = limits_of("load", memory_limit_mb, loop_limit)
    with resting():
        program = read_into(Program(), program_desc(data, name, UNASKED), name)
    program.is_loaded, program.limits = True, limits
    return program


def program_desc(data: bytes, name: str, without: frozenset[str] | None = None, is_written: bool = False) -> Any:
    """The message of a `.pdmodel` file, or of what a `.json` says in the operators that `.pdmodel` files have.

    CorruptFileError, naming the file and the place, for what is neither; NotImplementedError for operators of a
    `.json` that are not known here. A message that `is_written` again is protobuf's.
    """
    is_json = data[:64].lstrip()[:1] == b"{"  # which no message begins with
    if not is_json and (data.startswith(b"\n") or not name.endswith(JSON_SUFFIX)):
        return read_program_desc(data, name) if is_written else read_plain_program(data, name, without)
    from .pir.json_file import read_json_program  # for the few files that are such ones
    from .pir.translation import translated
    from .program_codec import to_desc

    return to_desc(translated(read_json_program(data, name), name))
