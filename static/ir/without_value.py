"""What asks a variable for a value, which it has not while its Program is built.

What every run gives alike is answered; the rest is an error that names the user's line, and that the Program keeps.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.errors import NotYetError, WrongKindError, user_line
from ...ops.core.trace import current_trace


class WithoutValue:
    """Those methods of a variable."""

    def _no_value(self: Any, what: str) -> TypeError:
        error = WrongKindError(
            f"{what}: the variable {self.name!r} of a static Program has no value while the Program is being built "
            f"({user_line()}). Run the Program and fetch it; in a function under to_static, keep to tensor "
            f"operations here (paddle.sin, not np.sin or math.sin)."
        )
        self.program.value_wanted = self.program.value_wanted or error
        return error

    def _no_key(self: Any) -> TypeError:
        error = TypeError(
            f"a number or truth value that only the run knows cannot be in a set, or a key of a dict ({user_line()}): "
            "which of them are equal is not known while the Program is built. Use a list, or decide with an `if`.")
        self.program.value_wanted = self.program.value_wanted or error
        return error

    def backward(self: Any, grad_tensor: Any = None, retain_graph: bool = False) -> None:
        """In a function under to_static(full_graph=True): adds the gradient to what Tensors hold, at each run.

        Elsewhere RuntimeError: the gradients of a Program are part of it, and fill no tensor's `grad`.
        """
        if current_trace().fills_gradients([self], [grad_tensor], retain_graph):
            return
        error = NotYetError(
            f"loss.backward(): {self.name!r} is a variable of a Program ({user_line()}), which has no value yet and no "
            "`grad` to fill. In a function under to_static: full_graph=True makes backward() and step() part of it; "
            "otherwise return the loss and call them outside, or compute gradients inside by "
            "paddle.grad(loss, inputs). In static mode: "
            "optimizer.minimize(loss), or paddle.static.append_backward(loss).")
        self.program.value_wanted = self.program.value_wanted or error
        raise error

    def known_value(self: Any) -> np.ndarray | None:
        """The value that every run gives it, where that is a constant (`full`, `assign` of numbers) or made of some."""
        return current_trace().known_value(self)

    def _known(self: Any, what: str) -> Any:
        """The known value of one element; TypeError where there is none."""
        known = self.known_value() if all(size == 1 for size in self.shape) else None
        if known is None:
            raise self._no_value(what)
        return known.reshape(()).item()

    def gradient(self: Any) -> Any:
        """Raises RuntimeError: the gradient of a variable is another one, which is fetched."""
        raise NotYetError(f"gradient(): {self.name!r} is a variable of a Program, which has no value yet. Run the "
                          f"Program and fetch {self.grad_name!r}.")

    def clear_gradient(self: Any, set_to_zero: bool = True) -> None:
        """Raises RuntimeError: gradients of a Program are computed anew in each run."""
        raise NotYetError(f"clear_gradient(): {self.name!r} is a variable of a Program, whose gradients are computed "
                          "anew in each run. Leave it out.")

    def __bool__(self: Any) -> bool:
        trace = current_trace()
        asked = self.own_trace() if trace.computes else trace
        if asked.variables_are_true or self.is_gradient and not asked.captures:
            return True  # `if g` over the pairs of append_backward asks whether there is one
        return bool(self._known("bool(x), as in `if x` or `while x`"))

    def __int__(self: Any) -> int:
        return int(self._known("int(x)"))

    def __float__(self: Any) -> float:
        return float(self._known("float(x)"))

    def __index__(self: Any) -> int:
        return operator.index(self._known("x as an index"))

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
        raise self._no_value("an array of NumPy's made of x, as np.sin(x) or np.array(x) needs one")

    def __array_function__(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions that are methods of their argument (`np.transpose`) work; TypeError for others."""
        try:
            return function._implementation(*args, **kwargs)
        except TypeError as error:
            raise self._no_value(f"np.{function.__name__}(x)") from error

    def __len__(self: Any) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        if self.shape[0] < 0:
            raise self._no_value("len(x), where the first size is not known; paddle.shape(x)[0] is it as a tensor")
        return self.shape[0]

    def __iter__(self: Any) -> Iterator:
        if not self.shape:
            raise self._no_value("iteration over a tensor of no dimensions")
        return (self[i] for i in range(self.shape[0])) if self.shape[0] >= 0 else self._first_alone()

    def _first_alone(self: Any) -> Iterator:
        """The first item, and then TypeError: how many there are only a run knows. Making an iterator asks for none."""
        yield self[0]
        raise self._no_value("iteration over an unknown first dimension")

    def _in_place_of_array(self: Any, what: str) -> Any:
        if not self.program.must_be_whole:
            raise self._no_value(what)
        self.program.stands_for_arrays = True
        return self.detach()

    def numpy(self: Any) -> Any:
        """In a function that must become one Program, what `detach` gives; otherwise raises TypeError: no value yet."""
        array = self._in_place_of_array("x.numpy()")
        self.program.arrays.add(array.name)
        return array

    def item(self: Any, *args: int) -> Any:
        """As `numpy`, of one element: at an index, or of a tensor with a single one; a constant's is a number."""
        known = None if self.program.must_be_whole else self.known_value()
        if known is not None:
            return known.item(*args)
        found = self._in_place_of_array("x.item()")
        number = found.reshape([]) if not args else found.flatten()[args[0]] if len(args) == 1 else found[args]
        number.is_number = number.dtype.name != "bool"
        return number

    def tolist(self: Any) -> Any:
        """The numbers of a constant; TypeError where there is no value yet."""
        known = self.known_value()
        if known is None:
            raise self._no_value("x.tolist()")
        return known.tolist()
