"""Random operators: shapes, dtypes, ranges, moments, seeds, and the same in a Program."""

import numpy as np
import proa as paddle
import pytest
from proa.backend.random.multinomial import _bisected
from proa.core.random import seed
from proa.ops.core.trace import using
from proa.ops.random import sampling as R
from proa.static.building.trace import ProgramTrace
from proa.static.ir.program import Program
from proa.static.run.executor import Executor

DRAWS = {
    "rand": lambda: R.rand([2, 3]),
    "uniform": lambda: R.uniform([2, 3], "float64", -2, 5),
    "randn": lambda: R.randn([2, 3]),
    "gaussian": lambda: R.gaussian([2, 3], 1.0, 2.0),
    "normal": lambda: R.normal(1.0, 2.0, [2, 3]),
    "truncated": lambda: R.truncated_gaussian([2, 3], 1.0, 2.0),
    "randint": lambda: R.randint(1, 9, [2, 3]),
    "randperm": lambda: R.randperm(6),
    "randint32": lambda: R.randint(5, shape=[4], dtype="int32"),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_seed_repeats_and_advances(draw):
    seed(3)
    first, second = draw().numpy(), draw().numpy()
    seed(3)
    assert (draw().numpy() == first).all()
    assert first.size < 5 or (first != second).any()


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_inferred_specs(draw):
    program = Program()
    with using(ProgramTrace(program)):
        variable = draw()
    tensor = draw()
    assert list(variable.shape) == tensor.shape and variable.dtype is tensor.dtype
    assert Executor().run(program, feed={}, fetch_list=[variable])[0].shape == tuple(tensor.shape)


def test_moments_and_ranges():
    seed(0)
    u, n, t = (
        R.uniform([20000], min=-2, max=4).numpy(),
        R.gaussian([20000], 3, 2).numpy(),
        R.truncated_gaussian([20000]).numpy(),
    )
    assert -2 <= u.min() and u.max() < 4 and abs(u.mean() - 1) < 0.05
    assert abs(n.mean() - 3) < 0.05 and abs(n.std() - 2) < 0.05
    assert np.abs(t).max() <= 2 and abs(t.std() - 0.8796) < 0.02
    r = R.randint(-3, 3, [5000]).numpy()
    assert set(r.tolist()) == {-3, -2, -1, 0, 1, 2}
    assert sorted(R.randperm(50).tolist()) == list(range(50))


def test_own_seed_is_a_sequence_of_its_own():
    assert R.uniform([4], seed=5).tolist() == R.uniform([4], seed=5).tolist()


def test_shapes_from_tensors():
    assert R.rand([paddle.to_tensor(2), 3]).shape == [2, 3]
    assert R.randn(paddle.to_tensor([2, 3])).shape == [2, 3]
    assert R.normal(paddle.zeros([4]), 2.0).shape == [4]
    like = R.randint_like(paddle.zeros([2, 2]), 5)
    assert like.shape == [2, 2] and like.dtype == "float32"


def test_bernoulli_poisson():
    seed(0)
    b = R.bernoulli(paddle.full([20000], 0.3)).numpy()
    assert set(b.tolist()) == {0.0, 1.0} and abs(b.mean() - 0.3) < 0.02
    p = R.poisson(paddle.full([20000], 4.0))
    assert p.dtype == "float32" and abs(float(p.mean()) - 4) < 0.1


def test_multinomial():
    seed(0)
    weights = paddle.to_tensor([[0.0, 1.0, 3.0], [5.0, 5.0, 0.0]])
    drawn = R.multinomial(weights, 2)
    assert drawn.dtype == "int64" and sorted(drawn[0].tolist()) == [1, 2] and sorted(drawn[1].tolist()) == [0, 1]
    many = R.multinomial(weights[0], 20000, True).numpy()
    assert set(many.tolist()) == {1, 2} and abs((many == 2).mean() - 0.75) < 0.02
    with pytest.raises(ValueError, match="without replacement"):
        R.multinomial(weights, 3)
    with pytest.raises(ValueError, match="negative"):
        R.multinomial(weights * -1.0)


def test_multinomial_of_one_row_draws_what_a_batch_of_it_draws():
    weights = paddle.to_tensor([0.1, 0.5, 0.0, 0.4])
    seed(7)
    alone = paddle.multinomial(weights, 50, replacement=True)
    seed(7)
    np.testing.assert_array_equal(paddle.multinomial(weights[None], 50, replacement=True)[0].numpy(), alone.numpy())
    with pytest.raises(ValueError, match="must not be negative"):
        paddle.multinomial(paddle.to_tensor([float("nan"), 1.0]), 1)


def test_in_place():
    x = paddle.zeros([3, 4])
    assert x.uniform_(2.0, 3.0) is x and float(x.min()) >= 2
    assert x.normal_() is x


def test_bad_bounds():
    with pytest.raises(ValueError, match="less than high"):
        R.randint(5, 5)
    with pytest.raises(ValueError, match="not be negative"):
        R.randperm(-1)
    assert R.randperm(0).shape == [0]


def test_what_poisson_draws_has_zeros_as_its_gradient():
    means = paddle.to_tensor([1.0, 5.0], stop_gradient=False)
    paddle.poisson(means).sum().backward()
    assert means.grad.tolist() == [0.0, 0.0]


def test_few_rows_are_drawn_of_as_many_are():
    draw = np.random.RandomState(0)
    for width in (1, 2, 3, 10, 1000):
        ends = np.add.accumulate(draw.rand(40, width).astype("float32"), 1)
        ends /= ends[:, -1:].copy()
        ends[1] = draw.rand(width)  # what was taken out may leave sums that do not grow
        ends[2, :] = 0
        ends[3, width // 2] = np.nan
        numbers = draw.rand(40).astype("float32")
        numbers[4], numbers[5] = 0, 1
        many = _bisected(ends, numbers)
        few = [_bisected(ends[n:n + 8], numbers[n:n + 8]) for n in range(0, 40, 8)]
        assert np.array_equal(np.concatenate(few), many) and few[0].dtype == many.dtype
