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
    with pytest.raises(ValueError, match="that is open for writing bytes"):
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
        with pytest.raises(TypeError, match=r"async_save\(path\): must be a path or a binary file. Received float."):
            paddle.async_save({}, 3.0)
        with pytest.raises(TypeError, match=r"async_save\(obj\)"):
            paddle.async_save(wrong, str(tmp_path / "file"))
    with pytest.raises(ValueError, match="must be 2, 3 or 4"):
        paddle.async_save({}, str(tmp_path / "file"), protocol=1)
    (tmp_path / "file").write_text("in the way of a folder")
    paddle.async_save({"a": paddle.ones([1])}, str(tmp_path / "file" / "inner"))
    with pytest.raises(OSError):
        paddle.clear_async_save_task_queue()
    paddle.clear_async_save_task_queue()  # told once


@pytest.mark.parametrize("make", [lambda layer: layer, lambda layer: [layer], lambda layer: {"net": (layer,)}])
def test_layers_are_refused(make, tmp_path):
    with pytest.raises(ValueError, match=r"layer.state_dict\(\)"):
        paddle.save(make(paddle.nn.Linear(1, 1)), tmp_path / "layer")
    assert not list(tmp_path.iterdir())


def test_options_of_save(tmp_path):
    value = paddle.ones([2])
    paddle.save(value, tmp_path / "two", pickle_protocol=2, use_binary_format=True)
    assert paddle.load(tmp_path / "two").tolist() == [1, 1] and (tmp_path / "two").read_bytes()[:2] == b"\x80\x02"
    for options, error in (({"pickle_protocol": 5}, ValueError), ({"protocol": 2.0}, ValueError),
                           ({"use_binary_format": "no"}, TypeError), ({"binary": True}, ValueError)):
        with pytest.raises(error, match="save"):
            paddle.save(value, tmp_path / "two", **options)


def test_a_program_in_an_open_file():
    file = io.BytesIO()
    with static.program_guard(static.Program()):
        static.data("x", [2]).exp()
        paddle.save(static.default_main_program(), file)
    file.seek(0)
    assert [op.type for op in paddle.load(file).global_block().ops] == ["exp"]


def test_values_of_a_layer_for_a_program(tmp_path):
    layer = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Linear(3, 1))
    paddle.save(layer.state_dict(), tmp_path / "state")
    with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()):
        with paddle.utils.unique_name.guard():
            for name in ("0.weight", "0.bias", "1.weight", "1.bias"):
                value = layer.state_dict()[name]
                static.create_parameter(value.shape, "float32", attr=paddle.ParamAttr(name=value.name))
        static.Executor().run(static.default_startup_program())
        main = static.default_main_program()
        main.set_state_dict(paddle.load(tmp_path / "state", keep_name_table=True))
        for value in layer.parameters():
            np.testing.assert_array_equal(np.array(main.state_dict()[value.name]), value.numpy())
        for arguments, error in (((1,), TypeError), (("x",), ValueError), (("all", 1), TypeError)):
            with pytest.raises(error, match="state_dict"):
                main.state_dict(*arguments)


def test_each_mode_has_names_of_its_own():
    """As in PaddlePaddle: those of Programs go on where they ended, those of eager code begin anew."""
    def name():
        return paddle.nn.Linear(1, 1).weight.name

    with paddle.utils.unique_name.guard():
        assert [name(), name()] == ["linear_0.w_0", "linear_1.w_0"]
        with paddle.base.dygraph.guard():
            assert name() == "linear_0.w_0"
        assert name() == "linear_2.w_0"
        paddle.enable_static()
        kept = paddle.utils.unique_name.switch()
        framework = paddle.base.framework  # Programs of this test alone
        programs = framework.switch_main_program(static.Program()), framework.switch_startup_program(static.Program())
        try:
            assert name() == "linear_0.w_0"
            with paddle.base.dygraph.guard():
                assert name() == "linear_0.w_0"
            assert name() == "linear_1.w_0"
            paddle.disable_static()
            assert [name(), name()] == ["linear_0.w_0", "linear_1.w_0"]
            paddle.enable_static()
            assert name() == "linear_2.w_0"
        finally:
            paddle.utils.unique_name.switch(*kept)
            framework.switch_main_program(programs[0])
            framework.switch_startup_program(programs[1])
            paddle.disable_static()


@pytest.mark.parametrize("make", [lambda layer: layer.state_dict(), lambda layer: {"w": [layer.weight], "step": 3}])
def test_a_stream_is_written_by_the_single_steps_that_packages_take(make):
    """As FastNLP writes what it sends between processes, and reads it with Python's own pickle."""
    from proa.framework.io import (
        _build_saved_state_dict,
        _is_state_dict,
        _ndarray_to_tensor,
        _pack_loaded_dict,
        _parse_load_result,
        _pickle_save,
        _unpack_saved_dict,
    )

    layer = paddle.nn.Linear(2, 3)
    obj, stream = make(layer), io.BytesIO()
    if _is_state_dict(obj):
        pickle.dump(_unpack_saved_dict(_build_saved_state_dict(obj), 2), stream, 2)
    else:
        _pickle_save(obj, stream, 2)
    loaded = _pack_loaded_dict(pickle.loads(stream.getvalue()))
    if _is_state_dict(obj):
        assert loaded["StructuredToParameterName@@"] == {key: value.name for key, value in obj.items()}
        found = _ndarray_to_tensor(loaded["weight"], False)
        assert _ndarray_to_tensor(loaded["bias"], True) is loaded["bias"]
    else:
        found = _parse_load_result(loaded, False)["w"][0]
        assert loaded["step"] == 3
    assert isinstance(found, paddle.Tensor) and found.tolist() == layer.weight.tolist()
