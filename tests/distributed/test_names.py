"""Every public name of PaddlePaddle's `distributed` is here, with its parameters, or says by its name why not."""

import json
import pathlib

import numpy as np
import proa as paddle
import pytest
from proa import distributed as dist
from proa.distributed import Partial, ProcessMesh, ReduceType, Replicate, Shard, fleet
from proa.distributed.fleet import metrics

NAMES = json.loads((pathlib.Path(__file__).parents[1] / "api" / "paddle_names.json").read_text())["namespaces"]


@pytest.mark.parametrize("namespace", sorted(n for n in NAMES if n.startswith("distributed")))
def test_every_public_name_is_there_or_says_why_not(namespace):
    owner = paddle
    for part in namespace.split("."):
        owner = getattr(owner, part)
    for name in NAMES[namespace]:
        try:
            getattr(owner, name)
        except AttributeError as error:
            assert "is not supported" in str(error), (namespace, name, error)


@pytest.mark.parametrize(("call", "said"), [
    (lambda: dist.shard_tensor([1.0], None, []), "paddle.distributed.shard_tensor: tensors divided among processes"),
    (lambda: dist.shard_layer(None, None), "DataParallel"), (lambda: dist.reshard(None, None, []), "auto_parallel"),
    (lambda: dist.dtensor_from_fn(paddle.ones, None, []), "auto_parallel"), (dist.Strategy, "auto_parallel"),
    (lambda: dist.shard_optimizer(None), "group_sharded_parallel"), (lambda: dist.to_static(None), "auto_parallel"),
    (lambda: dist.shard_op(None), "auto_parallel"),
    (lambda: dist.split(None, (2, 2), "linear"), r"tensor parallelism.*whole in each process"),
    (lambda: dist.rpc.init_rpc("a"), "run code that another process names"),
    (lambda: dist.rpc.rpc_sync("a", print), "rpc_sync"), (lambda: dist.rpc.rpc_async("a", print), "rpc_async"),
    (dist.rpc.shutdown, "shutdown"), (lambda: dist.rpc.get_worker_info("a"), "get_worker_info"),
    (dist.rpc.get_all_worker_infos, "get_all_worker_infos"), (dist.rpc.get_current_worker_info, "current"),
    (lambda: dist.passes.new_pass("a"), "rewrite Programs"), (dist.passes.PassContext, "PassContext"),
    (lambda: dist.passes.PassManager([]), "PassManager")])
def test_what_is_not_supported_says_so_by_its_name(call, said):
    with pytest.raises(NotImplementedError, match=said):
        call()


@pytest.mark.parametrize("name", ["cloud_utils", "auto_tuner", "models", "BoxPSDataset", "communicator", "transpiler"])
def test_modules_that_are_not_here_say_why(name):
    with pytest.raises(AttributeError, match=rf"paddle\.distributed\.{name} is not supported"):
        getattr(dist, name)


def test_meshes_and_placements_are_values():
    mesh = ProcessMesh([[2, 4, 5], [0, 1, 3]], dim_names=["x", "y"])
    assert (mesh.ndim, mesh.size, mesh.mesh.tolist()) == (2, 6, [[2, 4, 5], [0, 1, 3]]) and 5 in mesh and 6 not in mesh
    assert mesh[0].dim_names == ["y"] and mesh[0].process_ids == [2, 4, 5] and mesh[1, 2].process_ids == [3]
    assert mesh.get_mesh_with_dim("y").process_ids == [2, 0, 4, 1, 5, 3]
    assert mesh.get_mesh_with_dim("y", 1) == ProcessMesh([4, 1])
    assert ProcessMesh(shape=[2, 2], process_ids=[0, 1, 2, 3]).dim_names == ["d0", "d1"]
    for wrong in ({}, {"mesh": [[0, 1]], "dim_names": ["x"]}, {"mesh": [0, 0]}, {"mesh": [0.5]}, {"mesh": 3}):
        with pytest.raises(ValueError, match="ProcessMesh"):
            ProcessMesh(**wrong)
    with pytest.raises(ValueError, match="a dimension is one of"):
        mesh.get_dim_size("z")
    assert [str(one) for one in (Shard(0), Replicate(), Partial())] == ["Shard(dim=0)", "Replicate()",
                                                                       "Partial(reduce_type=SUM)"]
    assert Partial() != Partial(ReduceType.kRedMax) and len({Shard(0), Shard(0), Shard(1), Replicate()}) == 3
    assert Shard(1).is_shard() and Shard(1).is_shard(1) and not Replicate().is_shard() and Partial().is_partial()
    assert dist.DistAttr(mesh, ["x", None]).sharding_specs == ["x", None]
    with pytest.raises(ValueError, match="names of the mesh's dimensions"):
        dist.DistAttr(mesh, ["z"])


def test_metrics_of_one_process_are_its_own():
    ones = np.array([3.0]), np.array([4.0])
    assert [f(*ones) for f in (metrics.acc, metrics.mae, metrics.mse)] == [0.75] * 3
    assert metrics.rmse(*ones) == pytest.approx(0.75 ** 0.5)
    assert metrics.auc(np.array([[0.0, 1.0]]), np.array([[0.0, 0.0]])) == 0.5
    assert metrics.max(np.array([1, 2])).tolist() == metrics.min(np.array([1, 2])).tolist() == [1, 2]

    class Doubling:
        def all_reduce(self, array, mode):
            return array * 2

    assert metrics.sum(np.array([1, 2]), util=Doubling()).tolist() == [2, 4]
    scope = paddle.static.Scope()
    scope.var("correct").get_tensor().set(np.array([5.0]), paddle.CPUPlace())
    assert metrics.sum("correct", scope).tolist() == [5.0]
    with pytest.raises(ValueError, match="the scope has no variable 'other'"):
        metrics.sum("other", scope)


def test_numbers_of_one_process():
    assert (fleet.rank(), fleet.nranks(), fleet.world_size(), fleet.local_rank(), fleet.node_num()) == (0, 1, 1, 0, 1)
    assert fleet.local_device_ids() == fleet.world_device_ids() == []
    fleet.set_log_level("WARNING")
    assert fleet.get_log_level_code() == 30 and fleet.get_log_level_name() == "WARNING"
    with pytest.raises(ValueError, match="must be one of sum, max, min"):
        fleet.all_reduce([1], "prod")


def test_barriers_of_gloo():
    dist.gloo_init_parallel_env(0, 1, "127.0.0.1:1")
    dist.gloo_barrier()
    dist.gloo_release()
    with pytest.raises(RuntimeError, match="a launcher says that this is process 0 of 1. Received 1 of 2"):
        dist.gloo_init_parallel_env(1, 2, "127.0.0.1:1")
