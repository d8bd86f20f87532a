"""Role makers of 2.x: what environment variables and arguments say of a process's part."""

import numpy as np
import pytest
from proa.distributed import fleet
from proa.distributed.fleet.base import roles
from proa.distributed.fleet.base.role_maker import file_shard

SERVERS = "127.0.0.1:36001,127.0.0.2:36001"
TRAINER = {"PADDLE_PSERVERS_IP_PORT_LIST": SERVERS, "TRAINING_ROLE": "TRAINER", "PADDLE_TRAINERS_NUM": "2",
           "PADDLE_TRAINER_ID": "1"}
SERVER = {"PADDLE_PSERVERS_IP_PORT_LIST": SERVERS, "TRAINING_ROLE": "PSERVER", "PADDLE_TRAINERS_NUM": "2",
          "POD_IP": "127.0.0.2", "PADDLE_PORT": "36001"}


def test_the_launcher_s_variables(monkeypatch):
    for name, value in TRAINER.items():
        monkeypatch.setenv(name, value)
    role = fleet.PaddleCloudRoleMaker()
    assert role._is_worker() and not role._is_server() and not role._is_first_worker()
    assert (role._worker_index(), role._worker_num(), role._server_num()) == (1, 2, 2)
    assert role._get_pserver_endpoints() == SERVERS.split(",") and not role._is_non_distributed()
    with pytest.raises(RuntimeError, match="init_worker"):
        role._all_gather(1)
    with pytest.raises(NotImplementedError, match="comm_world='worker'"):
        role._barrier("all")
    with pytest.raises(RuntimeError, match="no worker's endpoint"):
        role._get_trainer_endpoint()


def test_servers_know_themselves_by_address_or_number():
    assert roles.from_environment(SERVER) == roles.Assignment(fleet.Role.SERVER, 1, 2, SERVERS.split(","), [])
    numbered = {**SERVER, "PADDLE_PSERVER_ID": "0"}
    assert roles.from_environment(numbered).index == 0
    endpoints = {**SERVER, "PADDLE_TRAINER_ENDPOINTS": "a:1,b:1,c:1"}
    del endpoints["PADDLE_TRAINERS_NUM"]
    assert roles.from_environment(endpoints).worker_num == 3
    assert roles.from_environment({}) is None


@pytest.mark.parametrize("variables, said", [
    ({**TRAINER, "TRAINING_ROLE": "WORKER"}, "TRAINING_ROLE must be TRAINER or PSERVER"),
    ({**TRAINER, "PADDLE_TRAINER_ID": "2"}, "PADDLE_TRAINER_ID must be in"),
    ({**TRAINER, "PADDLE_TRAINER_ID": "one"}, "PADDLE_TRAINER_ID must be a whole number"),
    ({**TRAINER, "PADDLE_TRAINERS_NUM": "0"}, "PADDLE_TRAINERS_NUM must be at least 1"),
    ({key: value for key, value in TRAINER.items() if key != "PADDLE_TRAINERS_NUM"}, "PADDLE_TRAINERS_NUM is missing"),
    ({**TRAINER, "PADDLE_PSERVERS_IP_PORT_LIST": "127.0.0.1"}, "host:port"),
    ({**TRAINER, "PADDLE_PSERVERS_IP_PORT_LIST": "a:1,a:1"}, "one process's"),
    ({**SERVER, "PADDLE_PORT": "36002"}, "which is not among"),
    ({**SERVER, "PADDLE_PSERVER_ID": "2"}, "PADDLE_PSERVER_ID must be in"),
    ({key: value for key, value in SERVER.items() if key != "POD_IP"}, "POD_IP and PADDLE_PORT")])
def test_variables_that_make_no_sense(variables, said):
    with pytest.raises(ValueError, match=said):
        roles.from_environment(variables)
    with pytest.raises(NotImplementedError, match="coordinators"):
        roles.from_environment({**TRAINER, "TRAINING_ROLE": "COORDINATOR"})


def test_a_part_by_arguments():
    role = fleet.UserDefinedRoleMaker(current_id=0, role=fleet.Role.SERVER, worker_endpoints=["127.0.0.1:6003"],
                                      server_endpoints=["127.0.0.1:6001", "127.0.0.1:6002"])
    assert role._is_server() and role._server_num() == 2 and role._worker_num() == 1
    with pytest.raises(ValueError, match=r"\(server_endpoints\): is needed"):
        fleet.UserDefinedRoleMaker(current_id=0, role=fleet.Role.WORKER, worker_num=1)._generate_role()
    with pytest.raises(ValueError, match=r"current_id\): must be in \[0, 1\)"):
        fleet.UserDefinedRoleMaker(current_id=1, role=fleet.Role.WORKER, worker_num=1,
                                   server_endpoints=["a:1"])._generate_role()
    everyone = fleet.UserDefinedRoleMaker(is_collective=True, current_id=1, worker_endpoints=["a:1", "b:1"])
    assert everyone._worker_num() == 2 and everyone._worker_index() == 1 and everyone._node_num() == 2


def test_a_worker_alone_meets_itself():
    role = fleet.PaddleCloudRoleMaker()
    assert role._all_gather(3) == [3] and role._is_non_distributed()
    role._barrier("worker")
    np.testing.assert_array_equal(role._all_reduce([1, 2], "max"), [1, 2])
    with pytest.raises(ValueError, match="sum, max, min"):
        role._all_reduce([1, 2], "mean")


def test_files_are_divided_as_evenly_as_can_be():
    files = list("abcdefg")
    assert [file_shard(files, n, 3, "split_files") for n in range(3)] == [list("abc"), list("de"), list("fg")]
    assert [file_shard(["a"], n, 2, "split_files") for n in range(2)] == [["a"], []]
    with pytest.raises(TypeError, match="a list of files"):
        file_shard("abc", 0, 1, "split_files")
