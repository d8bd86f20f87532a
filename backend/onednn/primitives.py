"""Primitives: computations that oneDNN has prepared for operands of given shapes and layouts."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

from .descriptors import Description
from .library import Library, Unimplemented

# what an operand is to a primitive when it is executed
SRC, SRC_1, DST, WEIGHTS, BIAS, WORKSPACE, SCRATCHPAD = 1, 2, 17, 33, 41, 64, 80
DIFF_SRC, DIFF_DST, DIFF_WEIGHTS = 129, 145, 161
_POST_OPERATION, _FACTORS = 32768, 4096

_QUERY_NAME, _QUERY_SCRATCHPAD, _QUERY_WORKSPACE = 8, 136, 135
_QUERIES = {SRC: 129, DIFF_SRC: 130, WEIGHTS: 131, DIFF_WEIGHTS: 132, DST: 133, DIFF_DST: 134,
            WORKSPACE: _QUERY_WORKSPACE, SCRATCHPAD: _QUERY_SCRATCHPAD}

_KEPT = 64  # Attributes: there are few that differ
_SCRATCHPAD_BY_CALLER, _BINARY_ADD = 1, 0x1FFF0
EPILOGUES = {"relu": (0x20, 0.0, 0.0), "tanh": (0x21, 0.0, 0.0), "sigmoid": (0x29, 0.0, 0.0),
             "gelu_tanh": (0x2B, 0.0, 0.0), "swish": (0x2C, 1.0, 0.0), "relu6": (0x2E, 0.0, 6.0),
             "gelu": (0x31, 0.0, 0.0), "hard_swish": (0x34, 1 / 6, 0.5)}
"""The functions that may be applied to a product before it is written: algorithm, alpha, beta."""


def post_operation(index: int) -> int:
    """What the second operand of the index-th operation behind a primitive is to it."""
    return _POST_OPERATION * (index + 1) | SRC_1


FACTORS = _FACTORS | SRC
"""What the numbers are to a `reorder` by which it multiplies."""


class Attributes:
    """What a primitive does besides: its scratchpad comes with the call, and behind the product it adds an array, or
    what stands where it writes (`accumulates`), and applies a function. What it reads it multiplies first by a factor
    for each index of the leading dimensions, as many as `scaled` says."""

    __slots__ = ("_library", "handle", "_residual")

    def __init__(self, library: Library, residual: Description | None = None, epilogue: str | None = None,
                 accumulates: bool = False, scaled: int = 0):
        self._library, self._residual = library, residual
        self.handle = library.create("primitive_attr")
        library.do("primitive_attr_set_scratchpad_mode", self.handle, _SCRATCHPAD_BY_CALLER)
        if scaled:
            library.do("primitive_attr_set_scales_mask", self.handle, SRC, 2**scaled - 1)
        if residual is None and epilogue is None and not accumulates:
            return
        operations = library.create("post_ops")
        try:
            if residual is not None:
                library.do("post_ops_append_binary", operations, _BINARY_ADD, residual.handle)
            if accumulates:
                library.do("post_ops_append_sum", operations, 1.0, 0, 0)
            if epilogue is not None:
                library.do("post_ops_append_eltwise", operations, *EPILOGUES[epilogue])
            library.do("primitive_attr_set_post_ops", self.handle, operations)
        finally:
            library.do("post_ops_destroy", operations)

    def __del__(self) -> None:
        self._library.ask("primitive_attr_destroy", self.handle)


@functools.lru_cache(_KEPT)
def attributes_of(library: Library, epilogue: str | None = None, scaled: int = 0) -> Attributes:
    """Attributes that name no array: the same object for the same, as nobody changes them."""
    return Attributes(library, None, epilogue, scaled=scaled)


class Plan:
    """How oneDNN would compute something (a primitive descriptor): the layouts that it chose, and by which code.

    Made of the arguments of dnnl_<what>_primitive_desc_create: descriptions, attributes and plans, or numbers.
    """

    __slots__ = ("_library", "handle")

    def __init__(self, library: Library, what: str, *arguments: Any):
        self._library, self.handle = library, 0
        self.handle = library.call(f"{what}_primitive_desc_create", *[getattr(a, "handle", a) for a in arguments])

    def __del__(self) -> None:
        if self.handle:
            self._library.ask("primitive_desc_destroy", self.handle)

    def operand(self, what: int, index: int = 0) -> Description:
        """How an operand shall lie."""
        return Description(self._library,
                           self._library.ask("primitive_desc_query_md", self.handle, _QUERIES[what], index), self)

    @property
    def name(self) -> str:
        """The name of the code, such as brgconv:avx2."""
        text = ctypes.c_char_p()
        self._library.do("primitive_desc_query", self.handle, _QUERY_NAME, 0, ctypes.byref(text))
        return (text.value or b"").decode()

    def goes_on_to(self, code: str) -> bool:
        """Goes on to the code with this in its name; False, and of no more use, where there is none for this."""
        while code not in self.name:
            if self._library.ask("primitive_desc_next_impl", self.handle):
                return False
        return True

    @property
    def rank(self) -> int:
        """2 for code made for the operands, 1 for what goes through a matrix product, 0 for what only stands in."""
        parts = self.name.replace(":", "_").split("_")
        return 0 if "ref" in parts else 1 if "gemm" in parts else 2


class Primitive:
    """A prepared computation."""

    __slots__ = ("_library", "handle", "plan")

    def __init__(self, library: Library, plan: Plan):
        self._library, self.plan, self.handle = library, plan, 0
        self.handle = library.create("primitive", plan.handle)

    def __del__(self) -> None:
        if self.handle:
            self._library.ask("primitive_destroy", self.handle)


def reorder(library: Library, source: Description, target: Description, scaled: int = 0) -> Primitive:
    """Copies an operand into another layout; `scaled` is told at Attributes, and FACTORS says by what."""
    return Primitive(library, Plan(library, "reorder", source, library.engine, target, library.engine,
                                   attributes_of(library, scaled=scaled)))


def best(attempts: Sequence[Callable[[], Plan]]) -> Plan:
    """The plan of the attempt that oneDNN has the best code for, the first among equals; Unimplemented without any."""
    found = None
    for attempt in attempts:
        try:
            plan = attempt()
        except Unimplemented:
            continue
        rank = plan.rank
        if rank == 2:
            return plan
        if rank and found is None:
            found = plan
    if found is None:
        raise Unimplemented("no fast code for these operands")
    return found
