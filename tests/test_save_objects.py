"""`paddle.save` of what is no state dict: arrays beside Tensors, objects of users' classes."""

import argparse
import io
import pickle

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core.safe_pickle import UnsafePickleError


class Settings:
    """A class of a user's script."""

    def __init__(self, weight):
        self.weight, self.rate = weight, 0.5


@pytest.mark.parametrize("make", [list, tuple, lambda pair: dict(enumerate(pair)),
                                  lambda pair: {"state": {"w": pair[0]}, "other": pair[1]}])
def test_arrays_beside_tensors_stay_arrays(make, tmp_path):
    paddle.save(make([paddle.ones([2]), np.zeros(3)]), tmp_path / "pair")
    loaded = paddle.load(tmp_path / "pair")
    tensor, array = loaded.values() if isinstance(loaded, dict) else loaded
    assert type(array) is np.ndarray and array.dtype == np.float64
    assert isinstance(tensor["w"] if isinstance(tensor, dict) else tensor, paddle.Tensor)


def test_arrays_in_dicts_of_a_state_stay_arrays(tmp_path):
    for state in ({"w": paddle.ones([1]), "schedule": {"steps": np.arange(3)}}, {"schedule": {"steps": np.arange(3)}}):
        paddle.save(state, tmp_path / "state")
        loaded = paddle.load(tmp_path / "state")
        assert type(loaded["schedule"]["steps"]) is np.ndarray
        assert "w" not in state or isinstance(loaded["w"], paddle.Tensor)


def test_arrays_alone_become_tensors(tmp_path):
    for value in (np.arange(2), [np.arange(2)], (np.arange(2), 2)):
        paddle.save(value, tmp_path / "arrays")
        loaded = paddle.load(tmp_path / "arrays")
        assert isinstance(loaded if isinstance(value, np.ndarray) else loaded[0], paddle.Tensor)


@pytest.mark.parametrize("protocol", [2, 4])
def test_an_object_of_a_users_class_is_saved_with_a_warning(protocol, tmp_path):
    checkpoint = {"model": paddle.nn.Linear(1, 1).state_dict(), "args": argparse.Namespace(rate=0.1),
                  "more": [Settings(paddle.ones([2]))]}
    path = tmp_path / "checkpoint"
    with pytest.warns(UserWarning, match=r"\['args'\] is an object of type argparse.Namespace.*pickle.load"):
        paddle.save(checkpoint, path, protocol)
    with pytest.raises(UnsafePickleError, match="argparse"):
        paddle.load(path)
    loaded = pickle.loads(path.read_bytes())
    assert loaded["args"].rate == 0.1 and loaded["more"][0].rate == 0.5
    assert loaded["more"][0].weight[1].tolist() == [1.0, 1.0]


def test_nothing_is_written_of_what_cannot_be_pickled(tmp_path):
    paddle.save([1], tmp_path / "file")
    file = io.BytesIO()
    for where in (tmp_path / "file", file):
        with pytest.raises(TypeError, match=r"\['hook'\].*[Nn]or can it be pickled"):
            paddle.save({"w": paddle.ones([1]), "hook": lambda: 0}, where)
    assert paddle.load(tmp_path / "file") == [1] and file.getvalue() == b""


def test_an_object_goes_to_an_open_file_too():
    file = io.BytesIO()
    with pytest.warns(UserWarning, match="argparse"):
        paddle.save(argparse.Namespace(rate=0.1), file)
    assert pickle.loads(file.getvalue()).rate == 0.1


@pytest.mark.parametrize("path", [3, None, ["a"]])
def test_a_path_is_a_path_or_an_open_file(path):
    with pytest.raises(TypeError, match="that is open for writing bytes"):
        paddle.save({"w": paddle.ones([1])}, path)


def test_files_written_while_training_goes_on(tmp_path):
    layer = paddle.nn.Linear(2, 3)
    before = {name: value.numpy().copy() for name, value in layer.state_dict().items()}
    paddle.async_save(layer.state_dict(), str(tmp_path / "new" / "layer.pdparams"))
    layer.weight.set_value(paddle.zeros([2, 3]))
    paddle.framework.async_save(paddle.ones([2]), str(tmp_path / "tensor"), sync_other_task=True)
    paddle.clear_async_save_task_queue()
    for name, value in paddle.load(str(tmp_path / "new" / "layer.pdparams")).items():
        np.testing.assert_array_equal(value, before[name])
    assert paddle.load(str(tmp_path / "tensor")).tolist() == [1.0, 1.0]


def test_what_cannot_be_written_in_the_background(tmp_path):
    for wrong in ([paddle.ones([2])], 3, static.Program()):
        with pytest.raises(TypeError, match=r"async_save\(obj\)"):
            paddle.async_save(wrong, str(tmp_path / "file"))
    with pytest.raises(ValueError, match="must be 2, 3 or 4"):
        paddle.async_save({}, str(tmp_path / "file"), protocol=1)
    (tmp_path / "file").write_text("in the way of a folder")
    paddle.async_save({"a": paddle.ones([1])}, str(tmp_path / "file" / "inner"))
    with pytest.raises(OSError):
        paddle.clear_async_save_task_queue()
    paddle.clear_async_save_task_queue()  # told once
