"""The operators one by one, proa alone, for comparisons of one's own changes:

    python -m pip install -e ".[benchmarks]"
    python -m pytest benchmarks/test_operators.py --benchmark-autosave
    python -m pytest benchmarks/test_operators.py --benchmark-compare -k "conv2d or softmax"

A group of its table holds an operator's sizes, without gradients and with a backward pass where there is one; there
gradients accumulate from one round to the next.
`python -m benchmarks operators` measures the same calls beside PyTorch.
"""

import proa as paddle
import pytest

from .operators import ELEMENTS
from .workloads.cases import CASES
from .workloads.operator import Inputs


def _inputs(elements, trained):
    inputs = Inputs(paddle.to_tensor, elements)
    for value in vars(inputs).values():
        if trained and isinstance(value, paddle.Tensor) and value.is_floating_point():
            value.stop_gradient = False
    return inputs


@pytest.fixture(scope="module", params=ELEMENTS, ids="{:,} elements".format)
def elements(request):
    return request.param


@pytest.fixture(scope="module")
def without_gradients(elements):
    return _inputs(elements, trained=False)


@pytest.fixture(scope="module")
def with_gradients(elements):
    return _inputs(elements, trained=True)


@pytest.mark.parametrize("name", CASES)
def test_forward(benchmark, without_gradients, name):
    benchmark.group = name
    benchmark(CASES[name].paddle, paddle, paddle.nn.functional, without_gradients)


@pytest.mark.parametrize("name", CASES)
def test_forward_and_backward(benchmark, with_gradients, name):
    benchmark.group = name
    call = CASES[name].paddle
    result = call(paddle, paddle.nn.functional, with_gradients)
    if not (isinstance(result, paddle.Tensor) and not result.stop_gradient):
        pytest.skip("the result has no gradient")
    ones = paddle.ones_like(result)

    def step():
        call(paddle, paddle.nn.functional, with_gradients).backward(ones)

    benchmark(step)
