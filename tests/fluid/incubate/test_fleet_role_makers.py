"""Role makers of 1.x."""

import pytest
from proa.fluid.incubate.fleet.base import role_maker

SERVERS = ["127.0.0.1:36001", "127.0.0.2:36001"]


def test_the_launcher_s_variables(monkeypatch):
    with pytest.raises(ValueError, match="GeneralRoleMaker: no environment variable PADDLE_PSERVERS_IP_PORT_LIST"):
        role_maker.GeneralRoleMaker(path="/tmp").generate_role()
    for name, value in {"PADDLE_PSERVERS_IP_PORT_LIST": ",".join(SERVERS), "TRAINING_ROLE": "TRAINER",
                        "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:7,127.0.0.1:8", "PADDLE_TRAINER_ID": "1"}.items():
        monkeypatch.setenv(name, value)
    role = role_maker.GeneralRoleMaker()
    role.generate_role()
    assert role.is_worker() and not role.is_first_worker() and role.worker_num() == 2
    assert role.get_pserver_endpoints() == SERVERS and role.get_local_endpoint() == "127.0.0.1:8"
    with pytest.raises(RuntimeError, match="init_worker"):
        role.barrier_worker()
    monkeypatch.setenv("TRAINING_ROLE", "PSERVER")
    monkeypatch.setenv("PADDLE_PSERVER_ID", "1")
    server = role_maker.PaddleCloudRoleMaker()
    assert server.is_server() and server.server_index() == 1 and server.get_local_endpoint() == SERVERS[1]
    with pytest.raises(RuntimeError, match="is the workers'"):
        server.barrier_worker()


@pytest.mark.parametrize("arguments, error, said", [
    (dict(server_endpoints="127.0.0.1:1", worker_num=1), TypeError, "must be a list"),
    (dict(server_endpoints=[], worker_num=1), ValueError, "must name an endpoint"),
    (dict(server_endpoints=["a:1", "a:1"], worker_num=1), ValueError, "one process's"),
    (dict(server_endpoints=["a:1"], role=3, worker_num=1), TypeError, "Role.WORKER or Role.SERVER"),
    (dict(server_endpoints=["a:1"], worker_num=0), ValueError, "at least 1"),
    (dict(server_endpoints=["a:1"], worker_num=1.5), TypeError, "a whole number"),
    (dict(server_endpoints=["a:1"], current_id=-1, worker_num=1), ValueError, "must be in"),
    (dict(server_endpoints=["a:1"], role=2, current_id=1, worker_num=3), ValueError, "must be in"),
    (dict(server_endpoints=["a:1"], current_id="0", worker_num=3), TypeError, "a whole number")])
def test_arguments_that_make_no_sense(arguments, error, said):
    with pytest.raises(error, match=said):
        role_maker.UserDefinedRoleMaker(**arguments)


def test_parts_by_arguments():
    one = role_maker.UserDefinedRoleMaker(0, worker_num=1, server_endpoints=SERVERS)
    assert one.is_first_worker() and one.all_gather(2.5) == [2.5]
    output = [0, 0]
    one.all_reduce_worker([1, 2], output)
    assert output == [1, 2]
    one.barrier_all()
    many = role_maker.UserDefinedCollectiveRoleMaker(1, ["127.0.0.1:1", "127.0.0.1:2"])
    assert many.is_worker() and many.worker_num() == 2 and many.get_trainer_endpoints()[1] == "127.0.0.1:2"
    with pytest.raises(RuntimeError, match="even number of processes"):
        role_maker.MPISymetricRoleMaker().generate_role()
