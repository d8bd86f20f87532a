"""`fluid.layer_helper_base`: what `LayerHelper` has, under the name by which 1.x has the part that knows no layer."""

from ..core.lazy import listed
from .layer_helper import LayerHelper as LayerHelperBase

__all__ = ["LayerHelperBase"]
__dir__ = listed(__name__)
