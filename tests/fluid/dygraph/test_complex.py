"""`paddle.complex` of 1.8: ComplexVariables beside NumPy's complex numbers, and their gradients."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid import complex as cpx

A = np.array([[1 + 2j, 3 - 1j], [0.5j, 2]], "complex64")
B = np.array([[1 + 1j, -1j], [2, 3.5 + 1j]], "complex64")
R = np.array([[1, 2], [3, 4]], "float32")
OF_TWO = {"elementwise_add": np.add, "elementwise_sub": np.subtract, "elementwise_mul": np.multiply,
          "elementwise_div": np.divide, "kron": np.kron, "matmul": np.matmul}


@pytest.fixture(autouse=True)
def computing():
    with fluid.dygraph.guard():
        yield


def value(array):
    return fluid.dygraph.to_variable(array)


@pytest.mark.parametrize("x, y", [(A, B), (A, R), (R, B)], ids=["complex", "real behind", "real in front"])
@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two(name, x, y):
    got = getattr(cpx, name)(value(x), value(y))
    assert got.dtype == "complex64"
    np.testing.assert_allclose(got.numpy(), OF_TWO[name](x, y), rtol=1e-6)


def test_functions_of_one():
    x = value(A)
    assert cpx.sum(x).numpy().tolist() == [6 + 1.5j] and cpx.trace(x).numpy().tolist() == [3 + 2j]
    assert cpx.sum(x, dim=0, keep_dim=True).shape == [1, 2]
    assert cpx.reshape(x, [0, -1, 1]).shape == [2, 2, 1]
    assert cpx.transpose(x, [1, 0]).numpy().tolist() == A.T.tolist()
    assert cpx.matmul(x, value(B), True, False, 2.0).numpy().tolist() == (2 * A.T @ B).tolist()
    cpx.reshape(x, [4], inplace=True)
    assert x.shape == [4] == x.real.shape


def test_dimensions_by_axis():
    got = cpx.elementwise_add(value(A), value(np.array([1j, 2], "complex64")), axis=0)
    assert got.numpy().tolist() == (A + np.array([[1j], [2]])).tolist()


def test_each_part_has_its_gradient():
    x = value(A)
    x.real.stop_gradient = x.imag.stop_gradient = False
    total = cpx.sum(cpx.elementwise_mul(x, value(B)))
    (total.real * total.real + total.imag).backward()
    twice = 2 * np.sum(A * B).real
    np.testing.assert_allclose(x.real.gradient(), twice * B.real + B.imag, rtol=1e-5)
    np.testing.assert_allclose(x.imag.gradient(), -twice * B.imag + B.real, rtol=1e-5)


def test_names_dtypes_and_parts():
    x = fluid.dygraph.to_variable(A.astype("complex128"), name="a")
    assert (x.dtype, x.name) == ("complex128", {"real": "a.real", "imag": "a.imag"})
    x.name = ["p", "q"]
    assert x.real.name == "p" and x.imag.name == "q" and fluid.dygraph.to_variable(x) is x
    with pytest.raises(ValueError, match=r"ComplexVariable.name: .* Received 3"):
        x.name = 3
    with pytest.raises(ValueError, match=r"both need one shape. Received \[2, 2\] and \[2\]"):
        fluid.framework.ComplexVariable(x.real, x.imag[0])


def test_real_numbers_are_told_where_to_go():
    with pytest.raises(ValueError, match=r"complex.sum: .* Received VarBase; .* fluid.layers.reduce_sum"):
        cpx.sum(value(R))
