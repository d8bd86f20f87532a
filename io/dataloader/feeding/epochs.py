"""The readers of Programs: between `start` and `reset` each run takes a batch that a background thread has read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.place import CPUPlace
from ....static.ir.batch_source import EOFException
from ....static.ir.variable import Variable
from ....static.run.lod_tensor import LoDTensor
from ...background import ReadAhead
from .generators import Reader, as_lod_tensors


class EpochReader:
    """Batches of values like those of some Variables, epoch by epoch. A copy of a Program that reads it shares it.

    `reader` gives batches, lists with a value for each of the Variables.
    """

    def __init__(self, where: str, variables: Sequence[Variable], capacity: int):
        self.where, self.variables, self.capacity = where, list(variables), capacity
        self.reader: Reader | None = None
        self._ahead: ReadAhead | None = None
        self._at_end = False

    def start(self) -> None:
        """Begins an epoch: reading ahead. RuntimeError without a source, or where an epoch is under way."""
        if self.reader is None:
            raise RuntimeError(f"{self.where}.start(): no data source has been set. Call set_batch_generator, "
                               "set_sample_list_generator or set_sample_generator (decorate_… of a PyReader) first.")
        if self._ahead is not None and not self._at_end:
            raise RuntimeError(f"{self.where}.start(): an epoch is under way. Call reset() first.")
        self._at_end = False
        self._ahead = ReadAhead(self._batches, self.capacity)

    def _batches(self) -> Any:
        assert self.reader is not None
        names = [variable.name for variable in self.variables]
        return (as_lod_tensors(self.where, names, values, CPUPlace()) for values in self.reader())

    def reset(self) -> None:
        """Ends the epoch, wherever it is, and the thread that reads ahead."""
        if self._ahead is not None:
            self._ahead.close()
        self._ahead, self._at_end = None, False

    def take(self) -> list[LoDTensor]:
        """The next batch; EOFException behind the last one, RuntimeError where no epoch has been started."""
        if self._ahead is None:
            raise RuntimeError(f"{self.where}: the Program reads from it, and it has not been started. Call its "
                               "start() before the first run of each epoch, or feed the variables that it fills.")
        try:
            return next(self._ahead)
        except StopIteration:
            self._at_end = True
            raise EOFException(f"{self.where}: there is no next data. Call its reset(), and start() for another "
                               "epoch.") from None
        except BaseException:
            self._at_end = True
            raise

    def __deepcopy__(self, memo: dict[Any, Any]) -> EpochReader:
        return self


class VariablesRead:
    """What `Program.readers` holds: a reader, and the names of the variables that its batches fill."""

    def __init__(self, source: EpochReader, names: Sequence[str], drop_last: bool):
        self._source, self.names, self.drop_last = source, list(names), drop_last

    def take(self) -> dict[str, LoDTensor]:
        """The next batch by the names."""
        return dict(zip(self.names, self._source.take(), strict=True))
