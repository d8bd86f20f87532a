"""`fluid.dygraph.nn`: the layers of dynamic mode by the path under which 1.x has them."""

from .convolution import Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, Pool2D
from .dense import FC, BilinearTensorProduct, Embedding, Linear
from .losses import BCELoss, L1Loss, MSELoss, NLLLoss
from .normalization import BatchNorm, Dropout, GroupNorm, InstanceNorm, LayerNorm, PRelu, SpectralNorm
from .steps import NCE, GRUUnit, RowConv, SequenceConv, TreeConv

__all__ = ["BCELoss", "BatchNorm", "BilinearTensorProduct", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose",
           "Dropout", "Embedding", "FC", "GRUUnit", "GroupNorm", "InstanceNorm", "L1Loss", "LayerNorm", "Linear",
           "MSELoss", "NCE", "NLLLoss", "PRelu", "Pool2D", "RowConv", "SequenceConv", "SpectralNorm", "TreeConv"]
