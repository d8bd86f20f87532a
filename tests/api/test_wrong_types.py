"""What is no tensor is told of in words: no public function and no layer ends in Python's "has no attribute"."""

import inspect
import warnings

import proa as paddle
import proa.fft
import proa.geometric
import proa.incubate
import proa.linalg
import proa.signal
import proa.sparse
import pytest
from proa import nn
from proa.nn import functional as F

MODULES = [paddle, F, paddle.incubate.nn.functional, paddle.vision.ops, proa.fft, proa.signal, proa.linalg,
           proa.geometric, proa.sparse, proa.sparse.nn.functional, proa.incubate]
STATEFUL = {"disable_static", "enable_static", "save", "seed", "set_device", "set_grad_enabled", "set_num_threads",
            "set_rng_state"}
WRONG = [3.0, [1.0, 2.0], None, "a"]
OF_LAYERS = [(), (4,), (4, 4), (4, 4, 1), (2,), ([4],), (1, 3), (1, 4, 4)]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # functions that save write files of the names that they are given


def _required(function):
    return [p for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _without_an_attribute(function, right, count):
    """The calls with one wrong argument that end in an AttributeError."""
    found = []
    for wrong in WRONG:
        for position in range(count):
            given = [right] * count
            given[position] = wrong
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(*given)
            except AttributeError as error:
                found.append(f"argument {position} {wrong!r}: {error}")
            except Exception:  # in words of whatever kind
                continue
    return found


def test_functions():
    x, found = paddle.ones([2, 3]), {}
    for module in MODULES:
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and name not in STATEFUL:
                found[f"{module.__name__}.{name}"] = _without_an_attribute(function, x, len(_required(function)))
    assert len(found) > 600 and {name: told for name, told in found.items() if told} == {}


def _made(kind):
    for given in OF_LAYERS:
        try:
            return kind(*given)
        except Exception:
            continue
    return None


def test_layers():
    public = [getattr(nn, name) for name in nn.__all__]
    kinds = [kind for kind in public if inspect.isclass(kind) and issubclass(kind, nn.Layer)]
    layers = {kind.__name__: _made(kind) for kind in kinds}
    found = {name: _without_an_attribute(layer, paddle.ones([2, 4, 4, 4]), len(_required(layer.forward)))
             for name, layer in layers.items() if layer is not None}
    assert len(found) > 100 and {name: told for name, told in found.items() if told} == {}


def test_a_layer_is_known_by_its_class():
    with pytest.raises(TypeError, match=r"Conv2D: must be given a Tensor. Received float 3.0"):
        nn.Conv2D(3, 4, 3)(3.0)
    with pytest.raises(TypeError, match=r"RNN\(cell\): must be a cell, .* Received int 4"):
        nn.RNN(4)
    with pytest.raises(TypeError, match=r"set_default_dtype\(d\): d must be a floating dtype. Received None"):
        paddle.set_default_dtype(None)
    with pytest.raises(TypeError, match=r"einsum\(equation, \*operands\): .* Received Tensor"):
        paddle.einsum(paddle.ones([2]), paddle.ones([2]))


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda: paddle.gather(paddle.ones([2, 3]), paddle.zeros([2, 2], "int64")), ValueError, "1-D, or \\[n, 1\\]"),
    (lambda: paddle.bucketize(paddle.ones([2]), paddle.ones([2, 3])), ValueError, "sorted_sequence.*1-D"),
    (lambda: paddle.add_n([paddle.ones([2, 3]), paddle.ones([3])]), ValueError, "the shapes must be one"),
    (lambda: paddle.distribution.Geometric(2.0), ValueError, "lie in \\[0, 1\\]"),
    (lambda: paddle.to_tensor([1.0, 2.0], stop_gradient=False).backward(paddle.ones([3])), AssertionError, "shape"),
    (lambda: paddle.static.save_to_file("file", "text"), ValueError, "must be bytes"),
    (lambda: paddle.static.save_inference_model(None, [], [], paddle.static.Executor()), ValueError, "path_prefix"),
])
def test_refused_as_in_paddle(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_what_is_like_it_goes_on():
    assert paddle.gather(paddle.ones([2, 3]), paddle.zeros([2, 1], "int64")).shape == [2, 3]
    assert paddle.gather(paddle.ones([2, 3]), paddle.to_tensor(1)).shape == [3]
    assert paddle.add_n([paddle.ones([1]), paddle.ones([])]).item() == 2.0
