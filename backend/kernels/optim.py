"""Updates of parameters, many in one loop: sgd, momentum, adam and adamw, in place.

Inputs are lists, an item a parameter. Parameters are changed in their own memory, and given back as new array objects
of it, which tells the trace of the change; moments, which no gradient is ever asked of, are given back as they are.
What others see the memory of is changed in a copy (`backend/aliasing.py`).
`decay` has a coefficient a parameter (or is empty): that times the parameter is added to its gradient. Everything else
follows the kernels in `ops/optim/rules.py`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .. import loops
from ..aliasing import to_write
from ..threads import get_num_threads
from .arrays import F32, flat
from .optim_loops import adam_loop, momentum_loop, sgd_loop
from .tensors import HEADER, starts_of, table_of

Arrays = list[np.ndarray]

_SGD = ("i64*", "i64*", "f32*", "f32*", "i64", "i64", "i64", "i64")
_MOMENTUM = ("i64*", "i64*", "f32*", "f32*", "i64", "i64", "i64", "i64", "real", "real", "i64", "i64")
_ADAM = ("i64*", "i64*", *["f32*"] * 5, *["i64"] * 4, *["real"] * 5)
_LEAST = 1 << 16  # elements of one parameter alone, for sgd and momentum
_LEAST_ADAM = 1 << 11


def _scalars(arrays: Arrays, count: int) -> np.ndarray | None:
    """So many arrays of one float32 each, together; None where they are something else."""
    if len(arrays) != count:
        return None
    first = arrays[0]
    if len({*map(id, arrays)}) == 1 and first.dtype is F32 and first.size == 1:
        return np.full(len(arrays), first.item(), F32)
    return np.concatenate(arrays) if all(a.dtype is F32 and a.shape == (1,) for a in arrays) else None


def _fits(kernel: loops.Kernel, params: Arrays, grads: Arrays, *states: Arrays, numbers: Sequence[Arrays] = ()) -> bool:
    """Whether a loop can update these: all of float32, the elements in order, what is changed writable; and is due.

    Each of the states is as large as its parameter, each of the `numbers` one element.
    """
    if not loops.is_ready():
        return False
    elements = 0
    for p, g in zip(params, grads, strict=True):
        if not (type(p) is np.ndarray is type(g) and p.dtype is F32 is g.dtype and p.shape == g.shape
                and p.flags.carray):
            return False
        elements += p.size
    for arrays in states:
        for x, p in zip(arrays, params, strict=True):
            if not (type(x) is np.ndarray and x.dtype is F32 and x.size == p.size and x.flags.carray):
                return False
    for arrays in numbers:
        for x, _ in zip(arrays, params, strict=True):
            if not (type(x) is np.ndarray and x.dtype is F32 and x.size == 1 and x.flags.carray):
                return False
    return kernel.is_due(elements)


def _renewed(params: Arrays) -> Arrays:
    """What to write new parameters into, as array objects of their own."""
    return [found.view() if found is x else found for found, x in zip(to_write(params), params, strict=True)]


def _coefficients(given: Sequence[float], count: int) -> np.ndarray:
    return np.array(given, "float32") if given else _zeros(count)


@lru_cache(maxsize=64)
def rest_of(share: float) -> float:
    """1 - share, of the share as float32 has it, as `ops.optim.rules.rest_of` says."""
    return float(F32.type(1) - F32.type(share))


@lru_cache(maxsize=64)
def _zeros(count: int) -> np.ndarray:
    return np.zeros(count, "float32")


def merged_sgd(params: Arrays, learning_rates: Arrays, grads: Arrays, *, decay: Sequence[float] = ()) -> Any:
    """param -= rate * grad."""
    if not params or not _fits(sgd_loop, params, grads) or (rates := _scalars(learning_rates, len(params))) is None:
        return NotImplemented
    if len(decay) not in (0, len(params)):
        return NotImplemented
    params, grads = _renewed(params), [flat(g) for g in grads]
    starts, total, parts = starts_of(params)
    sgd_loop.typed(*_SGD)(get_num_threads(), table_of(params, grads), starts, rates, _coefficients(decay, len(params)),
                          len(params), total, parts, HEADER)
    return params


def merged_momentum(params: Arrays, grads: Arrays, velocities: Arrays, learning_rates: Arrays,
                    master_params: Arrays | None = None, *, mu: float, use_nesterov: bool = False,
                    regularization_method: Sequence[str] = (), regularization_coeff: Sequence[float] = (),
                    multi_precision: bool = False, rescale_grad: float = 1.0,
                    rate_in_velocity: bool | None = None) -> Any:
    """velocity = mu * velocity + grad; param -= rate * velocity. Else velocity = … - rate * grad; param += velocity."""
    if not params or master_params or not _fits(momentum_loop, params, grads, velocities):
        return NotImplemented
    if (rates := _scalars(learning_rates, len(params))) is None:
        return NotImplemented
    decay = [c if m == "l2_decay" else 0.0
             for m, c in zip(regularization_method, regularization_coeff, strict=False)]
    if len(decay) not in (0, len(params)):
        return NotImplemented
    params, velocities, grads = _renewed(params), to_write(velocities), [flat(g) for g in grads]
    starts, total, parts = starts_of(params)
    momentum_loop.typed(*_MOMENTUM)(
        get_num_threads(), table_of(params, grads, velocities), starts, rates, _coefficients(decay, len(params)),
        len(params), total, parts, HEADER, mu, rescale_grad, int(use_nesterov),
        int(bool(rate_in_velocity)))
    return params, velocities, master_params


def merged_adam(params: Arrays, grads: Arrays, learning_rates: Arrays, moments1: Arrays, moments2: Arrays,
                beta1_pows: Arrays, beta2_pows: Arrays, master_params: Arrays | None = None, *, beta1: float = 0.9,
                beta2: float = 0.999, epsilon: float = 1e-8, multi_precision: bool = False,
                use_global_beta_pow: bool = False, decay: Sequence[float] = (), of_1: bool | None = None) -> Any:
    """As `ops.optim` describes adam."""
    if master_params:
        return NotImplemented
    if of_1:
        pows = _scalars(beta2_pows, len(params))
        if pows is None or not (pows == pows[0]).all():
            return NotImplemented
        epsilon /= float(np.sqrt(1 - pows[0]))  # by which the loop multiplies it
    found = _adam(params, grads, learning_rates, moments1, moments2, beta1_pows, beta2_pows, beta1, beta2, epsilon,
                  decay=decay)
    return found if found is NotImplemented else (*found, master_params)


def merged_adamw(params: Arrays, grads: Arrays, learning_rates: Arrays, moments1: Arrays, moments2: Arrays,
                 beta1_pows: Arrays, beta2_pows: Arrays, *, beta1: float = 0.9, beta2: float = 0.999,
                 epsilon: float = 1e-8, coeff: float = 0.01, with_decay: Sequence[int] = (),
                 lr_ratio: Sequence[float] = ()) -> Any:
    """adam, before which each parameter that decays shrinks by rate * coeff of itself."""
    coeffs = [coeff if decays else 0.0 for decays in with_decay] if with_decay else [coeff] * len(params)
    return _adam(params, grads, learning_rates, moments1, moments2, beta1_pows, beta2_pows, beta1, beta2, epsilon,
                 coeffs=coeffs, lr_ratio=lr_ratio)


def _adam(params: Arrays, grads: Arrays, learning_rates: Arrays, moments1: Arrays, moments2: Arrays, beta1_pows: Arrays,
          beta2_pows: Arrays, beta1: float, beta2: float, epsilon: float, decay: Sequence[float] = (),
          coeffs: Sequence[float] = (), lr_ratio: Sequence[float] = ()) -> Any:
    if not params or not _fits(adam_loop, params, grads, moments1, moments2, numbers=(beta1_pows, beta2_pows)):
        return NotImplemented
    rates, pows1, pows2 = (_scalars(arrays, len(params)) for arrays in (learning_rates, beta1_pows, beta2_pows))
    if rates is None or pows1 is None or pows2 is None or not all(p.size for p in params):
        return NotImplemented
    if any(len(given) not in (0, len(params)) for given in (decay, coeffs, lr_ratio)):
        return NotImplemented
    if lr_ratio:
        rates = rates * np.array(lr_ratio, "float32")
    params, grads = _renewed(params), [flat(g) for g in grads]
    moments1, moments2, beta1_pows, beta2_pows = map(to_write, (moments1, moments2, beta1_pows, beta2_pows))
    states = moments1, moments2, beta1_pows, beta2_pows
    count = len(params)
    starts, total, parts = starts_of(params)
    adam_loop.typed(*_ADAM)(
        get_num_threads(), table_of(params, grads, *states), starts, rates, pows1, pows2,
        _coefficients(decay, count), _coefficients(coeffs, count), count, total, parts, HEADER,
        beta1, rest_of(beta1), beta2, rest_of(beta2), epsilon)
    return params, *states


def sgd(param: np.ndarray, learning_rate: np.ndarray, grad: np.ndarray) -> Any:
    """param -= rate * grad."""
    if param.size < _LEAST:
        return NotImplemented
    found = merged_sgd([param], [learning_rate], [grad])
    return found if found is NotImplemented else found[0]


def momentum(param: np.ndarray, grad: np.ndarray, velocity: np.ndarray, learning_rate: np.ndarray, *, mu: float,
             use_nesterov: bool = False, regularization_method: str = "", regularization_coeff: float = 0.0,
             rescale_grad: float = 1.0, rate_in_velocity: bool | None = None) -> Any:
    """velocity = mu * velocity + grad; param -= rate * velocity; `rate_in_velocity` as in `merged_momentum`."""
    if param.size < _LEAST:
        return NotImplemented
    return _first(merged_momentum(
        [param], [grad], [velocity], [learning_rate], mu=mu, use_nesterov=use_nesterov, rescale_grad=rescale_grad,
        regularization_method=[regularization_method], regularization_coeff=[regularization_coeff],
        rate_in_velocity=rate_in_velocity), 2)


def adam(param: np.ndarray, grad: np.ndarray, learning_rate: np.ndarray, moment1: np.ndarray, moment2: np.ndarray,
         beta1_pow: np.ndarray, beta2_pow: np.ndarray, *, beta1: float = 0.9, beta2: float = 0.999,
         epsilon: float = 1e-8, lazy_mode: bool = False, of_1: bool | None = None) -> Any:
    """As `ops.optim` describes adam."""
    if param.size < _LEAST_ADAM:
        return NotImplemented
    return _first(merged_adam([param], [grad], [learning_rate], [moment1], [moment2], [beta1_pow], [beta2_pow],
                              beta1=beta1, beta2=beta2, epsilon=epsilon, of_1=of_1), 5)


def adamw(param: np.ndarray, grad: np.ndarray, learning_rate: np.ndarray, moment1: np.ndarray, moment2: np.ndarray,
          beta1_pow: np.ndarray, beta2_pow: np.ndarray, *, beta1: float = 0.9, beta2: float = 0.999,
          epsilon: float = 1e-8, coeff: float = 0.01, lr_ratio: float = 1.0, with_decay: bool = True,
          lazy_mode: bool = False) -> Any:
    """adam, before which the parameter shrinks by rate * coeff of itself."""
    if param.size < _LEAST_ADAM:
        return NotImplemented
    return _first(merged_adamw([param], [grad], [learning_rate], [moment1], [moment2], [beta1_pow], [beta2_pow],
                               beta1=beta1, beta2=beta2, epsilon=epsilon, coeff=coeff, with_decay=[with_decay],
                               lr_ratio=[lr_ratio]), 5)


def _first(found: Any, count: int) -> Any:
    return found if found is NotImplemented else tuple(arrays[0] for arrays in found[:count])
