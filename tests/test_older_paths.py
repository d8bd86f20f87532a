"""Names by older paths, `paddle.tensor`, `paddle.base`, `paddle.framework`, seeds, and LazyGuard."""

import importlib

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.nn import initializer


def test_every_name_of_base_is_there():
    for name in dir(paddle.base):
        assert getattr(paddle.base, name) is not None, name
    assert paddle.base.CPUPlace is paddle.CPUPlace
    assert paddle.base.framework.in_dygraph_mode() and paddle.base.in_dygraph_mode()
    assert paddle.base.core.VarDesc.VarType.FP32 is paddle.float32


def test_checks_of_arguments_by_the_path_of_packages():
    from proa.base.data_feeder import check_shape, check_type, check_variable_and_dtype, convert_dtype
    from proa.base.framework import convert_np_dtype_to_dtype_

    assert convert_dtype(paddle.float32) == convert_dtype(np.float32) == "float32"
    assert convert_np_dtype_to_dtype_(np.dtype("int64")) == paddle.int64
    check_type(1, "x", str, "f")  # eagerly nothing is checked, as in Paddle
    check_shape([1], "f")
    check_variable_and_dtype(paddle.ones([1]), "x", ["int32"], "f")


def test_what_values_hold():
    kinds = paddle.base.core.VarDesc.VarType
    x = paddle.ones([2])
    assert x.type == kinds.LOD_TENSOR and str(x.type) == "VarType.LOD_TENSOR" and x.type.value == 7
    by_rows = paddle.nn.Embedding(3, 2, sparse=True)
    by_rows(paddle.to_tensor([1])).sum().backward()
    assert by_rows.weight.grad.type == kinds.SELECTED_ROWS
    block = static.Program().global_block()
    named = {"tensor": "LOD_TENSOR", "array": "LOD_TENSOR_ARRAY", "scopes": "STEP_SCOPES", "pstring": "PSTRING"}
    for kind, name in named.items():
        assert static.Variable(block, kind, kind=kind).type.name == name


def test_to_static_shows_in_the_global_var():
    module = importlib.import_module("proa.base.dygraph.base")
    seen = []

    @paddle.jit.to_static
    def function(x):
        seen.append(module.global_var._in_to_static_mode_)
        return x + 1

    function(paddle.ones([1]))
    assert seen == [True] and not paddle.base.dygraph.base.global_var._in_to_static_mode_


def test_framework_answers():
    assert not paddle.framework.use_pir_api()
    assert paddle.framework._current_expected_place() == paddle.CPUPlace()
    framework = paddle.base.framework
    assert framework._current_expected_place() == paddle.CPUPlace() and framework._dygraph_tracer() is not None
    tracer = framework._dygraph_tracer()
    with paddle.no_grad():
        assert not tracer._has_grad
    tracer.eval_mode()
    assert tracer._has_grad and not tracer._train_mode
    tracer.train_mode()
    x = paddle.ones([2])
    tracer.trace_op("scale", {"X": [x]}, {"Out": [x]}, {"scale": 3.0})
    assert x.tolist() == [3.0, 3.0]
    with static.program_guard(static.Program(), static.Program()):
        assert paddle.framework._dygraph_tracer() is None
    paddle.framework.core._set_prim_backward_enabled(True)
    assert paddle.framework.core._is_bwd_prim_enabled()
    paddle.framework.core._set_prim_all_enabled(False)
    assert not paddle.framework.core._is_bwd_prim_enabled()
    with static.program_guard(static.Program(), static.Program()):
        paddle.framework.random._manual_program_seed(5)
        assert static.default_main_program().random_seed == static.Program().random_seed == 5
        paddle.framework.random._manual_program_seed(0)
        assert static.Program().random_seed == 0
    paddle.disable_signal_handler()


def test_helpers_of_decorators_and_loggers():
    assert issubclass(paddle.base.core.EnforceNotMet, RuntimeError)
    assert paddle.base.log_helper.get_logger("example", "INFO").level == 20

    @paddle.base.wrapped_decorator.signature_safe_contextmanager
    def guard():
        yield 3

    with guard() as given:
        assert given == 3


def test_cuda_states_by_device():
    states = paddle.get_cuda_rng_state()
    paddle.set_cuda_rng_state(states)
    with pytest.raises(ValueError, match="CUDA devices"):
        paddle.set_cuda_rng_state([*states, {}])


def test_functions_by_the_modules_of_tensor():
    from proa.tensor.creation import to_tensor
    from proa.tensor.manipulation import squeeze
    from proa.tensor.math import add

    assert (add, squeeze, to_tensor) == (paddle.add, paddle.squeeze, paddle.to_tensor)
    assert paddle.tensor.linalg.matmul is paddle.matmul and paddle.tensor.random.randn is paddle.randn
    assert paddle.tensor.logic.equal is paddle.equal and paddle.tensor.search.topk is paddle.topk
    assert paddle.tensor.stat.mean is paddle.mean and paddle.tensor.ops.exp is paddle.exp
    assert paddle.tensor.attribute.shape is paddle.shape
    with pytest.raises(AttributeError, match="no_such"):
        paddle.tensor.math.no_such


def test_functions_of_tensor():
    assert paddle.tensor.tril is paddle.tril and paddle.tensor.pow is paddle.pow
    x = paddle.zeros([2])
    assert paddle.tensor.fill_constant([2], "float32", 2, out=x) is x and x.tolist() == [2.0, 2.0]
    assert paddle.tensor.create_tensor("float32").shape == [0]
    with pytest.raises(AttributeError, match="no attribute 'Model'"):
        paddle.tensor.Model


def test_lists_in_eager_mode():
    array = paddle.tensor.create_array("float32", [paddle.ones([1])])
    paddle.tensor.array_write(paddle.zeros([1]), paddle.to_tensor(1), array)
    paddle.tensor.array_write(paddle.full([1], 3.0), 0, array)
    assert [paddle.tensor.array_read(array, i).item() for i in range(paddle.tensor.array_length(array))] == [3.0, 0.0]
    with pytest.raises(IndexError, match="at most 2"):
        paddle.tensor.array_write(paddle.zeros([1]), 5, array)
    with pytest.raises(TypeError, match="create_array"):
        paddle.tensor.array_read(paddle.ones([1]), 0)
    with pytest.raises(TypeError, match="tensors"):
        paddle.tensor.create_array("float32", [1.0])


def test_lists_in_a_program():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [2])
        at = paddle.tensor.fill_constant([1], "int64", 0)
        array = paddle.tensor.array_write(x, at)
        paddle.tensor.array_write(x * 2.0, at + 1, array)
        found = [paddle.tensor.array_read(array, at + 1), paddle.tensor.array_length(array)]
        made = paddle.tensor.create_tensor("float32", name="made")
    results = static.Executor().run(main, feed={"x": np.ones(2, "float32")}, fetch_list=found)
    assert results[0].tolist() == [2.0, 2.0] and results[1].tolist() == [2] and made.name == "made"
    assert {"write_to_array", "read_from_array", "lod_array_length"} <= {op.type for op in main.global_block().ops}


def test_check_shape():
    paddle.check_shape("anything", "zeros")
    with static.program_guard(static.Program(), static.Program()):
        size = static.data("size", [1], "int32")
        paddle.check_shape([2, size], "zeros")
        paddle.check_shape(size, "zeros")
        with pytest.raises(TypeError, match="zeros"):
            paddle.check_shape(3, "zeros")
        with pytest.raises(TypeError, match="element of shape"):
            paddle.check_shape([2.5], "zeros")
        with pytest.raises(TypeError, match="int32 or int64"):
            paddle.check_shape(static.data("f", [1]), "zeros")


def test_lazy_parameters_are_filled_when_asked():
    paddle.seed(4)
    expected = paddle.nn.Linear(3, 4)
    with paddle.LazyGuard():
        lazy = paddle.nn.Linear(3, 4)
    assert not lazy.weight.numpy().any() and paddle.nn.Linear(3, 4).weight.numpy().any()
    paddle.seed(4)
    for parameter in lazy.parameters():
        parameter.initialize()
    np.testing.assert_array_equal(lazy.weight.numpy(), expected.weight.numpy())
    lazy.weight.set_value(paddle.ones([3, 4]))
    lazy.weight.initialize()
    assert lazy.weight.numpy().all()
    lazy(paddle.ones([1, 3])).sum().backward()
    assert lazy.weight.grad is not None


def test_a_seed_is_whatever_int_takes():
    paddle.seed(3)
    expected = paddle.rand([2]).tolist()
    for seed in (3.0, "3", np.int64(3), np.array([3])[0]):
        paddle.seed(seed)
        assert paddle.rand([2]).tolist() == expected
    for wrong in ("three", None):
        with pytest.raises((TypeError, ValueError), match="must be an integer"):
            paddle.seed(wrong)
    paddle.seed(3)


def test_classes_by_older_paths():
    from proa.base.layer_helper import LayerHelper
    from proa.base.param_attr import ParamAttr

    assert paddle.framework.LayerHelper is LayerHelper is paddle.common_ops_import.LayerHelper
    assert ParamAttr is paddle.ParamAttr


# What PaddlePaddle 2.6.2 draws, one behind the other, from paddle.seed(3).
OLDER_INITIALIZERS = [
    (lambda: initializer.MSRAInitializer(),
     [-0.682648182, 0.521552444, -0.76416558, 0.397178292, -0.351561785, 0.225541353]),
    (lambda: initializer.MSRAInitializer(uniform=False),
     [0.993038476, 1.52064061, -0.482897609, -0.294025034, 0.419951975, 1.58535123]),
    (lambda: initializer.XavierInitializer(),
     [0.931676149, 0.351925969, 0.112448812, -0.227390409, -0.84697181, 0.0220201015]),
    (lambda: initializer.XavierInitializer(uniform=False, fan_in=3, fan_out=4),
     [0.315594912, -0.0412141532, -0.0480471514, 0.139486521, 0.417484224, 0.480418682]),
    (lambda: initializer.NormalInitializer(1.0, 2.0),
     [1.9736855, 0.228974104, 0.724746764, 2.52066779, 5.83256149, -0.647518516]),
    (lambda: initializer.UniformInitializer(-2, 1),
     [0.571681023, -0.556464314, 0.586207628, -0.722430825, -0.454511166, 0.737857819]),
    (lambda: initializer.ConstantInitializer(2.0), [2, 2, 2, 2, 2, 2]),
    (lambda: initializer.TruncatedNormalInitializer(0.0, 1.0),
     [1.00872147, 0.533829212, 1.5173353, -0.856636226, -1.59906495, -0.708467901]),
]


def test_initializers_by_older_names():
    paddle.seed(3)
    for make, wanted in OLDER_INITIALIZERS:
        found = paddle.create_parameter([2, 3], "float32", attr=paddle.ParamAttr(initializer=make()))
        np.testing.assert_allclose(found.numpy().ravel(), wanted, rtol=1e-6)
    given = initializer.NumpyArrayInitializer(np.ones((2, 3), "float32"))
    assert paddle.create_parameter([2, 3], "float32", attr=paddle.ParamAttr(initializer=given)).sum().item() == 6
    for kind in ("Normal", "TruncatedNormal", "Uniform", "Xavier", "MSRA"):
        own = getattr(initializer, f"{kind}Initializer")(seed=5)
        assert own([2], "float32").tolist() == own([2], "float32").tolist(), kind
    program = static.Program()
    program.random_seed = 123
    for name, given in (("a", initializer.Uniform()), ("b", initializer.UniformInitializer(-4.2, 3.1, 456))):
        program.global_block().create_parameter([5, 10], "float32", name=name, initializer=given)
    assert [op.attr("seed") for op in program.global_block().ops] == [123, 456]
    for kind in (AssertionError, ValueError):
        with pytest.raises(kind, match="Dirac: a filter has 3 to 5 dimensions"):
            initializer.Dirac()([3, 2], "float32")
    with pytest.raises(NotImplementedError, match="diag_num"):
        initializer.UniformInitializer(diag_num=2)


def test_what_a_tensor_says_of_its_memory():
    x = paddle.ones([2])
    assert (x.inplace_version, x.layout, x.offset) == (0, "NCHW", 0)
    versions = [x.add_(x).inplace_version]
    x[0] = 3
    versions.append(x.inplace_version)
    x.set_value(np.ones(2, "float32"))
    versions.append(x.inplace_version)
    x.zero_()
    versions.append(x.inplace_version)
    x._bump_inplace_version()
    assert [*versions, x.inplace_version] == [1, 2, 2, 3, 4]
    assert (x + 1).inplace_version == 0 and paddle.nn.LSTM(1, 1).could_use_cudnn


def test_helpers_of_distributions():
    class Point(paddle.distribution.Distribution):
        pass

    found = Point([2], [3])
    assert found._extend_shape([5]) == (5, 2, 3) and found._validate_args(1.0, [2.0]) is False
    with pytest.raises(ValueError, match="Tensor, float"):
        found._validate_args(paddle.ones([1]), 1.0)
    low, high = found._to_tensor(1.0, [2.0, 3.0])
    assert low.tolist() == [1, 1] and high.dtype == paddle.float32
    assert found._check_values_dtype_in_probs(low, paddle.ones([1], "float64")).dtype == paddle.float32


def test_modules_of_base_hold_what_is_elsewhere():
    from proa.base import backward, compiler, executor, framework, initializer, io, lod_tensor, param_attr, reader

    assert executor.Executor is static.Executor and compiler.CompiledProgram is static.CompiledProgram
    assert param_attr.ParamAttr is paddle.ParamAttr and io.DataLoader is reader.DataLoader is paddle.io.DataLoader
    assert initializer.set_global_initializer is paddle.nn.initializer.set_global_initializer
    assert lod_tensor.create_lod_tensor([[1, 2], [3]], [[2, 1]]).recursive_sequence_lengths() == [[2, 1]]
    assert executor.as_numpy((np.ones(1), [np.zeros(1)]))[1][0].tolist() == [0.0]
    assert framework.grad_var_name("x") == "x@GRAD" and framework.dtype_is_floating("float16")
    main, startup = static.Program(), static.Program()
    old = framework.switch_main_program(main), framework.switch_startup_program(startup)
    try:
        assert static.default_main_program() is main and static.default_startup_program() is startup
        paddle.enable_static()
        x = static.data("x", [2])
        x.stop_gradient = False
        y = (x * x).sum()
    finally:
        paddle.disable_static()
        framework.switch_main_program(old[0])
        framework.switch_startup_program(old[1])
    assert main.global_block().has_var("x") and static.default_main_program() is old[0]
    with static.program_guard(main):
        assert backward.calc_gradient(y, x).name == "x@GRAD"
    with paddle.base.unique_name.guard():
        assert paddle.base.unique_name.generate("a") == "a_0" and paddle.base.unique_name.generator is not None


@pytest.mark.parametrize("name", ["core", "libpaddle"])
def test_the_native_module_by_its_paths(name):
    core = importlib.import_module(f"proa.base.{name}")
    assert getattr(paddle.base, name).Generator is core.Generator is paddle.framework.core.Generator
    assert core.VarDesc is paddle.framework.core.VarDesc
    assert isinstance(static.global_scope().var("a").get_tensor(), core.LoDTensor)
    with pytest.raises(AttributeError, match="nothing"):
        core.nothing


def test_modules_of_static_hold_what_is_elsewhere():
    from proa.static.amp import bf16, fp16_lists, fp16_utils
    from proa.static.nn import common, control_flow, loss, metric, sequence_lod

    assert common.fc is static.nn.fc and control_flow.cond is static.nn.cond and loss.nce is static.nn.nce
    assert metric.auc is static.auc and sequence_lod.sequence_pool is static.nn.sequence_pool
    assert "conv2d" in fp16_lists.white_list and "exp" in fp16_lists.black_list
    assert fp16_lists.get_low_precision_vartype("float16") == paddle.float16
    assert fp16_lists.get_low_precision_dtypestr(paddle.bfloat16) == "bfloat16"
    with pytest.raises(ValueError, match="must be 'float16' or 'bfloat16'. Received 'float32'"):
        fp16_lists.check_amp_dtype("float32")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        fp16_lists.nothing
    assert fp16_utils.cast_parameters_to_fp16(paddle.CPUPlace(), static.Program()) is None
    assert bf16.convert_float_to_uint16([1.0, -2.0]).tolist() == [0x3F80, 0xC000]
    lists = bf16.AutoMixedPrecisionListsBF16({"exp"}, {"conv2d"}, {"w"})
    assert "exp" in lists.bf16_list and "conv2d" in lists.fp32_list and lists.fp32_varnames == {"w"}


def test_programs_in_bfloat16():
    from proa.static.amp import bf16

    results = {}
    x = np.random.RandomState(0).rand(4, 8).astype("float32")
    for rewrite in (None, bf16.rewrite_program_bf16, lambda main: bf16.cast_model_to_bf16(main, use_bf16_guard=False)):
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), static.scope_guard(static.Scope()):
            y = static.nn.fc(static.data("x", [None, 8]), 3, weight_attr=paddle.nn.initializer.Constant(0.3))
            if rewrite is not None:
                rewrite(main)
            static.Executor().run(startup)
            results[rewrite] = static.Executor().run(main, feed={"x": x}, fetch_list=[y])[0].astype("float32")
    whole, *halves = results.values()
    for half in halves:
        np.testing.assert_allclose(half, whole, rtol=1e-2)
        assert not np.array_equal(half, whole)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()):
        loss = static.nn.fc(static.data("x", [None, 8]), 1).mean()
        bf16.decorate_bf16(paddle.optimizer.SGD(0.1)).minimize(loss)
        static.Executor().run(startup)
        losses = [float(static.Executor().run(main, feed={"x": x}, fetch_list=[loss])[0]) for _ in range(3)]
    assert losses[2] < losses[0] and any(op.type == "cast" for op in main.global_block().ops)


def test_assertions_in_programs():
    from proa.static.nn.control_flow import Assert

    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [3])
        Assert(x < 2.0, [x], summarize=2)
        y = x + 1.0
        with pytest.raises(TypeError, match="must be a bool Variable"):
            Assert(x)
        with pytest.raises(TypeError, match=r"Assert\(data\): must be a Variable"):
            Assert(x < 2.0, [3])
    run = lambda value: static.Executor().run(main, feed={"x": np.full(3, value, "float32")}, fetch_list=[y])
    assert run(1.0)[0].tolist() == [2.0] * 3
    for error in (AssertionError, ValueError):  # as of Python's assert; as of Paddle's
        with pytest.raises(error, match=r"the Assert at .*test_older_paths.py:\d+ does not hold\n  \[5.0, 5.0\]"):
            run(5.0)


@pytest.mark.parametrize(("name", "home"), [("signal", "utils.signal"), ("sysconfig", "utils.sysconfig"),
                                            ("onnx", "interchange.onnx")])
def test_modules_that_stand_elsewhere_are_imported_by_paddle_s_names(name, home):
    module = importlib.import_module(f"proa.{name}")
    assert module is getattr(paddle, name) is importlib.import_module(f"proa.{home}")
    assert module.__spec__.name == f"proa.{home}"
    with pytest.raises(ModuleNotFoundError, match=f"proa.{name}s"):
        importlib.import_module(f"proa.{name}s")


def test_the_bytes_of_a_saved_program_are_described_as_graph_viewers_ask(tmp_path):
    core, prefix = paddle.framework.core, str(tmp_path / "net")
    net = paddle.jit.to_static(paddle.nn.Linear(2, 3), input_spec=[paddle.static.InputSpec([-1, 2], name="x")])
    paddle.jit.save(net, prefix)
    desc = core.ProgramDesc((tmp_path / "net.pdmodel").read_bytes())
    block = desc.block(0)
    tensors = core.VarDesc.VarType.LOD_TENSOR
    shapes = {var.name(): var.shape() for var in block.all_vars() if var.type() is tensors}
    assert desc.num_blocks() == 1 and shapes["x"] == [-1, 2]
    assert not any(var.attr_names() for var in block.all_vars())
    product = next(op for op in map(block.op, range(block.op_size())) if op.type() == "matmul_v2")
    read, = product.inputs()["X"]
    assert read == "x" and list(product.outputs()) == ["Out"] and product.attr("op_namescope") == "/"
    assert product.attr_type("trans_x") is core.AttrType.BOOL and str(core.AttrType.BOOL) == "AttrType.BOOL"
    assert core.ProgramDesc().num_blocks() == 1 and core.ProgramDesc().block(0).op_size() == 0


@pytest.mark.parametrize("path", [
    "nn.functional.loss.ctc_loss", "nn.functional.common.interpolate", "nn.functional.pooling.max_unpool2d",
    "io.dataloader.BatchSampler", "nn.initializer.assign.NumpyArrayInitializer",
    "nn.initializer.initializer.calculate_gain"])
def test_names_of_larger_files(path):
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(f"proa.{module}"), name)
    assert found is getattr(importlib.import_module(f"proa.{module.rpartition('.')[0]}"), name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        importlib.import_module(f"proa.{module}").nothing


@pytest.mark.parametrize("path", [
    "optimizer.lr.noam_decay", "incubate.DistributedFusedLamb", "IrGuard",
    "incubate.nn.FusedEcMoe", "incubate.nn.functional.fused_gate_attention"])
def test_what_is_not_here_says_why(path):
    module, _, name = f"proa.{path}".rpartition(".")
    with pytest.raises(AttributeError, match=f"paddle.{path} is not supported: "):
        getattr(importlib.import_module(module), name)


def test_tuning_is_checked_and_changes_nothing(tmp_path):
    (tmp_path / "given.json").write_text('{"kernel": {"enable": false}}')
    for config in (None, {}, {"layout": {"enable": True}}, str(tmp_path / "given.json")):
        paddle.incubate.autotune.set_config(config)
    with pytest.warns(UserWarning, match="'enable' of 'kernel' must be of type bool"):
        paddle.incubate.autotune.set_config({"kernel": {"enable": 1}})
    for wrong in (3, {"kernel": 5}):
        with pytest.raises(TypeError, match="must be a dict"):
            paddle.incubate.autotune.set_config(wrong)


def test_a_variable_is_what_code_asks_for_in_either_mode():
    """As in 2.6.2: Tensors are static.Variables while operations run at once."""
    tensor, parameter = paddle.ones([2]), paddle.nn.Linear(1, 1).weight
    kind = paddle.static.Variable
    assert isinstance(tensor, kind) and isinstance(parameter, paddle.base.framework.Variable)
    assert issubclass(paddle.Tensor, kind) and not isinstance(np.ones(2), kind) and not issubclass(int, kind)
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [2])
            assert isinstance(x, kind) and not isinstance(tensor, kind) and not isinstance(x, paddle.Tensor)
            assert isinstance(x.block.create_parameter(name="w", shape=[1], dtype="float32"), kind)
    finally:
        paddle.disable_static()
    assert isinstance(x, kind) and type(x) in (kind,) and {kind: 1}[type(x)] and type(parameter) not in (kind,)
    kind.doubled = lambda self: self * 2
    try:
        assert x.doubled().shape == (2,) and not hasattr(tensor, "doubled")
    finally:
        del kind.doubled
    assert not hasattr(x, "doubled")


@pytest.mark.parametrize(("path", "name"), [
    ("optimizer.adamw", "AdamW"), ("distribution.laplace", "Laplace"), ("tensor.array", "array_write"),
    ("nn.initializer.kaiming", "KaimingNormal"), ("metric.metrics", "Accuracy"),
    ("nn.utils.weight_norm_hook", "weight_norm")])
def test_files_are_attributes_of_their_packages_without_an_import(path, name):
    package, _, file = path.partition(".")
    found = getattr(paddle, package)
    for part in file.split("."):
        found = getattr(found, part)
    assert callable(getattr(found, name))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(getattr(paddle, package), "nothing")


def test_names_of_the_native_module_and_of_clipping():
    shared = paddle.base.core.from_dlpack(paddle.utils.dlpack.to_dlpack(paddle.to_tensor([1.0, 2.0])))
    assert shared.tolist() == [1.0, 2.0]
    assert paddle.ones([1]).block is static.default_main_program().global_block()
    assert paddle.nn.clip.ErrorClipByValue(2.0).min == -2.0
    assert issubclass(paddle.nn.clip.ErrorClipByValue, paddle.nn.clip.BaseErrorClipAttr)
    assert paddle.nn.clip.merge_selected_rows(paddle.ones([2])).tolist() == [1.0, 1.0]
    assert abs(paddle.tensor.random.gaussian_(paddle.zeros([200]), 5.0, 0.1).mean().item() - 5.0) < 0.1


def test_the_native_module_s_tensors_are_those_of_scopes():
    core = paddle.framework.core
    value = core.Tensor()
    value.set(np.ones([2, 3], "float32"), paddle.CPUPlace())
    assert value.shape() == [2, 3] and core.Tensor is core.LoDTensor
    assert core.eager.Tensor is paddle.Tensor


def test_saved_models_run_by_the_native_module_s_names(tmp_path):
    """As PaddleHub 2 does: `from paddle.framework import core`."""
    core = paddle.framework.core
    path = str(tmp_path / "model")
    paddle.jit.save(paddle.nn.Linear(2, 3), path, input_spec=[paddle.static.InputSpec([None, 2], "float32")])
    predictor = core.create_paddle_predictor(core.AnalysisConfig(path + ".pdmodel", path + ".pdiparams"))
    assert isinstance(predictor, core.PaddlePredictor)
    found = predictor.run([core.PaddleTensor(np.ones([4, 2], "float32"))])
    assert found[0].as_ndarray().shape == (4, 3)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = core.nothing
