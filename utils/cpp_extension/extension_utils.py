"""Loading compiled operators: refused, with what to write instead."""

from __future__ import annotations

import os
import tempfile
from typing import NoReturn

__all__ = ["get_build_directory", "load_op_meta_info_and_register_op", "refuse_compiling"]


def refuse_compiling(name: str) -> NoReturn:
    """Raises NotImplementedError in the name of a function."""
    raise NotImplementedError(
        f"paddle.utils.cpp_extension.{name}: operators in C++ and CUDA are compiled against PaddlePaddle's own headers "
        f"and libraries, which are not here. Write the operator in Python: as a function of paddle's operators, or "
        f"with a gradient of its own as a paddle.autograd.PyLayer.")


def get_build_directory(verbose: bool = False) -> str:
    """The folder that operators would be compiled in: PADDLE_EXTENSION_DIR, or one among temporary files.

    >>> import proa as paddle
    >>> import os
    >>> os.path.basename(paddle.utils.cpp_extension.get_build_directory())
    'paddle_extensions'
    """
    return os.environ.get("PADDLE_EXTENSION_DIR") or os.path.join(tempfile.gettempdir(), "paddle_extensions")


def load_op_meta_info_and_register_op(lib_filename: str) -> NoReturn:
    """Loads compiled operators: NotImplementedError."""
    refuse_compiling("load_op_meta_info_and_register_op")


def _import_module_from_library(module_name: str, build_directory: str, verbose: bool = False) -> NoReturn:
    refuse_compiling("extension_utils._import_module_from_library")


def _jit_compile(file_path: str, verbose: bool = False) -> NoReturn:
    refuse_compiling("extension_utils._jit_compile")


