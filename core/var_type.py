"""`VarType`: what a variable holds, by the names and numbers of the `.pdmodel` format (element types are DTypes)."""

from __future__ import annotations

import enum


class VarType(enum.Enum):
    """What `x.type` tells: `LOD_TENSOR` of every dense tensor, `SELECTED_ROWS`, `LOD_TENSOR_ARRAY`, …"""

    LOD_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    LOD_RANK_TABLE = 12
    LOD_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    TUPLE = 18
    STRING = 25
    STRINGS = 26
    VOCAB = 27
    FEED_LIST = 28
    PSTRING = 29
    SPARSE_COO = 30
    SPARSE_CSR = 31

    @classmethod
    def of_kind(cls, kind: str) -> VarType:
        """The one that a Variable's `kind` stands for."""
        return cls[_NAMES.get(kind) or kind.upper()]

    @property
    def kind(self) -> str:
        """The `kind` of Variables that it stands for."""
        return _KINDS.get(self.name) or self.name.lower()


_NAMES = {"tensor": "LOD_TENSOR", "array": "LOD_TENSOR_ARRAY", "array_gradient": "LOD_TENSOR_ARRAY",
          "scopes": "STEP_SCOPES", "feed": "FEED_MINIBATCH", "fetch": "FETCH_LIST", "rank_table": "LOD_RANK_TABLE",
          "places": "PLACE_LIST"}
_KINDS = {name: kind for kind, name in _NAMES.items() if kind != "array_gradient"}


class AttrType(enum.IntEnum):
    """What an attribute of an operation is, by the names and numbers of the `.pdmodel` format."""

    __str__ = enum.Enum.__str__  # AttrType.INT, as there, and not 0

    INT = 0
    FLOAT = 1
    STRING = 2
    INTS = 3
    FLOATS = 4
    STRINGS = 5
    BOOL = 6
    BOOLS = 7
    BLOCK = 8
    LONG = 9
    BLOCKS = 10
    LONGS = 11
    FLOAT64S = 12
    VAR = 13
    VARS = 14
    FLOAT64 = 15
    SCALAR = 16
    SCALARS = 17
