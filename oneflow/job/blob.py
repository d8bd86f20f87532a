"""Blobs: the values of a job's Program, which are its Variables with a few methods more; the trace that makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.dtype import DType
from ...core.param_attr import ParamAttr
from ...ops.array.full import full
from ...ops.core.operator import Operator
from ...ops.core.spec import Spec
from ...ops.core.trace import current_trace
from ...static.building.trace import ProgramTrace
from ...static.ir.program import Program
from ...static.ir.variable import ParameterVariable, Variable
from .operators import Operators

if TYPE_CHECKING:
    from .job import Job


class _OnOneDevice:
    """What OneFlow asks of a blob about devices: here there is one."""

    is_dynamic = False
    batch_axis: Any = 0
    split_axis: Any = None
    name: str

    @property
    def op_name(self) -> str:
        """The name."""
        return self.name

    @property
    def logical_blob_name(self) -> str:
        """The name, as OneFlow writes it in messages."""
        return f"{self.name}/out"

    unique_name = logical_blob_name

    def with_distribute(self, distribute: Any) -> Any:
        """Itself: on one device every way of dividing a blob is the same."""
        return self

    with_gradient_distribute = with_split_distribute = with_broadcast_distribute = with_distribute


class Blob(Operators, _OnOneDevice, Variable):
    """A value of a job's Program."""


class VariableBlob(Operators, _OnOneDevice, ParameterVariable):
    """A variable that `get_variable` gives: its value outlives a call, and all jobs of a session share it."""


class JobTrace(ProgramTrace):
    """Appends to a job's Program. What outlives a call becomes a variable of the session.

    A value without dimensions is declared as one of one element, as OneFlow's job functions have it.
    """

    least_rank = 1
    _aligns_at_first = False

    def __init__(self, job: Job, program: Program):
        super().__init__(program)
        self.job = job

    def _naming(self, op: Operator, inputs: tuple) -> Callable[[str], str]:
        return lambda slot: self.main.new_name(op.type)

    def _result(self, name: Any, spec: Spec, stop_gradient: bool) -> Variable:
        if type(spec) is not Spec or self._namer is not None:
            return super()._result(name, spec, stop_gradient)
        block = self.block
        blob = Blob(block, name, spec.shape or (1,), spec.dtype, stop_gradient=stop_gradient)
        blob.undecided = False
        block.add_var(blob)
        return blob

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """A variable of the session."""
        assert attr.name is not None
        return self.job.variable(attr.name, shape, dtype, initializer, attr.regularizer, attr.trainable)

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> Any:
        """A variable of the session that is not trained."""
        return self.job.variable(name, shape, dtype, _beginning(value), trainable=False)


def _beginning(value: Any) -> Callable[[Any, Any], Any]:
    """An initializer: everything is this number."""
    if isinstance(value, Variable):
        raise TypeError(f"A variable of a job begins with numbers. Received the blob {value.name!r}.")
    return lambda shape, dtype: full(list(shape), value, dtype)


def appends_to_job() -> bool:
    """Whether operators that are applied now are appended to a job's Program."""
    return current_trace().find(JobTrace) is not None
