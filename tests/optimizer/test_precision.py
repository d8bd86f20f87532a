"""What dtype each part of a step is computed in: the numbers are PaddlePaddle 2.6.2's."""

import numpy as np
import proa as paddle
import pytest
from proa.core.flags import flags_guard

ENDS = {  # after three steps with gradients 0.3, 0.6, 0.9
    "SGD": 0.82,
    "Adam": 0.707681681853612,
    "Lamb": 0.7290000000000001,
}


@pytest.fixture
def weight():
    return paddle.create_parameter([3], "float64", default_initializer=paddle.nn.initializer.Constant(1.0))


def steps(optimizer, weight):
    for i in range(3):
        (weight * 0.3 * (i + 1)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return weight.numpy()


@pytest.mark.parametrize("name", ENDS)
def test_steps_are_taken_in_float64(name, weight):
    optimizer = getattr(paddle.optimizer, name)(0.1, parameters=[weight])
    np.testing.assert_allclose(steps(optimizer, weight), ENDS[name], rtol=1e-14)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "Lamb"])
def test_powers_have_the_dtype_of_the_parameter(name, weight):
    optimizer = getattr(paddle.optimizer, name)(0.1, parameters=[weight])
    steps(optimizer, weight)
    powers = [value for key, value in optimizer.state_dict().items() if "pow_acc" in key]
    assert powers
    assert {value.dtype for value in powers} == {paddle.float64}


def test_a_model_of_two_dtypes_has_a_rate_for_each(weight):
    single = paddle.create_parameter([3], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    optimizer = paddle.optimizer.SGD(paddle.optimizer.lr.ExponentialDecay(0.1, 0.9), parameters=[weight, single])
    ((weight + single.astype("float64")) * 0.3).sum().backward()
    optimizer.step()
    assert weight.numpy()[0] == 0.97
    assert single.numpy()[0] == np.float32(1) - np.float32(0.1) * np.float32(0.3)


def test_a_program_steps_in_float64():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            weight = paddle.static.create_parameter([3], "float64",
                                                    default_initializer=paddle.nn.initializer.Constant(1.0))
            loss = (weight * 0.3).sum()
            paddle.optimizer.SGD(0.1).minimize(loss)
        executor = paddle.static.Executor()
        executor.run(startup)
        executor.run(main, fetch_list=[loss])
        [after] = executor.run(main, fetch_list=[weight.name])
    finally:
        paddle.disable_static()
    assert np.asarray(after).dtype == np.float64
    np.testing.assert_allclose(after, 0.94, rtol=1e-14)


@pytest.mark.parametrize(("name", "end"), [
    ("Adam", -0.29231736063957214), ("AdamW", -0.2920209467411041), ("Lamb", -0.12099958956241608),
    ("RMSProp", -1.2116070985794067), ("Adadelta", -0.0017000470543280244), ("Adamax", -0.24531947076320648)])
@pytest.mark.parametrize("elements", [1, 100_000])
@pytest.mark.parametrize("engines", ["numpy", "numpy,loops"])
def test_float32_takes_the_same_small_part_of_a_gradient_as_its_corrections_assume(name, end, elements, engines):
    weight = paddle.create_parameter([elements], "float32", default_initializer=paddle.nn.initializer.Constant(0.0))
    with flags_guard({"FLAGS_cpu_engines": engines}):
        found = steps(getattr(paddle.optimizer, name)(0.1, parameters=[weight]), weight)
    np.testing.assert_allclose(found, end, rtol=3e-7)  # three roundings of float32
