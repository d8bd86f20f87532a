"""Text made of what only a run knows: printed when the Program runs; refused where its letters are asked for."""
# ruff: noqa: UP031, UP032

import warnings

import numpy as np
import proa as paddle
import pytest
from proa.jit import FallbackWarning
from proa.jit.errors import ConversionError
from proa.jit.operators import partial


def key_of_f_string(x):
    return {"k0": x, "k1": x * 2}[f"k{int(x.sum() > 0)}"]


def key_of_percent(x):
    return {"k0": x, "k1": x * 2}["k%d" % int(x.sum() > 0)]


def key_of_format(x):
    return {"k0": x, "k1": x * 2}["{}{n:d}".format("k", n=int(x.sum() > 0))]


def key_of_str(x):
    return {"k0": x, "k1": x * 2}["k" + str(int(x.sum() > 0))]


def new_key(x):
    return {f"k{int(x.sum())}": x}


def compared(x):
    return x + 1 if str(bool(x.sum() > 0)) == "True" else x - 1


def looked_for(x):
    return x * 2 if repr(int(x.sum() > 0)) in ("1", "2") else x * 3


def measured(x):
    return x + len(f"{int(x.sum())}")


def walked(x):
    return [x * int(letter) for letter in format(int(x.sum() > 0), "02d")]


def joined(x):
    return x, "-".join(["a", str(int(x.sum() > 0))])


def read_again(x):
    return x * float("%.1f" % float(x.sum()))


def in_a_method(x):
    return x * ("k1,k0".split(",").index(f"k{int(x.sum() > 0)}") + 2), "k1".startswith(f"k{int(x.sum() > 0)}")


REFUSED = [key_of_f_string, key_of_percent, key_of_format, key_of_str, new_key, compared, looked_for, measured, walked,
           joined, read_again, in_a_method]


def flat(value):
    if isinstance(value, dict):
        return [*value, *flat(list(value.values()))]
    return [part for item in value for part in flat(item)] if isinstance(value, (list, tuple)) else [value]


def plain(value):
    return [each.numpy().tolist() if isinstance(each, paddle.Tensor) else each for each in flat(value)]


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", REFUSED)
def test_letters_that_a_run_knows_are_refused_and_the_function_runs_as_it_was_written(function):
    for data in ([1.0, 2.0], [-1.0, -2.0]):
        x = paddle.to_tensor(data)
        with pytest.raises((TypeError, ConversionError)):
            paddle.jit.to_static(function, full_graph=True)(x)
        assert plain(paddle.jit.to_static(function)(x)) == plain(function(x))


def test_prints_with_the_values_of_each_run(capsys):
    @paddle.jit.to_static(full_graph=True)
    def told(x):
        total = float(x.sum())
        print(f"sum {total:.2f} of {x.shape[0]}")
        print("max %d" % int(x.max()), "min {}".format(x.min()), ", ".join([str(total), "end"]), "a" + str(total) + "b")
        return x * 2

    for data in ([1.0, 2.5], [5.0, 7.0]):
        told(paddle.to_tensor(data))
        out = capsys.readouterr().out
        for word in ("sum", "max", "min", "end", str(sum(data)), str(int(max(data))), str(min(data))):
            assert word in out
        assert "var " not in out


def test_is_the_text_of_python_where_the_values_are_known():
    @paddle.jit.to_static(full_graph=True)
    def known(x):
        n = int(paddle.full([1], 3))
        texts = {f"{x.shape[0]}x{n}": x, "%s-%5.1f" % (n, 2.0): x, f"{n!r:>3}": x, "{0}{a[1]}".format("z", a=[1, 2]): x}
        return {**texts, f"{'q'!r:>{n + 2}}": x * len(str(n))}

    assert list(known(paddle.ones([2]))) == ["2x3", "3-  2.0", "  3", "z2", "  'q'"]


def test_is_the_text_of_python_of_a_list_that_holds_itself():
    @paddle.jit.to_static(full_graph=True)
    def known(x):
        inside = [1]
        inside.append(inside)
        return {f"{inside}": x, "%s!" % inside: x, "{}?".format(inside): x, str(inside) + repr({"a": inside}): x}

    assert list(known(paddle.ones([2]))) == ["[1, [...]]", "[1, [...]]!", "[1, [...]]?", "[1, [...]]{'a': [1, [...]]}"]


def test_messages_of_assertions_and_errors_may_have_such_text():
    @paddle.jit.to_static(full_graph=True)
    def checked(x):
        assert x.sum() < 10, f"sum {float(x.sum())}"
        if x.sum() < 0:
            raise ValueError(f"below 0: {float(x.sum())}")
        return x * 2

    assert checked(paddle.ones([2])).tolist() == [2.0, 2.0]
    with pytest.raises(AssertionError, match="sum"):
        checked(paddle.full([2], 9.0))
    with pytest.raises(ValueError, match="below 0"):
        checked(paddle.full([2], -9.0))


@pytest.mark.parametrize("others_made", [0, 1])
def test_a_warning_may_have_such_text(monkeypatch, others_made):
    monkeypatch.setattr(partial, "_made", [others_made])  # values that may be None: calls go by one more function

    @paddle.jit.to_static(full_graph=True)
    def warned(x):
        warnings.warn(f"sum {float(x.sum())}", UserWarning, stacklevel=1)
        return x * 2

    with pytest.warns(UserWarning, match="sum") as told:
        assert warned(paddle.ones([2])).tolist() == [2.0, 2.0]
    assert told[0].filename == __file__


def test_text_that_a_run_knows_may_not_outlive_the_call():
    class Named(paddle.nn.Layer):
        def forward(self, x):
            self.said = f"{float(x.sum())}"
            return x * 2

    layer = paddle.jit.to_static(Named())
    with pytest.warns(FallbackWarning):
        layer(paddle.ones([2]))
    assert layer.said == "2.0"


@pytest.mark.filterwarnings("ignore:Bitwise inversion")
def test_truths_and_numbers_under_operators_of_python():
    def changed(x):
        a, n = bool(x.sum() > 0), int(x.sum())
        return (x * -a, x * abs(a), x * ~a, x * +a, -a, ~a, +a, a << 2, a >> 1, 1 << a, 8 >> a, ~n, +n, abs(n), n << 3,
                n >> 1, 2 << a + 1)

    converted = paddle.jit.to_static(changed, full_graph=True)
    for data in ([1.0, 2.0], [-1.0, -2.0]):
        x = paddle.to_tensor(data)
        for got, wanted in zip(converted(x), changed(x), strict=True):
            np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))
            assert isinstance(wanted, paddle.Tensor) or got.dtype is paddle.int64
    with pytest.raises(TypeError):
        paddle.jit.to_static(lambda x: +x, full_graph=True)(x)
