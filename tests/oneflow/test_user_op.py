"""Operators applied by their types, as scripts' own layers do it."""

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard

X = np.random.default_rng(0).standard_normal((4, 3, 2, 2)).astype(np.float32)


def by_type(x, training):
    shape = [x.shape[1]]
    with flow.scope.namespace("bn"):
        beta, gamma, mean, variance = (
            flow.get_variable(name, shape, initializer=begin(), trainable=name in ("beta", "gamma"))
            for name, begin in (("beta", flow.zeros_initializer), ("gamma", flow.ones_initializer),
                                ("moving_mean", flow.zeros_initializer), ("moving_variance", flow.ones_initializer)))
    builder = (flow.user_op_builder("bn").Op("normalization").Input("x", [x]).Input("moving_mean", [mean])
               .Input("moving_variance", [variance]).Input("gamma", [gamma]).Input("beta", [beta]).Output("y")
               .Attr("axis", 1).Attr("epsilon", 1e-3).Attr("training", training).Attr("momentum", 0.9))
    if training:
        builder = builder.Output("mean").Output("inv_variance")
    return builder.Build().InferAndTryRun().RemoteBlobList()[0]


def by_layer(x, training):
    return flow.layers.batch_normalization(x, axis=1, epsilon=1e-3, momentum=0.9, training=training, name="bn")


@pytest.mark.parametrize("training", [True, False])
def test_normalization_is_the_layers(training):
    found = []
    for normalize in (by_type, by_layer):
        with session_guard() as session:
            @flow.global_function(type="train")
            def job(x: tp.Numpy.Placeholder(X.shape)) -> tp.Numpy:
                y = normalize(x, training)
                flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.1]), momentum=0).minimize(y * y)
                return y

            found.append([job(X), job(X), *(session.value(f"bn-{name}") for name in (
                "beta", "gamma", "moving_mean", "moving_variance"))])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (found[0][4] == 0).all() != training


def test_other_types():
    with session_guard():
        @flow.global_function()
        def job(x: tp.Numpy.Placeholder((2, 3))) -> tuple[tp.Numpy, tp.Numpy, tp.Numpy]:
            def built(kind):
                return flow.user_op_builder(kind).Op(kind)

            flat = built("reshape").Input("in", [x]).Output("out").Attr("shape", [3, 2]).Build().InferAndTryRun()
            root = built("sqrt").Input("x", [x]).Output("y").Build().InferAndTryRun().RemoteBlobList()[0]
            product = built("matmul").Input("a", [x]).Input("b", [x]).Output("out").Attr("transpose_b", True).Attr(
                "alpha", 2.0).Build().InferAndTryRun().SoleOutputBlob()
            return flat.SoleOutputBlob(), root, product

        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        flat, root, product = job(x)
    assert flat.tolist() == x.reshape(3, 2).tolist()
    np.testing.assert_allclose(root, np.sqrt(x), rtol=1e-6)
    np.testing.assert_allclose(product, 2 * x @ x.T, rtol=1e-6)


def test_what_does_not_fit_is_refused():
    with pytest.raises(NotImplementedError, match=r"Op\('unheard_of'\).*By their types go: abs,"):
        flow.user_op_builder("n").Op("unheard_of")
    with pytest.raises(ValueError, match="sqrt takes x, name. Received z"):
        flow.user_op_builder("n").Op("sqrt").Attr("z", 1).Build()
    with pytest.raises(ValueError, match="must be a list with one blob. Received 2"):
        flow.user_op_builder("n").Op("sqrt").Input("x", [1, 2])
    with pytest.raises(ValueError, match=r"call Op\(type\) before"):
        flow.user_op_builder("n").Build()
