"""Metrics of several processes: each has counted its part, as an array, a variable, or one's name in a scope.

`util` is what exchanges arrays, with a method `all_reduce(array, mode)`; without it all processes that a launcher has
started do.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ....static import Variable, global_scope
from ...collectives import all_reduce
from ...reduce_op import ReduceOp

__all__ = ["acc", "auc", "mae", "max", "min", "mse", "rmse", "sum"]
_OPERATIONS = {"sum": ReduceOp.SUM, "max": ReduceOp.MAX, "min": ReduceOp.MIN}


class _Processes:
    """All processes of the world."""

    def all_reduce(self, array: np.ndarray, mode: str) -> np.ndarray:
        """The reduction of an array."""
        from ....ops.array.creation import to_tensor

        value = to_tensor(array, place="cpu")
        all_reduce(value, _OPERATIONS[mode])
        return value.numpy()


def _reduced(value: Any, mode: str, scope: Any, util: Any) -> np.ndarray:
    if isinstance(value, (str, Variable)):
        name = value if isinstance(value, str) else value.name
        found = (global_scope() if scope is None else scope).find_var(name)
        if found is None:
            raise ValueError(f"fleet.metrics.{mode}(input): the scope has no variable {name!r}. Run the Program first.")
        value = found.get_tensor()
    array = np.array(value)
    reduced = (_Processes() if util is None else util).all_reduce(np.atleast_1d(array), mode)
    return np.reshape(reduced, array.shape)


def _total(value: Any, scope: Any, util: Any) -> float:
    return float(_reduced(value, "sum", scope, util).sum())


def sum(input: Any, scope: Any = None, util: Any = None) -> np.ndarray:
    """The sum of all processes' arrays.

    >>> import numpy as np
    >>> from proa.distributed.fleet import metrics
    >>> metrics.sum(np.array([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return _reduced(input, "sum", scope, util)


def max(input: Any, scope: Any = None, util: Any = None) -> np.ndarray:
    """The largest of all processes' values, by element."""
    return _reduced(input, "max", scope, util)


def min(input: Any, scope: Any = None, util: Any = None) -> np.ndarray:
    """The smallest of all processes' values, by element."""
    return _reduced(input, "min", scope, util)


def acc(correct: Any, total: Any, scope: Any = None, util: Any = None) -> float:
    """The accuracy, of how many were right and how many there are.

    >>> import numpy as np
    >>> from proa.distributed.fleet import metrics
    >>> metrics.acc(np.array([3.0]), np.array([4.0]))
    0.75
    """
    return _total(correct, scope, util) / _total(total, scope, util)


def mae(abserr: Any, total_ins_num: Any, scope: Any = None, util: Any = None) -> float:
    """The mean absolute error, of the sum of errors and how many samples there are."""
    return _total(abserr, scope, util) / _total(total_ins_num, scope, util)


def mse(sqrerr: Any, total_ins_num: Any, scope: Any = None, util: Any = None) -> float:
    """The mean squared error, of the sum of squares and how many samples there are."""
    return _total(sqrerr, scope, util) / _total(total_ins_num, scope, util)


def rmse(sqrerr: Any, total_ins_num: Any, scope: Any = None, util: Any = None) -> float:
    """The root of the mean squared error."""
    return math.sqrt(mse(sqrerr, total_ins_num, scope, util))


def auc(stat_pos: Any, stat_neg: Any, scope: Any = None, util: Any = None) -> float:
    """The area under the curve, of how many positive and negative samples have a score in each of some ranges.

    It is 0.5 where one kind is missing.

    >>> import numpy as np
    >>> from proa.distributed.fleet import metrics
    >>> metrics.auc(np.array([[0.0, 1.0, 5.0, 2.0]]), np.array([[3.0, 1.0, 0.0, 0.0]]))
    0.984375
    """
    positive, negative = (np.cumsum(_reduced(stat, "sum", scope, util).reshape(-1)[::-1]) for stat in
                          (stat_pos, stat_neg))
    if not builtins.min(positive[-1], negative[-1]):
        return 0.5
    area = (np.diff(negative, prepend=0) * (positive + np.concatenate([[0], positive[:-1]])) / 2).sum()
    return float(area / (positive[-1] * negative[-1]))
