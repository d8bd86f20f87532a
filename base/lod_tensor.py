"""`paddle.base.lod_tensor`: LoD tensors of arrays and lists, by the path of older code."""

from ..static.run.create_lod_tensor import create_lod_tensor, create_random_int_lodtensor

__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]
