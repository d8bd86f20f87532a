"""`paddle.incubate.asp`: weights with n zeros in every m, found once and kept through training (automatic sparsity)."""

from .asp import ASPHelper as ASPHelper
from .asp import decorate, prune_model, reset_excluded_layers, set_excluded_layers
from .supported_layer_list import add_supported_layer
from .utils import CheckMethod as CheckMethod
from .utils import MaskAlgo as MaskAlgo
from .utils import calculate_density
from .utils import check_mask_1d as check_mask_1d
from .utils import check_mask_2d as check_mask_2d
from .utils import check_sparsity as check_sparsity
from .utils import create_mask as create_mask
from .utils import get_mask_1d as get_mask_1d
from .utils import get_mask_2d_best as get_mask_2d_best
from .utils import get_mask_2d_greedy as get_mask_2d_greedy

__all__ = ["add_supported_layer", "calculate_density", "decorate", "prune_model", "reset_excluded_layers",
           "set_excluded_layers"]
