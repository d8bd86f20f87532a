"""What is saved in some processes loads in others: states as files of one process, and checkpoints in parts."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from launching import PROGRAMS, run
from proa.core.files import CorruptFileError, MissingFileError
from proa.core.safe_pickle import UnsafePickleError, dump_state
from proa.distributed.checkpoint.metadata import (
    LocalTensorIndex,
    LocalTensorMetadata,
    Metadata,
    read_metadata,
    write_metadata,
)

dist = paddle.distributed


def trained(folder, processes, level, *arguments):
    arguments = [level, *map(str, arguments), folder]
    if processes > 1:
        run(folder, "resumed.py", *arguments, processes=processes)
    else:
        subprocess.run([sys.executable, "-m", "proa", "run", PROGRAMS / "resumed.py", *arguments], check=True)
    return json.loads((folder / "end.json").read_text())


@pytest.mark.parametrize("before, after", [
    ((2, "os_g"), (1, "whole")), *(pytest.param(*pair, marks=pytest.mark.slow) for pair in (
        ((1, "whole"), (2, "os_g")), ((2, "os"), (4, "os_g")), ((4, "os_g"), (2, "whole"))))])
def test_training_goes_on_in_another_number_of_processes(tmp_path, before, after):
    wanted = trained(tmp_path, 1, "whole", 0, 4, "-")
    trained(tmp_path, *before, 0, 2, "write")
    found = trained(tmp_path, *after, 2, 4, "read")
    for name, value in wanted[0].items():
        np.testing.assert_allclose(found[0][name], value, rtol=1e-4, atol=1e-5, err_msg=name)
    assert found[1:] == wanted[1:]


def state():
    return {"w": paddle.arange(6).reshape([2, 3]).astype("float32"), "inner": {"n": paddle.to_tensor([1, 2])}}


def test_a_folder_holds_several_states_and_the_last_counts(tmp_path):
    first = state()
    dist.save_state_dict(first, str(tmp_path))
    dist.save_state_dict({"w": first["w"] * 2}, str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["0.metadata", "0_0.distcp", "0_1.distcp", "1.metadata"]
    target = {"w": paddle.zeros([2, 3], "float64"), "inner": {"n": paddle.zeros([2], "int64")}}
    dist.load_state_dict(target, str(tmp_path))
    assert target["w"].tolist() == (first["w"] * 2).tolist() and target["inner"]["n"].tolist() == [1, 2]


def pieces(folder, files=("0_0.distcp", "1_0.distcp")):
    """A value in two pieces, as PaddlePaddle writes one that is divided."""
    dump_state({"w": np.ones((2, 3), "float32")}, folder / "0_0.distcp")
    dump_state({"w": np.full((1, 3), 2, "float32")}, folder / "1_0.distcp")
    write_metadata(Metadata(
        {"w": [LocalTensorMetadata((0, 0), (2, 3)), LocalTensorMetadata((2, 0), (1, 3))]},
        {LocalTensorIndex("w", (0, 0)): files[0], LocalTensorIndex("w", (2, 0)): files[1]}), str(folder / "0.metadata"))


def test_a_value_in_pieces_is_put_together(tmp_path):
    pieces(tmp_path)
    target = {"w": paddle.zeros([3, 3])}
    dist.load_state_dict(target, str(tmp_path))
    assert target["w"].tolist() == [[1.0] * 3] * 2 + [[2.0] * 3]


def test_nothing_is_changed_where_something_is_missing(tmp_path):
    with pytest.raises(MissingFileError, match="holds no checkpoint"):
        dist.load_state_dict(state(), str(tmp_path / "nowhere"))
    dist.save_state_dict(state(), str(tmp_path))
    target = state() | {"v": paddle.zeros([1])}
    target["w"] *= 0
    with pytest.raises(KeyError, match=r"no value for \['v'\]"):
        dist.load_state_dict(target, str(tmp_path))
    with pytest.raises(ValueError, match=r"'inner.n' has shape \[2\] in the checkpoint. Received shape \[3\]"):
        dist.load_state_dict({"w": target["w"], "inner": {"n": paddle.zeros([3], "int64")}}, str(tmp_path))
    with pytest.raises(ValueError, match="has dtype int64 in the checkpoint"):
        dist.load_state_dict({"w": target["w"], "inner": {"n": paddle.zeros([2])}}, str(tmp_path))
    assert target["w"].tolist() == [[0.0] * 3] * 2
    os.remove(tmp_path / "0_0.distcp")
    with pytest.raises(MissingFileError, match="is missing, a part of the checkpoint"):
        dist.load_state_dict(state(), str(tmp_path))


class Runs:
    def __reduce__(self):
        return os.system, ("touch ran",)


def test_files_of_others_run_nothing_and_name_nothing_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pieces(tmp_path, ("../0_0.distcp", "1_0.distcp"))
    with pytest.raises(CorruptFileError, match="unknown files"):
        read_metadata(str(tmp_path / "0.metadata"))
    for place in ("0.metadata", "0_0.distcp"):
        pieces(tmp_path)
        (tmp_path / place).write_bytes(pickle.dumps({"w": Runs()}))
        with pytest.raises(UnsafePickleError):
            dist.load_state_dict({"w": paddle.zeros([3, 3])}, str(tmp_path))
    pieces(tmp_path)
    whole = (tmp_path / "0.metadata").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / "0.metadata").write_bytes(whole[:length])
        with pytest.raises((CorruptFileError, UnsafePickleError)):
            read_metadata(str(tmp_path / "0.metadata"))
    assert not (tmp_path / "ran").exists()


def test_what_is_no_tensor_is_refused(tmp_path):
    with pytest.raises(TypeError, match="must hold Tensors. Received int for 'inner.n'. Save what is none"):
        dist.save_state_dict({"inner": {"n": 3}}, str(tmp_path))
    with pytest.raises(ValueError, match="two values have the key 'a.b'"):
        dist.save_state_dict({"a": {"b": paddle.ones([1])}, "a.b": paddle.ones([1])}, str(tmp_path))
