"""`paddle.static.nn.sequence_lod`: layers over sequences by Paddle's path."""

from .sequence import (
    sequence_concat,
    sequence_conv,
    sequence_enumerate,
    sequence_expand,
    sequence_expand_as,
    sequence_first_step,
    sequence_last_step,
    sequence_pad,
    sequence_pool,
    sequence_reshape,
    sequence_reverse,
    sequence_scatter,
    sequence_slice,
    sequence_softmax,
    sequence_unpad,
)

__all__ = ["sequence_concat", "sequence_conv", "sequence_enumerate", "sequence_expand", "sequence_expand_as",
           "sequence_first_step", "sequence_last_step", "sequence_pad", "sequence_pool", "sequence_reshape",
           "sequence_reverse", "sequence_scatter", "sequence_slice", "sequence_softmax", "sequence_unpad"]
