"""Every option of Paddle 2.6.2's launchers and of 1.8.5's is taken, or refused by its name with what to do instead."""

import pytest
from proa.distributed.launch.options import is_elastic, parse, parser, processes, restarts

OF_2_6 = {  # the launcher's, and those of the one that it calls legacy
    "--master": "127.0.0.1:8090", "--legacy": "true", "--rank": "0", "--log_level": "debug", "--log_overwrite": "true",
    "--sort_ip": "false", "--enable_gpu_log": "false", "--nnodes": "1", "--nproc_per_node": "2", "--log_dir": "there",
    "--run_mode": "collective", "--job_id": "one", "--devices": "0,1", "--gpus": "0,1", "--npus": "0", "--xpus": "0",
    "--host": "127.0.0.1", "--ips": "127.0.0.1", "--start_port": "7000", "--gloo_port": "6767", "--with_gloo": "1",
    "--max_restart": "3", "--elastic_level": "1", "--elastic_timeout": "30", "--backend": "gloo",
    "--selected_gpus": "0", "--selected_xpus": "0", "--http_port": "8000",
    "--servers": "127.0.0.1:1", "--trainers": "127.0.0.1:2", "--workers": "127.0.0.1:2", "--server_num": "1",
    "--trainer_num": "1", "--worker_num": "1"}
REFUSED = {
    "--auto_parallel_config": "a.json", "--auto_tuner_json": "a.json", "--cluster_topo_path": "a.json",
    "--rank_mapping_path": "a.json", "--enable_auto_mapping": "True", "--coordinators": "127.0.0.1:1",
    "--coordinator_num": "1", "--heter_workers": "127.0.0.1:1", "--heter_worker_num": "1", "--heter_devices": "gpu",
    "--elastic_server": "127.0.0.1:2379", "--elastic_pre_hook": "true", "--np": "2", "--scale": "1", "--force": "true"}
OF_1_8 = {"--cluster_node_ips": "127.0.0.1", "--node_ip": "127.0.0.1", "--started_port": "7000",
          "--print_config": "True", "--selected_gpus": "0,1", "--log_level": "20", "--log_dir": "there"}


def parsed(*arguments):
    found = parser()
    options = found.parse_args([*arguments, "train.py", "--lr", "1"])
    return options, processes(found, options)


@pytest.mark.parametrize("option, value", [*OF_2_6.items(), *OF_1_8.items()])
def test_an_option_is_taken(option, value):
    options, _ = parsed(option, value)
    assert options.training_script == "train.py" and options.arguments == ["--lr", "1"]


@pytest.mark.parametrize("option, value", REFUSED.items())
def test_an_option_is_refused_by_its_name(capsys, option, value):
    with pytest.raises(SystemExit, match="2"):
        parsed(option, value)
    assert f"{option} {value}: is not supported. Use " in capsys.readouterr().err


@pytest.mark.parametrize("arguments, said", [
    (("--use_paddlecloud",), "--use_paddlecloud: is not supported. Use --ips"),
    (("--master", "etcd://127.0.0.1:2379"), "--master etcd://127.0.0.1:2379: is not supported. Use --ips"),
    (("--elastic_level", "0"), "Use --elastic_level 1: with MPI all processes end together"),
    (("--max_restart", "-1"), "--max_restart -1: must be at least 0"),
    (("--stop_timeout", "-1"), "--stop_timeout -1.0: must be a number of seconds"),
    (("--run_mode", "rpc"), "--run_mode"), (("--nnodes", "2"), "--ips with an address for each machine"),
    (("--nnodes", "2:1"), "must be a number of machines, or MIN:MAX"), (("--log_level", "loud"), "must be one of"),
    (("--nnodes", "1:2", "--ips", "127.0.0.1,127.0.0.2"), "without --elastic"),
    (("--ips", "192.0.2.1,192.0.2.2", "--rank", "1"), "this is 192.0.2.2, the machine of the number 1"),
    (("--cluster_node_ips", "192.0.2.1,192.0.2.2", "--node_ip", "192.0.2.2"), "start it on 192.0.2.1 only"),
    (("--ips", "192.0.2.1,127.0.0.1"), "this is 127.0.0.1, the machine of the number 1"),
    (("--log_overwrite", "perhaps"), "must be true or false"), (("--no_such_option",), "--no_such_option"),
    (("--backend", "nccl"), "invalid choice: 'nccl'")])
def test_what_cannot_be_is_an_error_of_usage(capsys, arguments, said):
    with pytest.raises(SystemExit, match="2"):
        parsed(*arguments)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments, count", [
    ((), 0), (("--elastic",), 3), (("--elastic_level", "1"), 3), (("--elastic_level", "-1", "--max_restart", "5"), 0),
    (("--max_restart", "5"), 5), (("--elastic", "--max_restart", "0"), 0)])
def test_how_often_a_job_is_started_again(arguments, count):
    options, _ = parsed(*arguments)
    assert restarts(options) == count and (count == 0 or is_elastic(options))


def test_machines():
    _, wanted = parsed("--ips", "127.0.0.1, 127.0.0.2", "--nproc_per_node", "2")
    assert wanted == (("127.0.0.1", "127.0.0.2"), 2, 2) and wanted.total == 4
    assert parsed("--ips", "127.0.0.10,127.0.0.9", "--sort_ip", "true")[1].hosts == ("127.0.0.9", "127.0.0.10")
    assert parsed("--ips", "127.0.0.1,127.0.0.2", "--nnodes", "1:2", "--elastic")[1].fewest == 1
    assert parsed("--selected_gpus", "0,1")[1] == (("127.0.0.1",), 2, 1)


def test_the_environment_counts_more_as_in_paddle(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["launch", "--nproc_per_node", "2", "train.py"])
    monkeypatch.setenv("PADDLE_NPROC_PER_NODE", "3")
    monkeypatch.setenv("PADDLE_LOG_OVERWRITE", "1")
    found = parser()
    options = parse(found)
    assert processes(found, options).total == 3 and options.log_overwrite is True
    monkeypatch.setenv("PADDLE_MAX_RESTART", "many")
    with pytest.raises(SystemExit, match="2"):
        parse(found)
    assert "PADDLE_MAX_RESTART, which stands for --max_restart" in capsys.readouterr().err
