"""`paddle.complex` of Paddle 1.8: functions on ComplexVariables. An operand at least is complex, others may be real.

Each joins the parts to complex numbers, applies the function that is there for values, and takes the result apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.lazy import listed
from ..ops.array.rearrange import complex as joined
from ..ops.array.rearrange import imag, real
from . import layers
from .dygraph.complex_variable import ComplexVariable
from .mode import face


def is_complex(x: Any) -> bool:
    """Whether it is a ComplexVariable."""
    return isinstance(x, ComplexVariable)


def is_real(x: Any) -> bool:
    """Whether it is a value, of numbers that are not complex."""
    return not is_complex(x) and hasattr(x, "dtype")


def _apply(function: Callable[..., Any], *operands: Any, **arguments: Any) -> ComplexVariable:
    if not any(map(is_complex, operands)):
        name = function.__name__
        raise ValueError(f"complex.{name.removeprefix('reduce_')}: an operand at least must be a ComplexVariable. "
                         f"Received {', '.join(type(x).__name__ for x in operands)}; for real numbers there is "
                         f"fluid.layers.{name}.")

    @face
    def computed(*values: Any) -> ComplexVariable:
        result = function(*[joined(x.real, x.imag) if is_complex(x) else x for x in values], **arguments)
        return ComplexVariable(real(result), imag(result))

    return computed(*operands)


def elementwise_add(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x + y; `axis` says which dimension of x the first of y meets.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1 + 2j, 3j]))
    ...     complex.elementwise_add(x, x).numpy()
    array([2.+4.j, 0.+6.j])
    """
    return _apply(layers.elementwise_add, x, y, axis=axis, name=name)


def elementwise_sub(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x - y.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1 + 2j, 3j]))
    ...     complex.elementwise_sub(x, x.real).numpy()
    array([0.+2.j, 0.+3.j])
    """
    return _apply(layers.elementwise_sub, x, y, axis=axis, name=name)


def elementwise_mul(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x * y, element by element.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1 + 2j, 3j]))
    ...     complex.elementwise_mul(x, x).numpy()
    array([-3.+4.j, -9.+0.j])
    """
    return _apply(layers.elementwise_mul, x, y, axis=axis, name=name)


def elementwise_div(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x / y, element by element.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1 + 2j, 3j]))
    ...     complex.elementwise_div(x, x).numpy()
    array([1.+0.j, 1.+0.j])
    """
    return _apply(layers.elementwise_div, x, y, axis=axis, name=name)


def kron(x: Any, y: Any, name: str | None = None) -> ComplexVariable:
    """Kronecker's product of x and y.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1 + 2j, 3j]))
    ...     complex.kron(x, x).numpy()
    array([-3.+4.j, -6.+3.j, -6.+3.j, -9.+0.j])
    """
    return _apply(layers.kron, x, y, name=name)


def trace(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None) -> ComplexVariable:
    """The sum of a diagonal of the matrices that `dim1` and `dim2` span.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([[1 + 2j, 3j], [0, 1j]]))
    ...     complex.trace(x).numpy()
    array([1.+3.j])
    """
    return _apply(layers.trace, input, offset=offset, dim1=dim1, dim2=dim2, name=name)


def sum(input: Any, dim: Any = None, keep_dim: bool = False, name: str | None = None) -> ComplexVariable:
    """The sum over the dimensions `dim`, by default over all.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([[1 + 2j, 3j], [0, 1j]]))
    ...     complex.sum(x, dim=0).numpy()
    array([1.+2.j, 0.+4.j])
    """
    return _apply(layers.reduce_sum, input, dim=dim, keep_dim=keep_dim, name=name)


def reshape(x: Any, shape: Any, inplace: bool = False, name: str | None = None) -> ComplexVariable:
    """The numbers of x in another shape: 0 keeps a size, one of -1 follows from the others.

    `inplace` gives x this shape too. (Paddle 1.8 changes the shape of its parts alone.)

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1 + 2j, 3j]))
    ...     complex.reshape(x, [2, 1]).shape
    [2, 1]
    """
    result = _apply(layers.reshape, x, shape=shape, name=name)
    if inplace:
        x.real, x.imag = result.real, result.imag
    return result


def transpose(x: Any, perm: Any, name: str | None = None) -> ComplexVariable:
    """The dimensions of x in the order `perm`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([[1 + 2j, 3j]]))
    ...     complex.transpose(x, [1, 0]).numpy()
    array([[1.+2.j],
           [0.+3.j]])
    """
    return _apply(layers.transpose, x, perm=perm, name=name)


def matmul(x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, alpha: float = 1.0,
           name: str | None = None) -> ComplexVariable:
    """alpha * (x @ y); matrices are transposed before, where it says so, and not conjugated.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> from proa.fluid import complex
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([[1 + 2j, 3j], [0, 1j]]))
    ...     complex.matmul(x, x).numpy()
    array([[-3.+4.j, -9.+3.j],
           [ 0.+0.j, -1.+0.j]])
    """
    return _apply(layers.matmul, x, y, transpose_x=transpose_x, transpose_y=transpose_y, alpha=alpha, name=name)


__all__ = ["elementwise_add", "elementwise_div", "elementwise_mul", "elementwise_sub", "kron", "matmul", "reshape",
           "sum", "trace", "transpose"]
__dir__ = listed(__name__)
