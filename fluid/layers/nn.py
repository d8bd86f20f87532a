"""`fluid.layers.nn`: the layers of these families by the path under which 1.x has them."""

from .dense import bilinear_tensor_product, embedding, fc
from .lod import lod_append, lod_reset
from .tagging import chunk_eval, crf_decoding, linear_chain_crf

__all__ = [
    "bilinear_tensor_product", "chunk_eval", "crf_decoding", "embedding", "fc", "linear_chain_crf", "lod_append",
    "lod_reset",
]
