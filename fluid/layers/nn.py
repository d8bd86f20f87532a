"""`fluid.layers.nn`: the layers of these families by the path under which 1.x has them."""

from .dense import bilinear_tensor_product, embedding, fc

__all__ = ["bilinear_tensor_product", "embedding", "fc"]
