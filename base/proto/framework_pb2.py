"""`paddle.base.proto.framework_pb2`: the messages of Programs and operators, and the numbers of their types."""

from ...static.format.framework_pb2 import *  # noqa: F403
