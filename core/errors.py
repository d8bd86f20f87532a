"""Errors of our own, each with what the reader should do about it; the line of the user's code that is running.

Where Python has a type that fits (TypeError, ValueError, KeyError…), that is what is raised; a class stands here only
where a caller may want to catch just this case. All derive from the built-in type a user would have caught.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any


class GraphFreedError(RuntimeError):
    """A backward pass reached a part of the graph whose saved values an earlier pass has freed.

    Fix: give the earlier pass `retain_graph=True`:

        loss.backward(retain_graph=True)
        loss.backward()
    """


class ModifiedInPlaceError(RuntimeError):
    """A value that the gradient needs was changed in place after it was used.

    Fix: use the form without the trailing underscore, or change a copy:

        y = x.exp()
        y = y + 1        # not y.add_(1): the gradient of exp needs its result
        y.backward()
    """


class LeafChangedInPlaceError(ValueError, RuntimeError):
    """A leaf that wants a gradient was to be changed in place. A ValueError, as in Paddle; others have RuntimeError.

    Fix: use the form without the trailing underscore, or say that the change is not to be differentiated:

        with paddle.no_grad():
            weight.zero_()
    """


class ConditionError(AssertionError, ValueError):
    """A condition on tensors does not hold when a Program runs: an AssertionError, as without one, and, as in Paddle,
    a ValueError.
    """


class AssertedError(AssertionError, ValueError):
    """A value, as a schedule's number of steps, is not what Paddle asserts of it: an AssertionError, as there, and a
    ValueError.
    """


class WrongKindError(AssertionError, TypeError):
    """A value is not of the kind that Paddle asserts: an AssertionError, as there, and a TypeError."""


class NotYetError(AssertionError, RuntimeError):
    """What something needs is not there yet: an AssertionError, as in Paddle, and a RuntimeError."""


class ArgumentError(TypeError, ValueError):
    """An argument of a wrong kind: TypeError as of Python, ValueError as in Paddle."""


class UnequalLengthsError(AssertionError, ValueError):
    """Things of which each is to have as many parts have not: an AssertionError, as in Paddle, and a ValueError."""


class NoIndexError(RuntimeError, TypeError):
    """What has no index was asked for what is at one: a RuntimeError, as in Paddle, and a TypeError, as in Python."""


class NoLengthError(RuntimeError, TypeError):
    """What has no length was asked for it: a RuntimeError, as in Paddle, and a TypeError, as in Python."""


class BeyondSamplesError(IndexError, ValueError):
    """An index is outside of what there is: an IndexError, as in Python, and, as in Paddle, a ValueError."""


class MissingFeedError(KeyError, RuntimeError):
    """A Program needs a value that was not fed: a KeyError, since names are keys, and, as in Paddle, a RuntimeError.

    Fix: give it to the Executor by its name:

        exe.run(program, feed={"x": array}, fetch_list=[y])
    """


class WholeDivisionError(ZeroDivisionError, RuntimeError):
    """An integer divided by 0, or what would be left of it: no integer stands for either.

    Fix: divide by something else there, `x // paddle.where(y == 0, paddle.ones_like(y), y)`, or divide floats, whose
    quotient is infinite and whose remainder is NaN.
    """


class NotFiniteError(FloatingPointError, RuntimeError):
    """A NaN or an infinity where somebody looks for them: with `FLAGS_check_nan_inf`, or a tensor checker.

    Fix: what the named operator was given is finite, so look at its arguments: a logarithm or a root of 0, a quotient
    by 0, a number that its dtype cannot hold.
    """


class PlaceMismatchError(ValueError):
    """An operator received tensors in different places.

    Fix: bring them together first, with `x.cuda()`, `x.cpu()` or `paddle.to_tensor(x, place=…)`.
    """


PACKAGE = __name__.partition(".")[0]
_INSIDE = PACKAGE + "."


def is_inside(frame: FrameType) -> bool:
    """Whether a frame is one of a function of this package."""
    module = frame.f_globals.get("__name__", "")
    return module.startswith(_INSIDE) or module == PACKAGE


def warn_user(message: str) -> None:
    """Warns at the line of the user's code that led here."""
    frame: FrameType | None = sys._getframe(1)
    level = 2  # this function's caller
    while frame is not None and is_inside(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def user_line() -> str:
    """'FILE:LINE' of the user's code that led here; empty when there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")  # as `is_inside`; of forty frames an operation of a trace
        if not (module.startswith(_INSIDE) or module == PACKAGE):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def public_function() -> str:
    """The name of the function of this package that the user's code has called; for messages."""
    frame, name = sys._getframe(1), ""
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_INSIDE):
        name = frame.f_code.co_name
        called, frame = frame, frame.f_back  # type: ignore[assignment]
    if name == "__call__" and "self" in called.f_locals:
        return type(called.f_locals["self"]).__name__  # a Layer is known by its class
    return name


def no_list(what: str, x: Any) -> TypeError:
    """What is raised where a list of Tensors belongs and one Tensor was given, of which rows would be taken."""
    return TypeError(f"{what}: must be a list or tuple of Tensors. Received one Tensor of shape {list(x.shape)}. "
                     "Put it into a list; unbind(x) makes a list of its rows.")


def out_of_bounds(value: Any, dtype: Any) -> OverflowError:
    """What is raised for a number that a dtype of integers does not hold, where its lowest bits would be nonsense."""
    return OverflowError(f"{public_function()}: {dtype.name} does not hold the number {value}. Convert the tensor "
                         f"first: x.astype('int64') holds those up to 2**63, x.astype('float64') larger ones about.")


def no_order(dtype: Any) -> TypeError:
    """What is raised for complex numbers where it matters which of two is the larger."""
    return TypeError(f"{public_function()}: complex numbers have no order, and this is computed of real ones. Received "
                     f"dtype {dtype.name}. Take paddle.abs(x), paddle.real(x) or paddle.imag(x).")


def no_tensor(x: Any) -> TypeError:
    """What is raised where a Tensor belongs and something else, a number say, was given."""
    shown = repr(x)
    return TypeError(f"{public_function()}: must be given a Tensor. Received {type(x).__name__} "
                     f"{shown if len(shown) < 40 else shown[:36] + '...'}. Make one with paddle.to_tensor(...).")
