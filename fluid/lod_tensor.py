"""`fluid.lod_tensor`: LoD tensors of arrays and lists."""

from ..core.lazy import listed
from ..static.run.create_lod_tensor import create_lod_tensor, create_random_int_lodtensor

__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]
__dir__ = listed(__name__)
