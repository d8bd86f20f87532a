"""CheckPoint, checkpoint, load_variables: the values of a session's variables, to folders and back."""

import os
import re

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import default_session, session_guard


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def counting(shape, dtype):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def filled(number):
    return lambda shape, dtype: np.full(shape, number)


def variable(name, shape=(2, 3), initializer=counting, dtype=flow.float32):
    return flow.get_variable(name, shape, dtype, initializer)


def model(*names, steps=False):
    """A job with these variables, which adds its input to the first one; with `steps`, a train step beside them."""
    @flow.global_function()
    def job(x: tp.Numpy.Placeholder((2, 3))) -> tp.Numpy:
        first, *_ = [variable(name) for name in names]
        paddle.assign(first + x, first)
        if steps:
            step = variable("System-Train-TrainStep-job", (1,), filled(0), flow.int64)
            paddle.assign(step + 1, step)
        return first * 1

    return job


def values():
    return {name: value.numpy() for name, value in flow.get_all_variables().items()}


def test_init_begins_anew():
    job = model("w")
    check_point = flow.train.CheckPoint()
    check_point.init()
    job(np.ones((2, 3), "float32"))
    assert values()["w"].sum() == 15 + 6
    check_point.init()
    assert values()["w"].sum() == 15


def test_the_tree_and_back(tmp_path, capsys):
    job = model("dense1-weight", "dense1-bias", steps=True)
    check_point = flow.train.CheckPoint()
    check_point.init()
    x = np.full((2, 3), 0.5, "float32")
    job(x)
    check_point.save(str(tmp_path / "models"))
    assert sorted(os.listdir(tmp_path / "models")) == [
        "System-Train-TrainStep-job", "dense1-bias", "dense1-weight", "snapshot_done"]
    assert np.fromfile(tmp_path / "models" / "System-Train-TrainStep-job" / "out", "<i8").tolist() == [1]
    expected = [job(x) for _ in range(3)]
    with session_guard():
        again = model("dense1-weight", "dense1-bias", steps=True)
        flow.train.CheckPoint().load(str(tmp_path / "models"))
        np.testing.assert_array_equal([again(x) for _ in range(3)], expected)
        assert values()["System-Train-TrainStep-job"].tolist() == [4]
    check_point.load(tmp_path / "models")  # into variables that have values
    np.testing.assert_array_equal([job(x) for _ in range(3)], expected)
    assert capsys.readouterr().out == ""


def test_what_the_folder_does_not_have_is_initialized(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = model("dense1-weight")
    job(np.ones((2, 3), "float32"))
    flow.train.CheckPoint().save("./mlp_models_1")
    with session_guard():
        model("dense1-weight", "dense3-weight", "dense3-bias")
        flow.load_variables({"dense3-weight": np.full((2, 3), 9, "float32")})
        flow.train.CheckPoint().load("./mlp_models_1")
        assert values()["dense1-weight"].sum() == 21 and values()["dense3-weight"].sum() == 15
    assert capsys.readouterr().out == (
        "WARNING! CANNOT find variable path in : ./mlp_models_1/dense3-bias/out. It will be initialized. \n"
        "WARNING! CANNOT find variable path in : ./mlp_models_1/dense3-weight/out. It will be initialized. \n")


def test_a_job_to_predict_loads_what_it_uses(tmp_path, capsys):
    model("w", "v", steps=True)
    flow.train.CheckPoint().save(tmp_path / "models")
    with session_guard():
        @flow.global_function()
        def predict() -> tp.Numpy:
            return variable("v", initializer=filled(3)) * 1

        flow.train.CheckPoint().load(tmp_path / "models")
        np.testing.assert_array_equal(predict(), np.arange(6).reshape(2, 3))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("damage, error, message", [
    (lambda folder: os.truncate(folder / "w" / "out", 20), ValueError, "'w': .*w/out: byte 20: the file has 20 bytes"),
    (lambda folder: (folder / "v" / "out").write_bytes(bytes(48)), ValueError, "'v': .*has 48 bytes"),
    (lambda folder: os.rename(folder, f"{folder}.gone"), FileNotFoundError, "no such folder"),
    (lambda folder: [os.rename(folder / "w", folder / "x"), os.rename(folder / "v", folder / "y")], ValueError,
     "none of the 2 variables"),
])
def test_what_does_not_fit_changes_nothing(tmp_path, capsys, damage, error, message):
    job = model("w", "v", steps=True)
    check_point = flow.train.CheckPoint()
    check_point.save(tmp_path / "models")
    job(np.ones((2, 3), "float32"))
    damage(tmp_path / "models")
    before = values()
    with pytest.raises(error, match=message):
        check_point.load(tmp_path / "models")
    assert all(np.array_equal(value, before[name]) for name, value in values().items())
    assert capsys.readouterr().out == ""


def test_an_error_while_reading_changes_nothing(tmp_path, monkeypatch):
    """The last of the files cannot be read, though its size is right."""
    job = model("v", "w")
    check_point = flow.train.CheckPoint()
    check_point.save(tmp_path / "models")
    job(np.ones((2, 3), "float32"))
    real = os.open

    def refuse(path, *args, **options):
        if str(path).endswith("w/out"):
            raise OSError(5, "Input/output error", path)
        return real(path, *args, **options)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="Input/output error.*w/out"):
        check_point.load(tmp_path / "models")
    assert values()["v"].sum() == 15 + 6


def test_an_initializer_that_raises_changes_nothing_that_was_found(tmp_path):
    job = model("w")
    flow.train.CheckPoint().save(tmp_path / "models")
    job(np.ones((2, 3), "float32"))

    @flow.global_function()
    def other() -> tp.Numpy:
        return flow.get_variable("none", (2,)) * 1

    with pytest.raises(ValueError, match="'none' has no initializer"):
        flow.train.CheckPoint().load(tmp_path / "models")
    assert default_session().value("w").sum() == 15 + 6


def test_a_folder_that_is_not_empty_is_refused_before_anything_is_computed(tmp_path):
    model("w")
    (tmp_path / "mine").write_text("x")
    with pytest.raises(FileExistsError, match=r"CheckPoint.save\(path\): the folder is not empty"):
        flow.train.CheckPoint().save(str(tmp_path))
    assert os.listdir(tmp_path) == ["mine"] and default_session().uninitialized() == []


def test_a_script_without_variables(tmp_path):
    flow.train.CheckPoint().init()
    flow.train.CheckPoint().save(tmp_path / "models")
    assert os.listdir(tmp_path / "models") == ["snapshot_done"]
    flow.train.CheckPoint().load(tmp_path / "models")


def test_loading_before_there_are_jobs(tmp_path):
    """Nothing would be loaded, and the job that follows would begin with other values."""
    with session_guard():
        model("w")
        flow.checkpoint.save(tmp_path / "models")
    with pytest.raises(ValueError, match="no global function has asked for a variable, and the snapshot holds 1"):
        flow.train.CheckPoint().load(tmp_path / "models")
    with pytest.warns(UserWarning, match=r"none of the 1 names \('w', …\) is a variable's") as caught:
        flow.load_variables(flow.checkpoint.get(tmp_path / "models"))
    assert caught[0].filename == __file__
    flow.load_variables({})


def test_the_warning_for_a_folder_without_the_mark_points_here(tmp_path):
    model("w")
    flow.train.CheckPoint().save(tmp_path / "models")
    (tmp_path / "models" / "snapshot_done").rmdir()
    with pytest.warns(UserWarning, match="there is no 'snapshot_done' in it") as caught:
        flow.train.CheckPoint().load(tmp_path / "models")
    assert caught[0].filename == __file__


def test_a_name_that_is_no_folder_is_refused_where_it_is_given():
    @flow.global_function()
    def job() -> tp.Numpy:
        return variable("a/b") * 1

    with pytest.raises(ValueError, match=r"get_variable\(name\): the variable 'a/b' cannot be kept in a snapshot"):
        job()


class TestCheckpoint:
    def test_there_and_back(self, tmp_path):
        job = model("w", "v")
        job(np.ones((2, 3), "float32"))
        flow.checkpoint.save(tmp_path / "models")
        stored = flow.checkpoint.get(str(tmp_path / "models"))
        assert sorted(stored) == ["v", "w"] and stored["w"].shape == (2, 3) and stored["w"].dtype is flow.float32
        assert stored["w"].numpy().sum() == 21
        job(np.ones((2, 3), "float32"))
        flow.load_variables(stored)
        assert values()["w"].sum() == 21
        assert flow.checkpoint.get(tmp_path / "models" / "w").numpy().sum() == 21

    def test_folders_of_check_point(self, tmp_path):
        """They tell no shapes: the variables' are taken."""
        job = model("w", "v")
        flow.train.CheckPoint().save(tmp_path / "models")
        job(np.ones((2, 3), "float32"))
        flow.load_variables(flow.checkpoint.get(tmp_path / "models"))
        assert values()["w"].sum() == 15
        os.truncate(tmp_path / "models" / "w" / "out", 8)
        with pytest.raises(ValueError, match="w/out: byte 8: the file has 8 bytes"):
            flow.load_variables(flow.checkpoint.get(tmp_path / "models"))

    def test_later_folders_for_check_point(self, tmp_path):
        job = model("w", "v")
        flow.checkpoint.save(tmp_path / "models")
        job(np.ones((2, 3), "float32"))
        flow.train.CheckPoint().load(tmp_path / "models")
        assert values()["w"].sum() == 15

    def test_values_of_one_s_own(self, tmp_path):
        flow.checkpoint.save(tmp_path / "a", {"x": np.ones((2, 3), ">f4"), "t": paddle.ones([2], "int32")})
        stored = flow.checkpoint.get(tmp_path / "a")
        flow.checkpoint.save(tmp_path / "number", {"n": np.float32(3)})
        assert flow.checkpoint.get(tmp_path / "number")["n"].numpy().tolist() == 3
        flow.checkpoint.save(tmp_path / "b", stored)
        again = flow.checkpoint.get(tmp_path / "b")
        assert again["t"].numpy().tolist() == [1, 1] and again["x"].numpy().dtype == np.float32
        for wrong, message in (({"x": 3}, "'x' must be an array"), ([1], "a dict from names"),
                               ({"../x": np.ones(1)}, "holds no '/'")):
            with pytest.raises((TypeError, ValueError), match=message):
                flow.checkpoint.save(tmp_path / "c", wrong)
        assert not (tmp_path / "c").exists()

    def test_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="checkpoint.get"):
            flow.checkpoint.get(tmp_path / "gone")
        assert flow.checkpoint.get(tmp_path) == {}


class TestLoadVariables:
    def test_names_without_a_variable(self):
        model("w")
        given = {"w": np.zeros((2, 3), "float32"), "other": np.zeros(3)}
        with pytest.raises(RuntimeError, match="'other': no variable has such a name. There are 'w'. No variable was"):
            flow.load_variables(given, ignore_mismatch=False)
        assert values()["w"].sum() == 15
        flow.load_variables(given)
        assert values()["w"].sum() == 0

    @pytest.mark.parametrize("value, message", [
        (np.zeros((3, 2), "float32"), r"shape [2, 3] and dtype float32. Received shape [3, 2] and dtype float32. No"),
        (np.zeros((2, 3)), "dtype float64. No variable was changed. Convert it: value.astype('float32')"),
        (np.zeros((2, 3), "int32"), "dtype int32"),
        ([[1, 2, 3], [4, 5, 6]], "must be an array"),
    ])
    def test_what_does_not_fit(self, value, message):
        model("w", "v")
        with pytest.raises((TypeError, ValueError), match=re.escape(message)):
            flow.load_variables({"v": np.zeros((2, 3), "float32"), "w": value})
        assert values()["v"].sum() == 15

    def test_tensors_and_variables(self):
        model("w", "v")
        flow.load_variables({"w": paddle.ones([2, 3]), "v": flow.get_all_variables()["w"]})
        assert values()["w"].sum() == 6 and values()["v"].sum() == 15
        flow.load_variables({"w": np.ones((2, 3), ">f4") * 2})
        assert values()["w"].sum() == 12

    def test_one_value_is_no_dict(self, tmp_path):
        model("w")
        flow.checkpoint.save(tmp_path / "a")
        with pytest.raises(TypeError, match="{name: value}"):
            flow.load_variables(flow.checkpoint.get(tmp_path / "a" / "w"))

    def test_the_value_is_the_variable_s_own(self):
        job = model("w")
        value = np.zeros((2, 3), "float32")
        flow.load_variables({"w": value})
        job(np.ones((2, 3), "float32"))
        assert value.sum() == 0 and values()["w"].sum() == 6


def test_all_variables():
    model("w", steps=True)
    found = flow.get_all_variables()
    assert sorted(found) == ["System-Train-TrainStep-job", "w"]
    assert found["w"].shape == (2, 3) and found["w"].dtype is flow.float32
    assert repr(found["w"]) == "VariableValue('w', shape=[2, 3], dtype=float32)"
    found["w"].numpy()[:] = 0
    assert found["w"].numpy().sum() == 15


def test_snapshots_in_a_row(tmp_path):
    job = model("w")
    manager = flow.train.SimpleCheckPointManager(str(tmp_path / "root"), prefix="s_")
    assert manager.latest_checkpoint() is None and manager.list_checkpoints() == []
    manager.initialize_or_restore()
    job(np.ones((2, 3), "float32"))
    manager.save()
    assert len(manager.list_checkpoints()) == 2
    os.mkdir(tmp_path / "root" / "s_9999")  # not whole
    os.mkdir(tmp_path / "root" / "s_9998.ab12.tmp")  # was being written
    (tmp_path / "root" / "s_9998.ab12.tmp" / "snapshot_done").write_text("")
    (tmp_path / "root" / "other").mkdir()
    assert manager.latest_checkpoint() == manager.list_checkpoints()[-1] != "s_9999"
    job(np.ones((2, 3), "float32"))
    manager.initialize_or_restore()
    assert values()["w"].sum() == 21
    with session_guard():
        model("w")
        flow.train.SimpleCheckPointManager(tmp_path / "root", "s_").initialize_or_restore()
        assert values()["w"].sum() == 21
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        flow.train.SimpleCheckPointManager(tmp_path / "file")


class TestSaveAndLoad:
    """`flow.save` and `flow.load` of variables, as OneFlow's tests of checkpoints have them."""

    def test_variables(self, tmp_path):
        job = model("w", "v")
        flow.load_variables({"v": flow.get_all_variables()["w"]})
        flow.save(flow.get_all_variables(), tmp_path / "models")
        assert sorted(os.listdir(tmp_path / "models" / "w")) == ["meta", "out"]
        job(np.ones((2, 3), "float32"))
        stored = flow.load(tmp_path / "models")
        assert stored["w"].numpy().sum() == 15 and values()["w"].sum() == 21
        flow.load_variables(stored)
        assert values()["w"].sum() == 15
        flow.save(flow.checkpoint.get(tmp_path / "models"), tmp_path / "again")
        assert flow.load(tmp_path / "again")["v"].numpy().sum() == 15
        with pytest.raises(FileExistsError):
            flow.save(flow.get_all_variables(), tmp_path / "again")

    def test_snapshots_that_tell_no_shapes(self, tmp_path):
        job = model("w")
        flow.train.CheckPoint().save(tmp_path / "models")
        job(np.ones((2, 3), "float32"))
        stored = flow.load(tmp_path / "models")
        assert not stored["w"].has_meta_info
        flow.load_variables(stored)
        assert values()["w"].sum() == 15


def test_values_of_a_folder_without_meta_are_as_large_as_the_session_s(tmp_path):
    """Scripts save by CheckPoint, and read a step's number out of what `checkpoint.get` gives."""
    flow.clear_default_session()

    @flow.global_function(type="train")
    def job(x: tp.Numpy.Placeholder((4, 3))) -> tp.Numpy:
        loss = flow.math.reduce_mean(flow.layers.dense(x, 2, name="dense"))
        flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.1])).minimize(loss)
        return loss

    flow.train.CheckPoint().init()
    for _ in range(2):
        job(np.ones((4, 3), "float32"))
    flow.train.CheckPoint().save(tmp_path / "models")
    values = flow.checkpoint.get(tmp_path / "models")
    assert values["System-Train-TrainStep-job"].numpy().item() == 2
    assert values["dense-weight"].shape == (2, 3) and not values["dense-weight"].has_meta_info_
    assert flow.checkpoint.get(f"{tmp_path}/models/dense-bias/").numpy().shape == (2,)
    (tmp_path / "models" / "dense-bias" / "out").write_bytes(b"\0" * 12)  # another network's
    with pytest.raises(RuntimeError, match="tells no shape and no dtype"):
        flow.checkpoint.get(tmp_path / "models")["dense-bias"].numpy()
    flow.clear_default_session()
    with pytest.raises(RuntimeError, match="tells no shape and no dtype"):
        values["dense-weight"].numpy()
