"""The operators save, save_combine, load and load_combine: files that a Program writes and reads when it runs."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.static.format.tensor_stream import read_combined, read_stream

VALUE = np.arange(6, dtype="float32").reshape(3, 2)


@pytest.fixture(autouse=True)
def fresh():
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()):
        yield


def run(feed=None, fetch=()):
    return fluid.Executor(fluid.CPUPlace()).run(fluid.default_main_program(), feed=feed, fetch_list=list(fetch))


def append(type, path, made=(), taken=(), **attrs):
    block = fluid.default_main_program().global_block()
    outputs = [block.create_var(name=name, shape=shape, dtype="float32", persistable=True) for name, shape in made]
    block.append_op(type=type, inputs={"X": list(taken)} if taken else {}, outputs={"Out": outputs} if made else (
        {"Y": block.create_var(name="order", type=fluid.core.VarDesc.VarType.RAW)} if type == "save_combine" else {}),
        attrs={"file_path": str(path), **attrs})


def given(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


def written(path, **attrs):
    x = fluid.data("x", [3, 2])
    append("save", path, taken=[x], **attrs)
    run({"x": VALUE})


def test_save_makes_folders_and_writes_a_stream(tmp_path):
    written(tmp_path / "deep" / "er" / "x")
    stored = read_stream(str(tmp_path / "deep" / "er" / "x"))
    assert stored.array.tolist() == VALUE.tolist() and (tmp_path / "deep" / "er" / "x").stat().st_size == 50


def test_save_keeps_sequences(tmp_path):
    x = fluid.data("x", [-1, 2], lod_level=1)
    append("save", tmp_path / "x", taken=[x])
    run({"x": fluid.create_lod_tensor(VALUE, [[1, 2]], fluid.CPUPlace())})
    assert read_stream(str(tmp_path / "x")).lod == ((0, 1, 3),)


def test_a_value_again(tmp_path):
    written(tmp_path / "x")
    with fluid.program_guard(fluid.Program()):
        append("load", tmp_path / "x", [("w", [3, 2])])
        append("load", tmp_path / "x", [("part", [2])], seek=2, shape=[2])
        [got] = run(fetch=["w"])
        assert got.tolist() == VALUE.tolist() == given("w").tolist() and given("part").tolist() == [2, 3]
        (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:-4] + np.float32(9).tobytes())
        assert run(fetch=["w"])[0][2, 1] == 9  # whenever it runs


def test_several_in_one_file(tmp_path):
    x, y = fluid.data("x", [3, 2]), fluid.data("y", [1])
    append("save_combine", tmp_path / "all", taken=[x, y])
    run({"x": VALUE, "y": np.ones(1, "float32")})
    assert list(read_combined(str(tmp_path / "all"), ["x", "y"])["y"].array) == [1]
    with fluid.program_guard(fluid.Program()):
        append("load_combine", tmp_path / "all", [("first", [3, 2]), ("second", [1])])
        run()
        assert given("first").tolist() == VALUE.tolist() and given("second").tolist() == [1]
    with fluid.program_guard(fluid.Program()), pytest.raises(RuntimeError, match="28 bytes follow"):
        append("load_combine", tmp_path / "all", [("first", [3, 2])])
        run()


def test_as_float16(tmp_path):
    written(tmp_path / "x", save_as_fp16=True)
    assert read_stream(str(tmp_path / "x")).array.dtype == np.float16
    with fluid.program_guard(fluid.Program()):
        append("load", tmp_path / "x", [("w", [3, 2])], load_as_fp16=True)
        run()
        assert given("w").dtype == np.float16


def test_what_is_refused(tmp_path):
    written(tmp_path / "x")
    with fluid.program_guard(fluid.Program()), pytest.raises(FileNotFoundError, match="there is no file"):
        append("load", tmp_path / "nowhere", [("w", [3, 2])])
        run()
    with fluid.program_guard(fluid.Program()), pytest.raises(FileExistsError, match="overwrite is False"):
        written(tmp_path / "x", overwrite=False)
    with fluid.program_guard(fluid.Program()), pytest.raises(NotImplementedError, match="fluid.io.load_vars"):
        append("save", tmp_path / "rows", taken=[fluid.data("rows", [-1, 2], lod_level=1)])
        run({"rows": fluid.create_lod_tensor(VALUE, [[1, 2]], fluid.CPUPlace())})
        append("load", tmp_path / "rows", [("w", [3, 2])])
        run({"rows": fluid.create_lod_tensor(VALUE, [[1, 2]], fluid.CPUPlace())})


def test_a_program_from_a_file_names_no_files(tmp_path):
    written(tmp_path / "x")
    text = fluid.default_main_program().serialized()
    with pytest.raises(NotImplementedError, match=r"operator 0 \(save\) names a file"):
        fluid.Program.parse_from_string(text)


def test_the_layer_of_1():
    with pytest.raises(TypeError, match=r"layers.load\(out\): .* Received str"):
        fluid.layers.load("w", "file")
