"""Methods and functions of Python that Tensors have a meaning for, on what only a run knows."""

import numpy as np
import proa as paddle
import pytest


def converted_to(x):
    return x.to("float64"), x.to("cpu", "int32"), x.to(x.astype("int64")), x.data.contiguous()


STEPS = paddle.to_tensor([1, 2, 3])  # made outside


def converted_to_numpys_types_or_as_an_argument(x):
    return x.to(np.float64), x.to(np.dtype("float16")), STEPS.to(x) * x


def asked(x):
    return x * (x.is_dense() + 2 * x.is_sparse() + 4 * x.is_contiguous())


def divided(x):
    return (*divmod(x, 2), *divmod(7, x), divmod(x[0], 2)[1] * x, round(x, 1), round(x[0] * 1.25), round(x[1], 1))


@pytest.mark.parametrize("function", [converted_to, converted_to_numpys_types_or_as_an_argument, asked, divided])
def test_as_without_conversion(function):
    found = []
    for each in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor([1.5, 2.25, -3.75], stop_gradient=False)
        results = each(x)
        results = results if isinstance(results, tuple) else (results,)
        (gradient,) = paddle.grad([sum(r.astype("float32").sum() for r in results)], [x])
        found.append([*results, gradient])
    for wanted, got in zip(*found, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


class Chooses(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = paddle.nn.Linear(3, 3), paddle.nn.Linear(3, 3)

    def forward(self, x):
        layer = self.a if x.sum() > 0 else self.b
        return layer(x)


def test_a_layer_that_a_tensor_chooses_is_refused_in_words():
    with pytest.raises(TypeError, match=r"is Linear\(in_features=3.* do what follows with it in both branches, such as "
                                        r"calling it \(`y = self.a\(x\)`"):
        paddle.jit.to_static(Chooses(), full_graph=True)(paddle.ones([3]))


def scaled(self, by):
    return self * by if self.sum() > 0 else self


def test_methods_that_a_script_has_set_on_tensors_are_found(monkeypatch):
    monkeypatch.setattr(paddle.Tensor, "scaled", scaled, raising=False)
    monkeypatch.setattr(paddle.Tensor, "twice", property(lambda self: self * 2), raising=False)
    function = paddle.jit.to_static(lambda x: x.scaled(3.0) + x.twice if hasattr(x, "scaled") else x, full_graph=True)
    for values in ([1.0, 2.0], [-1.0, -2.0]):
        x = paddle.to_tensor(values)
        assert function(x).tolist() == (x.scaled(3.0) + x.twice).tolist()


class Moves(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = paddle.nn.Linear(3, 3)

    def forward(self, x):
        return self.a.to("cpu")(x)


@pytest.mark.filterwarnings("error::proa.jit.FallbackWarning")
@pytest.mark.parametrize("whole", [True, False])
def test_layers_are_moved_whose_parameters_hold_gradients(whole):
    net, x = Moves(), paddle.ones([1, 3])
    wanted = net(x)
    wanted.sum().backward()
    staged = paddle.jit.to_static(net, full_graph=whole)
    np.testing.assert_allclose(staged(x), wanted, rtol=1e-6)
    staged(x).sum().backward()
    np.testing.assert_allclose(net.a.bias.grad, [2.0] * 3)
