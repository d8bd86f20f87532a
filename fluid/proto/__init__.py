"""`fluid.proto`: the messages that files are made of."""

from . import framework_pb2

__all__ = ["framework_pb2"]
