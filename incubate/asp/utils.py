"""Masks of n zeros in every m (n:m sparsity): how they are found, and whether an array has such a pattern.

Everything here is about arrays, whose rows are divided into pieces of m, or which are divided into squares of m by m.
What is missing at the edges counts as zeros.
"""

from __future__ import annotations

import threading
from enum import Enum
from itertools import permutations
from typing import Any

import numpy as np

_valid_2d_patterns: dict[str, np.ndarray] = {}
_valid_2d_patterns_lock = threading.Lock()


class MaskAlgo(Enum):
    """How a mask is found.

    >>> from proa.incubate import asp
    >>> asp.MaskAlgo.MASK_1D.value
    'get_mask_1d'
    """

    MASK_1D = "get_mask_1d"
    MASK_2D_GREEDY = "get_mask_2d_greedy"
    MASK_2D_BEST = "get_mask_2d_best"


class CheckMethod(Enum):
    """How a pattern is checked.

    >>> from proa.incubate import asp
    >>> asp.CheckMethod.get_checking_method(asp.MaskAlgo.MASK_2D_BEST)
    <CheckMethod.CHECK_2D: 'check_mask_2d'>
    """

    CHECK_1D = "check_mask_1d"
    CHECK_2D = "check_mask_2d"

    @staticmethod
    def get_checking_method(mask_algo: MaskAlgo) -> CheckMethod:
        """What checks masks that were found so. `AssertionError` for what is no MaskAlgo."""
        if not isinstance(mask_algo, MaskAlgo):
            raise AssertionError(f"get_checking_method(mask_algo): must be a MaskAlgo. Received "
                                 f"{type(mask_algo).__name__}.")
        return CheckMethod.CHECK_1D if mask_algo is MaskAlgo.MASK_1D else CheckMethod.CHECK_2D


def calculate_density(x: Any) -> float:
    """The part of an array's elements that are not zero.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.calculate_density(np.array([[0, 1, 3, 0], [1, 1, 0, 1]]))
    0.625
    """
    elements = np.asarray(x).reshape(-1)
    return float(np.count_nonzero(elements) / elements.size)


def _rows(mat: np.ndarray, m: int) -> tuple[np.ndarray, tuple[int, int]]:
    """Each row in pieces of m, [count, m], and the sizes of the whole with what was added."""
    if mat.ndim != 2:
        raise AssertionError(f"masks of n:m sparsity: the matrix must have two dimensions. Received shape "
                             f"{list(mat.shape)}.")
    missing = -mat.shape[1] % m
    padded = np.pad(mat, ((0, 0), (0, missing))) if missing else mat
    return padded.reshape(-1, m), padded.shape


def _squares(mat: np.ndarray, m: int) -> tuple[np.ndarray, tuple[int, int]]:
    """The squares of m by m, row after row of them, [count, m, m], in float64; the sizes of the whole."""
    if mat.ndim != 2:
        raise AssertionError(f"masks of n:m sparsity: the matrix must have two dimensions. Received shape "
                             f"{list(mat.shape)}.")
    padded = np.pad(mat.astype(np.float64), ((0, -mat.shape[0] % m), (0, -mat.shape[1] % m)))
    rows, columns = padded.shape
    return padded.reshape(rows // m, m, columns // m, m).swapaxes(1, 2).reshape(-1, m, m), padded.shape


def _together(squares: np.ndarray, whole: tuple[int, int], shape: tuple[int, ...]) -> np.ndarray:
    m = squares.shape[1]
    rows, columns = whole
    joined = squares.reshape(rows // m, columns // m, m, m).swapaxes(1, 2).reshape(whole)
    return joined[:shape[0], :shape[1]]


def check_mask_1d(mat: np.ndarray, n: int, m: int) -> bool:
    """Whether each row has n zeros at least in every m, beginning at its first element.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.check_mask_1d(np.array([[0, 1, 3, 0], [1, 0, 0, 1]]), 2, 4)
    True
    """
    pieces, _ = _rows(mat.reshape(1, -1) if mat.ndim <= 1 else mat, m)
    return bool((np.count_nonzero(pieces, axis=1) <= m - n).all())


def get_mask_1d(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """1 for what stays and 0 for the n smallest by magnitude of every m in a row, in the matrix's dtype.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.get_mask_1d(np.array([[0, 1, 5, 4], [2, 7, 3, 6]]), 2, 4).tolist()
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    pieces, whole = _rows(mat, m)
    mask = np.ones_like(pieces)
    np.put_along_axis(mask, np.argsort(np.absolute(pieces), axis=1)[:, :n], 0, axis=1)
    return mask.reshape(whole)[:, :mat.shape[1]].astype(mat.dtype)


def check_mask_2d(mat: np.ndarray, n: int, m: int) -> bool:
    """Whether every square of m by m has n zeros at least in each row, or else in each column.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.check_mask_2d(np.array([[0, 8, 9, 0], [9, 0, 0, 10], [5, 0, 0, 6], [0, 4, 6, 0]]), 2, 4)
    True
    """
    kept = _squares(mat, m)[0] != 0
    in_rows, in_columns = ((kept.sum(axis=axis) > m - n).any(axis=1) for axis in (2, 1))
    return not (in_rows & in_columns).any()


def get_mask_2d_greedy(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """In every square of m by m the largest by magnitude stay, one after the other, n at most in a row and a column.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.get_mask_2d_greedy(np.array([[9, 8, 3, 7], [9, 2, 1, 10], [5, 1, 3, 6], [2, 4, 6, 1]]), 2, 4).tolist()
    [[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0]]
    """
    squares, whole = _squares(mat, m)
    mask, every = np.zeros_like(squares), np.arange(len(squares))
    order = np.argsort(np.absolute(squares).reshape(-1, m * m), axis=1)
    for place in reversed(range(m * m)):  # all squares at once, the largest of each first
        row, column = np.divmod(order[:, place], m)
        free = (mask[every, row].sum(axis=1) < n) & (mask[every, :, column].sum(axis=1) < n)
        mask[every[free], row[free], column[free]] = 1.0
    return _together(mask, whole, mat.shape)


def _compute_valid_2d_patterns(n: int, m: int) -> np.ndarray:
    """Every mask of m by m with n ones in each row and n at most in each column, [count, m, m].

    A row stands twice at most in one. They are in the order in which Python's sets have them: of equally good masks
    PaddlePaddle takes the first in this order.
    """
    with _valid_2d_patterns_lock:
        key = f"{m}_{n}"
        if key not in _valid_2d_patterns:
            rows = list(set(permutations([1.0] * n + [0.0] * (m - n))))
            masks = np.array(list(set(permutations(rows * 2, m))))
            _valid_2d_patterns[key] = masks[(masks.sum(axis=1) <= n).all(axis=1)]
        return _valid_2d_patterns[key]


def get_mask_2d_best(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """In every square of m by m the mask of n in each row and column under which the sum of what stays is the largest.

    As in PaddlePaddle the sum is that of the values with their signs: give magnitudes to keep what is large.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> mat = np.array([[2, 8, 9, 9], [9, 1, 3, 9], [5, 6, 3, 9], [2, 4, 6, 9]])
    >>> [float((mat * mask(mat, 2, 4)).sum()) for mask in (asp.get_mask_2d_greedy, asp.get_mask_2d_best)]
    [56.0, 61.0]
    """
    patterns = _compute_valid_2d_patterns(n, m)
    squares, whole = _squares(mat, m)
    sums = squares.reshape(len(squares), -1) @ patterns.reshape(len(patterns), -1).T
    return _together(patterns[sums.argmax(axis=1)], whole, mat.shape)


def _as_matrix(tensor: np.ndarray, what: str) -> np.ndarray:
    """One to four dimensions as rows: of [h, w, in, out] those along the third."""
    if tensor.ndim == 4:
        tensor = tensor.transpose(0, 1, 3, 2)
    elif not 1 <= tensor.ndim <= 3:
        raise ValueError(f"{what}(tensor): must have one to four dimensions. Received shape {list(tensor.shape)}.")
    return tensor.reshape(-1, tensor.shape[-1])


_MASKS = {MaskAlgo.MASK_1D: get_mask_1d, MaskAlgo.MASK_2D_GREEDY: get_mask_2d_greedy,
          MaskAlgo.MASK_2D_BEST: get_mask_2d_best}
_CHECKS = {CheckMethod.CHECK_1D: check_mask_1d, CheckMethod.CHECK_2D: check_mask_2d}


def create_mask(tensor: np.ndarray, func_name: MaskAlgo = MaskAlgo.MASK_1D, n: int = 2, m: int = 4) -> np.ndarray:
    """A mask of n zeros in every m along the last dimension, the third of four, in the array's shape and dtype.

    `AssertionError` for a `func_name` that is no MaskAlgo, `ValueError` for more than four dimensions.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.create_mask(np.array([[2, 8, 9, 9], [9, 1, 3, 9]])).tolist()
    [[0, 0, 1, 1], [1, 0, 0, 1]]
    """
    if not isinstance(func_name, MaskAlgo):
        raise AssertionError(f"create_mask(func_name): must be a MaskAlgo. Received {type(func_name).__name__}.")
    mask = _MASKS[func_name](_as_matrix(tensor.astype(float), "create_mask"), n=n, m=m)
    if tensor.ndim == 4:
        height, width, rows, columns = tensor.shape
        mask = mask.reshape(height, width, columns, rows).transpose(0, 1, 3, 2)
    return mask.reshape(tensor.shape).astype(tensor.dtype)


def check_sparsity(tensor: np.ndarray, func_name: CheckMethod = CheckMethod.CHECK_1D, n: int = 2, m: int = 4) -> bool:
    """Whether an array has n zeros in every m along the last dimension, the third of four.

    `AssertionError` for a `func_name` that is no CheckMethod, `ValueError` for more than four dimensions.

    >>> import numpy as np
    >>> from proa.incubate import asp
    >>> asp.check_sparsity(np.array([[0, 0, 9, 9], [9, 0, 0, 9]]))
    True
    """
    if not isinstance(func_name, CheckMethod):
        raise AssertionError(f"check_sparsity(func_name): must be a CheckMethod. Received "
                             f"{type(func_name).__name__}.")
    return _CHECKS[func_name](_as_matrix(tensor.astype(float), "check_sparsity"), n=n, m=m)
