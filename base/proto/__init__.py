"""`paddle.base.proto`: the messages of Programs."""

from typing import TYPE_CHECKING

from ...core.lazy import attach

if TYPE_CHECKING:
    from . import framework_pb2
else:
    __getattr__, __dir__ = attach(__name__)
