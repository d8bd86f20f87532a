"""Model in static mode: the losses of the Model that computes, from the same values; files between the two."""

import numpy as np
import proa as paddle
import pytest
from proa import nn, static

rng = np.random.default_rng(3)
X = rng.random((32, 4), "float32")
Y = (X.sum(1, keepdims=True) > 2).astype("int64")
SPECS = static.InputSpec([None, 4], "float32", "x"), static.InputSpec([None, 1], "int64", "y")


class Rows(paddle.io.Dataset):
    def __getitem__(self, index):
        return X[index], Y[index]

    def __len__(self):
        return len(X)


def made(*metrics, rate=0.05):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))
    model = paddle.Model(net, *SPECS)
    adam = paddle.optimizer.Adam(rate, parameters=model.parameters())
    model.prepare(adam, nn.CrossEntropyLoss(), list(metrics) or None)
    return model


@pytest.fixture
def in_static_mode():
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
            yield
    finally:
        paddle.disable_static()


def test_it_is_the_model_that_computes(tmp_path):
    eager = made(paddle.metric.Accuracy())
    eager.save(str(tmp_path / "begin"))
    for layer in eager.network.sublayers():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
    expected = [eager.train_batch([X], [Y]) for _ in range(3)] + [eager.eval_batch([X], [Y])]
    eager.save(str(tmp_path / "end"))
    predicted = eager.predict_batch([X])[0]
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
            net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 2))
            model = paddle.Model(net, *SPECS)
            model.prepare(paddle.optimizer.Adam(0.05, parameters=model.parameters()), nn.CrossEntropyLoss(),
                          paddle.metric.Accuracy())
            model.load(str(tmp_path / "begin"))
            found = [model.train_batch([X], [Y]) for _ in range(3)] + [model.eval_batch([X], [Y])]
            np.testing.assert_allclose(model.predict_batch([X])[0], predicted, rtol=1e-5, atol=1e-6)
            model.load(str(tmp_path / "begin"))
            assert not np.allclose(model.predict_batch([X])[0], predicted)
            model.load(str(tmp_path / "end"))
            np.testing.assert_allclose(model.predict_batch([X])[0], predicted, rtol=1e-5, atol=1e-6)
            model.save(str(tmp_path / "run"), training=False)
    finally:
        paddle.disable_static()
    for (losses, values), (others, wanted) in zip(found, expected, strict=True):
        np.testing.assert_allclose(losses[0], others[0], rtol=1e-5)
        assert values == pytest.approx(wanted)
    loaded = paddle.jit.load(str(tmp_path / "run"))
    np.testing.assert_allclose(loaded(paddle.to_tensor(X)).numpy(), predicted, rtol=1e-5, atol=1e-6)


def test_whole_sets(in_static_mode):
    model = made(paddle.metric.Accuracy())
    first = model.evaluate(Rows(), batch_size=8, verbose=0)
    model.fit(Rows(), Rows(), batch_size=8, epochs=30, verbose=0)
    last = model.evaluate(Rows(), batch_size=8, verbose=0)
    assert last["loss"][0] < first["loss"][0] and last["acc"] > 0.8
    (predicted,) = model.predict(Rows(), batch_size=8, stack_outputs=True, verbose=0)
    assert predicted.shape == (32, 2)


def test_dropout_is_of_training_alone(in_static_mode):
    model = made(rate=0.0)
    trained = [float(model.train_batch([X], [Y])[0]) for _ in range(2)]
    judged = [float(model.eval_batch([X], [Y])[0]) for _ in range(2)]
    first, second = (model.predict_batch([X])[0] for _ in range(2))
    assert trained[0] != trained[1] and judged[0] == judged[1]
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("configs, casts", [("O0", False), ("O1", True), ("O2", False),
                                            ({"level": "O2", "use_fp16_guard": False}, True),
                                            ({"level": "O1", "custom_black_list": {"matmul_v2"}}, False)])
def test_mixed_precision_is_of_the_program_of_training(in_static_mode, configs, casts):
    """At O2 only what stands within `fp16_guard` computes in 16 bits, unless the guard is taken away."""
    paddle.seed(1)
    model = paddle.Model(nn.Linear(4, 2), *SPECS)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.CrossEntropyLoss(), amp_configs=configs)
    losses = [float(model.train_batch([X], [Y])[0]) for _ in range(20)]
    assert losses[-1] < losses[0]

    def multiplies_in_16_bits(mode):
        block = model._programs[mode].program.global_block()
        product = next(op for op in block.ops if op.type == "matmul_v2")
        return block.var(product.input("X")[0]).dtype.name == "float16"
    assert multiplies_in_16_bits("train") is casts and not multiplies_in_16_bits("predict")


def test_mixed_precision_of_an_unknown_setting(in_static_mode):
    with pytest.raises(ValueError, match="level must be"):
        paddle.Model(nn.Linear(4, 2), *SPECS).prepare(amp_configs="O5")


def test_summary_and_flops_leave_the_program_as_it_is(in_static_mode, capsys):
    net = nn.Sequential(nn.Conv2D(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
    operations = len(static.default_main_program().global_block().ops)
    assert paddle.summary(net, (1, 3, 8, 8)) == {"total_params": 402, "trainable_params": 402}
    assert "[1, 4, 6, 6]" in capsys.readouterr().out
    found = paddle.flops(net, [1, 3, 8, 8])
    assert len(static.default_main_program().global_block().ops) == operations
    paddle.disable_static()
    assert found == paddle.flops(nn.Sequential(nn.Conv2D(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)),
                                 [1, 3, 8, 8])
    paddle.enable_static()


def test_what_it_cannot_do_it_says(in_static_mode, tmp_path):
    with pytest.raises(ValueError, match="inputs must be given"):
        paddle.Model(nn.Linear(2, 1))
    model = paddle.Model(nn.Linear(4, 2), *SPECS)
    with pytest.raises(RuntimeError, match=r"Call prepare\(optimizer, loss\) before"):
        model.train_batch([X], [Y])
    model = made()
    with pytest.raises(NotImplementedError, match="every run of the Program updates"):
        model.train_batch([X], [Y], update=False)
    with pytest.raises(ValueError, match=r"takes \['x', 'y'\]. Received 1"):
        model.train_batch([X])
    model.save(str(tmp_path / "a"))
    other = paddle.Model(nn.Linear(4, 3), *SPECS)
    other.prepare()
    with pytest.raises(ValueError, match="not in the file, or of another shape"):
        other.load(str(tmp_path / "a"))
