"""Floats of several dtypes meet in an operator: in a file they have one, and results are what they were.

PaddlePaddle's kernels take one dtype (`test_operators_to_paddle.py` asks it, form "mixed"); these need none to ask.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import oracle
import proa as paddle
import pytest
from operator_files import RECORDS, run_here, written
from proa import nn, static
from proa.nn import functional as F
from proa.ops.core.operator import find
from proa.static.io import deserialize_program

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))

import checks
import variants

TRAINING = {"check_finite_and_unscale", "update_loss_scaling"}  # no model's: see operators_there.py
#: Of Paddle 1.x, whose functions are handed floats of one dtype.
OF_1 = {"gru_unit", "lstm_unit", "cos_sim", "minus", "fsp", "rank_loss", "affine_channel"}
SEVERAL = {f"{name}-{wide}": (record, inputs) for name, record in RECORDS.items()
           for wide, inputs in variants.one_in_float64(record)
           if record.type not in TRAINING | OF_1 and not find(record.type).only_here
           and not find(record.type).given_offsets}


def float_dtypes(program):
    """(operator, float dtypes of its inputs that go together) for every operation of a Program that has several."""
    for block in program.blocks:
        for op in block.ops:
            if op.type in ("feed", "fetch") or find(op.type).runs_block:
                continue
            alone = find(op.type).in_float32
            held = [block.var(name) for slot in op.inputs if slot not in alone for name in op.input(slot)]
            dtypes = {v.dtype.name for v in held if v.kind == "tensor" and v.dtype.is_floating}
            if len(dtypes) > 1:
                yield op.type, dtypes


def called(record, inputs):
    """What the record's function gives eagerly; None where it refuses such inputs."""
    try:
        return [part.numpy() for part in checks.as_list(record.function(*checks.tensors(inputs)))]
    except (ValueError, TypeError):
        return None


@pytest.mark.parametrize("name", SEVERAL)
def test_a_file_has_one_dtype_and_the_eager_results(name):
    record, inputs = SEVERAL[name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        eager = called(record, inputs)
        program = None if eager is None else written(record, inputs)
        if program is None:
            return
        assert list(float_dtypes(deserialize_program(program))) == []
        found = run_here(program, {f"input{n}": array for n, array in enumerate(inputs)})
    operator = find(record.type)
    if "is_test" in operator.attributes and operator.aliases and "evaluation" not in name:
        return  # of the batch's own statistics; a file is for evaluation
    for here, there in zip(found, eager, strict=True):
        assert (here.dtype, here.shape) == (there.dtype, there.shape)
        np.testing.assert_allclose(here, there, 2e-5, 2e-5)


class Mixed(nn.Layer):
    """float32 weights, float64 inputs; under `if` and `while` too."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(2, 3, 3)
        self.norm = nn.BatchNorm2D(3)
        self.slope = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.2))

    def forward(self, x):
        h = F.relu(self.norm(self.conv(x)))
        if x.mean() > 0:
            h = F.prelu(h.astype("float64"), self.slope)
        else:
            h = h.astype("float64")
        n = paddle.zeros([], "int32")
        while n < 2:
            h = F.instance_norm(h, weight=paddle.ones([3], "float32"), bias=paddle.ones([3], "float32"))
            n = n + 1
        return h


@pytest.fixture
def mixed(tmp_path):
    paddle.seed(3)
    net = Mixed()
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal((4, 2, 6, 6)) + 0.3)
    paddle.jit.save(net, str(tmp_path / "mixed"), [static.InputSpec([None, 2, 6, 6], "float64")])
    return net, x, str(tmp_path / "mixed")


def test_jit_save_casts_in_branches_and_loops(mixed):
    net, x, prefix = mixed
    program = static.files.inference_model.read_program(prefix + ".pdmodel")
    assert list(float_dtypes(program)) == []
    assert "cast" in {op.type for block in program.blocks[1:] for op in block.ops}
    net.eval()
    loaded = paddle.jit.load(prefix)
    loaded.eval()
    for each in (x, -x, x[:1]):
        np.testing.assert_allclose(loaded(each).numpy(), net(each).numpy(), 1e-5, 1e-5)


def test_a_loaded_model_is_trained_through_the_casts(mixed):
    net, x, prefix = mixed
    loaded = paddle.jit.load(prefix)
    assert sorted(b.shape for _, b in loaded.named_buffers()) == sorted(b.shape for _, b in net.named_buffers())
    for model in (net, loaded):
        model.train()
        (model(x) ** 3).mean().backward()
    theirs = [p for p in net.parameters() if p.grad is not None]
    ours = [p for p in loaded.parameters() if p.grad is not None]
    assert len(theirs) == len(ours) > 0
    for a in theirs:
        near = [b for b in ours if b.shape == a.shape and np.allclose(a.grad.numpy(), b.grad.numpy(), 1e-4, 1e-6)]
        assert near, a.name
    for (_, a), (_, b) in zip(net.named_buffers(), loaded.named_buffers(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), 1e-5, 1e-5)
        assert a.dtype is b.dtype and (a.numpy() != 0).any()


def test_save_inference_model_casts(tmp_path):
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [None, 2, 4, 4], "float64")
        grid = static.data("grid", [None, 3, 3, 2], "float32")
        y = F.grid_sample(static.nn.prelu(x, "all"), grid)
        exe.run(startup)
        feed = {"x": np.random.default_rng(0).standard_normal((2, 2, 4, 4)),
                "grid": np.linspace(-1, 1, 36, dtype="float32").reshape(2, 3, 3, 2)}
        expected = exe.run(main, feed=feed, fetch_list=[y])
        static.save_inference_model(str(tmp_path / "model"), [x, grid], [y], exe)
        assert list(float_dtypes(main)) != []  # what stays here needs no casts
        program, _, fetches = static.load_inference_model(str(tmp_path / "model"), exe)
        assert list(float_dtypes(program)) == []
        found = exe.run(program, feed=feed, fetch_list=fetches)
    np.testing.assert_allclose(found[0], expected[0], 1e-6, 1e-6)
    assert found[0].dtype == expected[0].dtype


def test_mixed_precision_keeps_the_dtypes_that_it_chose(tmp_path):
    net = nn.Sequential(nn.Conv2D(2, 3, 3), nn.BatchNorm2D(3), nn.ReLU())
    net = paddle.amp.decorate(net, level="O2", dtype="float16")
    net.eval()
    paddle.jit.save(net, str(tmp_path / "half"), [static.InputSpec([None, 2, 6, 6], "float16")])
    program = static.files.inference_model.read_program(str(tmp_path / "half") + ".pdmodel")
    assert "cast" not in {op.type for op in program.global_block().ops}
    assert list(float_dtypes(program)) == [("batch_norm", {"float16", "float32"})]


def test_a_dtype_of_its_own_is_kept(tmp_path):
    class Resize(nn.Layer):
        def forward(self, x, factor):
            return F.interpolate(x, scale_factor=factor, mode="bilinear")

    prefix = str(tmp_path / "resize")
    paddle.jit.save(Resize(), prefix, [static.InputSpec([1, 2, 4, 4], "float64"), static.InputSpec([1], "float64")])
    program = static.files.inference_model.read_program(prefix + ".pdmodel")
    op = next(op for op in program.global_block().ops if op.type == "bilinear_interp_v2")
    scale = [program.global_block().var(name).dtype.name for name in op.input("Scale")]
    assert scale in ([], ["float32"])
    x, factor = paddle.rand([1, 2, 4, 4], "float64"), paddle.to_tensor([2.0], "float64")
    np.testing.assert_allclose(paddle.jit.load(prefix)(x, factor).numpy(), Resize()(x, factor).numpy(), 1e-6)


@pytest.mark.oracle
def test_paddlepaddle_runs_such_a_file(mixed, tmp_path):  # its predictor runs no convolution in float64
    if oracle.missing():
        pytest.skip(oracle.missing())
    net, x, _ = mixed
    inputs = [[x.numpy()], [-x.numpy()], [x.numpy()[:1]]]
    asked = oracle.Oracle(tmp_path / "asked")
    paddle.jit.save(net, asked.add("model", "mixed", inputs), [static.InputSpec([None, 2, 6, 6], "float64")])
    asked.ask()
    net.eval()
    expected = {f"{n}.0": net(paddle.to_tensor(array)).numpy() for n, (array,) in enumerate(inputs)}
    oracle.check(asked.found("mixed"), expected, rtol=1e-5, atol=1e-6)


class Halves(nn.Layer):
    """16-bit values through float32 weights; the two kinds of 16 bits beside each other."""

    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2D(2, 3, 3), nn.Linear(4, 4)

    def forward(self, x):
        h = F.relu(self.conv(x.astype("float16")))
        h = F.prelu(h.astype("bfloat16"), paddle.full([1], 0.2, "float16"))
        return self.fc(h.astype("float16")).astype("float32")


def test_sixteen_bits_meet_others_in_float32(tmp_path):
    paddle.seed(5)
    net, prefix = Halves(), str(tmp_path / "halves")
    paddle.jit.save(net, prefix, [static.InputSpec([None, 2, 6, 6])])
    assert list(float_dtypes(static.files.inference_model.read_program(prefix + ".pdmodel"))) == []
    net.eval()
    x = paddle.randn([2, 2, 6, 6])
    np.testing.assert_allclose(paddle.jit.load(prefix)(x).numpy(), net(x).numpy(), 2e-2, 2e-2)


@pytest.mark.oracle
def test_paddlepaddle_runs_sixteen_bits_beside_others(tmp_path):
    if oracle.missing():
        pytest.skip(oracle.missing())
    paddle.seed(5)
    net, x = Halves(), np.random.default_rng(1).standard_normal((2, 2, 6, 6)).astype("float32")
    asked = oracle.Oracle(tmp_path / "asked")
    paddle.jit.save(net, asked.add("model", "halves", [[x]]), [static.InputSpec([None, 2, 6, 6])])
    asked.ask()
    net.eval()
    oracle.check(asked.found("halves"), {"0.0": net(paddle.to_tensor(x)).numpy()}, rtol=2e-2, atol=2e-2)
