"""`paddle.incubate`: what there is of it re-exports what lives elsewhere."""

from ..core.absent import asked_of
from ..ops.graph.messages import graph_send_recv
from ..ops.graph.neighbour_sampling import graph_khop_sampler, graph_reindex, graph_sample_neighbors
from ..ops.graph.segments import segment_max, segment_mean, segment_min, segment_sum
from ..ops.loss.identity_loss import identity_loss
from ..ops.nn.masked_softmax import softmax_mask_fuse, softmax_mask_fuse_upper_triangle
from . import asp, autograd, autotune, distributed, nn, optimizer
from .optimizer import LookAhead, ModelAverage

__all__ = [
    "LookAhead", "ModelAverage", "graph_khop_sampler", "graph_reindex", "graph_sample_neighbors", "graph_send_recv",
    "identity_loss", "segment_max", "segment_mean", "segment_min", "segment_sum", "softmax_mask_fuse",
    "softmax_mask_fuse_upper_triangle",
]
__getattr__ = asked_of(__name__)
