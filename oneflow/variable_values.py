"""The values of a session's variables, as users hold them: `get_all_variables`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import backend
from ..core.dtype import DType
from .job.session import Session, default_session


class VariableValue:
    """A variable of a session: its `name`, `shape`, `dtype`, and by `numpy()` the value that it has now."""

    def __init__(self, session: Session, name: str):
        self._session, self.name = session, name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self._session.record(self.name).shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._session.record(self.name).dtype

    @property
    def op_name(self) -> str:
        """The name."""
        return self.name

    @property
    def logical_blob_name(self) -> str:
        """The name, as OneFlow writes it in messages."""
        return f"{self.name}/out"

    def numpy(self) -> np.ndarray:
        """A copy of the value."""
        value = self._session.value(self.name)
        assert value is not None
        return value

    def __repr__(self) -> str:
        return f"VariableValue({self.name!r}, shape={list(self.shape)}, dtype={self.dtype.name})"


def ready_session() -> Session:
    """The default session, started, with a value for every variable."""
    session = default_session().start()
    session.initialize(session.uninitialized())
    return session


def host_array(session: Session, name: str) -> np.ndarray:
    """The value of a variable where it lies, or of one on a device a copy on the host: only to be read."""
    array: Any = session.scope.array(name)
    return backend.to_numpy(array)


def get_all_variables() -> dict[str, VariableValue]:
    """The variables of all jobs by their names, the optimizers' included; `numpy()` of one is its value.

    >>> import numpy as np, proa.oneflow as flow
    >>> @flow.global_function()
    ... def job():
    ...     return flow.get_variable("all-w", (2,), initializer=lambda shape, dtype: np.ones(shape))
    >>> flow.get_all_variables()["all-w"].numpy()
    array([1., 1.], dtype=float32)
    """
    session = ready_session()
    return {name: VariableValue(session, name) for name in session.variables}
