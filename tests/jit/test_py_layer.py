"""PyLayer in converted functions: its `backward` is what the gradient is, as without conversion."""

import warnings

import numpy as np
import proa as paddle
import pytest

from .. import py_layers as written

INPUTS = [np.random.default_rng(n).normal(size=[3, 3]).astype("float32") for n in range(3)]


def trained(case, **options):
    """What three steps of training give: losses, parameters, buffers, gradients of the inputs."""
    paddle.seed(7)
    net = case()
    run = paddle.jit.to_static(net, **options) if options else net
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
    found = []
    for array in INPUTS:
        x = paddle.to_tensor(array, stop_gradient=False)
        loss = run(x).square().mean()
        loss.backward()
        optimizer.step()
        found += [loss.numpy(), x.grad.numpy(), *(p.grad.numpy() for p in net.parameters() if p.grad is not None)]
        optimizer.clear_grad()
    return [*found, *(v.numpy() for v in net.state_dict().values())]


def assert_near(case, found, expected):
    """Of bfloat16, gradient rules round once in eager code, and in Programs after each operator."""
    near = {"rtol": 1e-2, "atol": 5e-4} if case.__name__ == "Cast" else {"rtol": 2e-5, "atol": 1e-6}
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, **near)


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("case", written.CASES, ids=lambda case: case.__name__)
def test_trains_as_without_conversion(case, full_graph):
    expected = trained(case)
    with warnings.catch_warnings():
        warnings.simplefilter("error", paddle.jit.FallbackWarning)
        found = trained(case, full_graph=full_graph)
    assert_near(case, found, expected)


@pytest.mark.parametrize("case", [c for c in written.CASES if c.__name__ not in ("InLoopOfBranches", "Cast")],
                         ids=lambda case: case.__name__)
def test_trains_for_sizes_that_are_not_known(case):
    spec = [paddle.static.InputSpec([None, 3], "float32")]
    for a, b in zip(trained(case, full_graph=True, input_spec=spec), trained(case), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("layer", [written.Cube, written.Exp, written.Reverse, written.Nested, written.ByAttribute])
def test_gradients_of_gradients(layer):
    def function(x):
        return layer.apply(x * 2.0)

    def derivatives(f):
        x = paddle.to_tensor([0.3, -0.7], stop_gradient=False)
        [first] = paddle.grad(f(x).sum(), x, create_graph=True)
        [second] = paddle.grad((first * first).sum() + x.sum(), x, create_graph=True)
        [third] = paddle.grad((second * x).sum(), x, allow_unused=True)
        return [first, second, *([] if third is None else [third])]

    for a, b in zip(derivatives(paddle.jit.to_static(function, full_graph=True)), derivatives(function), strict=False):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)


class BySavedOutput(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        y = paddle.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensor()
        return dy * (1.0 - y)


def test_the_derivative_of_a_backward_that_saved_outputs_decide():
    def function(x):
        [slope] = paddle.grad(BySavedOutput.apply(x), x, create_graph=True)
        return slope.sum()

    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor([0.3, -0.5], stop_gradient=False)
        run(x).backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(found[0], -(1.0 - np.tanh([0.3, -0.5])), rtol=1e-6)  # as PaddlePaddle 2.6.2's
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


class ToNumPy(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2.0

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * float(np.abs(x.numpy()).max())


def slope(function, values=(1.0, -3.0)):
    x = paddle.to_tensor(list(values), stop_gradient=False)
    function(x).sum().backward()
    return x.grad.numpy()


def test_backward_that_needs_values_runs_as_written_or_says_so():
    def function(x):
        return ToNumPy.apply(x)

    with pytest.raises(TypeError, match=r"(?s)an array of NumPy.s made of x.*test_py_layer.py"):
        slope(paddle.jit.to_static(function, full_graph=True))
    run = paddle.jit.to_static(function)
    assert run(paddle.ones([2])).numpy().tolist() == [2.0, 2.0]  # nothing wants a gradient: its Program will do
    assert len(run.program_cache) == 1
    with pytest.warns(paddle.jit.FallbackWarning, match="test_py_layer.py"):
        np.testing.assert_allclose(slope(run), [3.0, 3.0])
    np.testing.assert_allclose(slope(run), [3.0, 3.0])


def test_backward_that_changes_what_outlives_it():
    norms, seen = [], {}
    total = paddle.zeros([1])

    class Watched(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, dy):
            norms.append(dy.sum())
            seen["calls"] = seen.get("calls", 0) + 1
            return dy * 5.0

    class Adding(Watched):
        @staticmethod
        def backward(ctx, dy):
            total.add_(dy.sum())
            return dy * 5.0

    for layer, what in ((Watched, r"(?s)`norms`|`seen\['calls'\]`"), (Adding, "changes tensors")):
        def function(x, layer=layer):
            return layer.apply(x)

        with pytest.raises(RuntimeError, match=what):
            slope(paddle.jit.to_static(function, full_graph=True))
        assert norms == [] and seen == {} and total.item() == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
            np.testing.assert_allclose(slope(paddle.jit.to_static(function)), [5.0, 5.0])
        assert (len(norms), seen) == ((1, {"calls": 1}) if layer is Watched else (0, {}))
        norms.clear()
        seen.clear()
    assert total.item() == 2


def test_wrong_gradients_are_errors_where_they_are_asked_for():
    class TwoForOne(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, dy):
            return dy, dy

    class Many(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1.0, x * 2.0, x * 3.0, x * 4.0

        @staticmethod
        def backward(ctx, *ds):
            return sum(d for d in ds if d is not None)

    wrong = paddle.jit.to_static(lambda x: TwoForOne.apply(x), full_graph=True)
    assert wrong(paddle.ones([1])).item() == 2.0
    with pytest.raises(ValueError, match="TwoForOne.backward must give as many gradients"):
        slope(wrong)
    np.testing.assert_allclose(slope(paddle.jit.to_static(lambda x: sum(Many.apply(x)), full_graph=True)), [4.0, 4.0])
    with pytest.raises(RuntimeError, match="more than 3"):
        slope(paddle.jit.to_static(lambda x: Many.apply(x)[0], full_graph=True))


def test_nothing_is_recorded_without_need():
    run = paddle.jit.to_static(lambda x: written.Cube.apply(x), full_graph=True)
    x = paddle.to_tensor([2.0], stop_gradient=False)
    with paddle.no_grad():
        assert run(x).stop_gradient
    assert run(paddle.to_tensor([2.0])).stop_gradient and not run(x).stop_gradient
    np.testing.assert_allclose(slope(run, [2.0]), [20.0])


def test_what_backward_reads_of_python_is_guarded():
    class Factor:
        value = 2.0

    factor = Factor()

    class Scaled(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, dy):
            return dy * factor.value

    run = paddle.jit.to_static(lambda x: Scaled.apply(x), full_graph=True)
    np.testing.assert_allclose(slope(run), [2.0, 2.0])
    factor.value = 3.0
    np.testing.assert_allclose(slope(run), [3.0, 3.0])


def test_within_a_function_that_is_not_converted():
    @paddle.jit.not_to_static
    def inner(x):
        return written.Round.apply(x)

    np.testing.assert_allclose(slope(paddle.jit.to_static(lambda x: inner(x) * 2.0, full_graph=True)), [2.0, 2.0])


def test_forward_that_changes_its_input_in_place():
    class Doubled(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            x.scale_(2.0)
            ctx.mark_not_inplace(x)
            return x

        @staticmethod
        def backward(ctx, dy):
            return dy * 7.0

    def function(x):
        h = x * 1.0
        return Doubled.apply(h)

    np.testing.assert_allclose(slope(function), [7.0, 7.0])
    np.testing.assert_allclose(slope(paddle.jit.to_static(function, full_graph=True)), [7.0, 7.0])


def test_in_a_program_by_hand():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 3])
        x.stop_gradient = False
        y = paddle.static.nn.cond(x.sum() > 0, lambda: written.Cube.apply(x), lambda: written.Round.apply(x))
        [g] = paddle.static.gradients(y + written.Reverse.apply(x, 3.0), x)
        exe = paddle.static.Executor()
        for sign in (1.0, -1.0):
            array = np.full([2, 3], sign * 2, "float32")
            [found] = exe.run(main, feed={"x": array}, fetch_list=[g])
            np.testing.assert_allclose(found, np.full([2, 3], 20.0 - 3.0 if sign > 0 else 1.0 - 3.0))


def steps(net, parameters):
    """Losses and gradients of three steps, without what a converted forward changes."""
    optimizer = paddle.optimizer.Momentum(0.05, parameters=parameters)
    found = []
    for array in INPUTS:
        x = paddle.to_tensor(array, stop_gradient=False)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        found += [loss.numpy(), x.grad.numpy()]
        optimizer.clear_grad()
    return found


#: Not those whose state is frozen.
SAVED = [c for c in written.CASES if c.__name__ != "OfModule"]


@pytest.mark.parametrize("case", SAVED, ids=lambda case: case.__name__)
def test_files_carry_the_gradient(case, tmp_path):
    paddle.seed(7)
    layer = case()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paddle.jit.save(layer, str(tmp_path / "first"), input_spec=[paddle.static.InputSpec([None, 3])])
        loaded = paddle.jit.load(str(tmp_path / "first"))
        paddle.jit.save(loaded, str(tmp_path / "again"))
    expected = steps(layer, layer.parameters())
    for name in ("first", "again"):
        loaded = paddle.jit.load(str(tmp_path / name))
        loaded.train()
        assert_near(case, steps(loaded, loaded.parameters()), expected)


def test_files_hold_operators_that_every_reader_knows(tmp_path):
    from proa.ops.core.operator import unknown_to_paddle
    from proa.static.format.program_file import read_program_desc

    paddle.jit.save(written.InBranch(), str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 3])])
    desc = read_program_desc(str(tmp_path / "m.pdmodel"))
    assert not unknown_to_paddle(op.type for block in desc.blocks for op in block.ops)


def test_a_loaded_model_within_a_converted_function(tmp_path):
    layer = written.InSublayer()
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 3])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    run = paddle.jit.to_static(lambda x: loaded(x) * 2.0, full_graph=True)
    for a, b in zip(steps(run, loaded.parameters()), steps(lambda x: layer(x) * 2.0, layer.parameters()), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_what_a_file_cannot_carry_is_said(tmp_path):
    spec = [paddle.static.InputSpec([2], "float32")]
    with pytest.warns(UserWarning, match="ToNumPy.backward is not in the file"):
        paddle.jit.save(paddle.jit.to_static(lambda x: ToNumPy.apply(x)), str(tmp_path / "m"), input_spec=spec)
    assert paddle.jit.load(str(tmp_path / "m"))(paddle.ones([2])).tolist() == [2.0, 2.0]


def test_a_gradient_in_a_file_that_makes_no_sense(tmp_path):
    from proa.static.format.program_file import read_program_desc, serialize_program_desc

    paddle.jit.save(written.CASES[0](), str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 3])])
    desc = read_program_desc(str(tmp_path / "m.pdmodel"))
    [attr] = [a for op in desc.blocks[0].ops for a in op.attrs if a.name == "proa_gradient"]
    whole = attr.s
    others = (whole.replace('"x": ["', '"x": ["no_'), whole.replace('"program": "', '"program": "AA'))
    for broken in ("", "[]", "{}", whole[:-5], *others):
        attr.s = broken
        (tmp_path / "m.pdmodel").write_bytes(serialize_program_desc(desc))
        with pytest.raises(paddle.core.files.CorruptFileError, match=r"m\.pdmodel"):
            paddle.jit.load(str(tmp_path / "m"))
