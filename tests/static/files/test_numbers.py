"""Numbers of Programs that float32 does not hold stay as they are in files."""

import numpy as np
import proa as paddle
import pytest
from proa.nn import functional as F
from proa.static.files.program_codec import to_desc

X = np.linspace(0.0, 1.0, 10)
IDS = np.arange(10)
LARGE = 2**24 + 1

OF_FLOATS = {
    "product": lambda x: x * 0.1,
    "sum": lambda x: x + 0.1,
    "quotient": lambda x: x / 3,
    "difference": lambda x: 0.1 - x,
    "both": lambda x: paddle.scale(x, 0.1, 0.7),
    "sum first": lambda x: paddle.scale(x, 0.1, 0.7, bias_after_scale=False),
    "power": lambda x: x ** 0.3,
    "limits": lambda x: paddle.clip(x, 0.1, 0.7),
    "filled": lambda x: paddle.full_like(x, 0.1),
    "step": lambda x: paddle.increment(x[:1] * 2, 0.1),
    "edges": lambda x: F.pad(x, [1, 2], value=0.1),
    "edges of a sequence": lambda x: F.pad(x.reshape([1, 1, -1]), [1, 2], value=0.1),
    "without dimensions": lambda x: x.sum() * 0.1 + 0.7,
}
OF_INTEGERS = {
    "product": lambda x: x * LARGE,
    "sum": lambda x: x + LARGE,
    "difference": lambda x: LARGE - x,
    "step": lambda x: paddle.increment(x[:1] * 2, LARGE),
    "limits": lambda x: paddle.clip(x * 2**24, 3, LARGE),
    "filled": lambda x: paddle.full_like(x, LARGE),
    "edges": lambda x: F.pad(x, [1, 2], value=LARGE),
    "edges of a sequence": lambda x: F.pad(x.reshape([1, 1, -1]), [1, 2], value=LARGE),
}


def loaded(function, folder, *specs):
    layer = paddle.jit.to_static(function, input_spec=list(specs), full_graph=True)
    paddle.jit.save(layer, f"{folder}/m")
    return paddle.jit.load(f"{folder}/m")


@pytest.mark.parametrize("shape", [[10], [None]], ids=str)
@pytest.mark.parametrize("what", OF_FLOATS)
def test_of_doubles(what, shape, tmp_path):
    found = loaded(OF_FLOATS[what], tmp_path, paddle.static.InputSpec(shape, "float64"))(paddle.to_tensor(X))
    np.testing.assert_array_equal(found.numpy(), OF_FLOATS[what](paddle.to_tensor(X)).numpy())


@pytest.mark.parametrize("what", OF_INTEGERS)
def test_of_integers(what, tmp_path):
    found = loaded(OF_INTEGERS[what], tmp_path, paddle.static.InputSpec([None], "int64"))(paddle.to_tensor(IDS))
    wanted = OF_INTEGERS[what](paddle.to_tensor(IDS))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_what_is_made_of_sizes(tmp_path):
    """0.7 * 10 is 7 in Python, and 6.99999988 with what float32 holds of 0.7."""
    def kept(x):
        return x[:int(x.shape[0] * 0.7)], x.shape[0] / 3

    model = loaded(kept, tmp_path, paddle.static.InputSpec([None], "float64"))
    for size in (10, 20, 30, 9):
        part, third = model(paddle.ones([size], "float64"))
        assert part.shape == [int(size * 0.7)] and third.item() == size / 3


def test_the_program_that_is_saved_stays_as_it_is(tmp_path):
    program = paddle.static.Program()
    with paddle.utils.unique_name.guard(), paddle.static.program_guard(program):
        paddle.enable_static()
        try:
            x = paddle.static.data("x", [2], "float64")
            y, z = x * 0.1, paddle.static.data("z", [2], "float32") * 0.1
        finally:
            paddle.disable_static()
    assert [op.type for op in to_desc(program).blocks[0].ops] == ["fill_constant", "elementwise_mul", "scale"]
    assert [op.type for op in program.global_block().ops] == ["scale", "scale"]
    assert y.dtype == x.dtype and z.dtype == paddle.float32


def test_training_goes_on_behind_a_file():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [3, 2], "float64")
            weight = paddle.static.create_parameter(
                [2, 1], "float64", name="weight", default_initializer=paddle.nn.initializer.Constant(0.5))
            loss = (((x @ weight) * 0.1 + 0.7) ** 2).mean()
            paddle.optimizer.SGD(0.3).minimize(loss)
        again = paddle.static.Program.parse_from_string(main.desc.serialize_to_string())
        values = []
        for program in (main, again):
            scope, executor = paddle.static.Scope(), paddle.static.Executor()
            with paddle.static.scope_guard(scope):
                executor.run(startup)
                values.append([executor.run(program, {"x": X[:6].reshape(3, 2)}, [loss.name])[0] for _ in range(3)])
        np.testing.assert_allclose(values[0], values[1], rtol=1e-15)
    finally:
        paddle.disable_static()


def test_complex_numbers_are_written_by_their_parts(tmp_path):
    """PaddlePaddle takes the text of one for 0."""
    def turned(x):
        return paddle.real(paddle.complex(x, x * 2.0) * (0.5 + 1j) + 2j), paddle.imag(paddle.complex(x, x) + (1 - 1j))

    function = paddle.jit.to_static(turned, input_spec=[paddle.static.InputSpec([2, 2])])
    paddle.jit.save(function, str(tmp_path / "turned"))
    loaded = paddle.jit.load(str(tmp_path / "turned"))
    constants = [op for op in loaded.program().global_block().ops if op.type == "fill_constant"]
    assert constants and not any("j" in str(op.attrs.get("str_value", "")) for op in constants)
    x = paddle.to_tensor([[1.0, 2.0], [3.0, -1.0]])
    for mine, theirs in zip(loaded(x), turned(x), strict=True):
        assert mine.tolist() == theirs.tolist()
