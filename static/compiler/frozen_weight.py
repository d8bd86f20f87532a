"""A parameter that one product alone reads: its array can go as soon as that product has packed it.

Who holds the parameters of a model that is only run gives a FrozenWeight in an array's place. The operators that pack
weights take either; nothing else is given one (`packed_weights.py` tells which inputs of a plan may be). An array may
also lie in a file still: what packs it then reads it into memory that the next one is read into, too.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

_OFTEN = 3  # times that a released array was needed again: from then on it stays


class Stored(Protocol):
    """A float32 array that lies in a file."""

    shape: tuple[int, ...]

    def read(self) -> np.ndarray:
        """It, in memory of its own."""

    def lent(self) -> contextlib.AbstractContextManager[np.ndarray]:
        """It, for the time of a block: the memory is used again."""


class _State(NamedTuple):
    array: np.ndarray | None
    restore: Callable[[], np.ndarray] | None = None
    is_scaled: bool = False
    stored: Stored | None = None


class FrozenWeight:
    """An array, as long as nobody has it in another form; what was released is made again of that form when needed.

    Several threads may use it at once: each holds what it was given, and what is made again is the same.
    """

    def __init__(self, array: np.ndarray | Stored):
        if isinstance(array, np.ndarray):
            state, dtype = _State(array), array.dtype
        else:
            state, dtype = _State(None, stored=array), np.dtype(np.float32)
        self.shape, self.dtype, self.ndim, self.size = array.shape, dtype, len(array.shape), math.prod(array.shape)
        self.itemsize, self.nbytes = dtype.itemsize, self.size * dtype.itemsize
        self._state = state  # replaced as a whole
        self._needed = 0

    @property
    def is_released(self) -> bool:
        """Whether the packed form alone is there."""
        return self._state.array is None and self._state.stored is None

    @contextlib.contextmanager
    def lent(self, scale: Any = None) -> Iterator[tuple[np.ndarray, Any]]:
        """What `scaled_by` gives, for the time of a block: of what lies in a file nothing is kept."""
        stored = self._state.stored
        if stored is None:
            yield self.scaled_by(scale)
        else:
            with stored.lent() as array:
                yield array, scale

    def scaled_by(self, scale: Any) -> tuple[np.ndarray, Any]:
        """The array, made again where it was released, and what is left to multiply it by: `scale` or None.

        What was packed multiplied by a scale is made again so. RuntimeError where the array alone is wanted then.
        """
        state = self._state
        array = state.array
        if state.stored is not None:
            array = state.stored.read()
            self._state = _State(array)
        if state.is_scaled:
            if scale is None:
                raise RuntimeError(f"A weight {list(self.shape)} of a saved model was packed with the batch norm "
                                   "behind it, and is now asked for without. Load the model anew.")
            scale = None
        if array is None:
            assert state.restore is not None
            array = state.restore()
            self._needed += 1
            if self._needed >= _OFTEN:
                self._state = state._replace(array=array)
        return array, scale

    def array(self) -> np.ndarray:
        """The same where there is no scale."""
        return self.scaled_by(None)[0]

    def release(self, restore: Callable[[], np.ndarray], is_scaled: bool = False) -> None:
        """Lets the array go, which `restore` makes again, multiplied by a scale or not."""
        if self._needed < _OFTEN:
            self._state = _State(None, restore, is_scaled)


@contextlib.contextmanager
def lent_array(weight: Any) -> Iterator[np.ndarray]:
    """The array of a weight, which may be a FrozenWeight, for the time of a block."""
    if type(weight) is FrozenWeight:
        with weight.lent() as (array, _):
            yield array
    else:
        yield weight


def array_of(weight: Any) -> Any:
    """The array of a weight, which may be one."""
    return weight.array() if type(weight) is FrozenWeight else weight


def may_be_frozen(array: Any) -> bool:
    """Whether an array can be made again of its packed form: it is as files hold it, and of numbers that are packed."""
    return type(array) is np.ndarray and array.dtype == np.float32 and array.flags.c_contiguous and array.size > 0
