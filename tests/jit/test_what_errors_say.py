"""What a function under `to_static` says of NumPy, of conditions of several elements, of lengths: the way out."""

import numpy as np
import proa as paddle
import pytest
from proa.static import InputSpec


@pytest.mark.parametrize(("function", "what"), [
    (lambda x: np.sin(x), r"np\.sin\(x\) or np\.array\(x\)"), (lambda x: np.add(x, 1), r"np\.sin\(x\)"),
    (lambda x: np.array(x), r"np\.array\(x\)"), (lambda x: np.asarray(x) * 2, r"np\.array\(x\)"),
    (lambda x: np.mean(x), r"np\.mean\(x\)"), (lambda x: np.sum(x), r"np\.sum\(x\)"),
    (lambda x: np.concatenate([x, x]), r"np\.concatenate\(x\)")])
def test_functions_of_numpy(function, what):
    with pytest.raises(TypeError, match=rf"{what}.*test_what_errors_say.py:\d+.*paddle\.sin, not np\.sin"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))


def test_what_numpy_leaves_to_methods_works():
    functions = [lambda x: x.reshape(np.shape(x)), lambda x: np.transpose(x, [1, 0]), lambda x: x * np.ndim(x),
                 lambda x: np.ones([2], "float32") * x, lambda x: np.float32(2) - x]
    for function in functions:
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        converted = paddle.jit.to_static(function, full_graph=True)
        if function is functions[1]:
            assert converted(x).tolist() == [[1.0, 3.0], [2.0, 4.0]]
        else:
            assert converted(x).tolist() == function(x).tolist()


def branch(x):
    if x > 0:
        return x * 2
    return -x


def loop(x):
    while x < 3:
        x = x + 1
    return x


def choice(x):
    return x * 2 if not x > 0 else -x


def both(x):
    if x > 0 and x < 3:
        x = x * 2
    return x


@pytest.mark.parametrize("function", [branch, loop, choice, both])
def test_a_condition_of_several_elements(function):
    says = rf"line \d+, in {function.__name__}: the condition.*shape \[2\].*condition.any\(\), or paddle.where"
    with pytest.raises(ValueError, match=says):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))
    one = paddle.ones([1, 1])
    assert paddle.jit.to_static(function, full_graph=True)(one).tolist() == function(one).tolist()
    with pytest.raises(ValueError, match="one element"):
        paddle.jit.to_static(function)(paddle.ones([2]))


def test_lengths():
    def times_length(x):
        return x * len(x)

    spec = [InputSpec([None, 2])]
    assert paddle.jit.to_static(times_length, full_graph=True, input_spec=spec)(paddle.ones([3, 2])).sum().item() == 18
    with pytest.raises(TypeError, match=r"len\(\) of a 0-d tensor"):
        paddle.jit.to_static(times_length, full_graph=True)(paddle.to_tensor(1.0))
    with pytest.raises(TypeError, match=r"first size is not known; paddle\.shape\(x\)\[0\]"):
        paddle.jit.to_static(lambda x: unconverted(x), full_graph=True, input_spec=spec)(paddle.ones([3, 2]))


@paddle.jit.not_to_static
def unconverted(x):
    return x * len(x)
