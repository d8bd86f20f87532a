"""Programs with their values as files and bytes, and strategies, places and guards."""

import os

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core.files import CorruptFileError

X = np.ones((2, 4), "float32")


@pytest.fixture
def trained(programs):
    main, startup = programs
    x = static.data("x", [None, 4])
    out = static.nn.fc(x, 2)
    paddle.optimizer.Momentum(0.1).minimize(out.mean())
    exe = static.Executor()
    exe.run(startup)
    exe.run(main, feed={"x": X})
    return main, x, out, exe


def state(main):
    return {name: np.array(value) for name, value in main.state_dict().items()}


def check(found, expected):
    assert set(found) == set(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_save_and_load(trained, tmp_path, protocol):
    main, _, _, exe = trained
    before = state(main)
    static.save(main, str(tmp_path / "a" / "m"), protocol)
    assert sorted(os.listdir(tmp_path / "a")) == ["m.pdmodel", "m.pdopt", "m.pdparams"]
    assert set(paddle.load(str(tmp_path / "a" / "m.pdparams"))) == {"fc_0.w_0", "fc_0.b_0"}
    check(static.load_program_state(str(tmp_path / "a" / "m")), {**before, "learning_rate_0": np.float32(0.1)})
    for path in ("m", "m.pdparams", "m.pdmodel"):
        exe.run(main, feed={"x": X})
        static.load(main, str(tmp_path / "a" / path), exe)
        check(state(main), before)
    main.global_block().var("fc_0.b_0")
    exe.run(main, feed={"x": X})
    changed = state(main)["fc_0.w_0"]
    static.load(main, str(tmp_path / "a" / "m"), var_list=[main.global_block().var("fc_0.b_0")])
    np.testing.assert_array_equal(state(main)["fc_0.b_0"], before["fc_0.b_0"])
    np.testing.assert_array_equal(state(main)["fc_0.w_0"], changed)


def test_load_changes_nothing_when_something_is_wrong(trained, tmp_path):
    main, *_ = trained
    before = state(main)
    path = str(tmp_path / "m")
    paddle.save({"fc_0.w_0": np.zeros((4, 2), "float32")}, path + ".pdparams")
    with pytest.raises(ValueError, match=r"no value for \['fc_0.b_0'"):
        static.load(main, path)
    with pytest.raises(ValueError, match="not persistable variables"):
        static.load(main, path, var_list=["nothing"])
    with pytest.raises(FileNotFoundError, match="neither"):
        static.load(main, str(tmp_path / "other"))
    for error in (AssertionError, ValueError):  # the first as in PaddlePaddle
        with pytest.raises(error, match="FOLDER/NAME"):
            static.save(main, str(tmp_path) + "/")
    with pytest.raises(TypeError, match="Program"):
        static.save(3, path)
    with pytest.raises(ValueError, match=r"has shape \[4, 2\]"):
        static.set_program_state(main, {"fc_0.b_0": np.zeros(2), "fc_0.w_0": np.zeros((3, 3))})
    check(state(main), before)


def test_set_program_state(trained):
    main, *_ = trained
    with (pytest.warns(UserWarning, match=r"\['other'\]"),
          pytest.warns(UserWarning, match=r"keep their values: \['fc_0.b_0_velocity_0', 'fc_0.w_0'")):
        static.set_program_state(main, {"fc_0.b_0": np.full(2, 7.0), "other": np.zeros(1)})
    assert state(main)["fc_0.b_0"].tolist() == [7.0, 7.0]


def test_a_folder_and_one_file_of_older_code(trained, tmp_path):
    from proa.static.format.tensor_stream import write_combined, write_stream

    main, *_ = trained
    before = {name: value for name, value in state(main).items() if name.startswith("fc")}
    (tmp_path / "folder").mkdir()
    for name, array in before.items():
        with open(tmp_path / "folder" / name, "wb") as file:
            write_stream(file, array, 5)
    with open(tmp_path / "all", "wb") as file:
        write_combined(file, [(before[name], 5) for name in sorted(before)])
    check(static.load_program_state(str(tmp_path / "folder")), before)
    check(static.load_program_state(str(tmp_path / "all"), var_list=list(before)), before)
    with pytest.raises(ValueError, match="var_list"):
        static.load_program_state(str(tmp_path / "all"))
    static.set_program_state(main, {name: np.zeros_like(array) for name, array in before.items()})
    static.load(main, str(tmp_path / "all"), var_list=list(before))
    check({name: state(main)[name] for name in before}, before)


def test_a_folder_of_parameters_alone(trained, tmp_path):
    main, _, _, exe = trained
    before, folder = state(main), str(tmp_path / "parameters")
    static.io.save_vars(exe, folder, main, vars=main.all_parameters())
    static.set_program_state(main, {name: np.zeros_like(array) for name, array in before.items()})
    with pytest.warns(UserWarning, match=r"no file for \['fc_0.b_0_velocity_0', 'fc_0.w_0_velocity_0'"):
        static.load(main, folder, exe)
    check(state(main), {name: array if name in ("fc_0.w_0", "fc_0.b_0") else np.zeros_like(array)
                        for name, array in before.items()})
    (tmp_path / "empty").mkdir()
    with pytest.raises(AssertionError, match="has no value for"):
        static.load(main, str(tmp_path / "empty"), exe)


def test_program_and_values_as_bytes(trained, tmp_path):
    main, x, out, exe = trained
    expected = exe.run(static.normalize_program(main, x, out), feed={"x": X}, fetch_list=[out.name])[0]
    program, values = static.serialize_program(x, out), static.serialize_persistables(x, out, exe)
    static.save_to_file(str(tmp_path / "p" / "program"), program)
    assert static.load_from_file(str(tmp_path / "p" / "program")) == program
    with static.scope_guard(static.Scope()):
        loaded = static.deserialize_program(program)
        static.deserialize_persistables(loaded, values, exe)
        np.testing.assert_array_equal(exe.run(loaded, feed={"x": X}, fetch_list=[out.name])[0], expected)
        with pytest.raises(CorruptFileError):
            static.deserialize_persistables(loaded, values[:-1], exe)
    with pytest.raises(TypeError, match="bytes"):
        static.save_to_file(str(tmp_path / "q"), "text")
    plain = x * 2.0
    with pytest.warns(UserWarning, match="no persistable values"):
        assert static.serialize_persistables(x, plain, exe) is None
    with static.scope_guard(static.Scope()), pytest.raises(RuntimeError, match="startup Program"):
        static.serialize_persistables(x, out, exe)


def test_strategies_keep_what_they_are_told(programs):
    main, _ = programs
    build, execution = static.BuildStrategy(), static.ExecutionStrategy()
    build.fuse_bn_act_ops = True
    build.reduce_strategy = static.BuildStrategy.ReduceStrategy.Reduce
    execution.num_threads = 4
    assert build.fuse_bn_act_ops and execution.num_threads == 4 and build.enable_inplace
    assert static.BuildStrategy().mkldnn_enabled_op_types is not static.BuildStrategy().mkldnn_enabled_op_types
    with pytest.raises(AttributeError, match="no attribute 'fuse_everything'"):
        build.fuse_everything = True
    with pytest.raises(TypeError, match="must be a bool"):
        build.enable_addto = "yes"
    with pytest.raises(TypeError, match="must be of type int"):
        execution.num_threads = 1.5
    y = static.data("x", [None, 4]) * 2.0
    compiled = static.CompiledProgram(main, build_strategy=build)
    assert static.Executor().run(compiled, feed={"x": X}, fetch_list=[y])[0].tolist() == (X * 2).tolist()
    with pytest.raises(TypeError, match="must be a Program"):
        static.CompiledProgram("main")
    with pytest.raises(TypeError, match="BuildStrategy"):
        static.CompiledProgram(main, execution)


def test_places_and_devices(programs, monkeypatch):
    main, _ = programs
    monkeypatch.setenv("CPU_NUM", "3")
    assert len(static.cpu_places()) == 3 and static.cpu_places(1) == [paddle.CPUPlace()]
    with pytest.raises(RuntimeError, match="Kunlun"):
        static.xpu_places()
    if not paddle.device.is_compiled_with_cuda():
        with pytest.raises(RuntimeError, match="cpu_places"):
            static.cuda_places()
    x = static.data("x", [None, 4])
    with static.device_guard("gpu:1"):
        y = x * 2.0
        with static.device_guard(None):
            z = y + 1.0
    noted = [op.attrs.get("op_device") for op in main.global_block().ops]
    assert noted == ["gpu:1", None]
    assert static.Executor().run(main, feed={"x": X}, fetch_list=[z])[0].tolist() == (X * 2 + 1).tolist()
    for device in ("tpu", "cpu:1", "gpu:one"):
        with pytest.raises(ValueError, match="device_guard"):
            static.device_guard(device).__enter__()
    for call in (static.IpuStrategy, static.IpuCompiledProgram, static.ipu_shard_guard,
                 lambda: static.set_ipu_shard(print)):
        with pytest.raises(RuntimeError, match="IPU"):
            call()


def test_weight_norm_begins_as_the_weight(programs):
    main, startup = programs
    init = paddle.nn.initializer.Constant(2.0)
    out = static.nn.fc(static.data("x", [None, 4]), 3, bias_attr=False,
                       weight_attr=static.WeightNormParamAttr(name="w", initializer=init))
    assert [p.shape for p in main.all_parameters()] == [(1, 1), (4, 3)]
    exe = static.Executor()
    exe.run(startup)
    np.testing.assert_allclose(exe.run(main, feed={"x": X}, fetch_list=[out])[0], np.full((2, 3), 8.0), rtol=1e-6)


@pytest.mark.parametrize("error", [FileNotFoundError, ValueError])  # of Python, and of PaddlePaddle
def test_files_that_are_not_there(tmp_path, error):
    prefix = str(tmp_path / "none" / "model")
    for read in (lambda: static.load_inference_model(prefix, static.Executor()),
                 lambda: static.load(static.Program(), prefix), lambda: static.load_program_state(prefix)):
        with pytest.raises(error, match="none"):
            read()


def test_inference_model_from_bytes(tmp_path):
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [None, 2])
        y = static.nn.fc(x, 3)
        exe.run(startup)
        feed = {"x": np.ones((2, 2), "float32")}
        expected, = exe.run(main, feed, [y])
        static.save_inference_model(str(tmp_path / "m"), [x], [y], exe)
    model, params = ((tmp_path / f"m{end}").read_bytes() for end in (".pdmodel", ".pdiparams"))
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(None, exe, model_filename=model, params_filename=params)
        assert feeds == ["x"]
        np.testing.assert_array_equal(exe.run(program, feed, fetches)[0], expected)
        with pytest.raises(TypeError, match="params_filename"):
            static.load_inference_model(None, exe, model_filename=model)
        with pytest.raises(CorruptFileError):
            static.load_inference_model(None, exe, model_filename=model, params_filename=params[:-1])
