"""Networks that are cut, and several machines, each a network namespace: where the system lets a test make these."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from jobs import MARK
from launching import PROGRAMS

pytestmark = pytest.mark.slow

CUT = """
ip link set lo up
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo FLAGS_communication_timeout={patience}
{python} -m proa.distributed.launch --nproc_per_node 2 --stop_timeout 2 {program} 5 > out 2>&1 &
launcher=$!
while ! grep -q begins out && kill -0 $launcher; do sleep 0.1; done
sleep 0.5; ip link set lo down; sleep {seconds}; ip link set lo up
wait $launcher; code=$?; cat out; exit $code
"""
# What stands for ssh gives a command to the namespace of the other machine.
MACHINES = """
ip link set lo up
unshare -n sleep 120 & other=$!
sleep 0.5
ip link add here type veth peer name there; ip link set there netns $other
ip addr add 10.77.0.1/24 dev here; ip link set here up
nsenter -t $other -n sh -c 'ip link set lo up; ip addr add 10.77.0.2/24 dev there; ip link set there up'
cat > ssh <<END
#!/bin/bash
while [[ "\\$1" == -* ]]; do shift; done
host=\\$1; shift
[ "\\$host" = 10.77.0.2 ] && exec nsenter -t $other -n bash -c "\\$*"
exit 255
END
chmod +x ssh; export PRTE_MCA_plm_ssh_agent=$PWD/ssh
"""
SCRIPT = """
import os, signal, subprocess, sys, time
import paddle
import paddle.distributed as dist
if dist.get_world_size() > 1: dist.init_parallel_env()
x = paddle.ones([3]) * (dist.get_rank() + 1)
if dist.get_world_size() > 1: dist.all_reduce(x)
here = subprocess.run(["ip", "-br", "addr"], capture_output=True, text=True).stdout
print("rank", dist.get_rank(), "of", os.environ["PADDLE_NNODES"], "10.77.0.2" in here, x.tolist(), flush=True)
"""


def alone(tmp_path, script):
    """What a shell script does in a network namespace of its own."""
    pytest.importorskip("mpi4py")
    if subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], capture_output=True).returncode:
        pytest.skip("network namespaces cannot be made here")
    done = subprocess.run(["unshare", "-n", "bash", "-c", script], cwd=tmp_path, capture_output=True, text=True,
                          timeout=150, env={**os.environ, "OMP_NUM_THREADS": "1", MARK: str(tmp_path)})
    left = [entry.name for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit() and _is_of(entry, tmp_path)]
    assert not left
    return done


def _is_of(entry, tmp_path):
    try:
        return f"{MARK}={tmp_path}".encode() in (entry / "environ").read_bytes() and b"proa" in (
            entry / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


@pytest.mark.parametrize("seconds, patience, code, said", [
    (3, 60, 0, r"longest [2-9]\.\d"), (8, 3, 1, r"all_reduce: rank \d of the group of \[0, 1\] waited 3 s")])
def test_a_network_is_cut_between_processes(tmp_path, seconds, patience, code, said):
    done = alone(tmp_path, CUT.format(python=sys.executable, program=PROGRAMS / "cut.py", seconds=seconds,
                                      patience=patience))
    assert done.returncode == code and re.search(said, done.stdout), done


@pytest.mark.parametrize("seconds, said", [
    (3, "[-100.0, -100.0]\n[-100.0, -100.0]\n"), (12, "has been silent for 7 s, which is more than 6 s")])
def test_a_network_is_cut_between_trainers_and_servers(tmp_path, seconds, said):
    pytest.importorskip("grpc")
    done = alone(tmp_path, f"{sys.executable} {PROGRAMS / 'cut_servers.py'} {seconds}")
    assert done.returncode == 0 and said in done.stdout, done


def launched(*options):
    return (f"{MACHINES}{sys.executable} -m proa.distributed.launch {' '.join(options)} train.py\n"
            f"code=$?; kill $other; exit $code")


def test_two_machines(tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT)
    done = alone(tmp_path, launched("--ips", "10.77.0.1,10.77.0.2", "--nproc_per_node", "1"))
    assert done.returncode == 0 and "rank 0 of 2 False [3.0, 3.0, 3.0]" in done.stdout, done
    assert "rank 1 of 2 True [3.0, 3.0, 3.0]" in (tmp_path / "log" / "workerlog.1").read_text()
    assert not [*(tmp_path / "log").glob("proa-launch*")]


def test_a_process_of_another_machine_fails(tmp_path):
    (tmp_path / "train.py").write_text(f"{SCRIPT}if dist.get_rank() == 1: raise ValueError('there')\ntime.sleep(60)")
    done = alone(tmp_path, launched("--ips", "10.77.0.1,10.77.0.2", "--nproc_per_node", "1"))
    assert done.returncode == 1 and "ValueError: there" in done.stderr, done


def test_a_machine_that_does_not_answer_is_left_out(tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT)
    done = alone(tmp_path, launched("--ips", "10.77.0.1,10.77.0.2,10.77.0.3", "--nnodes", "2:3", "--elastic",
                                    "--elastic_timeout", "1"))
    assert done.returncode == 0 and "rank 0 of 2 False [3.0, 3.0, 3.0]" in done.stdout, done
    done = alone(tmp_path, launched("--ips", "10.77.0.1,10.77.0.3", "--nnodes", "2:2", "--elastic"))
    assert done.returncode != 0
    done = alone(tmp_path, launched("--ips", "10.77.0.1,10.77.0.3,10.77.0.4", "--nnodes", "2:3", "--elastic",
                                    "--elastic_timeout", "1"))
    assert "only 10.77.0.1 answered by ssh within 1 s" in done.stderr
