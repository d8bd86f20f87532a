"""The stand-in for CuPy refuses what CuPy refuses, and gives what CuPy gives where that is not what NumPy gives."""

import copy
import pickle

import numpy as np
import pytest
from cupy_stand_in import UndefinedOnDevice, special
from cupy_stand_in import namespace as xp
from cupy_stand_in.facts import BFLOAT16, FACTS
from cupy_stand_in.read_facts import _by_docstring

HOST = np.ones((2, 3))


def ones():
    return xp.ones((2, 3))


REFUSED = {
    "to become NumPy's": (TypeError, lambda: np.asarray(ones())),
    "to become NumPy's in a list": (TypeError, lambda: np.array([xp.ones(())])),
    "an array of NumPy's": (TypeError, lambda: ones() + HOST),
    "an array of NumPy's on the left": (TypeError, lambda: HOST * ones()),
    "a mixture in NumPy's function": (TypeError, lambda: np.add(HOST, ones())),
    "a mixture in a function": (TypeError, lambda: xp.where(ones() > 0, ones(), HOST)),
    "an array of NumPy's among others": (TypeError, lambda: xp.concatenate([ones(), HOST])),
    "a method of NumPy's ufunc": (TypeError, lambda: np.add.at(ones(), 0, 1)),
    "a parameter that CuPy lacks": (TypeError, lambda: xp.sum(ones(), where=ones() > 0)),
    "a parameter that its method lacks": (TypeError, lambda: ones().max(initial=0)),
    "a function that CuPy lacks": (AttributeError, lambda: xp.nanquantile),
    "a function that NumPy's linalg has": (AttributeError, lambda: xp.linalg.vecdot),
    "an attribute that CuPy lacks": (AttributeError, lambda: ones().ctypes),
    "to be an index": (TypeError, lambda: range(3)[xp.asarray(1)]),
    "to end a slice": (TypeError, lambda: ones()[: xp.asarray(1)]),
    "two masks": (ValueError, lambda: ones()[xp.asarray([True, False]), xp.asarray([True, False, True])]),
    "a mask with places": (ValueError, lambda: ones()[xp.asarray([True, False]), xp.asarray([0])]),
    "NumPy's integer beside places": (IndexError, lambda: ones()[xp.asarray([0]), np.int64(1)]),
    "a floating index": (IndexError, lambda: ones()[xp.asarray([0.0])]),
    "a list to fill with": (TypeError, lambda: ones().__setitem__(0, [1, 2, 3])),
    "an array of NumPy's to fill with": (TypeError, lambda: ones().__setitem__(0, HOST[0])),
    "objects": (ValueError, lambda: xp.asarray([None])),
    "strings": (ValueError, lambda: ones().astype(str)),
    "long doubles": (ValueError, lambda: xp.zeros(3, np.longdouble)),
    "atomic sums of 64-bit integers": (TypeError, lambda: xp.add.at(xp.zeros(3, "int64"), xp.asarray([0]), 1)),
    "products at places": (NotImplementedError, lambda: xp.multiply.at(xp.zeros(3), xp.asarray([0]), 1)),
    "running maxima": (NotImplementedError, lambda: xp.maximum.accumulate(ones())),
    "dtypes without a loop": (TypeError, lambda: xp.bitwise_and(ones(), ones())),
    "keys that are no array": (AttributeError, lambda: xp.lexsort((ones()[0], ones()[1]))),
    "a sort of another kind": (ValueError, lambda: xp.sort(ones(), kind="mergesort")),
    "as many repeats as an array says": (ValueError, lambda: xp.repeat(xp.ones(2), xp.asarray([1, 2]))),
    "to be searched in by a list": (NotImplementedError, lambda: xp.searchsorted(xp.ones(2), [1, 2])),
    "general eigenvalues, which not every CUDA has": (RuntimeError, lambda: xp.linalg.eig(xp.ones((2, 2)))),
    "to have its flags changed": (AttributeError, lambda: ones().flags.writeable),
    "to sort bfloat16": (TypeError, lambda: xp.sort(ones().astype(BFLOAT16))),
    "to sort bfloat16 in place": (TypeError, lambda: ones().astype(BFLOAT16).sort()),
    "decompositions of 16-bit floats": (TypeError, lambda: xp.linalg.inv(xp.ones((2, 2), "float16"))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refuses(what):
    error, attempt = REFUSED[what]
    with pytest.raises(error):
        attempt()


def test_numpy_functions_dispatch_as_to_cupy():
    assert type(np.add(ones(), 1)) is xp.ndarray
    assert type(np.concatenate([ones(), ones()])) is xp.ndarray
    assert type(np.float64(2) * ones()) is xp.ndarray
    assert type(np.linalg.norm(ones())) is xp.ndarray


@pytest.mark.parametrize("zero_dimensional", [
    lambda: ones().sum(), lambda: xp.max(ones()), lambda: ones()[0, 0], lambda: next(iter(ones()[0])),
    lambda: xp.count_nonzero(ones()), lambda: xp.allclose(ones(), 1), lambda: xp.linalg.norm(ones()),
    lambda: xp.sqrt(4.0),
], ids=range(8))
def test_arrays_without_dimensions_where_numpy_gives_scalars(zero_dimensional):
    result = zero_dimensional()
    assert type(result) is xp.ndarray and result.shape == ()


def test_sums_and_elementwise_functions_of_bfloat16():
    x = ones().astype(BFLOAT16)
    assert {(2.5 * x).dtype, x.sum().dtype, x.max().dtype, xp.exp(x).dtype, x[0].dtype} == {BFLOAT16}
    assert (x + xp.ones(3, "float32")).dtype == np.float32 and (x > 0.5).dtype == bool


def test_to_the_host_when_asked():
    x = ones()[:1, :1]
    assert (x.item(), float(x[0, 0]), int(x[0, 0]), bool(x[0, 0])) == (1.0, 1.0, 1, True)
    assert (len(x), x.tolist()) == (1, [[1.0]])
    assert type(x.get()) is type(xp.asnumpy(x)) is np.ndarray
    assert type(pickle.loads(pickle.dumps(x))) is type(copy.deepcopy(x)) is xp.ndarray


def test_views_know_whose_memory_they_are():
    x = ones()
    assert x.base is None
    assert x.T.base is x and x[0].base is x and x.reshape(3, 2)[1:].base is x
    x[0, 0][...] = 5
    assert x.tolist()[0] == [5.0, 1.0, 1.0]
    host = np.zeros(2)
    xp.asarray(host)[...] = 1
    assert host.tolist() == [0, 0]


def test_places_out_of_bounds_wrap():
    x = xp.arange(3)
    assert x[xp.asarray([3, -4])].tolist() == [0, 2]
    x[[1, 3]] = 10
    assert x.tolist() == [10, 10, 2]


def test_what_cupy_leaves_open():
    x = xp.zeros(3)
    with pytest.raises(UndefinedOnDevice):
        x[xp.asarray([0, 0])] = xp.asarray([1.0, 2.0])
    x[xp.asarray([0, 0])] = xp.asarray([1.0, 1.0])
    xp.add.at(x, xp.asarray([0, 0]), 1.0)
    assert x.tolist() == [3.0, 0, 0]


def test_results_have_the_dtypes_of_loops():
    assert special.erf(xp.ones(2, "float16")).dtype == "float64"  # CuPy's has no loop of its own for it
    assert xp.sqrt(xp.ones(2, "int64")).dtype == "float64"
    assert (xp.ones(2, "float32") * 2.0).dtype == "float32"


def test_failed_decompositions_are_nan():
    singular = xp.zeros((2, 2))
    assert bool(xp.isnan(xp.linalg.inv(singular)).all())


def test_facts():
    assert FACTS["version"].startswith("14.2")
    assert _by_docstring(type("f", (), {"__doc__": r"f(self, int x, y=(1, 2), *, z=None) -> g"})) == ["x", "y?", "k:z?"]
