"""Building operators in C++ and CUDA: each function and class raises NotImplementedError."""

from __future__ import annotations

from typing import Any, NoReturn

from .extension_utils import refuse_compiling

__all__ = ["BuildExtension", "CUDAExtension", "CUDA_HOME", "CppExtension", "load", "setup"]

#: The folder of the CUDA toolkit: none is used.
CUDA_HOME: str | None = None


class BuildExtension:
    """The command of setuptools that would compile: NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse_compiling("BuildExtension")

    @classmethod
    def with_options(cls, **options: Any) -> NoReturn:
        """The command with options: NotImplementedError."""
        refuse_compiling("BuildExtension.with_options")


def CppExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """An extension of files in C++: NotImplementedError."""
    refuse_compiling("CppExtension")


def CUDAExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """An extension of files in C++ and CUDA: NotImplementedError."""
    refuse_compiling("CUDAExtension")


def load(name: str, sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Compiles operators and imports them: NotImplementedError."""
    refuse_compiling("load")


def setup(**attr: Any) -> NoReturn:
    """Compiles and installs operators: NotImplementedError."""
    refuse_compiling("setup")
