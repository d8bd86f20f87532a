"""What only a run can tell (sizes, values) where Python would decide at once: never a wrong result."""

import contextlib
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.jit import FallbackWarning
from proa.jit.errors import ConversionError
from proa.static import InputSpec


def as_square(x):
    try:
        x.reshape([7, 7])
    except ValueError:
        return x * 2
    else:
        return x + 1


def with_bare_handler(x):
    try:
        y = x.reshape([7, 7]).sum()
    except:  # noqa: E722
        y = x.sum() * 2
    return y


def with_assertion(x):
    try:
        assert x.sum() > 0
        y = x * 2
    except AssertionError:
        y = x
    return y


def with_swallowed_refusal(x):
    try:
        y = None
        if x.sum() > 0:
            y = x
        y = y + 1
    except Exception:
        y = x - 1
    return y


def with_suppress(x):
    y = x - 1
    with contextlib.suppress(IndexError, ValueError):
        y = x.reshape([7, 7]) * 2
    return y


@pytest.mark.parametrize("function", [as_square, with_bare_handler, with_assertion, with_swallowed_refusal,
                                      with_suppress])
@pytest.mark.parametrize("rows", [2, 7])
def test_errors_that_a_handler_would_catch(function, rows):
    x, spec = paddle.ones([rows, 7]) - rows % 2 * 2, [InputSpec([None, 7])]
    with pytest.raises((ConversionError, TypeError), match=rf"test_unknown_when_traced.py.*in {function.__name__}"):
        paddle.jit.to_static(function, spec, full_graph=True)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        np.testing.assert_array_equal(paddle.jit.to_static(function, spec)(x).numpy(), function(x).numpy())


def test_handlers_that_raise_another_error():
    def embedded(table, places):
        try:
            found = table[places[:, 0]] + table[places[:, 1]]
        except IndexError as error:
            raise ValueError("places are below the table's size") from error
        return found

    specs = [InputSpec([None, 2]), InputSpec([None, 2], "int64")]
    converted = paddle.jit.to_static(embedded, specs, full_graph=True)
    table = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert converted(table, paddle.to_tensor([[0, 1]])).tolist() == [[4.0, 6.0]]
    with pytest.raises((IndexError, ValueError)):
        converted(table, paddle.to_tensor([[0, 7]]))


def test_handlers_that_catch_no_operators_error():
    def of_a_table(x):
        try:
            return x * {"a": 2.0}["b"]
        except KeyError:
            return x.reshape([-1])

    x = paddle.ones([2, 3])
    converted = paddle.jit.to_static(of_a_table, [InputSpec([None, 3])], full_graph=True)
    assert converted(x).shape == [6]


def test_none_against_a_tensor(tmp_path):
    def masked(x):
        mask = None
        if x.sum() > 0:
            mask = x * 2
        return x + mask if mask is not None else x

    def named(x):
        mode = None
        if x.sum() > 0:
            mode = "positive"
        return x if mode is None else x * len(mode)

    spec = [InputSpec([None, 3])]
    converted = paddle.jit.to_static(masked, spec, full_graph=True)
    assert converted(paddle.ones([1, 3])).tolist() == [[3.0] * 3]
    assert converted(-paddle.ones([1, 3])).tolist() == [[-1.0] * 3]
    strict = paddle.jit.to_static(named, spec, full_graph=True)
    with pytest.raises(TypeError, match=r"line \d+, in named: a tensor decides this `if`.*Give it the same type"):
        strict(paddle.ones([1, 3]))
    with pytest.warns(FallbackWarning, match="`mode` is str.*None after the other"):
        assert paddle.jit.to_static(named, spec)(paddle.ones([1, 3])).tolist() == [[8.0] * 3]
    with pytest.raises(TypeError, match=r"line \d+, in named: a tensor decides this `if`"):
        paddle.jit.save(strict, str(tmp_path / "masked"))


class Attention(nn.Layer):
    def forward(self, scores, size=3):
        rows, columns = scores.shape
        if scores.shape != [columns, size]:
            raise ValueError(f"scores of {columns}×{size} wanted, not {scores.shape}")
        if (rows, columns) == (2, 2):
            return scores
        return scores * 2 if tuple(scores.shape) in [(3, 3), (4, 4)] else -scores


def test_comparisons_of_shapes(tmp_path):
    spec = [InputSpec([None, None])]
    layer = paddle.jit.to_static(Attention(), spec, full_graph=True)
    assert layer(paddle.ones([3, 3])).tolist() == [[2.0] * 3] * 3
    with pytest.raises(ValueError, match="^scores of") as caught:
        layer(paddle.ones([2, 3]))
    assert "test_unknown_when_traced.py" in str(caught.value.__cause__) and len(layer.forward.program_cache) == 1
    paddle.jit.save(layer, str(tmp_path / "attention"))
    loaded = paddle.jit.load(str(tmp_path / "attention"))  # without assertions, which give no result
    assert loaded(paddle.ones([3, 3])).tolist() == [[2.0] * 3] * 3


def test_match_on_unknown_sizes():
    def by_rows(x):
        match x.shape:
            case [2, _]:
                return x * 2
            case _:
                return x

    with pytest.raises(ConversionError, match=r"line \d+, in by_rows: this `match` compares numbers"):
        paddle.jit.to_static(by_rows, [InputSpec([None, 3])], full_graph=True)(paddle.ones([2, 3]))
    assert paddle.jit.to_static(by_rows, full_graph=True)(paddle.ones([2, 3])).tolist() == [[2.0] * 3] * 2


def test_a_number_that_becomes_a_vector():
    def total(x):
        s = 0
        if x.sum() > 0:
            s = s + x
        return s

    def rows(x):
        y = x
        if x.sum() > 0:
            y = x.unsqueeze(0)
        return y

    converted = paddle.jit.to_static(total, full_graph=True)
    assert [converted(paddle.full([2], n)).tolist() for n in (1.0, -1.0)] == [[1.0, 1.0], 0.0]
    several = paddle.jit.to_static(rows, full_graph=True)
    with pytest.warns(UserWarning, match=r"line \d+, in rows: a tensor decides this `if`, and `y` is"):
        assert several(paddle.ones([2])).tolist() == [[1.0, 1.0]]
    assert several(-paddle.ones([2])).tolist() == [-1.0, -1.0]


def test_more_tensors_than_specs():
    def added(*xs):
        return sum(xs)

    converted = paddle.jit.to_static(added, [InputSpec([None])], full_graph=True)
    for count in (1, 2, 3):
        assert converted(*[paddle.ones([2])] * count).tolist() == [count, count]


class Counting(nn.Layer):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        return x * self.steps


def test_a_number_that_goes_on():
    layer = paddle.jit.to_static(Counting())
    with pytest.warns(FallbackWarning, match=r"`self\.steps`"):
        assert [layer(paddle.ones([1])).item() for _ in range(5)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert layer.forward.get_traced_count() == 2


def test_a_number_that_goes_on_without_a_way_back():
    layer = paddle.jit.to_static(Doubling(), full_graph=True)
    with pytest.warns(FallbackWarning, match=r"`self\.scale` is another number in call after call") as warned:
        assert [layer(paddle.ones([1])).item() for _ in range(12)] == [2.0 ** n for n in range(12)]
    assert len(warned) == 1


class Doubling(nn.Layer):
    def __init__(self):
        super().__init__()
        self.scale = 1

    def forward(self, x):
        y = x * self.scale
        self.scale = self.scale * 2
        return y
