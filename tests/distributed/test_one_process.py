"""What paddle.distributed says and does in one process, and that it refuses more."""

import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from proa.core import launched as launched_as
from proa.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
from proa.distributed.launch.options import parser, processes

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


def test_processes_that_are_not_connected_exchange_nothing(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    assert (dist.get_rank(), dist.get_world_size()) == (1, 2)
    with pytest.raises(RuntimeError, match="all_reduce: a launcher has started 2 processes, which are not connected"):
        dist.all_reduce(paddle.ones([1]))
    pytest.importorskip("mpi4py")
    with pytest.raises(RuntimeError, match="started 2 processes, and MPI connects 1"):
        dist.init_parallel_env()


def test_objects_are_plain_or_refused():
    given = {"a": [1, "x", (2.5, None)], "t": paddle.to_tensor([1.5]).astype("bfloat16"), "n": np.arange(3)}
    dist.all_gather_object(found := [], given)
    assert found[0]["a"] == given["a"] and found[0]["n"].tolist() == [0, 1, 2]
    assert found[0]["t"].dtype == paddle.bfloat16 and found[0]["t"].item() == 1.5
    with pytest.raises(TypeError, match="none can run code"):
        dist.all_gather_object([], subprocess.Popen)


def test_gradients_of_one_process_are_the_sums():
    layer = paddle.nn.Linear(2, 1)
    layer(paddle.ones([1, 2])).sum().backward()
    fused_allreduce_gradients(list(layer.parameters()), None)
    np.testing.assert_array_equal(layer.weight.grad.numpy(), np.ones((2, 1)))


def launched(*arguments, module="proa.distributed.launch"):
    command = [sys.executable, "-m", *module.split(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_launcher_runs_one_process(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import os, sys, paddle\n"
                      "print(os.environ['PADDLE_TRAINER_ID'], paddle.distributed.get_world_size(), sys.argv[1:],\n"
                      "      os.environ['PADDLE_TRAINER_ENDPOINTS'], os.environ.get('FLAGS_selected_gpus'))\n"
                      "sys.exit(3)\n")
    ran = launched("--gpus", "0", "--master", "127.0.0.1:1", str(script), "--epochs", "2")
    assert (ran.returncode, ran.stdout.split("\n")[0]) == (3, "0 1 ['--epochs', '2'] 127.0.0.1:6070 0"), ran.stderr
    ran = launched(str(script), module="proa run -m paddle.distributed.launch")
    assert ran.returncode == 3 and ran.stdout.startswith("0 1 []"), ran.stderr
    ran = launched("--run_mode", "rpc", str(script))
    assert ran.returncode == 2 and "--run_mode: invalid choice: 'rpc'" in ran.stderr


def asked(options):
    found = parser()
    return processes(found, found.parse_args([*options, "train.py"]))


def test_how_many_processes_the_options_ask_for():
    assert asked([]).total == 1 and asked(["--nproc_per_node", "3"]).total == 3 and asked(["--gpus", "4,5"]).total == 2
    two = asked(["--ips", "10.0.0.1,10.0.0.2", "--nproc_per_node", "2"])
    assert (two.total, two.hosts, two.per_host) == (4, ("10.0.0.1", "10.0.0.2"), 2)
    assert asked(["--nnodes", "1:1"]).total == 1


@pytest.mark.parametrize("options, said", [
    (["--nnodes", "2"], "an address for each machine"), (["--nproc_per_node", "0"], "at least 1"),
    (["--nnodes", "x"], "number of machines"),
    (["--devices", "0", "--nproc_per_node", "2"], "as many devices")])
def test_what_cannot_be_started_is_an_error_of_usage(options, said, capsys):
    with pytest.raises(SystemExit):
        asked(options)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("variables, found", [
    ({"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4", "SLURM_LOCALID": "1", "PMIX_RANK": "3"}, (3, 4, 1)),
    ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "PMI_RANK": "1", "PMI_SIZE": "2"}, (1, 2, 0)),
    ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_LOCALID": "0"}, (0, 1, 0)),  # a batch script, before srun
    ({"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "1"}, (1, 2, 1)),
    ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}, (2, 3, 0))])
def test_what_launchers_of_mpi_and_slurm_say(monkeypatch, variables, found):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (launched_as.rank(), launched_as.size(), launched_as.local_rank()) == found
