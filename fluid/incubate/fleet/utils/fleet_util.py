"""`fleet.utils.fleet_util`: what scripts of 1.x do beside training: messages, metrics of all workers, intervals."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .....static.run.scope import Scope, global_scope
from ..parameter_server.distribute_transpiler import fleet
from ..parameter_server.pslib import refuse

__all__ = ["FleetUtil"]


class FleetUtil:
    """Helpers for the fleet of workers and servers, `mode="transpiler"`. NotImplementedError for PSLib's.

    >>> from proa.fluid.incubate.fleet.utils.fleet_util import FleetUtil
    >>> FleetUtil("transpiler").get_online_pass_interval("20260101", "{0..1}", 30, 2, False)
    [['0000', '0030'], ['0100', '0130']]
    """

    def __init__(self, mode: str = "pslib"):
        if mode != "transpiler":
            refuse(f"FleetUtil(mode={mode!r})")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **named: refuse(f"FleetUtil.{name}")

    def rank0_print(self, s: Any) -> None:
        """Prints something in worker 0."""
        if fleet.worker_index() == 0:
            print(s, flush=True)

    rank0_info = rank0_error = rank0_print

    def set_zero(self, var_name: str, scope: Scope | None = None, place: Any = None, param_type: str = "int64") -> None:
        """Sets all elements of a variable to 0."""
        values = _value(var_name, scope)
        (scope or global_scope()).set_array(var_name, np.zeros(values.shape, param_type))

    def get_global_auc(self, scope: Scope | None = None, stat_pos: str = "_generated_var_2",
                       stat_neg: str = "_generated_var_3") -> float | None:
        """The area under the curve of all workers, of what `layers.auc` has counted in each; None without the counts.

        Every worker calls it. 0.5 where only one kind of label has come.
        """
        if any((scope or global_scope()).array(name) is None for name in (stat_pos, stat_neg)):
            self.rank0_print("not found auc bucket")
            return None
        counts = np.stack([_value(stat_pos, scope).reshape(-1), _value(stat_neg, scope).reshape(-1)])
        every = np.zeros_like(counts)
        fleet.all_reduce_worker(counts, every)
        positive, negative = np.cumsum(every[:, ::-1].astype("float64"), 1)
        if not positive[-1] * negative[-1]:
            return 0.5
        middles = positive - np.diff(positive, prepend=0) / 2
        return float(np.sum(np.diff(negative, prepend=0) * middles) / (positive[-1] * negative[-1]))

    def print_global_auc(self, scope: Scope | None = None, stat_pos: str = "_generated_var_2",
                         stat_neg: str = "_generated_var_3", print_prefix: str = "") -> None:
        """Prints it in worker 0; every worker calls it."""
        self.rank0_print(f"{print_prefix} global auc = {self.get_global_auc(scope, stat_pos, stat_neg)}")

    def get_online_pass_interval(self, days: str, hours: str, split_interval: int, split_per_pass: int,
                                 is_data_hourly_placed: bool) -> list[list[str]]:
        """The times of day by which folders of logs are named, in passes of `split_per_pass`.

        `hours`: "0 1 2", or "{0..23}"; `split_interval`: minutes. `is_data_hourly_placed`: folders are named "HH", and
        "HHMM" otherwise.
        """
        wanted = [int(hour) for hour in _listed(hours)]
        minutes = [start for start in range(0, 24 * 60, int(split_interval)) if wanted[0] <= start // 60 <= wanted[-1]]
        names = [f"{start // 60:02d}" if is_data_hourly_placed else f"{start // 60:02d}{start % 60:02d}"
                 for start in minutes]
        return [names[start:start + int(split_per_pass)] for start in range(0, len(names), int(split_per_pass))]


def _value(name: str, scope: Scope | None) -> np.ndarray:
    found = (scope or global_scope()).array(name)
    if found is None:
        raise ValueError(f"FleetUtil: {name!r} has no value in the scope. Run the Program first.")
    return np.asarray(found)


def _listed(text: str) -> list[str]:
    """The words of a text, "{a..b}" being all numbers from a to b."""
    words: list[str] = []
    for word in text.split():
        span = re.fullmatch(r"\{(\d+)\.\.(\d+)\}", word)
        words += [str(number) for number in range(int(span[1]), int(span[2]) + 1)] if span else [word]
    return words
