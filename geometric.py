"""`paddle.geometric`: messages along the edges of graphs, segments, and neighbours drawn at random."""

from .core.absent import asked_of
from .ops.graph.messages import send_u_recv, send_ue_recv, send_uv
from .ops.graph.neighbour_sampling import (
    reindex_graph,
    reindex_heter_graph,
    sample_neighbors,
    weighted_sample_neighbors,
)
from .ops.graph.segments import segment_max, segment_mean, segment_min, segment_sum

__all__ = [
    "reindex_graph", "reindex_heter_graph", "sample_neighbors", "segment_max", "segment_mean", "segment_min",
    "segment_sum", "send_u_recv", "send_ue_recv", "send_uv", "weighted_sample_neighbors",
]
__getattr__ = asked_of(__name__)
