"""`flow.train`: the values of a session's variables, made anew, written to a folder, read from one."""

from __future__ import annotations

import datetime
import os
import sys

from .checkpoint import load_variables, save, stored_values
from .job.session import default_session
from .snapshot.reading import is_whole, match
from .snapshot.writing import check_free, write_snapshot
from .variable_values import host_array, ready_session

_UNFINISHED = ".tmp"


class CheckPoint:
    """Begins, keeps and takes up the values of all variables of all jobs, the optimizers' and the train step included.

    >>> import tempfile, numpy as np, proa.oneflow as flow
    >>> flow.clear_default_session()
    >>> @flow.global_function()
    ... def job():
    ...     return flow.get_variable("CheckPoint-w", (2,), initializer=lambda shape, dtype: np.ones(shape))
    >>> check_point = flow.train.CheckPoint()
    >>> check_point.init()
    >>> folder = tempfile.mkdtemp() + "/models"
    >>> check_point.save(folder)
    >>> check_point.load(folder)
    """

    def init(self) -> None:
        """Gives every variable the value that its initializer makes, whether it has a value already or not."""
        default_session().start().initialize()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all values to a folder that is not there yet or is empty: a folder a variable, `out` in it.

        The folder is written as a whole or not at all; `snapshot_done` in it comes last. Variables that have no value
        yet get the one of their initializers first. Raises FileExistsError for a folder that is not empty, and OSError
        for what the system refuses.
        """
        check_free(path, "CheckPoint.save")
        session = ready_session()
        write_snapshot(path, sorted(session.variables), lambda name: host_array(session, name), "CheckPoint.save")

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads the values of all variables from a folder; for one that the folder does not have, prints a line and
        gives it the value of its initializer.

        What else is in the folder is passed over. Nothing is changed before every file has been looked at and read:
        ValueError says which file does not fit, or that none of the variables is in the folder. A folder without
        `snapshot_done` is used with a warning, since programs that convert checkpoints write none.
        """
        session = default_session().start()
        wanted = {name: (record.shape, record.dtype) for name, record in session.variables.items()}
        found, missing = match(path, wanted, "CheckPoint.load")
        arrays = {name: stored.numpy() for name, stored in found.items()}
        for name in missing:
            print(f"WARNING! CANNOT find variable path in : {os.path.join(os.fspath(path), name, 'out')}. "
                  "It will be initialized. ", file=sys.stdout)
        session.initialize(missing)
        while arrays:
            session.set_value(*arrays.popitem())


class SimpleCheckPointManager:
    """Snapshots in a folder `root_path`, each in one that is named for the time, `snapshot_20201122_160102_000001`.

    >>> import tempfile, proa.oneflow as flow
    >>> manager = flow.train.SimpleCheckPointManager(tempfile.mkdtemp())
    >>> manager.initialize_or_restore()
    >>> len(manager.list_checkpoints())
    1
    """

    def __init__(self, root_path: str | os.PathLike[str], prefix: str = "snapshot_") -> None:
        os.makedirs(root_path, exist_ok=True)
        self._root_path, self._prefix = os.fspath(root_path), prefix

    def list_checkpoints(self) -> list[str]:
        """The names of the whole snapshots, the oldest first."""
        return sorted(name for name in os.listdir(self._root_path) if name.startswith(self._prefix)
                      and not name.endswith(_UNFINISHED) and is_whole(os.path.join(self._root_path, name)))

    def latest_checkpoint(self) -> str | None:
        """The name of the newest whole snapshot; None where there is none."""
        return max(self.list_checkpoints(), default=None)

    def initialize_or_restore(self) -> None:
        """Takes the newest snapshot's values up; where there is none, saves the values that the initializers make."""
        name = self.latest_checkpoint()
        if name is None:
            self.save()
        else:
            load_variables(stored_values(os.path.join(self._root_path, name)))

    def save(self) -> None:
        """Writes another snapshot."""
        name = self._prefix + datetime.datetime.now().strftime("%Y%m%d_%H%M%S_%f")
        save(os.path.join(self._root_path, name))
