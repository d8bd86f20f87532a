"""Building operators in C++ and CUDA: each function and class raises NotImplementedError."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from .extension_utils import refuse_compiling

__all__ = ["BuildExtension", "CUDAExtension", "CUDA_HOME", "CppExtension", "load", "setup"]

#: The folder where the CUDA toolkit would be; there need be none. Packages ask `os.path.exists(CUDA_HOME)`.
CUDA_HOME: str = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"


class BuildExtension:
    """The command of setuptools that would compile: NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse_compiling("BuildExtension")

    @classmethod
    def with_options(cls, **options: Any) -> NoReturn:
        """The command with options: NotImplementedError."""
        refuse_compiling("BuildExtension.with_options")


def CppExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """An extension of files in C++: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.utils.cpp_extension.CppExtension(["square.cc"])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.utils.cpp_extension.CppExtension: operators in C++ and CUDA are compiled...
    """
    refuse_compiling("CppExtension")


def CUDAExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """An extension of files in C++ and CUDA: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.utils.cpp_extension.CUDAExtension(["square.cu"])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.utils.cpp_extension.CUDAExtension: operators in C++ and CUDA are compiled...
    """
    refuse_compiling("CUDAExtension")


def load(name: str, sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Compiles operators and imports them: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.utils.cpp_extension.load("square", ["square.cc"])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.utils.cpp_extension.load: operators in C++ and CUDA are compiled against...
    """
    refuse_compiling("load")


def setup(**attr: Any) -> NoReturn:
    """Compiles and installs operators: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.utils.cpp_extension.setup(name="square")
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.utils.cpp_extension.setup: operators in C++ and CUDA are compiled against...
    """
    refuse_compiling("setup")
