"""Tensors made anew: `flow.tensor`, `flow.ones`, `flow.arange`, `flow.randn`, …"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import dtype as dt
from ...core.dtype import DType
from ...core.random import drawing_from
from ...ops.array import creation, full
from ...ops.array.full import is_value
from ...ops.core.trace import current_trace
from ...ops.random import sampling
from ..charge import flowing
from ..devices import place_of
from ..dtypes import to_dtype
from .arrays import sizes


def _finished(x: Any, device: Any = None, requires_grad: bool = False) -> Any:
    """A new tensor at its device, which is a leaf where a gradient is wanted."""
    place = place_of(device)
    if place is not None and hasattr(x, "_moved"):
        x = x._moved(place)
    if requires_grad:
        current_trace().begin_gradient(x)
    return x


def _dtype(dtype: Any, usual: Any = None) -> DType:
    if dtype is not None:
        return to_dtype("dtype", dtype)
    return dt.get_default_dtype_object() if usual is None else usual


@flowing
def tensor(data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
           placement: Any = None, sbp: Any = None) -> Any:
    """A tensor of numbers, lists or an array, with memory of its own. Floats of Python are of float32.

    >>> import proa.oneflow as flow
    >>> x = flow.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.], dtype=oneflow.float32)
    """
    return _finished(_of_data(data, dtype), device, requires_grad)


def _of_data(data: Any, dtype: Any) -> Any:
    wanted = None if dtype is None else to_dtype("tensor(dtype)", dtype)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data) if wanted is None else np.array(data).astype(wanted.dtype)
        return full.constant(array)
    return creation.to_tensor(data, wanted)


@flowing
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """A tensor as it is where it has the dtype and device, and of anything else a new one."""
    if is_value(data):
        return data.to(device, dtype)
    return _finished(_of_data(data, dtype), device)


@flowing
def from_numpy(array: np.ndarray) -> Any:
    """A tensor of an array. It has memory of its own: no operation here changes an array that another holds."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy(array): must be an array of NumPy's. Received {type(array).__name__}.")
    return full.constant(np.array(array))


def _filled(name: str, value: float, doc: str) -> Any:
    def function(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, placement: Any = None,
                 sbp: Any = None, pin_memory: bool = False, **named: Any) -> Any:
        given = size or (named.pop("size") if "size" in named else named.pop("shape"),)
        if isinstance(given[-1], DType):
            given, dtype = given[:-1], given[-1]
        return _finished(full.full(sizes(name, given), value, _dtype(dtype)), device, requires_grad)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return flowing(function)


zeros = _filled("zeros", 0.0, "Zeros of a shape: `zeros(2, 3)` or `zeros((2, 3))`.")
ones = _filled("ones", 1.0, "Ones of a shape: `ones(2, 3)` or `ones((2, 3))`.")
empty = _filled("empty", 0.0, "As `zeros`: a tensor of a shape, whose elements say nothing.")


@flowing
def full_(size: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
          placement: Any = None, sbp: Any = None) -> Any:
    """A tensor filled with a number, of the dtype that the number has."""
    usual = dt.bool_ if isinstance(fill_value, bool) else dt.int64 if isinstance(fill_value, int) else None
    if is_value(fill_value):
        usual = fill_value.dtype
    shape = [size] if isinstance(size, int) else sizes("full", (size,))
    return _finished(full.full(shape, fill_value, _dtype(dtype, usual)), device, requires_grad)


def _like(name: str, value: float, doc: str) -> Any:
    def function(input: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, placement: Any = None,
                 sbp: Any = None) -> Any:
        made = creation.full_like(input, value, None if dtype is None else to_dtype("dtype", dtype))
        return _finished(made, device, requires_grad)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return flowing(function)


zeros_like = _like("zeros_like", 0.0, "Zeros of the shape and dtype of another tensor.")
ones_like = _like("ones_like", 1.0, "Ones of the shape and dtype of another tensor.")
empty_like = _like("empty_like", 0.0, "As `zeros_like`.")


@flowing
def full_like(input: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              placement: Any = None, sbp: Any = None) -> Any:
    """A number in the shape and dtype of another tensor."""
    made = creation.full_like(input, fill_value, None if dtype is None else to_dtype("dtype", dtype))
    return _finished(made, device, requires_grad)


@flowing
def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, device: Any = None,
           requires_grad: bool = False, placement: Any = None, sbp: Any = None) -> Any:
    """Numbers from `start`, 0 by default, to before `end` by steps; int64 where all are whole."""
    low, high = (0, start) if end is None else (start, end)
    whole = all(isinstance(n, (int, np.integer)) or is_value(n) and n.dtype.is_integer for n in (low, high, step))
    return _finished(creation.arange(low, high, step, _dtype(dtype, dt.int64 if whole else None)), device,
                     requires_grad)


@flowing
def linspace(start: Any, end: Any, steps: int = 100, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Any:
    """Evenly spaced numbers from `start` to `end`, both included."""
    return _finished(creation.linspace(start, end, steps, _dtype(dtype)), device, requires_grad)


@flowing
def logspace(start: float, end: float, steps: int = 100, base: float = 10.0, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Any:
    """Powers of a base, whose exponents are evenly spaced."""
    return _finished(creation.logspace(start, end, steps, base, _dtype(dtype)), device, requires_grad)


@flowing
def eye(n: int, m: int | None = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A matrix with ones on the diagonal."""
    return _finished(creation.eye(n, m, _dtype(dtype)), device, requires_grad)


@flowing
def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None,
                requires_grad: bool = False) -> Any:
    """Hann's window."""
    count = window_length if periodic else window_length - 1
    values = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_length) / max(count, 1))
    return _finished(full.constant(values.astype(_dtype(dtype).dtype)), device, requires_grad)


# Random ones

def _drawn(name: str, draw: Any, doc: str) -> Any:
    def function(*size: Any, dtype: Any = None, device: Any = None, generator: Any = None, requires_grad: bool = False,
                 placement: Any = None, sbp: Any = None, **named: Any) -> Any:
        given = size or (named.pop("size") if "size" in named else named.pop("shape"),)
        with drawing_from(generator):
            return _finished(draw(sizes(name, given), _dtype(dtype)), device, requires_grad)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return flowing(function)


rand = _drawn("rand", lambda shape, dtype: sampling.rand(shape, dtype), "Random numbers evenly from [0, 1).")
randn = _drawn("randn", lambda shape, dtype: sampling.randn(shape, dtype),
               "Random numbers of the standard normal distribution.")


@flowing
def normal(mean: Any, std: Any, *size: Any, dtype: Any = None, device: Any = None, generator: Any = None,
           requires_grad: bool = False, **named: Any) -> Any:
    """Random numbers of a normal distribution; mean and deviation may be tensors."""
    with drawing_from(generator):
        if is_value(mean) or is_value(std):
            return _finished(sampling.normal(mean, std), device, requires_grad)
        shape = sizes("normal", size or (named.pop("size"),))
        return _finished(sampling.gaussian(shape, float(mean), float(std), dtype=_dtype(dtype)), device, requires_grad)


@flowing
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, generator: Any = None,
            device: Any = None, requires_grad: bool = False, placement: Any = None, sbp: Any = None) -> Any:
    """Random whole numbers from `low`, 0 by default, to before `high`: `randint(10, (2, 3))`."""
    if isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    with drawing_from(generator):
        return _finished(sampling.randint(low, high, list(size), _dtype(dtype, dt.int64)), device, requires_grad)


@flowing
def randint_like(input: Any, low: int, high: int | None = None, dtype: Any = None, generator: Any = None,
                 device: Any = None, requires_grad: bool = False, placement: Any = None, sbp: Any = None) -> Any:
    """As `randint`, of the shape of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    with drawing_from(generator):
        return _finished(sampling.randint(low, high, list(input.shape), _dtype(dtype, dt.int64)), device,
                         requires_grad)


@flowing
def randn_like(input: Any, dtype: Any = None, generator: Any = None, device: Any = None,
               requires_grad: bool = False, placement: Any = None, sbp: Any = None) -> Any:
    """As `randn`, of the shape of another tensor."""
    with drawing_from(generator):
        return _finished(sampling.randn(list(input.shape), _dtype(dtype, input.dtype)), device, requires_grad)


@flowing
def rand_like(input: Any, dtype: Any = None, generator: Any = None, device: Any = None,
              requires_grad: bool = False, placement: Any = None, sbp: Any = None) -> Any:
    """As `rand`, of the shape of another tensor."""
    with drawing_from(generator):
        return _finished(sampling.rand(list(input.shape), _dtype(dtype, input.dtype)), device, requires_grad)


@flowing
def randperm(n: int, generator: Any = None, dtype: Any = "int64", device: Any = None,
             requires_grad: bool = False, placement: Any = None, sbp: Any = None) -> Any:
    """The numbers from 0 to before n in random order."""
    with drawing_from(generator):
        return _finished(sampling.randperm(n, to_dtype("dtype", dtype)), device, requires_grad)


@flowing
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, dtype: Any = None) -> Any:
    """1 with the probabilities that input holds, or with the probability p, else 0."""
    with drawing_from(generator):
        return sampling.bernoulli(input if p is None else creation.full_like(input, p))


@flowing
def multinomial(input: Any, num_samples: int, replacement: bool = False, generator: Any = None) -> Any:
    """Indices drawn with the weights that the rows of input hold."""
    with drawing_from(generator):
        return sampling.multinomial(input, num_samples, replacement)
