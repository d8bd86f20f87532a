"""How variables vary together: covariance and correlation matrices."""


from typing import Any

from ..array.diagonal import diag
from ..array.fed_axes import has_negative
from ..array.full import is_value, value_of
from ..array.reshape import squeeze, t, unsqueeze
from ..array.unknown_sizes import size_at
from ..linalg.matrices import adjoint, mm
from .casting import as_floating, cast
from .clip import clip
from .reduce import mean, sum
from .unary import sqrt


def cov(x: Any, rowvar: bool = True, ddof: bool = True, fweights: Any = None, aweights: Any = None,
        name: str | None = None) -> Any:
    """The covariance matrix of variables, which are the rows of x (the columns with rowvar=False), or x itself.

    It is divided by the number of observations, less one with `ddof`. `fweights` says how often each observation
    counts, `aweights` how much. Raises ValueError for more than two dimensions, and for weights that
    do not fit or are negative.

    >>> import proa as paddle
    >>> paddle.linalg.cov(paddle.to_tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    x = value_of(x)
    if not 1 <= x.ndim <= 2:
        raise ValueError(f"cov(x): x must have one or two dimensions. Received shape {list(x.shape)}.")
    x = as_floating(x)
    rows = unsqueeze(x, 0) if x.ndim == 1 else x if rowvar else t(x)
    frequencies = None if fweights is None else _weights("fweights", fweights, rows)
    weights = frequencies
    if aweights is not None:
        importance = _weights("aweights", aweights, rows)
        weights = importance if weights is None else weights * importance
    if weights is None:
        centred = rows - mean(rows, 1, keepdim=True)
        count = _divisor(rows, int(ddof))
        return squeeze(mm(centred, adjoint(centred)) / count)
    total = sum(weights)
    centred = rows - sum(rows * weights, 1, keepdim=True) / total
    if not ddof:
        divisor = total
    elif aweights is None:
        divisor = total - 1.0
    else:
        divisor = total - sum(weights * importance) / total
    return squeeze(mm(centred * weights, adjoint(centred)) / divisor)


def _divisor(rows: Any, less: int) -> Any:
    count = size_at(rows, 1)
    if is_value(count):
        return cast(count - less, rows.dtype)
    if count <= less:
        raise ValueError(f"cov(x): needs at least {less + 1} observations. Received {count}; with ddof=False one is "
                         "enough.")
    return float(count - less)


def _weights(name: str, weights: Any, rows: Any) -> Any:
    if weights.ndim != 1 or (weights.shape[0] != rows.shape[1] and -1 not in (weights.shape[0], rows.shape[1])):
        raise ValueError(f"cov(x, {name}=...): must be 1-D, with a weight for each of {rows.shape[1]} observations. "
                         f"Received shape {list(weights.shape)}.")
    if has_negative(weights):
        raise ValueError(f"cov(x, {name}=...): must not be negative. Received one that is.")
    return cast(weights, rows.dtype)


def corrcoef(x: Any, rowvar: bool = True, name: str | None = None) -> Any:
    """The correlation matrix of variables: `cov(x)`, divided by the standard deviations of both.

    >>> import proa as paddle
    >>> paddle.linalg.corrcoef(paddle.to_tensor([[0.0, 1.0, 3.0], [3.0, 2.0, 0.0]])).numpy().round(3).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    x = value_of(x)
    if not 1 <= x.ndim <= 2:
        raise ValueError(f"corrcoef(x): x must have one or two dimensions. Received shape {list(x.shape)}.")
    covariance = cov(x, rowvar)
    if covariance.ndim == 0:
        return covariance / covariance
    deviations = sqrt(diag(covariance))
    result = covariance / unsqueeze(deviations, 1) / unsqueeze(deviations, 0)
    return result if x.dtype.is_complex else clip(result, -1.0, 1.0)
