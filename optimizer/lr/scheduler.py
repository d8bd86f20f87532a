"""The base of the learning-rate schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.core.trace import current_trace


class LRScheduler:
    """Base of the schedules: a subclass gives `get_lr()`, from `self.base_lr`, `self.last_epoch` and `self.last_lr`.

    >>> import proa as paddle
    >>> schedule = paddle.optimizer.lr.StepDecay(1.0, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(schedule()); schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False):
        if not isinstance(learning_rate, (float, int)):
            raise TypeError(f"{type(self).__name__}(learning_rate): must be a number. Received {learning_rate!r}.")
        if learning_rate < 0:
            raise ValueError(f"{type(self).__name__}(learning_rate): must be at least 0. Received {learning_rate}.")
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """The rate of the present epoch."""
        current_trace().reads_attribute(self, "last_lr")
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Goes on to the next epoch, or to a given one."""
        with current_trace().at_each_run(lambda: self.step(epoch)):
            if epoch is None:
                self.last_epoch += 1
                self.last_lr = float(self.get_lr())
            else:
                self.last_epoch = epoch
                closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
                self.last_lr = float(closed_form())
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr().")

    keys: Sequence[str] = ("last_epoch", "last_lr")

    def state_keys(self) -> None:
        """A subclass sets `self.keys` here, the names of the attributes that are its state."""

    def state_dict(self) -> dict[str, Any]:
        """The attributes named by `keys`, schedules within as dicts of their own."""
        self.state_keys()
        state = {}
        for key in self.keys:
            if key in self.__dict__:
                state[key] = self.__dict__[key]
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave; RuntimeError when something is missing."""
        self.state_keys()
        missing = [key for key in self.keys if key in self.__dict__ and key not in state_dict]
        if missing:
            raise RuntimeError(
                f"set_state_dict: {missing} of {type(self).__name__} are missing in {sorted(state_dict)}."
            )
        for key in self.keys:
            if key in state_dict:
                self.__dict__[key] = state_dict[key]

    set_dict = set_state_dict

    def __repr__(self) -> str:
        return f"{type(self).__name__}(last_epoch={self.last_epoch}, last_lr={self.last_lr})"
