"""Counting and checking operators."""

import contextlib

import numpy as np
import proa as paddle
import pytest
from proa.core.errors import NotFiniteError

D = paddle.amp.debugging


def test_counts_by_dtype(capsys):
    x = paddle.ones([2, 2])
    with D.collect_operator_stats(), paddle.amp.auto_cast(), np.errstate(all="ignore"):
        paddle.matmul(x, x).exp()
        paddle.matmul(x, x) > 1
    lines = {line.split()[0]: line.replace("|", " ").split()[1:] for line in capsys.readouterr().out.splitlines()
             if line.startswith("  ")}
    assert lines["matmul_v2"] == ["2", "0", "0", "0"] and lines["exp"] == ["0", "0", "1", "0"]
    assert lines["greater_than"] == ["0", "0", "0", "1"]
    with paddle.amp.auto_cast(dtype="bfloat16"):
        with D.collect_operator_stats():
            paddle.matmul(x, x)
        assert paddle.matmul(x, x).dtype == "bfloat16"
    assert "op count: 2" in capsys.readouterr().out


def test_numbers_of_a_tensor(capsys):
    counts, values = D.check_numerics(paddle.to_tensor([1.0, np.nan, 0.0, np.inf]), "op", "v",
                                      D.DebugMode.CHECK_NAN_INF)
    assert counts.tolist() == [1, 1, 1]
    assert "num_nan=1, num_inf=1, num_zero=1" in capsys.readouterr().out
    with pytest.raises(FloatingPointError, match="op=pow"):
        D.check_numerics(paddle.to_tensor([np.inf]), "pow", "v")
    D.check_numerics(paddle.to_tensor([1e6]), "pow", "v", D.DebugMode.CHECK_ALL_FOR_OVERFLOW)
    assert "PRECISION" in capsys.readouterr().out


def test_numbers_of_a_variable(capsys):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [4])
        found = D.check_numerics(x * 2, "scale", "x", D.DebugMode.CHECK_NAN_INF)
    fed = np.array([0.0, np.nan, 1.0, np.inf], "float32")
    counts, values = paddle.static.Executor().run(main, {"x": fed}, list(found))
    assert counts.tolist() == [1, 1, 1] and values.tolist()[:2] == [np.inf, 0.0]
    assert "op=scale, tensor=x" in capsys.readouterr().out


def test_a_level_above_0_prints_where_a_nan_is_and_goes_on(capsys):
    x = paddle.to_tensor([-1.0, 0.0, 1.0])
    flags = paddle.core.flags.flags_guard
    with np.errstate(all="ignore"):
        with flags({"FLAGS_check_nan_inf": True}), pytest.raises(RuntimeError, match="num_nan=1, num_inf=1"):
            paddle.log(x)
        with flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": 3}):
            assert np.isnan(paddle.log(x).numpy()[0])
    assert "There are NAN or INF (num_nan=1, num_inf=1)" in capsys.readouterr().out


def test_a_config_begins_the_generators_anew():
    """The numbers are those of `paddle.seed(5)`, as PaddlePaddle 2.6.2 has it."""
    paddle.seed(5)
    begun = paddle.rand([3]).tolist()
    config = D.TensorCheckerConfig(True)
    assert (config.seed, config.initial_seed) == (5, 5)
    assert paddle.rand([3]).tolist() == begun and np.random.rand() == np.random.RandomState(5).rand()
    paddle.seed(2 ** 40)
    assert D.TensorCheckerConfig(True).seed == 123


def test_counts_of_a_program(capsys):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [None, 4])
        half = x.astype("float16") * 2
        paddle.static.nn.cond(x.sum() > 0, lambda: half + 1, lambda: half)
    debugging = paddle.static.amp.debugging
    first, inside, _ = debugging._get_op_stats_list(main)
    assert vars(first["scale"]) == {"op_type": None, "fp32_calls": 0, "fp16_calls": 1, "bf16_calls": 0,
                                    "other_calls": 0}
    assert first["cast"].fp32_calls and inside["scale"].fp16_calls == 1
    debugging.collect_operator_stats(main, print_subblocks=True)
    told = capsys.readouterr().out
    assert told.count("op list of block") == 3 and "op list of all blocks" in told


def test_a_checker(capsys):
    x = paddle.to_tensor([0.0])
    D.enable_tensor_checker(D.TensorCheckerConfig(True, skipped_op_list=["log"], debug_step=(0, 1)))
    with np.errstate(all="ignore"):
        y = paddle.log(x)
        with pytest.raises(FloatingPointError, match="elementwise_mul"):
            y * y
        D.disable_tensor_checker()
        assert np.isinf((y * y).numpy()).all()
    config = D.TensorCheckerConfig(True, debug_step=(1, 2))
    for checked in (False, True, False):
        D.enable_tensor_checker(config)
        if checked:
            with pytest.raises(FloatingPointError):
                y + 1
        else:
            y + 1
    D.disable_tensor_checker()


def test_a_checker_sees_gradients(capsys):
    def gradient():
        x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
        paddle.sqrt(x).sum().backward()
        return x.grad.tolist()

    with np.errstate(all="ignore"):
        D.enable_tensor_checker(D.TensorCheckerConfig(True))
        with pytest.raises(RuntimeError, match="op=sqrt_grad"):
            gradient()
        D.enable_tensor_checker(D.TensorCheckerConfig(True, D.DebugMode.CHECK_NAN_INF))
        assert gradient() == [np.inf, 0.5]
        assert capsys.readouterr().out.count("op=sqrt_grad") == 2
        D.enable_tensor_checker(D.TensorCheckerConfig(True, skipped_op_list=["sqrt_grad"]))
        assert gradient() == [np.inf, 0.5]
        D.disable_tensor_checker()
        assert gradient() == [np.inf, 0.5]


@pytest.mark.parametrize(("settings", "raises"), [
    ({"skipped_op_list": ["divide"]}, False), ({"skipped_op_list": ["elementwise_div"]}, False),
    ({"checked_op_list": ["divide"]}, True), ({"checked_op_list": ["multiply"]}, False)])
def test_operators_by_what_functions_are_called(settings, raises):
    D.enable_tensor_checker(D.TensorCheckerConfig(True, D.DebugMode.CHECK_NAN_INF_AND_ABORT, **settings))
    try:
        with pytest.raises(NotFiniteError) if raises else contextlib.nullcontext(), np.errstate(divide="ignore"):
            paddle.ones([1]) / paddle.zeros([1])
    finally:
        D.disable_tensor_checker()


def test_a_checked_layer():
    class Layer(paddle.nn.Layer):
        @D.check_layer_numerics
        def forward(self, x):
            return x / x

    assert Layer()(paddle.ones([1])).tolist() == [1.0]
    with pytest.raises(FloatingPointError, match="op=Layer, tensor=output0"), np.errstate(all="ignore"):
        Layer()(paddle.zeros([1]))
    assert paddle.jit.to_static(Layer())(paddle.ones([1])).tolist() == [1.0]
    with pytest.raises(NotImplementedError, match="compare"):
        D.compare_accuracy("a", "b", "c")


def test_what_is_checked_is_written_to_a_folder(tmp_path, capsys):
    """The lines that PaddlePaddle 2.6.2 writes for the same operators, but for the operators' names."""
    for mode, lines in ((D.DebugMode.CHECK_ALL, 2), (D.DebugMode.CHECK_NAN_INF, 1)):
        folder = tmp_path / mode.name / "new"
        D.enable_tensor_checker(D.TensorCheckerConfig(True, mode, output_dir=folder))
        with np.errstate(all="ignore"):
            x = paddle.ones([2, 2])
            x + x
            y = paddle.to_tensor([1.0, 0.0])
            y / y
        D.disable_tensor_checker()
        told = [line for line in (folder / "worker_cpu").read_text().splitlines() if "op=elementwise" in line]
        assert len(told) == lines
        assert told[-1].startswith("[PRECISION] [ERROR] in [device=cpu, op=elementwise_div, tensor=")
        assert told[-1].endswith("dtype=fp32], numel=2, num_nan=1, num_inf=0, num_zero=0, max=1.000000e+00, "
                                 "min=1.000000e+00, mean=nan")
    assert capsys.readouterr().out == ""
    D.enable_tensor_checker(D.TensorCheckerConfig(True, output_dir=str(tmp_path)))
    with pytest.raises(FloatingPointError), np.errstate(all="ignore"):
        y / y
    D.disable_tensor_checker()
    assert (tmp_path / "worker_cpu").read_text().count("\n") == 1


def test_the_range_is_that_of_what_is_not_nan():
    x = paddle.to_tensor([1.0, np.nan, np.inf, 0.0])
    counts, values = D.check_numerics(x, "op", "x", D.DebugMode.CHECK_NAN_INF)
    assert counts.tolist() == [1, 1, 1]
    assert values.tolist()[:2] == [np.inf, 0.0] and np.isnan(values.tolist()[2])
