"""Arguments of convolution and pooling, as users write them: see `ops/nn/window_arguments.py`."""

from ...ops.nn.window_arguments import check_format, padding_attributes, repeated

__all__ = ["check_format", "padding_attributes", "repeated"]
