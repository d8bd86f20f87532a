"""`fleet.base.mode`: what several machines work together by."""

__all__ = ["Mode"]


class Mode:
    """How processes work together: servers that a transpiler makes, a library of servers, or collectives."""

    TRANSPILER = 1
    PSLIB = 2
    COLLECTIVE = 3
