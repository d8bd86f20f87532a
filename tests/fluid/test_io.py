"""`fluid.io`: values and models in files, 1.8.5's among them, and what does not fit."""

import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError
from proa.static.format.program_file import read_program_desc
from proa.static.format.versions_1_8 import stamped, unknown_to_1_8

FILES = Path(__file__).parents[1] / "fixtures" / "fluid" / "files"
ANSWERS = json.loads((FILES / "answers.json").read_text())
X = np.array(ANSWERS["x"], "float32")
SCORES = np.array(ANSWERS["scores"], "float32")


@pytest.fixture
def exe():
    with fluid.scope_guard(fluid.Scope()), paddle.utils.unique_name.guard():
        yield fluid.Executor(fluid.CPUPlace())


def network(layers=2):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), paddle.utils.unique_name.guard():
        hidden = fluid.layers.fc(fluid.data("x", [None, 4], "float32"), 5, act="relu")
        for _ in range(layers - 2):
            hidden = fluid.layers.fc(hidden, 5, act="relu")
        scores = fluid.layers.fc(hidden, 3, act="softmax")
    return main, startup, scores


def scored(exe, main, scores):
    return exe.run(main, feed={"x": X}, fetch_list=[scores])[0]


def values(main):
    return {p.name: np.array(fluid.global_scope().find_var(p.name).get_tensor()) for p in main.all_parameters()}


# What 1.8.5 has written.

@pytest.mark.parametrize("folder, names", [("model", ()), ("combined", ("model", "params"))])
def test_a_model_of_1_8(exe, folder, names):
    program, feeds, fetches = fluid.io.load_inference_model(str(FILES / folder), exe, *names)
    assert feeds == ["x"]
    np.testing.assert_allclose(exe.run(program, feed={"x": X}, fetch_list=fetches)[0], SCORES, rtol=1e-5)


def test_a_model_of_1_8_from_memory(exe):
    model, params = ((FILES / "combined" / name).read_bytes() for name in ("model", "params"))
    program, feeds, fetches = fluid.io.load_inference_model(None, exe, model, params)
    np.testing.assert_allclose(exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0], SCORES, rtol=1e-5)


def test_a_model_of_1_8_in_the_face_of_2(exe):
    program, feeds, fetches = paddle.static.load_inference_model(str(FILES / "combined"), exe, model_filename="model",
                                                                 params_filename="params")
    np.testing.assert_allclose(exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0], SCORES, rtol=1e-5)


def test_folders_of_1_8_in_the_face_of_2(exe, tmp_path):
    for filename in ({"model_filename": "__model__"}, {"params_filename": None, "model_filename": "__model__"}):
        program, _, fetches = paddle.static.load_inference_model(str(FILES / "model"), exe, **filename)
        np.testing.assert_allclose(exe.run(program, feed={"x": X}, fetch_list=fetches)[0], SCORES, rtol=1e-5)
    for folder, names in (("model", {}), ("combined", {"model_filename": "model", "params_filename": "params"})):
        layer = paddle.jit.load(str(FILES / folder), **names)
        np.testing.assert_allclose(layer(paddle.to_tensor(X)).numpy(), SCORES, rtol=1e-5)
        held = paddle.load(str(FILES / folder), **names)
        assert sorted(held) == sorted(ANSWERS["parameters"]) and type(held["fc_0.w_0"]) is np.ndarray
    assert sorted(paddle.load(str(FILES / "parameters"))) == sorted(ANSWERS["parameters"])
    shutil.copytree(FILES / "model", tmp_path / "m")
    (tmp_path / "m" / "fc_0.w_0").unlink()
    for load in (lambda: paddle.jit.load(str(tmp_path / "m")), lambda: paddle.load(str(tmp_path / "m")),
                 lambda: paddle.static.load_inference_model(str(tmp_path / "m"), exe, model_filename="__model__")):
        with pytest.raises(FileNotFoundError, match=r"has no file for \['fc_0.w_0'\].*params_filename="):
            load()


def test_values_of_1_8(exe):
    main, startup, scores = network()
    exe.run(startup)
    assert [p.name for p in main.all_parameters()] == ANSWERS["parameters"]
    assert np.abs(scored(exe, main, scores) - SCORES).max() > 1e-3
    fluid.io.load_params(exe, str(FILES / "parameters"), main)
    np.testing.assert_allclose(scored(exe, main, scores), SCORES, rtol=1e-5)
    exe.run(startup)
    fluid.load(main, str(FILES / "saved" / "net"), exe)
    np.testing.assert_allclose(scored(exe, main, scores), SCORES, rtol=1e-5)
    exe.run(startup)
    state = fluid.load_program_state(str(FILES / "saved" / "net"))
    assert sorted(state) == ANSWERS["persistables"]
    with pytest.warns(UserWarning, match="the Program has no variables"):
        fluid.set_program_state(main, state)
    np.testing.assert_allclose(scored(exe, main, scores), SCORES, rtol=1e-5)
    assert sorted(fluid.load_program_state(str(FILES / "parameters"))) == sorted(ANSWERS["parameters"])


def test_persistables_of_1_8_in_one_file(exe):
    kept = fluid.Program()
    saved = fluid.load_program_state(str(FILES / "saved" / "net"))
    for name, array in saved.items():
        kept.global_block().create_var(name=name, shape=array.shape, dtype=str(array.dtype), persistable=True)
    fluid.io.load_persistables(exe, str(FILES / "persistables"), kept, "all")
    for name, array in saved.items():
        np.testing.assert_array_equal(np.array(fluid.global_scope().find_var(name).get_tensor()), array)
    assert fluid.io.save_persistables(exe, None, kept) == (FILES / "persistables" / "all").read_bytes()


def test_a_training_program_of_1_8(exe):
    """It runs with its operators of gradients, whose Program stays as it was read, and without them."""
    program = fluid.Program.parse_from_string((FILES / "saved" / "net.pdmodel").read_bytes())
    assert [p for p in ("fc_0.w_0", "fc_0.w_0_moment1_0") if program.global_block().has_var(p)] and "mul_grad" in {
        op.type for op in program.global_block().ops}
    test = program.clone(for_test=True)
    assert not any(op.type.endswith("_grad") for op in test.global_block().ops)
    fluid.io.load_params(exe, str(FILES / "parameters"), network()[0])
    scores = next(op for op in test.global_block().ops if op.type == "softmax").output("Out")[0]
    np.testing.assert_allclose(exe.run(test, feed={"x": X}, fetch_list=[scores])[0], SCORES, rtol=1e-5)
    fluid.io.load_persistables(exe, str(FILES / "persistables"), program, "all")
    before = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
    exe.run(program, feed=FEED)
    assert np.abs(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()) - before).max() > 1e-4
    assert "mul_grad" in {op.type for op in program.global_block().ops}


def test_models_of_2_in_the_face_of_1(exe, tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = paddle.static.data("x", [None, 4])
        y = paddle.static.nn.fc(x, 2)
        exe.run(startup)
        paddle.static.save_inference_model(str(tmp_path / "m"), [x], [y], exe)
        paddle.static.save(main, str(tmp_path / "s"))
    expected = exe.run(main, feed={"x": X}, fetch_list=[y])[0]
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe, "m.pdmodel", "m.pdiparams")
    np.testing.assert_array_equal(exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0], expected)
    exe.run(startup)
    fluid.load(main, str(tmp_path / "s"), exe)
    np.testing.assert_array_equal(exe.run(main, feed={"x": X}, fetch_list=[y])[0], expected)


def test_files_that_ask_for_code_are_refused(exe, tmp_path):
    main, startup, _ = network()
    exe.run(startup)
    (tmp_path / "net.pdparams").write_bytes(pickle.dumps({"fc_0.w_0": os.getcwd}))
    for load in (lambda: fluid.load(main, str(tmp_path / "net")),
                 lambda: fluid.load_program_state(str(tmp_path / "net"))):
        with pytest.raises(UnsafePickleError, match="net.pdparams"):
            load()
    (tmp_path / "net.pdparams").write_bytes((FILES / "saved" / "net.pdparams").read_bytes()[:-40])
    with pytest.raises(CorruptFileError, match="net.pdparams"):
        fluid.load(main, str(tmp_path / "net"))


def test_sequences_of_1_8(exe, tmp_path):
    kept = fluid.Program()
    kept.global_block().create_var("sequences", [-1, 2], "float32", persistable=True)
    fluid.io.load_persistables(exe, str(FILES / "sequences"), kept)
    tensor = fluid.global_scope().find_var("sequences").get_tensor()
    assert tensor.lod() == ANSWERS["lod"]
    np.testing.assert_array_equal(np.array(tensor), np.arange(10).reshape(5, 2))
    fluid.io.save_persistables(exe, str(tmp_path), kept)
    assert (tmp_path / "sequences").read_bytes() == (FILES / "sequences" / "sequences").read_bytes()


# There and back.

def test_what_is_written_is_what_1_8_writes(exe, tmp_path):
    main, startup, scores = network()
    exe.run(startup)
    fluid.io.load_params(exe, str(FILES / "parameters"), main)
    names = fluid.io.save_inference_model(str(tmp_path / "m"), ["x"], [scores], exe, main)
    assert names == ANSWERS["targets"] and len(main.global_block().ops) == 6
    for name in os.listdir(FILES / "model"):
        if name != "__model__":
            assert (tmp_path / "m" / name).read_bytes() == (FILES / "model" / name).read_bytes()
    ours, theirs = (read_program_desc(folder / "__model__") for folder in (tmp_path / "m", FILES / "model"))
    assert ours.version == theirs.version and not ours.op_version_map.pair
    assert [op.type for op in ours.blocks[0].ops] == [op.type for op in theirs.blocks[0].ops]
    slots = lambda op, side: {s.parameter: list(s.arguments) for s in getattr(op, side) if s.arguments}
    for mine, other in zip(ours.blocks[0].ops, theirs.blocks[0].ops, strict=True):
        assert slots(mine, "inputs") == slots(other, "inputs") and slots(mine, "outputs") == slots(other, "outputs")
    changes = stamped(type(ours)())
    assert len(changes) > 1500 and all(part in (FILES / "model" / "__model__").read_bytes()
                                       for part in (changes[:6], changes[6:]))
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "m"), exe)
    np.testing.assert_array_equal(exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0],
                                  scored(exe, main, scores))
    assert fluid.io.save_inference_model(str(tmp_path / "m"), "x", scores, exe, main, "net", "all") == [
        "save_infer_model/scale_0.tmp_1"]
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "m"), exe, "net", "all")
    assert fetches[0].name == "save_infer_model/scale_0.tmp_1"


def test_parts_of_a_model(exe, tmp_path):
    main, startup, scores = network()
    exe.run(startup)
    with pytest.warns(UserWarning, match="program_only=True"):
        fluid.io.save_inference_model(str(tmp_path / "a"), ["x"], [scores], exe, main, program_only=True)
    assert os.listdir(tmp_path / "a") == ["__model__"]
    fluid.io.save_inference_model(str(tmp_path / "b"), ["x"], [scores], exe, main, export_for_deployment=False)
    assert sorted(os.listdir(tmp_path / "b")) == ["__model__.main_program", *sorted(ANSWERS["parameters"])]
    with fluid.program_guard(main):
        two = fluid.layers.fc(scores, 2, act="softmax", name="two")
        paddle.static.auc(two, fluid.data("label", [None, 1], "int64"))
    exe.run(startup)
    with pytest.warns(UserWarning, match=r"area under the curve \(auc\)"):
        fluid.io.save_inference_model(str(tmp_path / "c"), ["x"], [scores], exe, main)


@pytest.mark.parametrize("filename", [None, "all"])
def test_values_in_files(exe, tmp_path, filename):
    main, startup, scores = network()
    exe.run(startup)
    before, state = scored(exe, main, scores), values(main)
    fluid.io.save_params(exe, str(tmp_path), main, filename)
    assert sorted(os.listdir(tmp_path)) == (["all"] if filename else sorted(state))
    exe.run(startup)
    assert not np.array_equal(scored(exe, main, scores), before)
    fluid.io.load_params(exe, str(tmp_path), startup, filename)
    np.testing.assert_array_equal(scored(exe, main, scores), before)
    for name, value in state.items():
        np.testing.assert_array_equal(fluid.io.get_parameter_value_by_name(name, exe, main), value)


def test_values_in_memory(exe):
    main, startup, scores = network()
    exe.run(startup)
    before = scored(exe, main, scores)
    held = fluid.io.save_persistables(exe, None, main)
    exe.run(startup)
    fluid.io.load_persistables(exe, None, main, held)
    np.testing.assert_array_equal(scored(exe, main, scores), before)


def test_chosen_values(exe, tmp_path):
    main, startup, _ = network()
    exe.run(startup)
    with fluid.program_guard(main):
        fluid.io.save_vars(exe, str(tmp_path / "a"), predicate=lambda v: v.name.endswith("b_0"))
        fluid.io.save_vars(exe, str(tmp_path / "b"), vars=["fc_0.w_0", main.global_block().var("fc_1.w_0")])
    assert sorted(os.listdir(tmp_path / "a")) == ["fc_0.b_0", "fc_1.b_0"]
    assert sorted(os.listdir(tmp_path / "b")) == ["fc_0.w_0", "fc_1.w_0"]
    before = values(main)
    exe.run(startup)
    fluid.io.load_vars(exe, str(tmp_path / "b"), main, predicate=lambda v: v.name == "fc_1.w_0")
    after = values(main)
    assert np.array_equal(after["fc_1.w_0"], before["fc_1.w_0"])
    assert not np.array_equal(after["fc_0.w_0"], before["fc_0.w_0"])
    assert [v.name for v in fluid.io.get_program_parameter(main)] == list(before)
    assert {v.name for v in fluid.io.get_program_persistable_vars(main)} == set(before)
    names = ["a/b", "a.b"]
    nested = fluid.Program()
    for name in names:
        nested.global_block().create_var(name=name, shape=[1], dtype="int64", persistable=True)
        fluid.global_scope().var(name).get_tensor().set(np.array([7]), fluid.CPUPlace())
    fluid.io.save_persistables(exe, str(tmp_path / "c"), nested)
    assert (tmp_path / "c" / "a" / "b").is_file()
    fluid.io.load_persistables(exe, str(tmp_path / "c"), nested)


def test_kinds_of_variables(exe):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = paddle.static.data("x", [2])
        weight = paddle.static.create_parameter([2], "float32")
        state = paddle.static.create_global_var([1], 0.0, "float32", persistable=True)
    feed = main.global_block().create_var("feed", kind="feed", persistable=True)
    kinds = (fluid.io.is_parameter, fluid.io.is_persistable, fluid.io.is_belong_to_optimizer)
    assert [[is_it(v) for is_it in kinds] for v in (x, weight, state, feed)] == [
        [False, False, False], [True, True, False], [False, True, True], [False, False, False]]


# Going on with training.

def trained(layers=2):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), paddle.utils.unique_name.guard():
        x, label = fluid.data("x", [None, 4], "float32"), fluid.data("label", [None, 1], "int64")
        for _ in range(layers - 1):
            x = fluid.layers.fc(x, 5, act="relu")
        loss = paddle.nn.functional.cross_entropy(fluid.layers.fc(x, 3), label)
        paddle.optimizer.Adam(paddle.optimizer.lr.NoamDecay(16, 4)).minimize(loss)
    startup.random_seed = main.random_seed = 3
    return main, startup, loss


FEED = {"x": X, "label": np.array(ANSWERS["label"], "int64")}


@pytest.mark.parametrize("filename", [None, "all"])
def test_incremental_training(tmp_path, filename):
    main, startup, loss = trained()
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for _ in range(3):
            exe.run(main, feed=FEED, fetch_list=[loss])
        fluid.io.save_persistables(exe, str(tmp_path), main, filename)
        expected = [exe.run(main, feed=FEED, fetch_list=[loss])[0] for _ in range(3)]
    main, startup, loss = trained()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.load_persistables(exe, str(tmp_path), main, filename)
        np.testing.assert_array_equal([exe.run(main, feed=FEED, fetch_list=[loss])[0] for _ in range(3)], expected)


def test_a_larger_network_goes_on_where_the_smaller_one_was(exe, tmp_path):
    main, startup, loss = trained()
    exe.run(startup)
    exe.run(main, feed=FEED, fetch_list=[loss])
    fluid.io.save_persistables(exe, str(tmp_path), main)
    known = values(main)
    larger, startup, loss = trained(3)
    exe.run(startup)
    fresh = values(larger)
    with pytest.raises(FileNotFoundError, match=r"has no file for 10 of \d+ variables: \['fc_2.b_0', .*Run the startup "
                                                r"Program, and load what is there: set_program_state\("):
        fluid.io.load_persistables(exe, str(tmp_path), larger)
    assert all(np.array_equal(values(larger)[name], value) for name, value in fresh.items())
    exact = lambda v: fluid.io.is_persistable(v) and (tmp_path / v.name).exists() and not v.name.startswith("fc_1")
    fluid.io.load_vars(exe, str(tmp_path), larger, predicate=exact)
    after = values(larger)
    assert np.array_equal(after["fc_0.w_0"], known["fc_0.w_0"])
    assert np.array_equal(after["fc_2.w_0"], fresh["fc_2.w_0"])
    exe.run(startup)
    state = fluid.load_program_state(str(tmp_path))
    with pytest.raises(ValueError, match=r"'fc_1.w_0' has shape \[5, 5\] in the Program. Received shape \[5, 3\]"):
        fluid.set_program_state(larger, state)
    state = {name: array for name, array in state.items() if not name.startswith("fc_1")}
    with pytest.warns(UserWarning, match=r"keep their values.*: \['fc_1.b_0', .*'fc_2.b_0'"):
        fluid.set_program_state(larger, state)
    assert np.array_equal(values(larger)["fc_0.w_0"], known["fc_0.w_0"])
    exe.run(larger, feed=FEED, fetch_list=[loss])


# What is wrong.

def test_missing_values_and_files(exe, tmp_path):
    main, startup, scores = network()
    with pytest.raises(RuntimeError, match=r"\['fc_0.b_0', .*\] have no value in the scope. Run the startup"):
        fluid.io.save_params(exe, str(tmp_path / "a"), main)
    assert not (tmp_path / "a").exists()
    with pytest.raises(RuntimeError, match="'fc_0.w_0' has no value. Run the startup"):
        fluid.io.get_parameter_value(main.all_parameters()[0], exe)
    exe.run(startup)
    with pytest.raises(RuntimeError, match="'x'.* have no value .*predicate=is_persistable"):
        fluid.io.save_vars(exe, str(tmp_path / "a"), main)
    with pytest.raises(FileNotFoundError, match="there is no folder '.*nowhere'"):
        fluid.io.load_params(exe, str(tmp_path / "nowhere"), main)
    with pytest.raises(FileNotFoundError, match="nofile"):
        fluid.io.load_params(exe, str(FILES / "parameters"), main, "nofile")
    with pytest.raises(ValueError, match="there is no folder '.*nowhere'"):
        fluid.io.load_inference_model(str(tmp_path / "nowhere"), exe)
    with pytest.raises(FileNotFoundError, match="__model__"):
        fluid.io.load_inference_model(str(FILES / "saved"), exe)


def test_values_that_do_not_fit(exe, tmp_path):
    main, startup, _ = network()
    exe.run(startup)
    before = values(main)
    shutil.copytree(FILES / "parameters", tmp_path / "p")
    (tmp_path / "p" / "fc_1.w_0").write_bytes((FILES / "parameters" / "fc_1.b_0").read_bytes())
    with pytest.raises(RuntimeError, match=r"'fc_1.w_0' has shape \[5, 3\] in the Program. Received shape \[3\]"):
        fluid.io.load_params(exe, str(tmp_path / "p"), main)
    for name, value in before.items():
        np.testing.assert_array_equal(values(main)[name], value)
    counts = fluid.Program()
    counts.global_block().create_var(name="fc_1.b_0", shape=[3], dtype="int64", persistable=True)
    with pytest.raises(RuntimeError, match="has dtype int64 in the Program. Received dtype float32"):
        fluid.io.load_persistables(exe, str(tmp_path / "p"), counts)
    with pytest.raises(CorruptFileError, match="all: .*belongs to another model"):
        fluid.io.load_params(exe, str(FILES / "persistables"), main, "all")
    (tmp_path / "p" / "fc_0.w_0").write_bytes((FILES / "parameters" / "fc_0.w_0").read_bytes()[:50])
    with pytest.raises(CorruptFileError, match="fc_0.w_0"):
        fluid.io.load_params(exe, str(tmp_path / "p"), main)


@pytest.mark.parametrize("damage", [lambda data: data[:-300], lambda data: b"", lambda data: b"\0" * 50,
                                    lambda data: data.replace(b"fc_0.w_0", b"fc_0.w\xff0")])
def test_damaged_models(exe, tmp_path, damage):
    shutil.copytree(FILES / "model", tmp_path / "m")
    (tmp_path / "m" / "__model__").write_bytes(damage((FILES / "model" / "__model__").read_bytes()[:9000]))
    with pytest.raises(CorruptFileError, match="__model__"):
        fluid.io.load_inference_model(str(tmp_path / "m"), exe)


def test_arguments_of_another_kind(exe, tmp_path):
    main, startup, scores = network()
    exe.run(startup)
    folder = str(tmp_path)
    wrong = [
        (TypeError, r"save_vars\(main_program\): must be a Program. Received int",
         lambda: fluid.io.save_params(exe, folder, 3)),
        (TypeError, r"save_vars\(executor\): must be an Executor. Received str",
         lambda: fluid.io.save_params("exe", folder, main)),
        (TypeError, r"save_vars\(vars\): must be Variables of the Program. Received int",
         lambda: fluid.io.save_vars(exe, folder, main, [3])),
        (ValueError, "no variable 'nope'", lambda: fluid.io.load_vars(exe, folder, main, ["nope"])),
        (ValueError, "give the folder in which 'all' is to be", lambda: fluid.io.save_params(exe, None, main, "all")),
        (ValueError, "give a folder, or a combined file's bytes", lambda: fluid.io.load_params(exe, None, main)),
        (ValueError, r"save_inference_model\(feeded_var_names\): must be a list of names",
         lambda: fluid.io.save_inference_model(folder, [3], [scores], exe, main)),
        (ValueError, r"save_inference_model\(target_vars\): must be a list of Variables",
         lambda: fluid.io.save_inference_model(folder, ["x"], [], exe, main)),
        (ValueError, "no variable 'nope'",
         lambda: fluid.io.save_inference_model(folder, ["nope"], [scores], exe, main)),
        (ValueError, "depend on inputs that are not among the feeds",
         lambda: fluid.io.save_inference_model(folder, [], [scores], exe, main)),
        (ValueError, r"load_inference_model\(params_filename\): without dirname it must be the bytes",
         lambda: fluid.io.load_inference_model(None, exe, b"")),
        (TypeError, r"get_parameter_value\(para\): must be a parameter",
         lambda: fluid.io.get_parameter_value(scores, exe)),
    ]
    for kind, message, call in wrong:
        with pytest.raises(kind, match=message):
            call()
    exe.close()
    with pytest.raises(RuntimeError, match="it was closed"):
        fluid.io.save_params(exe, folder, main)
    with pytest.raises(RuntimeError, match="it was closed"):
        exe.run(startup)


def test_operators_that_1_8_does_not_have(exe, tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        h = paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 2)
        y = paddle.matmul(h, paddle.transpose(h, [1, 0]))
    exe.run(startup)
    with pytest.warns(UserWarning, match=r"1.8 does not have \(matmul_v2\)"):
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe, main)
    assert unknown_to_1_8(["mul", "relu", "while_grad", "tile"]) == ["tile"]


def test_what_1_8_cannot_read_is_not_written():
    program = fluid.Program()
    program.global_block().create_var("x", [2], "bfloat16")
    with pytest.raises(ValueError, match="BF16, the dtype of 'x', came later"):
        stamped(paddle.static.program.to_desc(program))


def test_values_of_a_scope(exe):
    main, startup, _ = network()
    with pytest.raises(ValueError, match="the scope holds no value of 'fc_0.w_0'"):
        fluid.executor._fetch_var("fc_0.w_0")
    exe.run(startup)
    tensor = fluid.executor._fetch_var("fc_0.w_0", return_numpy=False)
    np.testing.assert_array_equal(fluid.executor._fetch_var("fc_0.w_0"), fluid.executor.as_numpy([tensor])[0])


def test_attributes_that_have_another_type_in_1_8():
    program = fluid.Program()
    with fluid.program_guard(program):
        fluid.layers.reduce_all(fluid.data("x", [2, 3], "bool"), dim=[1])
        fluid.layers.eye(2, 3)
    message = type(paddle.static.program.to_desc(program))()
    message.ParseFromString(stamped(paddle.static.program.to_desc(program)))
    types = {(op.type, attr.name): attr.type for op in message.blocks[0].ops for attr in op.attrs}
    assert types["reduce_all", "dim"] == 3 and types["eye", "num_rows"] == 9
    assert [list(a.ints) for op in message.blocks[0].ops for a in op.attrs if a.name == "dim"] == [[1]]


@pytest.mark.parametrize("name", ["encoder", "tagger"])
def test_models_of_the_zoo_s_kind_give_what_1_8_5_gives(exe, name):
    folder, answers = FILES.with_name("models") / name, np.load(FILES.with_name("models") / "answers.npz")
    program, feeds, fetches = fluid.io.load_inference_model(str(folder), exe, params_filename="__params__")
    feed = {feed: answers[f"{name}.{feed}"] for feed in feeds}
    if name == "tagger":
        feed["words"] = fluid.create_lod_tensor(feed["words"], [[3, 4]], fluid.CPUPlace())
    [found] = exe.run(program, feed=feed, fetch_list=fetches, return_numpy=False)
    np.testing.assert_allclose(np.array(found), answers[name], rtol=1e-5, atol=1e-6)
    if name == "encoder":
        loaded = paddle.jit.load(str(folder), params_filename="__params__")
        tensors = [paddle.to_tensor(answers[f"encoder.{feed}"]) for feed in feeds]
        np.testing.assert_allclose(loaded(*tensors).numpy(), answers[name], rtol=1e-5, atol=1e-6)
