"""TransformForMobilePass: operators' names of paddle-mobile, the engine before Paddle Lite."""

from __future__ import annotations

from typing import Any


class TransformForMobilePass:
    """Refused: paddle-mobile, whose operators it puts in, is no more. Paddle Lite takes what WeightQuantization writes.

    >>> from proa.fluid.contrib.slim.quantization import TransformForMobilePass
    >>> TransformForMobilePass().apply(None)
    Traceback (most recent call last):
    ...
    NotImplementedError: TransformForMobilePass: writes operators of paddle-mobile, which nothing here runs. Save the \
Program as it is, or use WeightQuantization.
    """

    def apply(self, graph: Any) -> Any:
        """Raises NotImplementedError."""
        raise NotImplementedError("TransformForMobilePass: writes operators of paddle-mobile, which nothing here runs. "
                                  "Save the Program as it is, or use WeightQuantization.")
