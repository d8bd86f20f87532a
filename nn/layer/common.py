"""Linear, embedding, dropout, padding, resizing and others, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    AlphaDropout Bilinear CosineSimilarity Dropout Dropout2D Dropout3D Embedding Flatten Fold Identity Linear Pad1D
    Pad2D Pad3D Unflatten Unfold Upsample UpsamplingBilinear2D UpsamplingNearest2D ZeroPad2D
""")
