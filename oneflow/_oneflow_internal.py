"""What published scripts take of OneFlow's native library, `oneflow._oneflow_internal`, earlier `oneflow_api`."""

from __future__ import annotations

from ..static.ir.variable import Variable as BlobDesc
from .job.current import current

__all__ = ["BlobDesc", "JobBuildAndInferCtx_GetCurrentJobName"]


def JobBuildAndInferCtx_GetCurrentJobName() -> str:
    """The name of the job that is being traced; RuntimeError outside of one."""
    return current("JobBuildAndInferCtx_GetCurrentJobName()").name
