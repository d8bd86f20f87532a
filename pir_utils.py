"""`paddle.pir_utils`: what tests for both forms of Programs call. Here there is one: `paddle.static.Program`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .core.lazy import listed
from .static.building.mode import disable_static, enable_static, in_dynamic_mode

__all__ = ["IrGuard", "test_with_pir_api"]
__dir__ = listed(__name__)


@contextlib.contextmanager
def IrGuard() -> Iterator[None]:
    """Static mode while the `with` statement lasts, with Programs as they always are here.

    >>> import proa as paddle
    >>> with paddle.pir_utils.IrGuard():
    ...     paddle.in_dynamic_mode()
    False
    """
    dynamic = in_dynamic_mode()
    if dynamic:
        enable_static()
    try:
        yield
    finally:
        if dynamic:
            disable_static()


def test_with_pir_api(function: Callable[..., Any]) -> Callable[..., Any]:
    """The test as it is: it runs once, where PaddlePaddle runs it with each form of Programs.

    >>> import proa as paddle
    >>> paddle.pir_utils.test_with_pir_api(len) is len
    True
    """
    return function


test_with_pir_api.__test__ = False  # type: ignore[attr-defined]  # pytest collects it by its name otherwise
