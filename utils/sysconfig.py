"""`paddle.sysconfig`: where headers and libraries for extensions in C++ would be; proa is Python only and has none."""

from pathlib import Path

from ..core.lazy import listed

_ROOT = Path(__file__).parents[1]


def get_include() -> str:
    """The folder in which headers would be. It does not exist: write an operator with `paddle.autograd.PyLayer`.

    >>> import proa as paddle
    >>> isinstance(paddle.sysconfig.get_include(), str)
    True
    """
    return str(_ROOT / "include")


def get_lib() -> str:
    """The folder in which the library would be. It does not exist: nothing can be linked with Python.

    >>> import proa as paddle
    >>> isinstance(paddle.sysconfig.get_lib(), str)
    True
    """
    return str(_ROOT / "libs")


__all__ = ["get_include", "get_lib"]
__dir__ = listed(__name__)
