"""Where a snapshot keeps what: names of folders and files, and the text of a `meta` file.

    snapshot
    ├── dense1-weight
    │   ├── out             the values, little-endian, one behind the other
    │   └── meta            shape and dtype as text; OneFlow 0.2 and later write it
    ├── …
    └── snapshot_done       an empty folder, or an empty file: everything else is there

Opens no file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...core.dtype import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ...core.files import CorruptFileError

VALUES = "out"
META = "meta"
DONE = "snapshot_done"

_NAMES = {
    "kFloat": float32, "kDouble": float64, "kInt8": int8, "kInt32": int32, "kInt64": int64, "kUInt8": uint8,
    "kFloat16": float16, "kBFloat16": bfloat16, "kBool": bool_, "kInt16": int16, "kComplex64": complex64,
    "kComplex128": complex128, "kChar": int8,
}
_NUMBERS = {
    1: int8, 2: float32, 3: float64, 4: int8, 5: int32, 6: int64, 7: uint8, 9: float16, 11: bfloat16, 12: bool_,
    17: int16, 20: complex64, 21: complex128,
}
_NAME_OF = {dtype: name for name, dtype in _NAMES.items() if name != "kChar"}
_TOKEN = re.compile(r"\s+|\#[^\n]*|(?P<word>[A-Za-z_][A-Za-z_0-9]*)|(?P<number>-?[0-9]{1,20})(?![0-9])"
                    r"|(?P<sign>[][{}<>:;,])")
_LONGEST_NAME = 255  # bytes; what file systems allow a folder's name


def check_name(name: str, caller: str) -> str:
    """The name of a variable, if it can be the name of a folder in the snapshot; ValueError otherwise."""
    if not isinstance(name, str):
        raise TypeError(f"{caller}: the name of a variable is a str. Received {name!r}.")
    reason = _why_no_folder(name)
    if reason:
        raise ValueError(f"{caller}: the variable {name!r} cannot be kept in a snapshot, where each variable has a "
                         f"folder of its name: {reason}. Give it another name.")
    return name


def _why_no_folder(name: str) -> str:
    if name in ("", os.curdir, os.pardir):
        return "this is no folder's name"
    found = sorted(set(name) & {"/", "\\", "\0"})
    if found:
        return f"a name holds no {found[0]!r}"
    if os.path.splitdrive(name)[0]:
        return "it names a drive"
    if name == DONE:
        return "this is the mark of a whole snapshot"
    try:
        length = len(os.fsencode(name))
    except UnicodeEncodeError:
        return "the file system cannot write it"
    return f"it has {length} bytes, a folder's name at most {_LONGEST_NAME}" if length > _LONGEST_NAME else ""


def values_path(folder: str, name: str) -> str:
    """The file of a variable's values."""
    return os.path.join(folder, name, VALUES)


def meta_path(folder: str, name: str) -> str:
    """The file that tells a variable's shape and dtype, where there is one."""
    return os.path.join(folder, name, META)


def done_path(folder: str) -> str:
    """What marks a whole snapshot."""
    return os.path.join(folder, DONE)


def count_bytes(shape: tuple[int, ...], dtype: DType) -> int:
    """How long the file of such values is."""
    count = dtype.itemsize
    for size in shape:
        count *= size
    return count


def meta_text(shape: tuple[int, ...], dtype: DType) -> str:
    """The text of a `meta` file; TypeError for a dtype that OneFlow has no name for.

    >>> from proa.core.dtype import float32
    >>> print(meta_text((2, 3), float32), end="")
    shape {
      dim: 2
      dim: 3
    }
    data_type: kFloat
    """
    if dtype not in _NAME_OF:
        raise TypeError(f"OneFlow's files have no name for the dtype {dtype.name}. "
                        f"Cast the value to one of {', '.join(known.name for known in _NAME_OF)}.")
    return "shape {\n" + "".join(f"  dim: {size}\n" for size in shape) + f"}}\ndata_type: {_NAME_OF[dtype]}\n"


def parse_meta(text: str, file: str) -> tuple[tuple[int, ...], DType]:
    """(shape, dtype) that a `meta` file tells; fields other than these are passed over. CorruptFileError names `file`.

    >>> parse_meta("shape { dim: 2 dim: 3 } data_type: kFloat", "meta")
    ((2, 3), paddle.float32)
    """
    shape: list[int] = []
    dtype: DType | None = None
    seen_shape = False
    for place, path, value in _fields(text, file):
        seen_shape = seen_shape or path[0] == "shape"
        if path == ("shape", "dim"):
            if not isinstance(value, int) or value < 0:
                raise CorruptFileError(file, place, f"a dimension is a number from 0 on. Received {value!r}")
            shape.append(value)
        elif path == ("data_type",):
            dtype = _NUMBERS.get(value) if isinstance(value, int) else _NAMES.get(value or "")
            if dtype is None:
                raise CorruptFileError(file, place, f"the data_type {value} is not one that is known here: "
                                       f"{', '.join(_NAMES)}")
    if dtype is None or not seen_shape:
        raise CorruptFileError(file, len(text), f"has no {'shape' if dtype is not None else 'data_type'}")
    return tuple(shape), dtype


def _fields(text: str, file: str) -> Iterator[tuple[int, tuple[str, ...], int | str | None]]:
    """(place, names on the way, value) of each field of a protobuf text; None is the value of a message's beginning."""
    tokens = _tokens(text, file)
    path: list[str] = []
    at = 0
    while at < len(tokens):
        place, token = tokens[at]
        if token in ("}", ">") and path:
            path.pop()
            at += 1
        elif token in (",", ";"):
            at += 1
        elif isinstance(token, str) and token.isidentifier():
            at, opened, values = _value(tokens, at + 1, file)
            for value in values:
                yield place, (*path, token), value
            if opened:
                path.append(token)
        else:
            raise CorruptFileError(file, place, f"a field's name is expected. Received {token!r}")
    if path:
        raise CorruptFileError(file, len(text), f"the field {path[-1]!r} does not end")


def _value(tokens: list[tuple[int, int | str]], at: int, file: str) -> tuple[int, bool, list[int | str | None]]:
    """(where it goes on, whether a message begins, the values) of what stands behind a field's name."""
    def token(index: int) -> int | str:
        if index >= len(tokens):
            raise CorruptFileError(file, tokens[-1][0], "ends in the middle of a field")
        return tokens[index][1]

    colon = token(at) == ":"
    at += colon
    if token(at) in ("{", "<"):
        return at + 1, True, [None]
    if colon and token(at) == "[":
        values: list[int | str | None] = []
        while token(at) != "]":
            at += 1
            if token(at) not in ("]", ","):
                values.append(token(at))
        return at + 1, False, values
    found = token(at)
    if not colon or not (isinstance(found, int) or found.isidentifier()):
        raise CorruptFileError(file, tokens[at][0], f"a value is expected. Received {found!r}")
    return at + 1, False, [found]


def _tokens(text: str, file: str) -> list[tuple[int, int | str]]:
    found: list[tuple[int, int | str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise CorruptFileError(file, at, f"is no text of a protobuf message. Received {text[at]!r}")
        if match["number"]:
            found.append((at, int(match["number"])))
        elif match["word"] or match["sign"]:
            found.append((at, match[0]))
        at = match.end()
    return found
