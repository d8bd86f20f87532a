"""prepare_context, ParallelEnv and DataParallel, for one process; several are in tests/distributed/static."""

import numpy as np
import proa.fluid as fluid
import pytest


def test_one_process():
    with fluid.dygraph.guard():
        strategy = fluid.dygraph.parallel.prepare_context()
        inner = fluid.dygraph.Linear(2, 1)
        net = fluid.dygraph.parallel.DataParallel(inner, strategy)
        loss = net.scale_loss(net(fluid.dygraph.to_variable(np.ones([3, 2], "float32"))))
        loss.backward()
        net.apply_collective_grads()
        assert inner.weight.gradient().tolist() == [[3], [3]] and list(net.state_dict()) == ["weight", "bias"]
        net.set_dict({key: value.numpy() * 0 for key, value in net.state_dict().items()})
        assert inner.weight.numpy().tolist() == [[0], [0]] and net.full_name() == "linear_0_data_parallel_0"
    assert not fluid.dygraph.parallel_helper._is_data_parallel_mode()


def test_processes_that_nothing_connects_are_refused(monkeypatch):
    pytest.importorskip("mpi4py")
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    environment = fluid.dygraph.ParallelEnv()
    assert (environment.nranks, environment.local_rank, environment.dev_id) == (2, 1, 0)
    assert (environment.current_endpoint, environment.trainer_endpoints) == ("", [""])
    with pytest.raises(RuntimeError, match="MPI connects 1"):
        fluid.dygraph.prepare_context()
