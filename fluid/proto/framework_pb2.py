"""`fluid.proto.framework_pb2`: the messages of `framework.proto`, such as ProgramDesc, as protobuf makes them."""

from ...static.format import framework_pb2
from ...static.format.framework_pb2 import *  # noqa: F403 - what protobuf makes has no list of names

__all__ = [name for name in vars(framework_pb2) if not name.startswith("_")]
