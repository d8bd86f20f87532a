"""Names of `fluid` that no other test calls: predictors, what is contributed, the profiler, what changes nothing."""

import sys
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from proa.static.building import mode

sys.path.insert(0, str(Path(__file__).parent))
import usage


@pytest.fixture
def programs():
    mode.set_least_rank(1)
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        yield main, startup
    mode.set_least_rank(0)


def test_every_listed_name_is_there():
    for package in (fluid, fluid.layers, fluid.contrib, fluid.contrib.layers):
        for name in package.__all__:
            assert getattr(package, name) is not None, name


def test_contrib_has_the_names_of_its_utils():
    """`from paddle.fluid.contrib import HDFSClient`, as 1.8.5 has them."""
    utils = fluid.contrib.utils
    for name in ("HDFSClient", "multi_download", "multi_upload", "convert_dist_to_sparse_program",
                 "load_persistables_for_increment", "load_persistables_for_inference"):
        assert getattr(fluid.contrib, name) is getattr(utils, name) and name in fluid.contrib.__all__


def test_a_variable_of_a_layer_is_told_its_type():
    kinds = fluid.core.VarDesc.VarType
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        layer = fluid.dygraph.Linear(2, 3)
        kept = layer.create_variable("kept", True, "int64", kinds.LOD_TENSOR)
        assert (kept.name, kept.dtype.name, kept.persistable) == ("linear_0.kept", "int64", True)
        with pytest.raises(ValueError, match=r"create_variable\(type\): must be VarType.LOD_TENSOR"):
            layer.create_variable(type=kinds.LOD_TENSOR_ARRAY)


def test_a_predictor_of_1_x_runs_a_saved_model(programs, tmp_path):
    main, startup = programs
    x = fluid.layers.data("x", [3])
    y = fluid.layers.fc(x, 2, act="softmax")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe)
    array = np.arange(6, dtype="float32").reshape(2, 3)
    wanted = exe.run(main, {"x": array}, [y])[0]
    config = fluid.core.AnalysisConfig(str(tmp_path))
    config.disable_gpu()
    predictor = fluid.core.create_paddle_predictor(config)
    result, = predictor.run([fluid.core.PaddleTensor(array)])
    np.testing.assert_allclose(result.as_ndarray(), wanted, 1e-6)
    np.testing.assert_allclose(result.data.float_data(), wanted.reshape(-1), 1e-6)
    predictor.get_input_tensor("x").copy_from_cpu(array)
    predictor.zero_copy_run()
    name = predictor.get_output_names()[0]
    np.testing.assert_allclose(predictor.get_output_tensor(name).copy_to_cpu(), wanted, 1e-6)
    with pytest.raises(ValueError, match="the model takes"):
        predictor.run([])
    assert predictor.get_input_tensor_shape() == {"x": [-1, 3]}


def test_a_native_config_and_values_made_of_lists(programs, tmp_path):
    """As published deployments of 1.x have them: fields of a NativeConfig; name, shape, dtype and buffer of a value."""
    _, startup = programs
    core = fluid.core
    x, numbers = fluid.data("x", [None, 3]), fluid.data("numbers", [None, 1], "int64", lod_level=1)
    rows = fluid.layers.embedding(numbers, [9, 3], param_attr=fluid.initializer.Constant(0.5))
    y = x + fluid.layers.sequence_pool(rows, "sum")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    fluid.io.save_inference_model(str(tmp_path), ["x", "numbers"], [y], exe, None, "model", "params")
    config = core.NativeConfig()
    config.prog_file, config.param_file = str(tmp_path / "model"), str(tmp_path / "params")
    config.use_gpu, config.device, config.fraction_of_gpu_memory = False, 0, 0.5
    values = []
    for name, shape, dtype, data in (("x", (2, 3), core.PaddleDType.FLOAT32, [0.0, 1, 2, 3, 4, 5]),
                                     ("numbers", [3, 1], core.PaddleDType.INT64, [1, 2, 3])):
        value = core.PaddleTensor()
        value.name, value.shape, value.dtype, value.data = name, shape, dtype, core.PaddleBuf(data)
        values.append(value)
    values[1].lod = [[0, 1, 3]]
    result, = core.create_paddle_predictor(config).run(values)
    assert result.as_ndarray().tolist() == [[0.5, 1.5, 2.5], [4.0, 5.0, 6.0]]
    assert result.dtype is core.PaddleDType.FLOAT32 and result.data.tolist("int64") == [0, 1, 2, 4, 5, 6]
    assert core.PaddleTensor(np.ones(2, "int32")).dtype is core.PaddleDType.INT32 and not result.data.empty()


def test_layers_that_others_contributed(programs):
    main, startup = programs
    x, y = fluid.data("x", [3, 4]), fluid.data("y", [3, 4])
    layers = fluid.contrib.layers
    fetched = [layers.partial_concat([x, y], 1, 2), layers.partial_sum([x, y], 1, 2), layers.shuffle_batch(x, 3),
               layers.fused_elemwise_activation(x, y, ["relu", "elementwise_add"])]
    a, b = np.arange(12, dtype="float32").reshape(3, 4), -np.ones((3, 4), "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    joined, summed, shuffled, bent = exe.run(main, {"x": a, "y": b}, fetched)
    np.testing.assert_array_equal(joined, np.concatenate([a[:, 1:3], b[:, 1:3]], 1))
    np.testing.assert_array_equal(summed, (a + b)[:, 1:3])
    np.testing.assert_array_equal(shuffled[shuffled[:, 0].argsort()], a)
    np.testing.assert_array_equal(bent, np.maximum(a + b, 0))


def test_boxes_and_their_numbers(programs):
    boxes, scores = fluid.data("boxes", [1, 3, 4]), fluid.data("scores", [1, 2, 3])
    given = {"score_threshold": 0.1, "nms_top_k": 10, "keep_top_k": 10, "background_label": -1}
    fetched = [*fluid.contrib.layers.multiclass_nms2(boxes, scores, return_index=True, **given),
               fluid.contrib.layers.multiclass_nms2(boxes, scores, **given)]
    box = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]], "float32")
    score = np.array([[[0, 0, 0], [0.8, 0.9, 0.5]]], "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    kept, numbers, alone = exe.run(programs[0], {"boxes": box, "scores": score}, fetched, return_numpy=False)
    np.testing.assert_array_equal(kept, [[1, score[0, 1, 1], *box[0, 1]], [1, 0.5, *box[0, 2]]])
    assert np.asarray(numbers).tolist() == [[1], [2]] and np.array_equal(kept, alone) and kept.lod() == [[0, 2]]
    none = exe.run(programs[0], {"boxes": box, "scores": score * 0}, fetched, return_numpy=False)
    assert [np.asarray(each).size for each in none] == [0, 0, 0]


def test_casting_programs_by_the_older_path():
    from proa.fluid.contrib.mixed_precision import fp16_utils
    from proa.static.amp.fp16_utils import cast_model_to_fp16

    assert fp16_utils.cast_model_to_fp16 is cast_model_to_fp16


def test_memory_of_a_program(programs):
    main, _ = programs
    fluid.layers.relu(fluid.data("x", [None, 4]))
    low, high, unit = fluid.contrib.memory_usage(main, 16)
    assert (round(low, 6), round(high, 6), unit) == (16 * 4 * 4 * 1.05, 16 * 4 * 4 * 1.1, "B")
    with pytest.raises(ValueError, match="batch_size"):
        fluid.contrib.memory_usage(main, 0)


def test_the_profiler(programs, tmp_path, capsys):
    main, startup = programs
    y = fluid.layers.relu(fluid.data("x", [2]))
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.profiler.profiler("CPU", "total", str(tmp_path / "profile")):
        exe.run(main, {"x": np.ones(2, "float32")}, [y])
    assert "relu" in capsys.readouterr().out and (tmp_path / "profile").exists()
    with pytest.raises(ValueError, match="sorted_key"), fluid.profiler.profiler("CPU", "size"):
        pass


def test_what_changes_nothing_and_what_is_refused():
    fluid.memory_optimize(fluid.default_main_program())
    fluid.release_memory(fluid.default_main_program())
    with fluid.name_scope("a"), fluid.initializer.init_on_cpu():
        assert not fluid.initializer.force_init_on_cpu()
    for refused in (lambda: fluid.load_op_library("x.so"), lambda: fluid.optimizer.PipelineOptimizer(None)):
        with pytest.raises(NotImplementedError):
            refused()


def test_the_share_of_counted_uses(tmp_path, capsys):
    table = tmp_path / "uses.tsv"
    table.write_text("name\tuses\tfiles\npaddle.fluid.layers.fc\t3\t1\npaddle.fluid.nothing\t1\t1\n"
                     "paddle.fluid.load_op_library\t1\t1\n")
    assert usage.main([str(table), "--missing"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 of 5 uses: 60.00 %", "    1 paddle.fluid.nothing: not there", "    1 paddle.fluid.load_op_library: refused"]


def test_the_older_gradient_function_and_penalties_by_hand(programs):
    x = fluid.data("x", [2, 3])
    x.stop_gradient = False
    weight = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5), regularizer=fluid.regularizer.L1Decay(0.1))
    y = fluid.layers.fc(x, 2, param_attr=weight, bias_attr=fluid.initializer.Constant(2.0))
    pairs = fluid.backward.append_backward(fluid.layers.mean(y))
    decayed = fluid.regularizer.append_regularization_ops([*pairs, (y, None)], fluid.regularizer.L2Decay(0.2))
    assert [p.name for p, _ in decayed] == ["fc_0.w_0", "fc_0.b_0", y.name] and decayed[2][1] is None
    found = [fluid.backward.calc_gradient(y, x), decayed[0][1], decayed[1][1]]
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(programs[1])
    of_x, of_weight, of_bias = exe.run(programs[0], {"x": np.ones((2, 3), "float32")}, found)
    np.testing.assert_allclose(of_x, np.ones((2, 3)), rtol=1e-6)
    np.testing.assert_allclose(of_weight, np.full((3, 2), 0.5 + 0.1), rtol=1e-6)
    np.testing.assert_allclose(of_bias, np.full(2, 0.5 + 0.2 * 2.0), rtol=1e-6)
    assert len(fluid.backward.calc_gradient(y, [x, x])) == 2


def test_a_conditional_block_runs_where_nothing_is_empty(programs):
    x = fluid.data("x", [None, 3])
    out = fluid.layers.fill_constant([1], "float32", 7.0)
    block = fluid.layers.control_flow.ConditionalBlock(inputs=[x])
    with block.block():
        fluid.layers.assign(fluid.layers.reduce_sum(x), out)
    exe = fluid.Executor(fluid.CPUPlace())
    for rows, wanted in ((2, 6.0), (0, 7.0)):
        assert exe.run(programs[0], {"x": np.ones((rows, 3), "float32")}, [out])[0].tolist() == [wanted]


def test_programs_as_text_and_as_graphs(programs, tmp_path):
    main, _ = programs
    loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
    fluid.backward.append_backward(loss)
    text = fluid.debugger.pprint_program_codes(main)
    assert text.startswith("// block-0  parent--1\n// variables\n") and "= mul(" in text and "@GRAD" not in text
    assert "@GRAD" in fluid.debugger.pprint_block_codes(main.global_block(), show_backward=True)
    fluid.debugger.draw_block_graphviz(main.global_block(), ["fc_0"], tmp_path / "block.dot")
    lines = (tmp_path / "block.dot").read_text().splitlines()
    assert lines[0] == "digraph {" and lines[-1] == "}"
    [drawn] = [line for line in lines if 'label="fc_0.w_0"' in line]
    assert "filled" in drawn and "color=orange" in drawn
    node = drawn.split()[0]
    assert f"  {node} -> op_0;" in lines and "  op_0 -> " in "\n".join(lines)


def test_default_scopes_lie_inside_one_another():
    scopes = fluid.default_scope_funcs
    outer = scopes.var("of_all")

    def inside():
        scopes.var("inner")
        assert scopes.find_var("of_all") is outer and scopes.find_var("inner") is not None

    scopes.scoped_function(inside)
    assert scopes.find_var("inner") is None


def test_other_default_programs():
    mine = fluid.Program()
    for switch, default in ((fluid.framework.switch_main_program, fluid.default_main_program),
                            (fluid.framework.switch_startup_program, fluid.default_startup_program)):
        before = switch(mine)
        assert default() is mine and switch(before) is mine and default() is before


def test_an_installation_is_checked(capsys):
    mode.enable_static()
    try:
        fluid.install_check.run_check()
    finally:
        mode.disable_static()
    assert capsys.readouterr().out.startswith("proa works")


def test_curves(tmp_path, monkeypatch):
    from proa.utils.plot import Ploter

    monkeypatch.setenv("DISABLE_PLOT", "True")
    curves = Ploter("training", "test")
    curves.append("training", 1, 0.5)
    curves.plot(str(tmp_path / "curves.png"))
    assert not (tmp_path / "curves.png").exists()
    with pytest.raises(ValueError, match="title"):
        curves.append("other", 1, 0.5)
    monkeypatch.delenv("DISABLE_PLOT")
    pytest.importorskip("matplotlib").use("Agg")
    curves = Ploter("training", "test")
    curves.append("test", 1, 0.5)
    curves.plot(str(tmp_path / "curves.png"))
    assert (tmp_path / "curves.png").stat().st_size > 0
    curves.reset()


def test_inplace_abn_names_its_parameters_after_itself(programs):
    """Files of 1.8.5 hold `inplace_abn_0.w_0` and the running statistics behind it."""
    main, _ = programs
    x = fluid.layers.conv2d(fluid.data("x", [None, 2, 3, 3]), 3, 3)
    fluid.layers.inplace_abn(fluid.layers.batch_norm(x), act="leaky_relu", act_alpha=0.2)
    names = [p.name for p in main.all_parameters() if "conv" not in p.name]
    assert names == [f"{layer}_0.{kind}" for layer in ("batch_norm", "inplace_abn")
                     for kind in ("w_0", "b_0", "w_1", "w_2")]
