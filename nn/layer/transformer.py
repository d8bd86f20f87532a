"""Transformers, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    MultiHeadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
    TransformerEncoderLayer
""")
