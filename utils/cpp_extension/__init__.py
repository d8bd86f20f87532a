"""`paddle.utils.cpp_extension`: operators in C++ and CUDA. Its names are here; whatever would compile or load refuses.

PaddlePaddle's headers and libraries, against which such operators are compiled, are not part of this package.
"""

from . import cpp_extension, extension_utils
from .cpp_extension import BuildExtension, CppExtension, CUDAExtension, load, setup
from .extension_utils import get_build_directory, load_op_meta_info_and_register_op

__all__ = ["BuildExtension", "CUDAExtension", "CppExtension", "get_build_directory", "load",
           "load_op_meta_info_and_register_op", "setup"]
