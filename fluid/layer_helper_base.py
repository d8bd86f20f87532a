"""`fluid.layer_helper_base`: what `LayerHelper` has, under the name by which 1.x has the part that knows no layer."""

from .layer_helper import LayerHelper as LayerHelperBase

__all__ = ["LayerHelperBase"]
