"""`paddle.base.layer_helper`: LayerHelper by the path under which older code reaches it."""

from ..static.building.layer_helper import LayerHelper

__all__ = ["LayerHelper"]
