"""The messages of `framework.proto`, `framework_pb2`: protobuf, which takes 9 ms to import, is loaded with the first.

Programs are made, converted and run without them; files alone are made of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .framework_pb2 import *  # noqa: F403 - what protobuf makes has no list of names


def __getattr__(name: str) -> Any:
    from . import framework_pb2

    found = globals()[name] = getattr(framework_pb2, name)
    return found
