"""Dropout, and the masks that it is made of.

Masks are drawn from the generator of the process, which `flow.manual_seed` starts. A `seed` of one function is accepted
without effect.
"""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.array.creation import full_like
from ...ops.math.casting import cast
from ...ops.math.comparison import not_equal
from ..job.current import current


def check_rate(what: str, rate: Any, noise_shape: Any = None) -> float:
    """The rate; ValueError, naming `what`, unless it lies in [0, 1). NotImplementedError for a noise shape."""
    if not isinstance(rate, (int, float)) or not 0 <= rate < 1:
        raise ValueError(f"{what}(rate): the probability to be dropped must lie in [0, 1). Received {rate!r}.")
    if noise_shape is not None:
        raise NotImplementedError(f"{what}(noise_shape): every element is drawn for itself, as in OneFlow: leave it "
                                  f"out. Received {noise_shape!r}.")
    return float(rate)


def dropped(what: str, x: Any, rate: float, noise_shape: Any = None) -> Any:
    """x with elements set to 0 with probability `rate`, what is left divided by 1 - rate."""
    probability = check_rate(what, rate, noise_shape)
    return functional.dropout(x, probability, training=True) if probability else x


def dropout(x: Any, rate: float, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """In jobs of type "train", x with elements set to 0 with probability `rate`, what is left divided by 1 - rate.

    In others it is x. Belongs into a job: of a value that is computed at once nothing says what it is computed for.
    Raises ValueError unless the rate lies in [0, 1).
    """
    check_rate("dropout", rate)
    return dropped("dropout", x, rate) if current("flow.nn.dropout").is_trainable else x


def random_mask_like(like: Any, rate: float, seed: int | None = None, noise_shape: Any = None,
                     name: str | None = None) -> Any:
    """A mask (int8) of the shape of `like`: 0 with probability `rate`, otherwise 1."""
    probability = check_rate("random_mask_like", rate, noise_shape)
    ones = full_like(like, 1.0, "float32")
    return cast(not_equal(dropped("random_mask_like", ones, probability), 0.0), "int8")
