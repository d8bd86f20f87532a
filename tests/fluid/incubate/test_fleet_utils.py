"""What scripts of 1.x's fleet do beside training."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.distributed.fleet.fleet import Fleet
from proa.fluid.contrib.utils import lookup_table_utils
from proa.fluid.incubate.fleet.base import role_maker
from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from proa.fluid.incubate.fleet.utils import fleet_barrier_util, utils
from proa.fluid.incubate.fleet.utils.fleet_util import FleetUtil


@pytest.fixture
def alone(monkeypatch):
    for name in ("_given_role", "_is_initialized", "_executor"):
        monkeypatch.setattr(fleet, name, getattr(fleet, name))
    fleet.init(role_maker.UserDefinedRoleMaker(0, worker_num=1, server_endpoints=["127.0.0.1:1"]))
    return FleetUtil("transpiler")


def test_the_area_under_the_curve_of_all_workers(alone, capsys):
    rng = np.random.default_rng(0)
    scores, labels = rng.random((50, 1)).astype("float32").round(2), rng.integers(0, 2, (50, 1))
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
        score, label = fluid.data("score", [None, 1], "float32"), fluid.data("label", [None, 1], "int64")
        area, _, states = fluid.layers.auc(fluid.layers.concat([1 - score, score], axis=1), label)
        exe.run(startup)
        found = exe.run(main, {"score": scores, "label": labels}, [area])[0]
        names = [state.name for state in states[-2:]]
        assert alone.get_global_auc(stat_pos=names[0], stat_neg=names[1]) == pytest.approx(found.item(), abs=1e-6)
        alone.print_global_auc(stat_pos=names[0], stat_neg=names[1], print_prefix="epoch 1")
        alone.set_zero(names[0])
        assert alone.get_global_auc(stat_pos=names[0], stat_neg=names[1]) == 0.5
        assert alone.get_global_auc(stat_pos="none") is None
        with pytest.raises(ValueError, match="no value"):
            alone.set_zero("none")
    assert f"epoch 1 global auc = {found.item():.4f}"[:-1] in capsys.readouterr().out
    fleet_barrier_util.check_all_trainers_ready("/ready/path", 3)
    assert "epoch 3" in capsys.readouterr().out


def test_intervals_and_refusals(alone):
    assert alone.get_online_pass_interval("20260101", "0 1 2", 60, 2, True) == [["00", "01"], ["02"]]
    for call in (FleetUtil, lambda: alone.save_xbox_base_model("path", 1)):
        with pytest.raises(NotImplementedError, match="not published"):
            call()


def test_programs_in_files(tmp_path, capsys):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        fluid.layers.fc(fluid.data("x", [None, 4]), 2)
    utils.save_program(main, str(tmp_path / "__model__"))
    assert utils.program_type_trans(str(tmp_path), "__model__", False) == "__model__.pbtxt"
    assert utils.program_type_trans(str(tmp_path), "__model__.pbtxt", True) == "__model__.pbtxt.bin"
    back = utils.load_program(str(tmp_path / "__model__.pbtxt.bin"))
    assert [op.type for op in back.global_block().ops] == [op.type for op in main.global_block().ops]
    assert utils.check_pruned_program_vars(main, back)
    assert not utils.check_pruned_program_vars(fluid.Program(), back) and "fc_0.w_0: [4, 2]" in capsys.readouterr().out
    (tmp_path / "text").write_text("blocks {")
    with pytest.raises(ValueError, match="no text of a Program"):
        utils.load_program(str(tmp_path / "text"), is_text=True)


def test_tables_of_servers_in_one_process():
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
        rows = fluid.layers.embedding(fluid.data("ids", [None, 1], "int64"), [10, 3], True, True)
        loss = fluid.layers.mean(rows)
        exe.run(startup)
        ids = {"ids": np.array([[3], [7]])}
        before = exe.run(main.clone(), ids, [rows])[0]
        fluid.optimizer.SGD(0.1).minimize(loss)
        transpiler = fluid.DistributeTranspiler()
        transpiler.transpile(0, main, trainers=1, startup_program=startup)
        worker = transpiler.get_trainer_program(wait_port=False)
        local = lookup_table_utils.convert_dist_to_sparse_program(worker)._prune([rows])
        np.testing.assert_array_equal(exe.run(local, ids, [rows])[0], before)
    with pytest.raises(ValueError, match="nothing up on servers"):
        lookup_table_utils.convert_dist_to_sparse_program(main)
    for name in ("increment", "inference"):
        call = getattr(lookup_table_utils, f"load_persistables_for_{name}")
        with pytest.raises(NotImplementedError, match="FLAGS_ps_checkpoint_folder"):
            call(*[None] * (call.__code__.co_argcount))


class Two:
    """A fleet of two workers, of which the other has ten samples."""

    def worker_num(self):
        return 2

    def all_reduce_worker(self, counts, total):
        total[:] = counts + 10


def test_datasets_of_several_workers():
    dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    dataset._records = [(1,), (2,)]
    assert dataset.get_memory_data_size() == dataset.get_memory_data_size(Fleet().init()) == 2
    assert dataset.get_memory_data_size(Two()) == 12
    with pytest.warns(UserWarning, match="each of the 2 workers shuffles"):
        dataset.global_shuffle(Two())
    assert dataset.get_shuffle_data_size(Two()) == 12
