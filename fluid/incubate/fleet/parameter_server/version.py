"""`parameter_server.version`: that the servers are those that the transpiler makes."""

BUILD_MODE = 1


def is_transpiler() -> bool:
    """True: servers are made by the transpiler, not by a library of their own.

    >>> from proa.fluid.incubate.fleet.parameter_server import version
    >>> version.is_transpiler()
    True
    """
    return BUILD_MODE == 1
