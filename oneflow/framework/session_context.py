"""`GetDefaultSession()`: what scripts ask for the names of the variables of a job."""

from __future__ import annotations

from typing import Any

from ..job import default_session

__all__ = ["GetDefaultSession"]


class _Session:
    """The default session, as OneFlow's own code sees it: `job_name2var_name2var_blob_` has the blobs of variables."""

    def __init__(self) -> None:
        jobs = default_session().jobs
        self.job_name2var_name2var_blob_: dict[str, dict[str, Any]] = {
            name: dict(job.variables) for name, job in jobs.items()}


def GetDefaultSession() -> _Session:
    """The default session, with the variables that its jobs have now.

    >>> from proa.oneflow.framework.session_context import GetDefaultSession
    >>> type(GetDefaultSession().job_name2var_name2var_blob_).__name__
    'dict'
    """
    return _Session()
