"""Snapshots and state dicts: by a table of names, with dense weights the other way around."""

import os

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest
from proa.command_line import main
from proa.oneflow.snapshot.writing import write_snapshot

WEIGHT = np.arange(12, dtype="float32").reshape(4, 3)  # of a dense layer from 3 to 4
VALUES = {"dense1-weight": WEIGHT, "dense1-bias": np.ones(4, "float32"),
          "System-Train-TrainStep-job": np.array([9], "int64")}
LINES = ["dense1-weight  fc.weight  transpose", "dense1-bias fc.bias"]


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(3, 4)


@pytest.fixture(params=[False, True], ids=["first form", "later form"])
def folder(tmp_path, request):
    write_snapshot(tmp_path / "models", list(VALUES), VALUES.__getitem__, "save", request.param)
    return tmp_path / "models"


@pytest.fixture
def plain(tmp_path):
    """A snapshot whose files tell no shapes."""
    write_snapshot(tmp_path / "plain", list(VALUES), VALUES.__getitem__, "save")
    return tmp_path / "plain"


def test_a_model_tells_shapes(folder):
    net = Net()
    state = flow.snapshot.state_dict_of_snapshot(folder, flow.snapshot.read_table(LINES), net)
    assert net.set_state_dict(state) == ([], [])
    np.testing.assert_array_equal(net.fc.weight.numpy(), WEIGHT.T)
    x = np.ones((2, 3), "float32")
    np.testing.assert_array_equal(net.fc(paddle.to_tensor(x)).numpy(), x @ WEIGHT.T + 1)
    some = flow.snapshot.state_dict_of_snapshot(folder, {"dense1-bias": "fc.bias"}, net.state_dict())
    assert sorted(some) == ["fc.bias"]


def test_the_table_tells_shapes(folder):
    table = flow.snapshot.read_table(["dense1-weight w float32 4x3 transpose  # and a remark", "", "# none",
                                      "dense1-bias b 4 float32", "System-Train-TrainStep-job step int64 1"])
    state = flow.snapshot.state_dict_of_snapshot(folder, table)
    assert {key: value.shape for key, value in state.items()} == {"w": [3, 4], "b": [4], "step": [1]}
    assert state["step"].numpy().tolist() == [9] and state["w"].numpy().flags.c_contiguous


def test_there_and_back_without_a_bit_lost(folder, tmp_path):
    table = flow.snapshot.read_table(["dense1-weight w float32 4x3 transpose", "dense1-bias b float32 4",
                                      "System-Train-TrainStep-job step int64 1"])
    paddle.save(flow.snapshot.state_dict_of_snapshot(folder, table), str(tmp_path / "model.pdparams"))
    flow.snapshot.snapshot_of_state_dict(paddle.load(str(tmp_path / "model.pdparams")), tmp_path / "again", table)
    for name, value in VALUES.items():
        assert (tmp_path / "again" / name / "out").read_bytes() == value.tobytes()
    assert (tmp_path / "again" / "snapshot_done").is_dir()


@pytest.mark.parametrize("table, like, error, message", [
    ({"dense1-weight": "w"}, None, ValueError, r"has 48 bytes and does not tell its shape.*weight w float32 2x3"),
    ({"gone": "w"}, None, KeyError, r"not in the snapshot: 'gone'. There are 'System-Train-TrainStep-job', 'd"),
    ({"dense1-weight": "w", "dense1-bias": "w"}, None, ValueError, "have the same key 'w'"),
    ({"../x": "w"}, None, ValueError, "holds no '/'"),
    ({}, None, TypeError, "a dict from the names"),
    (["dense1-weight"], None, TypeError, "a dict from the names"),
    ({"dense1-weight": 3}, None, TypeError, "a key or a TableEntry. Received 3"),
    ({"dense1-weight": "w"}, 3, TypeError, "a Layer or a state dict"),
    ({"dense1-weight": "w"}, {"w": np.zeros((4, 4), "float32")}, ValueError, r"48 bytes; shape \[4, 4\]"),
    ({"dense1-weight": flow.snapshot.TableEntry("w", (4, 3))}, {"w": np.zeros((3, 4), "float32")}, ValueError,
     r"gives 'dense1-weight' the shape \[4, 3\]; 'w' has \[3, 4\]"),
    ({"dense1-weight": flow.snapshot.TableEntry("w", (4, 3))}, None, ValueError, "does not tell its dtype"),
])
def test_what_does_not_fit(plain, table, like, error, message):
    with pytest.raises(error, match=message):
        flow.snapshot.state_dict_of_snapshot(plain, table, like)


@pytest.mark.parametrize("line, message", [
    ("one", "line 2: a line has a variable's name and a key. Received 'one'"), ("a b float33", "Received 'float33'"),
    ("a b 2x", "Received '2x'"), ("a b transposed", "Received 'transposed'"), ("w k", "'w' is in the table already"),
    ("a b -3", "Received '-3'"),
])
def test_tables_that_are_none(line, message):
    with pytest.raises(ValueError, match=message):
        flow.snapshot.read_table(["w x", line])


def test_what_a_state_dict_does_not_have(tmp_path):
    state = Net().state_dict()
    with pytest.raises(KeyError, match="not in the state dict: 'gone'. There are 'fc.weight', 'fc.bias'"):
        flow.snapshot.snapshot_of_state_dict(state, tmp_path / "a", {"w": "gone"})
    for wrong in ("3x4", "float64", "4"):
        with pytest.raises(ValueError, match=r"'fc.weight', transposed, has \[4, 3\] float32"):
            flow.snapshot.snapshot_of_state_dict(
                state, tmp_path / "a", flow.snapshot.read_table([f"w fc.weight transpose {wrong}"]))
    assert os.listdir(tmp_path) == []


def test_a_scalar(tmp_path):
    flow.snapshot.snapshot_of_state_dict({"s": np.float64(2)}, tmp_path / "a", {"s": "s"})
    state = flow.snapshot.state_dict_of_snapshot(tmp_path / "a", flow.snapshot.read_table(["s s scalar float64"]))
    assert state["s"].shape == [] and float(state["s"]) == 2


class TestCommand:
    def run(self, *arguments):
        return main(["snapshot", *map(str, arguments)])

    def test_there_and_back(self, folder, tmp_path, capsys):
        table = tmp_path / "names.txt"
        table.write_text("\n".join(LINES))
        net = Net()
        paddle.save(net.state_dict(), str(tmp_path / "like.pdparams"))
        params = tmp_path / "model.pdparams"
        assert self.run("to-params", folder, params, "--names", table, "--like", tmp_path / "like.pdparams") == 0
        assert capsys.readouterr().out == (f"2 values were written to {params}.\nOf {folder} these are not in the "
                                           "table: System-Train-TrainStep-job.\n")
        before = params.read_bytes()
        assert self.run("to-params", folder, params, "--names", table) == 1
        assert "is there already: --force replaces it; FILE names another." in capsys.readouterr().err
        assert params.read_bytes() == before
        assert self.run("to-params", folder, params, "--names", table, "--like", tmp_path / "like.pdparams",
                        "--force") == 0
        capsys.readouterr()
        net.set_state_dict(paddle.load(str(params)))
        np.testing.assert_array_equal(net.fc.weight.numpy(), WEIGHT.T)
        assert self.run("from-params", params, tmp_path / "again", "--names", table, "--meta") == 0
        assert capsys.readouterr().out == f"2 values were written to {tmp_path / 'again'}.\n"
        assert (tmp_path / "again" / "dense1-weight" / "out").read_bytes() == WEIGHT.tobytes()
        assert self.run("list", tmp_path / "again") == 0
        assert capsys.readouterr().out == ("dense1-bias  float32 4  # 16 bytes\n"
                                           "dense1-weight  float32 4x3  # 48 bytes\n")

    def test_what_goes_wrong_is_said_in_a_line(self, plain, tmp_path, capsys):
        table = tmp_path / "names.txt"
        table.write_text("gone w")
        for arguments, message in (
            (("list", tmp_path / "nothing"), "there is no such folder"),
            (("to-params", plain, tmp_path / "a.pdparams", "--names", table), "not in the snapshot: 'gone'"),
            (("to-params", plain, tmp_path / "a.pdparams", "--names", tmp_path / "no.txt"), "No such file"),
            (("from-params", tmp_path / "a.pdparams", plain, "--names", table), "a.pdparams"),
        ):
            assert self.run(*arguments) == 1
            said = capsys.readouterr().err
            assert message in said and said.startswith(f"proa snapshot {arguments[0]}: ") and said.count("\n") == 1
        assert sorted(os.listdir(tmp_path)) == ["names.txt", "plain"]

    def test_help(self, capsys):
        for arguments in (["snapshot", "--help"], ["--help"]):
            assert main(arguments) == 0
        assert "to-params" not in capsys.readouterr().err
