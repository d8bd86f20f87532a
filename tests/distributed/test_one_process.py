"""What paddle.distributed says and does in one process, and that it refuses more."""

import numpy as np
import proa as paddle
import pytest
from proa.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients

dist = paddle.distributed


def test_environment_of_one_process():
    assert (dist.get_rank(), dist.get_world_size(), dist.is_initialized(), dist.is_available()) == (0, 1, False, True)
    environment = dist.ParallelEnv()
    assert (environment.rank, environment.local_rank, environment.nranks, environment.dev_id) == (0, 0, 1, 0)
    assert environment.trainer_endpoints == [""] and environment.device_type == ""
    with pytest.warns(UserWarning, match="one process"):
        dist.init_parallel_env()


def test_collectives_of_one_process():
    x, gathered = paddle.to_tensor([1.0, 2.0]), []
    dist.all_reduce(x, op=dist.ReduceOp.MAX)
    dist.reduce(x, dst=0)
    dist.broadcast(x, src=0)
    dist.all_gather(gathered, x)
    dist.all_gather_object(gathered, "told")
    dist.barrier()
    dist.wait(x)
    np.testing.assert_array_equal(x.numpy(), [1, 2])
    np.testing.assert_array_equal(gathered[0].numpy(), [1, 2])
    assert gathered[0] is not x and gathered[1] == "told"


def test_a_process_that_is_not_there():
    with pytest.raises(ValueError, match="src"):
        dist.broadcast(paddle.ones([1]), src=1)


def test_several_processes_are_refused(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    assert (dist.get_rank(), dist.get_world_size()) == (1, 2)
    with pytest.raises(NotImplementedError, match="PADDLE_TRAINERS_NUM=2"):
        dist.init_parallel_env()
    with pytest.raises(NotImplementedError, match="all_reduce"):
        dist.all_reduce(paddle.ones([1]))


def test_gradients_of_one_process_are_the_sums():
    layer = paddle.nn.Linear(2, 1)
    layer(paddle.ones([1, 2])).sum().backward()
    fused_allreduce_gradients(list(layer.parameters()), None)
    np.testing.assert_array_equal(layer.weight.grad.numpy(), np.ones((2, 1)))
