"""An operator's call in each API. Functions get the framework, its `nn.functional` and the inputs."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Case(NamedTuple):
    """The call in Paddle's API and in PyTorch's. Results are compared where they mean the `same`."""

    paddle: Callable[[Any, Any, Any], Any]
    torch: Callable[[Any, Any, Any], Any]
    same: bool = True


def both(call):
    """A call that is spelled alike in both."""
    return Case(call, call)


def apart(paddle, torch, same=True):
    """A call that is spelled differently."""
    return Case(paddle, torch, same)
