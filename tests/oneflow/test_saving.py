"""flow.save and flow.load: folders that OneFlow reads, and that are safe to read."""

import os
import pickle
from collections import OrderedDict

import numpy as np
import proa.oneflow as flow
import pytest
from proa.core.files import CorruptFileError
from proa.core.pickle_machine import UnsafePickleError
from proa.oneflow import nn, optim

PICKLE = "pickled_data"


def test_what_is_saved_is_loaded(tmp_path):
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    rule = optim.Adam(net.parameters())
    net(flow.ones(4, 2)).sum().backward()
    rule.step()
    shared = flow.arange(3)
    held = {"net": net.state_dict(), "rule": rule.state_dict(), "epoch": 3, "name": "x",
            "more": [shared, (shared, None)], "array": np.arange(2),
            "half": flow.ones(2).half(), "empty": flow.zeros(0, 3), "true": True}
    place = str(tmp_path / "model")
    flow.save(held, place)
    found = flow.load(place)
    assert type(found["net"]) is OrderedDict and found["epoch"] == 3 and found["array"].tolist() == [0, 1]
    for name, value in net.state_dict().items():
        assert found["net"][name].tolist() == value.tolist() and found["net"][name].dtype is value.dtype
    assert found["more"][0] is found["more"][1][0] and found["half"].dtype is flow.float16
    assert found["empty"].shape == (0, 3) and found["true"] is True
    other = optim.Adam(net.parameters())
    other.load_state_dict(found["rule"])
    assert other.steps == 1 and flow.load(place, map_location="cpu")["epoch"] == 3


def test_a_folder_is_written_again(tmp_path):
    flow.save({"a": flow.ones(2), "b": flow.ones(3)}, tmp_path)
    (tmp_path / "notes").mkdir()
    flow.save(OrderedDict(a=nn.Parameter(flow.zeros(1))), tmp_path)
    assert flow.load(tmp_path)["a"].tolist() == [0.0] and len(os.listdir(tmp_path)) == 3


def test_nothing_is_lost_when_saving_fails(tmp_path):
    flow.save({"a": flow.ones(2)}, tmp_path)
    for bad in ({"a": flow.zeros(1), "b": object()}, {"a": nn.Linear(1, 1)}, {"a": flow.zeros(1), "b": lambda: 0}):
        with pytest.raises(TypeError, match="flow.save"):
            flow.save(bad, tmp_path)
        assert flow.load(tmp_path)["a"].tolist() == [1.0, 1.0] and len(os.listdir(tmp_path)) == 2


class Harmful:
    def __reduce__(self):
        return os.mkdir, ("harm",)


@pytest.mark.parametrize("value", [Harmful(), {"protocol_version": 1, "data": Harmful()}, pickle.PickleError("x")])
def test_nothing_that_a_pickle_holds_is_run(tmp_path, value, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / PICKLE).write_bytes(pickle.dumps(value, 4))
    with pytest.raises(UnsafePickleError):
        flow.load(tmp_path)
    assert not os.path.exists("harm")


def test_damaged_folders(tmp_path):
    flow.save({"a": flow.ones(2)}, tmp_path)
    whole = (tmp_path / PICKLE).read_bytes()
    for bad in (whole[:-4], b"", pickle.dumps({"protocol_version": 2, "data": 1}, 4), pickle.dumps([], 4),
                whole.replace(b"tensor_0", b"../secret"[:8]), whole.replace(b"path", b"half")):
        (tmp_path / PICKLE).write_bytes(bad)
        with pytest.raises((CorruptFileError, FileNotFoundError)):
            flow.load(tmp_path)
    (tmp_path / PICKLE).write_bytes(whole)
    (tmp_path / "tensor_0" / "out").write_bytes(b"123")
    with pytest.raises(CorruptFileError, match="3 bytes"):
        flow.load(tmp_path)
    os.remove(tmp_path / PICKLE)
    with pytest.raises(FileNotFoundError, match="snapshot_done"):
        flow.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        flow.load(tmp_path / "nowhere")
    with pytest.raises(NotADirectoryError, match="PyTorch"):
        flow.load(tmp_path / "tensor_0" / "meta")
    with pytest.raises(NotADirectoryError):
        flow.save({}, tmp_path / "tensor_0" / "meta")


def test_a_snapshot_of_jobs_is_read(tmp_path):
    (tmp_path / "snapshot_done").mkdir()
    (tmp_path / "dense-bias").mkdir()
    np.arange(3, dtype="float32").tofile(tmp_path / "dense-bias" / "out")
    (tmp_path / "dense-bias" / "meta").write_text("shape { dim: 3 } data_type: kFloat")
    assert flow.load(tmp_path)["dense-bias"].tolist() == [0.0, 1.0, 2.0]
