"""Jobs: global functions traced into Programs, the sessions that hold them, and the variables that they share.

What writes a part of a job asks `current()` for it; what reads or writes variables' values asks `default_session()`.
"""

from .blob import Blob, VariableBlob
from .current import current, is_tracing
from .job import Job
from .session import (
    Session,
    VariableRecord,
    clear_default_session,
    default_session,
    session_guard,
    sync_default_session,
)

__all__ = ["Blob", "Job", "Session", "VariableBlob", "VariableRecord", "clear_default_session", "current",
           "default_session", "is_tracing", "session_guard", "sync_default_session"]
