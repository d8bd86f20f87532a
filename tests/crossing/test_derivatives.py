"""Models whose forward asks for gradients, between the packages: PaddlePaddle writes an operator for each gradient."""

import derivatives
import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing
from proa import static

CASES = [(name, dtype) for name in derivatives.networks(paddle) for dtype in ("float32", "float64")]
MADE = [name for name in derivatives.networks(paddle) if name not in derivatives.NOT_MADE_THERE]
CLOSE = {"float32": {"rtol": 1e-4, "atol": 1e-5}, "float64": {"rtol": 1e-10, "atol": 1e-12}}


@pytest.mark.parametrize(("name", "dtype"), [case for case in CASES if case[0] in MADE])
def test_what_paddle_wrote_is_run(name, dtype):
    wanted = np.load(derivatives.FIXTURES / "outputs.npz")
    model = paddle.jit.load(str(derivatives.FIXTURES / f"{name}_{dtype}"))
    shape = derivatives.networks(paddle)[name].shape
    found = model(paddle.to_tensor(derivatives.example(name, dtype, shape)))
    for n, each in enumerate(found):
        np.testing.assert_allclose(each.numpy(), wanted[f"{name}_{dtype}.{n}"], **CLOSE[dtype])


@pytest.mark.parametrize("name", MADE)
def test_by_an_executor_too(name):
    wanted = np.load(derivatives.FIXTURES / "outputs.npz")
    with static.scope_guard(static.Scope()):
        executor = static.Executor()
        program, feeds, fetches = static.load_inference_model(str(derivatives.FIXTURES / f"{name}_float32"), executor)
        x = derivatives.example(name, "float32", derivatives.networks(paddle)[name].shape)
        found = executor.run(program, {feeds[0]: x}, fetches)
    for n, each in enumerate(found):
        np.testing.assert_allclose(each, wanted[f"{name}_float32.{n}"], **CLOSE["float32"])


@pytest.mark.parametrize(("name", "dtype"), CASES)
@pytest.mark.filterwarnings("error::UserWarning")  # that PaddlePaddle does not run the file
def test_what_is_written_is_read(name, dtype, tmp_path):
    net, prefix = derivatives.build(paddle, name, dtype), str(tmp_path / name)
    derivatives.save(paddle, net, prefix, dtype)
    x = paddle.to_tensor(derivatives.example(name, dtype, net.shape))
    for found, wanted in zip(paddle.jit.load(prefix)(x), net(x), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), **CLOSE[dtype])


@pytest.mark.parametrize("name", derivatives.networks(paddle))
def test_what_is_read_is_tuned_as_the_layer_is(name, tmp_path):
    """Through gradients that were asked for with create_graph, and not through others."""
    net, prefix = derivatives.build(paddle, name, "float64"), str(tmp_path / name)
    derivatives.save(paddle, net, prefix, "float64")
    found = []
    for each in (paddle.jit.load(prefix), net):
        x = paddle.to_tensor(derivatives.example(name, "float64", net.shape), stop_gradient=False)
        paddle.add_n([(result * result).sum() for result in each(x)]).backward()
        found.append([x.grad, *(p.grad for p in each.parameters() if not p.stop_gradient)])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(here.numpy(), there.numpy(), 1e-8, 1e-8)


def test_a_fetched_gradient_is_saved(tmp_path):
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()):
        executor, prefix = static.Executor(), str(tmp_path / "slope")
        with static.program_guard(main, startup):
            x = static.data("x", [None, 2])
            x.stop_gradient = False
            slope = static.gradients((x * x).sum(), x)
            static.save_inference_model(prefix, [x], slope, executor, program=main)
        program, feeds, fetches = static.load_inference_model(prefix, executor)
        [found] = executor.run(program, {feeds[0]: np.ones([3, 2], "float32")}, fetches)
    np.testing.assert_array_equal(found, np.full([3, 2], 2.0, "float32"))


def test_the_gradient_of_a_trace_is_as_long_as_the_diagonal(tmp_path):
    """PaddlePaddle reads beyond a shorter one."""
    main = static.Program()
    with static.program_guard(main, static.Program()), static.scope_guard(static.Scope()):
        x = static.data("x", [3, 4])
        x.stop_gradient = False
        slope = static.gradients(paddle.trace(x, offset=1), x)
        static.save_inference_model(str(tmp_path / "slope"), [x], slope, static.Executor(), program=main)
    block = static.deserialize_program((tmp_path / "slope.pdmodel").read_bytes()).global_block()
    [op] = [op for op in block.ops if op.type == "diagonal_grad"]
    assert block.var(op.input("Out@GRAD")[0]).shape == (3,)


def test_the_gradient_of_a_determinant_is_paddles_operator(tmp_path):
    main, executor, prefix = static.Program(), static.Executor(), str(tmp_path / "slope")
    x = np.array([[2.0, 1.0], [0.5, 3.0]], "float32")
    with static.program_guard(main, static.Program()), static.scope_guard(static.Scope()):
        given = static.data("x", [2, 2])
        given.stop_gradient = False
        slope = static.gradients(paddle.linalg.det(given), given)
        static.save_inference_model(prefix, [given], slope, executor, program=main)
        written = static.deserialize_program((tmp_path / "slope.pdmodel").read_bytes()).global_block()
        program, feeds, fetches = static.load_inference_model(prefix, executor)
        [found] = executor.run(program, {feeds[0]: x}, fetches)
    assert "determinant_grad" in [op.type for op in written.ops]
    np.testing.assert_allclose(found, [[3.0, -0.5], [-1.0, 2.0]], 1e-6)


@pytest.mark.parametrize(("options", "has_lengths"), [
    ({"direction": "bidirect"}, True), ({"num_layers": 2, "dropout": 0.5}, False)], ids=["no slopes there", "dropout"])
def test_gradients_of_recurrent_layers_that_paddle_computes_otherwise_are_ours_alone(options, has_lengths, tmp_path):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.a = paddle.nn.GRU(2, 3, **options)

        def forward(self, x):
            x.stop_gradient = False
            energy = self.a(x, sequence_length=paddle.to_tensor([2, 1]) if has_lengths else None)[0].sum()
            return paddle.grad(energy, x)[0]

    net, prefix = Net(), str(tmp_path / "net")
    net.eval()
    with pytest.warns(UserWarning, match="rnn_grad"):
        paddle.jit.save(net, prefix, input_spec=[static.InputSpec([2, 3, 2])])
    x = paddle.linspace(-1, 1, 12).reshape([2, 3, 2])
    np.testing.assert_allclose(paddle.jit.load(prefix)(x).numpy(), net(x).numpy(), 1e-5, 1e-6)


def test_a_fetched_gradient_of_training_is_refused(tmp_path):
    main = static.Program()
    with static.program_guard(main, static.Program()), static.scope_guard(static.Scope()):
        x = static.data("x", [None, 2])
        x.stop_gradient = False
        slope = static.gradients(paddle.nn.functional.dropout(x, 0.5).sum(), x)
        with pytest.raises(NotImplementedError, match="dropout in training.*clone"):
            static.save_inference_model(str(tmp_path / "slope"), [x], slope, static.Executor(), program=main)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    if missing():
        pytest.skip(missing())
    oracle, expected = Oracle(tmp_path_factory.mktemp("derivatives")), {}
    for name, dtype in CASES:
        net = derivatives.build(paddle, name, dtype)
        x = derivatives.example(name, dtype, net.shape)
        derivatives.save(paddle, net, oracle.add("model", f"{name}_{dtype}", [[x]]), dtype)
        expected[f"{name}_{dtype}"] = {f"0.{n}": each.numpy() for n, each in enumerate(net(paddle.to_tensor(x)))}
    oracle.ask()
    return oracle, expected


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_paddle_runs_what_is_written(written, name, dtype):
    oracle, expected = written
    check(oracle.found(f"{name}_{dtype}"), expected[f"{name}_{dtype}"], **CLOSE[dtype])
