"""Programs trained in mixed precision."""

import contextlib

import numpy as np
import proa as paddle
import pytest

amp = paddle.static.amp
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(16, 4)).astype("float32"), RNG.integers(0, 3, (16, 1))


def trained(decoration, kind=paddle.optimizer.Adam, steps=12, bad=None, guard=False):
    """The losses, the Program, and the factors of a training."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        paddle.seed(1)
        x, y = paddle.static.data("x", [-1, 4]), paddle.static.data("y", [-1, 1], "int64")
        with amp.fp16_guard() if guard else contextlib.nullcontext():
            hidden = paddle.nn.functional.relu(paddle.nn.Linear(4, 8)(x))
        loss = paddle.nn.functional.cross_entropy(paddle.nn.Linear(8, 3)(hidden), y)
        optimizer = kind(0.05)
        if decoration is not None:
            optimizer = amp.decorate(optimizer, **decoration)
        optimizer.minimize(loss)
        if decoration is not None:
            optimizer.amp_init(paddle.CPUPlace())
        scale = optimizer.get_loss_scaling() if decoration is not None else None
    executor, losses, scales = paddle.static.Executor(), [], []
    with paddle.static.scope_guard(paddle.static.Scope()), np.errstate(invalid="ignore"):
        executor.run(startup)
        for step in range(steps):
            feed = {"x": X * np.float32(np.inf if step == bad else 1), "y": Y}
            found = executor.run(main, feed=feed, fetch_list=[loss] if scale is None else [loss, scale])
            losses.append(float(found[0]))
            scales += [float(found[1].item())] if scale is not None else []
    return np.array(losses), main, scales


@pytest.fixture(scope="module")
def wide():
    return trained(None)[0]


def products(program):
    """The dtypes in which the forward products compute."""
    block = program.clone(for_test=True).global_block()
    return [block.var(op.output("Out")[0]).dtype.name for op in block.ops if op.type == "matmul_v2"]


@pytest.mark.parametrize(("decoration", "narrow"), [
    ({}, "float16"),
    ({"level": "O2", "init_loss_scaling": 1024.0}, "float16"),
    ({"level": "OD"}, "float16"),
    ({"dtype": "bfloat16"}, "bfloat16"),
    ({"use_bf16": True, "use_pure_fp16": True}, "bfloat16"),
    ({"init_loss_scaling": 128.0, "use_dynamic_loss_scaling": False}, "float16"),
    ({"amp_lists": amp.CustomOpLists(custom_black_list=["matmul_v2"])}, "float32"),
    ({"amp_lists": amp.CustomOpLists(custom_black_varnames=["linear_0.w_0", "linear_2.w_0"])}, "float32"),
])
def test_training(wide, decoration, narrow):
    losses, program, scales = trained(decoration)
    np.testing.assert_allclose(losses, wide, atol=0.02 if narrow == "bfloat16" else 4e-3)
    assert products(program) == [narrow, narrow]
    assert bool(scales) == (narrow != "bfloat16")


def test_only_what_is_guarded(wide):
    losses, program, _ = trained({"level": "O2", "use_amp_guard": True, "init_loss_scaling": 1024.0}, guard=True)
    assert products(program) == ["float16", "float32"]
    np.testing.assert_allclose(losses, wide, atol=4e-3)


def test_bad_steps_change_nothing(wide):
    losses, _, scales = trained({"init_loss_scaling": 64.0, "incr_every_n_steps": 3}, bad=4, steps=9)
    assert np.isnan(losses[4])
    np.testing.assert_allclose(np.delete(losses, 4), wide[:8], atol=4e-3)
    assert scales == [64.0, 64.0, 128.0, 128.0, 64.0, 64.0, 64.0, 128.0, 128.0]


def test_branches_keep_their_dtypes():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [-1, 4])
        product = paddle.matmul(x, paddle.nn.Linear(4, 4)(x).t())
        chosen = paddle.static.nn.cond(x.sum() > 0, lambda: product * 2.0, lambda: product - 1.0)
        loss = chosen.mean()
        amp.decorate(paddle.optimizer.SGD(0.1), level="O2", init_loss_scaling=64.0).minimize(loss)
    executor = paddle.static.Executor()
    executor.run(startup)
    losses = [executor.run(main, feed={"x": X}, fetch_list=[loss])[0] for _ in range(3)]
    assert losses[0] > losses[1] > losses[2]


def test_a_cast_program_runs_and_is_saved(tmp_path):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [-1, 4])
        out = paddle.nn.functional.softmax(paddle.nn.Linear(4, 3)(x))
    executor = paddle.static.Executor()
    executor.run(startup)
    wide, = executor.run(main, feed={"x": X}, fetch_list=[out])
    amp.cast_model_to_fp16(main, use_fp16_guard=False)
    narrow, = executor.run(main, feed={"x": X}, fetch_list=[out])
    assert narrow.dtype == np.float16
    np.testing.assert_allclose(narrow, wide, atol=2e-3)
    paddle.static.save_inference_model(str(tmp_path / "m"), [x], [out], executor, program=main)
    program, feeds, fetches = paddle.static.load_inference_model(str(tmp_path / "m"), executor)
    np.testing.assert_array_equal(executor.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0], narrow)


def test_what_is_refused():
    with paddle.static.program_guard(paddle.static.Program()):
        sgd = paddle.optimizer.SGD(0.1)
    assert amp.decorate(sgd, level="O0") is sgd
    with pytest.raises(ValueError, match="level"):
        amp.decorate(sgd, level="O9")
    with pytest.raises(TypeError, match="levle"):
        amp.decorate(sgd, levle="O1")
    with pytest.raises(NotImplementedError, match="master_weight"):
        amp.decorate(sgd, level="O2", master_weight=False)
    with pytest.raises(TypeError, match="GradScaler"):
        amp.decorate(sgd).minimize(paddle.ones([1]))
    with pytest.raises(ValueError, match="both"):
        amp.CustomOpLists(["exp"], ["exp"])
