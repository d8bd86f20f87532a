"""Operators of files that are taken apart: what PaddlePaddle 2.6.2 gives of them, gradients, refusals."""

import gzip
import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import fluid, static
from proa.ops.core.decomposition import all_decompositions, decomposition, find_decomposition
from proa.ops.core.operator import is_declared
from proa.static.format.attributes import BlockList

FIXTURES = Path(__file__).parents[2] / "fixtures/static/decomposed"
CASES = json.loads(gzip.decompress((FIXTURES / "operators.json.gz").read_bytes()))


def array_of(values, dtype, shape):
    if dtype.startswith("complex"):
        values = [complex(*pair) for pair in values]
    return np.array(values, dtype).reshape(shape)


@pytest.mark.parametrize("name", CASES)
def test_an_operator_gives_what_paddle_gives(name):
    case = CASES[name]
    program = static.Program.parse_from_string(bytes.fromhex(case["program"]))
    assert all(is_declared(op.type) for op in program.global_block().ops)
    feed = {}
    for given, (values, dtype, shape, lengths) in case["inputs"].items():
        array = array_of(values, dtype, shape)
        feed[given] = fluid.create_lod_tensor(array, lengths, fluid.CPUPlace()) if lengths else array
    found = static.Executor().run(program, feed=feed, fetch_list=list(case["answers"]))
    for here, (slot, there) in zip(found, case["answers"].items(), strict=True):
        expected = array_of(*there)
        assert (here.dtype, here.shape) == (expected.dtype, expected.shape), slot
        np.testing.assert_allclose(here, expected, 1e-5, 1e-6, err_msg=slot)


def program_of(type, inputs, attributes, outputs=("Out",)):
    """A Program that holds one operation, as a file of it is read."""
    main = static.Program()
    block = main.global_block()
    given, feed = {}, {}
    for slot, arrays in inputs.items():
        names = []
        for array in arrays if isinstance(arrays, list) else [arrays]:
            names.append(f"in{len(feed)}")
            feed[names[-1]] = array
            variable = block.create_var(names[-1], array.shape, paddle.to_tensor(array).dtype)
            variable.stop_gradient = False
        given[slot] = names
    made = {slot: [block.create_var(slot, (), paddle.float32, stop_gradient=False).name] for slot in outputs}
    block.append(type, given, made, attributes)
    return static.Program.parse_from_string(main.serialized()), feed


RNG = np.random.default_rng(0)


def floats(*shape):
    return RNG.uniform(-1, 1, shape).astype("float32")


def normalized(x, scale, bias, epsilon=1e-5):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered ** 2).mean(-1, keepdims=True) + epsilon) * scale + bias


def attended(q, k, v, mask, alpha):
    scores = np.einsum("bnqd,bnkd->bnqk", q, k) * alpha + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = np.einsum("bnqk,bnkd->bqnd", weights / weights.sum(-1, keepdims=True), v)
    return mixed.reshape(*mixed.shape[:2], -1)


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


QUERY = floats(2, 3, 2, 4)
X, Y, SCALE, BIAS = floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8)
WEIGHT, OF_PROJECTIONS, MASK = floats(8, 3, 8), floats(3, 8), floats(2, 1, 1, 3)
IDS, TABLES = np.array([[[1], [0], [2]]]), [floats(3, 8), floats(4, 8)]
#: Of passes for GPUs, whose kernels the oracle does not have.
BY_FORMULA = {
    "skip_layernorm": ({"X": X, "Y": Y, "Scale": SCALE, "Bias": BIAS}, {"begin_norm_axis": 2},
                       lambda: normalized(X + Y, SCALE, BIAS)),
    "fused_embedding_eltwise_layernorm": (
        {"Ids": [IDS, IDS + 1], "Embs": TABLES, "Bias": BIAS, "Scale": SCALE}, {"epsilon": 1e-5},
        lambda: normalized(TABLES[0][IDS[..., 0]] + TABLES[1][IDS[..., 0] + 1], SCALE, BIAS)),
    "fused_fc_elementwise_layernorm": (
        {"X": X, "W": floats(8, 8) * 0 + WEIGHT[:, 0], "Y": Y, "Bias0": BIAS, "Scale": SCALE, "Bias1": BIAS},
        {"x_num_col_dims": 2, "begin_norm_axis": 2, "activation_type": "relu"},
        lambda: normalized(np.maximum(X @ WEIGHT[:, 0] + BIAS, 0) + Y, SCALE, BIAS)),
    "multihead_matmul": (
        {"Input": X, "W": WEIGHT, "Bias": OF_PROJECTIONS, "BiasQK": MASK}, {"head_number": 2, "alpha": 0.5},
        lambda: attended(*(heads(X @ WEIGHT[:, n] + OF_PROJECTIONS[n], 2) for n in range(3)), MASK, 0.5)),
    "fused_gemm_epilogue": ({"X": X[0], "Y": WEIGHT[:, 0], "Bias": BIAS}, {"activation": "relu", "trans_y": True},
                            lambda: np.maximum(X[0] @ WEIGHT[:, 0].T + BIAS, 0)),
    "fused_softplus": ({"X": X}, {"beta": 1.0, "fuse_activation": "clip", "fuse_alpha": 0.5, "fuse_beta": 1.0},
                       lambda: np.clip(np.log1p(np.exp(X)), 0.5, 1.0)),
    "fused_elementwise_div": ({"X": X, "Y": SCALE}, {"fused_output_scale": 2.0, "fused_unsqueeze2_axes": [1]},
                              lambda: (X / SCALE * 2)[:, None]),
    "flash_attn": ({slot: QUERY for slot in "qkv"}, {"causal": True, "is_test": True, "dropout": 0.1},
                   lambda: attended(*[QUERY.transpose(0, 2, 1, 3)] * 3, np.triu(np.full((3, 3), -1e9), 1), 0.5).reshape(
                       QUERY.shape), "out"),
    "fused_transpose": ({"X": X[None]}, {"axis": [0, 2, 1], "fused_squeeze2_axes": [0], "fused_unsqueeze2_axes": [1]},
                        lambda: X.transpose(0, 2, 1)[:, None]),
}

IMAGE, VOLUME = floats(1, 2, 5, 5), floats(1, 2, 3, 4, 4)


def convolution(function, x, *kernel):
    """A case of a convolution with a bias, a sum and an activation."""
    weight, bias = floats(2, 2, *kernel), floats(2)
    plain = function(paddle.to_tensor(x), paddle.to_tensor(weight), paddle.to_tensor(bias)).numpy()
    residual, ones = floats(*plain.shape), [1] * len(kernel)
    return ({"Input": x, "Filter": weight, "Bias": bias, "ResidualData": residual},
            {"strides": ones, "dilations": ones, "paddings": [0] * len(kernel), "fuse_activation": "relu"},
            lambda: np.maximum(plain + residual, 0), "Output")


F = paddle.nn.functional
BY_FORMULA |= {
    "conv3d_fusion": convolution(F.conv3d, VOLUME, 2, 2, 2),
    "conv2d_transpose_fusion": convolution(F.conv2d_transpose, IMAGE, 3, 3),
    "depthwise_conv2d_transpose_fusion": convolution(F.conv2d_transpose, IMAGE, 3, 3),
    "conv3d_transpose_fusion": convolution(F.conv3d_transpose, VOLUME, 2, 2, 2),
    "as_strided": ({"input": X[0]}, {"dims": [2, 3], "stride": [4, 1], "offset": 4},
                   lambda: X[0].ravel()[[[4, 5, 6], [8, 9, 10]]], "out"),
    "tensor_unfold": ({"input": X[0, 0]}, {"axis": 0, "size": 2, "step": 3}, lambda: X[0, 0][[[0, 1], [3, 4], [6, 7]]],
                      "out"),
    "view_shape": ({"input": X}, {"dims": [6, 8]}, lambda: X.reshape(6, 8), "out"),
    "index_select_strided": ({"x": X}, {"index": 1, "axis": 1}, lambda: X[:, 1], "out"),
    "inplace_abn": (  # as PaddlePaddle 1.8.5
        {"X": X[0], "Scale": SCALE, "Bias": BIAS, "Mean": BIAS * 2, "Variance": SCALE ** 2 + 0.5},
        {"is_test": True, "activation": "leaky_relu", "alpha": 0.2},
        lambda: (lambda y: np.where(y > 0, y, 0.2 * y))(
            (X[0] - BIAS * 2) / np.sqrt(SCALE ** 2 + 0.5 + 1e-5) * SCALE + BIAS), "Y"),
    "fill": ({}, {"shape": [2, 2], "dtype": 5, "value": [1.0, 2.0, 3.0, 4.0]}, lambda: np.float32([[1, 2], [3, 4]])),
    "conv_shift": ({"X": X[0], "Y": Y[0, :, :5]}, {}, lambda: sum(  # as PaddlePaddle 1.8.5
        np.roll(X[0], 2 - n, 1) * Y[0, :, n:n + 1] for n in range(5))),
    "empty": ({}, {"shape": [2, 3], "dtype": 5}, lambda: np.zeros((2, 3))),
    "moving_average_abs_max_scale": ({"X": X, "InAccum": BIAS[:1], "InState": BIAS[:1]}, {"is_test": True}, lambda: X),
    "uniform_random_inplace": ({"X": X}, {"min": 2.0, "max": 2.0}, lambda: X * 0 + 2),
    "gaussian_inplace": ({"x": X}, {"mean": 2.0, "std": 0.0}, lambda: X * 0 + 2, "out"),
    **{type: ({"X": X}, {}, lambda: X) for type in (
        "memcpy", "memcpy_d2h", "get_tensor_from_selected_rows", "merge_selected_rows")},
    "npu_identity": ({"x": X}, {}, lambda: X, "out"),
    "grad_add": ({"X": X, "Y": X}, {}, lambda: X + X),
    "fused_elemwise_activation": (  # PaddlePaddle approximates gelu by tanh here, not in fused_elementwise_add
        {"X": X, "Y": X}, {"functor_list": ["gelu", "elementwise_add"]},
        lambda: X * (1 + np.tanh(np.sqrt(2 / np.pi) * (2 * X + 0.044715 * (2 * X) ** 3)))),
}


@pytest.mark.parametrize("type", BY_FORMULA)
def test_an_operator_gives_its_formula(type):
    inputs, attributes, expected, *slot = BY_FORMULA[type]
    slot = slot or ["Out"]
    program, feed = program_of(type, inputs, attributes, slot)
    found, = static.Executor().run(program, feed=feed, fetch_list=slot)
    np.testing.assert_allclose(found, expected(), 1e-4, 1e-5)


def test_gradients_flow_through_what_is_taken_apart():
    program, feed = program_of("fc", {"Input": X[0], "W": WEIGHT[:, 0], "Bias": BIAS}, {"activation_type": "relu"})
    with static.program_guard(program):
        total = paddle.sum(program.global_block().var("Out"))
        of_x, = static.gradients(total, program.global_block().var("in0"))
    found, = static.Executor().run(program, feed=feed, fetch_list=[of_x])
    passed = (X[0] @ WEIGHT[:, 0] + BIAS > 0).astype("float32")
    np.testing.assert_allclose(found, passed @ WEIGHT[:, 0].T, 1e-5, 1e-6)


def test_inner_blocks_are_taken_apart():
    main = static.Program()
    block = main.global_block()
    for name, shape in (("x", (2, 3)), ("w", (3, 3)), ("y", (2, 3))):
        block.create_var(name, shape, paddle.float32)
    block.create_var("go", (1,), paddle.bool)
    block.create_var("scope", kind="scopes")
    inner = main.create_block()
    inner.append("fc", {"Input": ["x"], "W": ["w"]}, {"Out": ["y"]}, {"activation_type": ""})
    main.rollback()
    block.append("conditional_block", {"Cond": ["go"], "Input": ["x", "w"]}, {"Out": ["y"], "Scope": ["scope"]},
                 {"sub_block": 1, "is_scalar_condition": True})
    program = static.Program.parse_from_string(main.serialized())
    assert [op.type for op in program.block(1).ops] == ["mul"]
    x, w = floats(2, 3), floats(3, 3)
    found, = static.Executor().run(program, feed={"x": x, "w": w, "go": np.array([True])}, fetch_list=["y"])
    np.testing.assert_allclose(found, x @ w, 1e-5)


ARRANGED = ({"x": X, "weight": X, "weight_scale": BIAS, "scale": BIAS}, {}, "arranged for the GPU")
REFUSED = {
    "fc, activation": ({"Input": X[0], "W": WEIGHT[:, 0]}, {"activation_type": "sine"}, "fc: the activation 'sine'"),
    "fc, numbers": ({"Input": X[0], "W": WEIGHT[:, 0]}, {"mkldnn_data_type": "int8"}, "optimized for oneDNN in int8"),
    "fc, shape": ({"Input": X[0], "W": WEIGHT[:, 0]}, {"fused_reshape_X": [1]}, "fc has been fused .*fused_reshape_X"),
    "dropout_nd": ({"X": X}, {"is_test": False}, "evaluation mode"),
    "inplace_abn, activation": ({"X": X[0], "Scale": SCALE, "Bias": BIAS, "Mean": BIAS, "Variance": SCALE},
                                {"activation": "sine"}, "the activation 'sine' "),
    "fake_quantize_range_abs_max": ({"X": X, "InScale": BIAS[:1]}, {"is_test": False}, "for inference"),
    "fake_channel_wise_quantize_abs_max": ({"X": X}, {"is_test": True}, "converted weights"),
    "fused_bias_dropout_residual_layer_norm": ({"X": X, "Residual": Y}, {"dropout_rate": 0.5}, "evaluation mode"),
    "fused_elemwise_activation": ({"X": X, "Y": Y}, {"functor_list": ["relu", "tanh"]}, "functor_list must name"),
    "fused_elemwise_add_activation": ({"X": X, "Y": Y}, {"functor_list": ["tanh"]}, "functor_list must name"),
    "flash_attn": ({slot: X[None] for slot in "qkv"}, {"dropout": 0.5, "is_test": False}, "evaluation mode"),
    "bitwise_right_shift": ({"x": IDS, "y": IDS}, {"is_arithmetic": False}, "only the arithmetic shift"),
    "fractional_max_pool2d": ({"x": X[None]}, {"output_size": [2, 2], "random_u": 0.0}, "drawn in each run"),
    "lp_pool2d": ({"x": X[None]}, {"kernel_size": [2, 2], "global_pooling": True}, "only windows of given sizes"),
    "median": ({"x": X}, {"axis": [0, 1], "mode": "min"}, "one axis"),
    "nanmedian": ({"X": X}, {"axis": [0], "mode": "min"}, "only 'avg'"),
    "rms_norm": ({"x": X, "norm_weight": SCALE}, {"quant_scale": 2.0}, "before it is quantized"),
    "requantize": ({"Input": X}, {}, "optimized for oneDNN in int8"),
    "llm_int8_linear": ARRANGED, "weight_dequantize": ARRANGED, "weight_only_linear": ARRANGED,
    "weight_quantize": ARRANGED,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_refused_in_words(name):
    inputs, attributes, said = REFUSED[name]
    with pytest.raises(NotImplementedError, match=said):
        program_of(name.partition(",")[0], inputs, attributes)


@pytest.mark.parametrize("inputs", [{"Input": X[0]}, {"Input": X[0], "W": floats(5, 2)}])
def test_what_does_not_fit_together_is_refused_with_its_place(inputs):
    with pytest.raises(paddle.core.files.CorruptFileError, match=r"block 0, operator 0 \(fc\).*cannot be taken apart"):
        program_of("fc", inputs, {"in_num_col_dims": 1, "activation_type": ""})


@pytest.mark.parametrize("type, inputs, attributes, said", [
    ("fake_quantize_abs_max", {"X": X}, {"bit_length": 1 << 30}, "2 to 32 bits"),
    ("fake_dequantize_max_abs", {"X": X, "Scale": BIAS[:1]}, {"max_range": 0.0}, "division by zero")])
def test_numbers_that_no_honest_file_has_are_refused(type, inputs, attributes, said):
    with pytest.raises(paddle.core.files.CorruptFileError, match=said):
        program_of(type, inputs, attributes)


def test_declarations_are_made_once():
    assert not [each.type for each in all_decompositions() if is_declared(each.type)]
    assert find_decomposition("no_such_operator") is None
    with pytest.raises(ValueError, match="declared twice"):
        decomposition("fc", "X -> Out")(abs)


#: In the models of test_changed_models.py.
IN_MODELS = {"conv2d_fusion", "dequantize", "fused_batch_norm", "fused_elementwise_add", "fused_elementwise_mul",
             "fused_elementwise_sub", "fused_matmul", "quantize"}

#: Of PaddlePaddle 3: in the calls of test_pir.py.
LATER = {"baddbmm", "bitwise_left_shift", "bitwise_right_shift", "copysign", "fractional_max_pool3d",
         "fused_bias_residual_layernorm", "gammaincc", "lu_solve", "masked_fill", "median", "reduce_as", "rms_norm",
         "svdvals", "swiglu", "trunc_divide"}

#: Operators by now, as training uses them; their files are read here still.
DECLARED = {"fake_channel_wise_quantize_dequantize_abs_max", "fake_quantize_dequantize_abs_max",
            "moving_average_abs_max_scale"}


def test_every_decomposition_is_tested():
    tested = {name.split(",")[0].split(" ")[0] for name in CASES} | set(BY_FORMULA) | IN_MODELS | LATER | {
        name.partition(",")[0] for name in REFUSED} | {"delete_var"}
    ours = {each.type for each in all_decompositions() if each.function.__module__.startswith("proa.")}
    assert ours == tested - DECLARED  # a page of the documents that runs here declares one of its own


def test_a_seed_is_the_number_given_or_another_one_at_each_run():
    for seed in (5, 0):
        program, _ = program_of("seed", {}, {"seed": seed})
        [one], [other] = (static.Executor().run(program, fetch_list=["Out"]) for _ in range(2))
        assert one.dtype == np.int32 and (one.tolist() == other.tolist() == [5] if seed else one[0] != other[0])


def test_rows_move_around_circles_by_an_odd_width_alone():
    with pytest.raises(paddle.core.files.CorruptFileError, match="its width must be odd"):
        program_of("conv_shift", {"X": X[0], "Y": Y[0, :, :4]}, {})


def test_what_gave_memory_back_is_left_out():
    main = static.Program()
    block = main.global_block()
    for name in ("x", "y", "z"):
        block.create_var(name, (2,), paddle.float32)
    block.append("relu", {"X": ["x"]}, {"Out": ["y"]}, {})
    block.append("relu", {"X": ["y"]}, {"Out": ["z"]}, {})
    block.append("delete_var", {"X": ["y"]}, {}, {})
    read = static.Program.parse_from_string(main.serialized())
    assert [op.type for op in read.global_block().ops] == ["relu", "relu"]
    assert static.Executor().run(read, feed={"x": np.float32([-1, 2])}, fetch_list=["z"])[0].tolist() == [0.0, 2.0]
    block.ops.clear()
    assert block.append_op("delete_var", {"X": ["z"]}).type == "delete_var" and not block.ops


def in_a_pylayer(main, x, out, compute):
    """Appends a `pylayer` to a Program, as Paddle writes one: what `compute` appends is in a block of its own."""
    inner = main._create_block()
    paddle.assign(compute(x), out)
    main._rollback()
    scope = main.current_block().create_var(f"{out.name}_scope", kind="scopes")
    main.current_block().append("pylayer", {"Input": [x.name]}, {"Out": [out.name], "Scope": [scope.name]},
                                {"blocks": BlockList([inner.idx])})


def test_the_forward_of_a_pylayer_stands_in_its_place():
    main, outs = static.Program(), []
    paddle.enable_static()
    try:
        with static.program_guard(main):
            x = static.data("x", [2], "float32")
            outs = [main.global_block().create_var(name, (2,), paddle.float32) for name in ("inner", "outer")]

            def nested(value):
                in_a_pylayer(main, value, outs[0], lambda v: v * v)
                return outs[0] + 1.0

            in_a_pylayer(main, x, outs[1], nested)
            paddle.tanh(outs[1])
    finally:
        paddle.disable_static()
    assert [op.type for op in main.global_block().ops] == ["pylayer", "tanh"]
    read = static.Program.parse_from_string(main.serialized())
    assert {op.type for op in read.global_block().ops} == {"elementwise_mul", "assign", "scale", "tanh"}
    again = static.Program.parse_from_string(read.serialized())
    found = static.Executor().run(again, feed={"x": np.array([1.0, 2.0], "float32")}, fetch_list=["outer"])
    np.testing.assert_array_equal(found[0], [2.0, 5.0])


def test_a_pylayer_without_a_block_is_refused():
    main = static.Program()
    main.global_block().append("pylayer", {"Input": []}, {"Out": []}, {})
    with pytest.raises(paddle.core.files.CorruptFileError, match="no block of what its forward computes"):
        static.Program.parse_from_string(main.serialized())
