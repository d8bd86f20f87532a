"""`paddle.distributed.auto_parallel`: how tensors would be divided among processes can be described, and is not done.

Meshes and placements are values that can be made and compared; what divides a tensor by them raises
NotImplementedError, naming what there is in its place.
"""

from ...core.absent import asked_of
from .api import dtensor_from_fn, reshard, shard_layer, shard_op, shard_optimizer, shard_tensor, to_static
from .dist_attr import DistAttr
from .placement_type import Partial, Placement, ReduceType, Replicate, Shard
from .process_mesh import ProcessMesh
from .strategy import Strategy

__all__ = ["DistAttr", "Partial", "Placement", "ProcessMesh", "ReduceType", "Replicate", "Shard", "Strategy",
           "dtensor_from_fn", "reshard", "shard_layer", "shard_op", "shard_optimizer", "shard_tensor", "to_static"]
__getattr__ = asked_of(__name__)
