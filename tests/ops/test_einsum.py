"""Sums of products of several operands, by products of matrices, against NumPy's own loop."""

import numpy as np
import pytest
from proa.ops.linalg.einsum import einsum_op

SIZES = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 6}


def equation_of(seed, operands=2):
    """Terms and a result, each of any letters in any order."""
    random = np.random.default_rng(seed)
    terms = ["".join(random.permutation(list(SIZES))[:random.integers(0, 5)]) for _ in range(operands)]
    letters = random.permutation(sorted(set("".join(terms))))
    return terms, "".join(letters[:random.integers(0, len(letters) + 1)])


@pytest.mark.parametrize("seed,several", [*[(seed, 2) for seed in range(5)], (5, 3), (6, 4), (7, 5)])
def test_any_equation_of_several_operands(seed, several):
    for number in range(100):
        terms, result = equation_of([seed, number], several)
        random = np.random.default_rng(number)
        operands = [np.asarray(random.normal(size=[SIZES[letter] for letter in term])) for term in terms]
        if number % 5 == 0 and terms[0]:
            operands[0] = operands[0][:1]  # it stands for all elements of the other
        equation = f"{','.join(terms)}->{result}"
        found = einsum_op.kernel(np, operands, equation=equation)
        wanted = np.einsum(equation, *operands)
        assert found.shape == wanted.shape and found.dtype == wanted.dtype, equation
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=equation)


def test_sizes_of_zero():
    x, y = np.ones((3, 0)), np.ones((0, 4))
    assert einsum_op.kernel(np, [x, y], equation="ij,jk->ik").tolist() == np.zeros((3, 4)).tolist()
    assert einsum_op.kernel(np, [x, y.T], equation="ij,kj->jik").shape == (0, 3, 4)
