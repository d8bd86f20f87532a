"""`paddle.base.framework`: Programs and modes by the path under which older code reaches them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..common_ops_import import convert_np_dtype_to_dtype_
from ..core.dtype import DTYPES, DType, convert_dtype
from ..core.flags import get_flags, set_flags  # noqa: F401 - code for Paddle asks for them here
from ..core.place import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    Place,
    expected_place,
    parse_place,
    set_expected_place,
)
from ..device import is_compiled_with_cuda  # noqa: F401
from ..dygraph.parameter import EagerParamBase
from ..framework import (  # noqa: F401
    _current_expected_place,
    _dygraph_tracer,
    core,
    in_dynamic_or_pir_mode,
    in_pir_mode,
    use_pir_api,
)
from ..ops.array.full import empty
from ..static.building.mode import (
    default_main_program,
    default_startup_program,
    disable_static,
    enable_static,
    in_dynamic_mode,
    name_scope,
    program_guard,
    switch_programs,
)
from ..static.files import op_protos
from ..static.format import framework_pb2 as pb
from ..static.ir.block import Block
from ..static.ir.graph import IrGraph
from ..static.ir.graph_nodes import IrNode, IrOpNode, IrVarNode
from ..static.ir.operation import Operation as Operator
from ..static.program import Program
from ..static.run.places import cpu_places, cuda_places, device_guard
from ..static.variable import Parameter, Variable
from ..utils import unique_name

in_dygraph_mode = in_dynamic_mode
paddle_type_to_proto_type = {dtype: dtype for dtype in DTYPES}
"""Element types by those of the newer form of Programs, which are the same here."""


def non_static_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function raises RuntimeError where a Program is built.

    >>> import proa as paddle
    >>> paddle.base.framework.non_static_only(paddle.ones)([2]).tolist()
    [1.0, 1.0]
    """
    return _only_in(True, func)


def static_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function raises RuntimeError unless a Program is built."""
    return _only_in(False, func)


@contextmanager
def _stride_in_no_check_dy2st_diff() -> Iterator[None]:
    """A block that changes nothing: views and what is done to them in place are the same in Programs as in eager code.

    >>> import proa as paddle
    >>> with paddle.base.framework._stride_in_no_check_dy2st_diff():
    ...     pass
    """
    yield


@contextmanager
def _dygraph_place_guard(place: Place) -> Iterator[None]:
    """A block in which new tensors are made in a place.

    >>> import proa as paddle
    >>> with paddle.base.framework._dygraph_place_guard(paddle.CPUPlace()):
    ...     paddle.ones([1]).place
    Place(cpu)
    """
    before = expected_place()
    set_expected_place(place)
    try:
        yield
    finally:
        set_expected_place(before)


def _only_in(eager: bool, function: Callable[..., Any]) -> Callable[..., Any]:
    way_out = "paddle.disable_static()" if eager else "paddle.enable_static()"

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if in_dynamic_mode() != eager:
            raise RuntimeError(f"{function.__qualname__}() works in {'eager' if eager else 'static'} mode only. "
                               f"Call {way_out} first.")
        return function(*args, **kwargs)

    return checked


dygraph_only = non_static_only


def grad_var_name(var_name: str) -> str:
    """The name of a variable's gradient.

    >>> from proa.base.framework import grad_var_name
    >>> grad_var_name("x")
    'x@GRAD'
    """
    return f"{var_name}@GRAD"


def dtype_is_floating(dtype: Any) -> bool:
    """Whether a dtype is one of floats."""
    return convert_dtype(dtype).is_floating


def switch_main_program(program: Program) -> Program:
    """Makes this the default main Program; gives the one that was."""
    return switch_programs(main=program)


def switch_startup_program(program: Program) -> Program:
    """Makes this the default startup Program; gives the one that was."""
    return switch_programs(startup=program)


def get_all_op_protos() -> list[pb.OpProto]:
    """What each operator takes and gives, as messages.

    >>> import proa as paddle
    >>> len(paddle.base.framework.get_all_op_protos()) > 400
    True
    """
    return op_protos.all_protos()


class OpProtoHolder:
    """What operators take and give, by type; `instance()` is the one of it.

    >>> import proa as paddle
    >>> proto = paddle.base.framework.OpProtoHolder.instance().get_op_proto("stack")
    >>> [(slot.name, slot.duplicable) for slot in proto.inputs]
    [('X', True)]
    """

    @classmethod
    @functools.cache
    def instance(cls) -> OpProtoHolder:
        """The holder."""
        return cls()

    @functools.cached_property
    def op_proto_map(self) -> dict[str, pb.OpProto]:
        """The messages of all operators."""
        return {proto.type: proto for proto in op_protos.all_protos()}

    def get_op_proto(self, type: str) -> pb.OpProto:
        """The message of an operator; ValueError for a type that is not known."""
        try:
            return op_protos.proto_of(type)
        except NotImplementedError as error:
            raise ValueError(f"get_op_proto({type!r}): {error}") from error

    def has_op_proto(self, type: str) -> bool:
        """Whether there is an operator of this type."""
        return type in self.op_proto_map

    @staticmethod
    def generated_op_attr_names() -> set[str]:
        """The attributes that every operation gets by itself."""
        names = core.op_proto_and_checker_maker
        return {names.kOpRoleAttrName(), names.kOpRoleVarAttrName(), names.kOpNameScopeAttrName(),
                names.kOpCreationCallstackAttrName(), names.kOpDeviceAttrName()}


def canonicalize_attrs(attrs: Mapping[str, Any], op_proto: pb.OpProto) -> dict[str, Any]:
    """Attributes as an operator takes them: numbers and lists of the types that its message says.

    TypeError and ValueError where one cannot be converted.

    >>> import proa as paddle
    >>> framework = paddle.base.framework
    >>> proto = framework.OpProtoHolder.instance().get_op_proto("reshape2")
    >>> framework.canonicalize_attrs({"shape": (2, 3.0)}, proto)
    {'shape': [2, 3]}
    """
    types = {attr.name: attr.type for attr in op_proto.attrs}
    return {name: value if value is None or types.get(name) not in _CONVERTED else _CONVERTED[types[name]](value)
            for name, value in attrs.items()}


def _each(kind: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda values: [kind(value) for value in values]


def wrap_as_scalar(number: Any) -> Any:
    """A number as an attribute of a Program takes it: as it is."""
    return number


def extract_plain_list(array: Any) -> list[Any]:
    """The numbers of an attribute in a list."""
    return list(array)


@contextmanager
def _static_guard() -> Iterator[None]:
    """Operators are written to a Program within the block.

    >>> import proa as paddle
    >>> with paddle.base.framework._static_guard():
    ...     paddle.in_dynamic_mode()
    False
    """
    with _dygraph_guard(None):
        yield


@contextmanager
def _dygraph_guard(tracer: Any) -> Iterator[None]:
    """Operators are computed at once within the block, or written to a Program where `tracer` is None."""
    eager, wanted = in_dynamic_mode(), tracer is not None
    turn = {True: disable_static, False: enable_static}
    if eager is not wanted:
        turn[wanted]()
    try:
        yield
    finally:
        if in_dynamic_mode() is not eager:
            turn[eager]()


def _get_paddle_place(place: Any) -> Any:
    """The place that a name like 'gpu:0' means; a place, or None, as it is. ValueError for anything else."""
    return place if place is None else parse_place(place)


def _global_flags() -> Any:
    """The flags by name, which can be set by it, too."""
    return core.globals()


_CONVERTED: dict[int, Callable[[Any], Any]] = {
    pb.BOOLEAN: bool, pb.INT: lambda value: value.number if isinstance(value, DType) else int(value), pb.LONG: int,
    pb.FLOAT: float, pb.FLOAT64: float, pb.STRING: str, pb.INTS: _each(int), pb.LONGS: _each(int),
    pb.FLOATS: _each(float), pb.FLOAT64S: _each(float), pb.STRINGS: _each(str), pb.BOOLEANS: _each(bool)}

__all__ = [
    "Block", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EagerParamBase", "IrGraph", "IrNode", "IrOpNode",
    "IrVarNode", "OpProtoHolder", "Operator", "Parameter", "Program", "Variable", "canonicalize_attrs",
    "convert_np_dtype_to_dtype_", "core", "cpu_places", "cuda_places", "default_main_program",
    "default_startup_program", "device_guard", "dtype_is_floating", "dygraph_only", "get_all_op_protos",
    "grad_var_name", "in_dygraph_mode", "in_dynamic_mode", "in_dynamic_or_pir_mode", "in_pir_mode", "name_scope",
    "non_static_only", "program_guard", "static_only", "switch_main_program", "switch_startup_program",
    "unique_name", "use_pir_api",
]


def _create_tensor(type: Any = None, name: str | None = None, shape: Any = None, dtype: Any = None,
                   persistable: bool | None = None, **kwargs: Any) -> Any:
    """An empty tensor that an operator of `_legacy_C_ops` is given to write to."""
    return empty(list(shape or [0]), dtype)
