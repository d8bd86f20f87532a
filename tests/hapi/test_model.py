"""Model against the oracle: what it computes, what callbacks see, what is printed; and what it does on its own."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.hapi.history import History

FIXTURES = Path(__file__).parents[1] / "fixtures/hapi"
cases = module_at(FIXTURES / "cases.py")
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


def close(found, expected):
    """Nested numbers, within float32's precision; a number and a list of one are alike."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            close(found[key], value)
    elif isinstance(expected, list) and any(isinstance(v, (list, dict)) for v in expected):
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            close(f, e)
    elif expected is None or isinstance(expected, str) or isinstance(expected, list) and any(
            isinstance(v, str) for v in expected):
        assert found == expected
    else:
        np.testing.assert_allclose(np.reshape(found, -1), np.reshape(expected, -1), rtol=2e-5, atol=1e-6)


# num_iters: there an evaluation takes batches away from the training.
@pytest.mark.parametrize("name", [name for name in ANSWERS["runs"] if name != "num_iters"])
def test_as_the_oracle(name):
    found, expected = cases.run(paddle, name), ANSWERS["runs"][name]
    if isinstance(found["result"], History):  # of `fit`, which gives nothing there
        found["result"] = None
    close(found["result"], expected["result"])
    close(found["parameters"], expected["parameters"])
    assert found["printed"] == expected["printed"]
    assert [e[:-1] for e in found["events"]] == [e[:-1] for e in expected["events"]]
    for event, wanted in zip(found["events"], expected["events"], strict=True):
        if event[0].endswith("_end") and not event[0].startswith("predict"):  # elsewhere logs of former runs remain
            close(event[-1], wanted[-1])


def test_stopping_and_learning_rates():
    found = cases.stopped(paddle)
    close(found["rates"], ANSWERS["stopped"]["rates"])
    close(found["scheduled"], ANSWERS["stopped"]["scheduled"])
    assert found["epochs"] == ANSWERS["stopped"]["epochs"]
    assert found["printed"] == ANSWERS["stopped"]["printed"]


def test_summaries_and_operations():
    found, expected = cases.described(paddle), ANSWERS["described"]
    for name in ("plain", "free", "shared"):
        assert found[name]["result"] == expected[name]["result"]
        assert [_unnumbered(line) for line in found[name]["printed"]] == [
            _unnumbered(line) for line in expected[name]["printed"]]
    assert (found["flops"], found["flops_detail"]) == (expected["flops"], expected["flops_detail"])


def _unnumbered(line):
    """A row without the number of the layer, which depends on what was made before."""
    words = line.split()
    if words and "-" in words[0] and words[0].partition("-")[0].isalnum():
        words[0] = words[0].partition("-")[0]
    return words


def test_num_iters_counts_steps_of_training():
    events = []
    model = cases.model(paddle)
    for epochs in (1, 9):
        events.clear()
        model.fit(cases.data(paddle, 22, 1), cases.data(paddle, 10, 2), batch_size=8, epochs=epochs, shuffle=False,
                  verbose=0, num_iters=4, callbacks=[cases.recorder(paddle, events)])
        assert [e[1] for e in events if e[0] == "train_batch_end"] == [0, 1, 2, 0]
        assert [e[1] for e in events if e[0] == "eval_batch_end"] == [0, 1, 0, 1]


def test_num_iters_is_what_the_progress_counts_to(capsys):
    model = cases.model(paddle)
    model.fit(cases.data(paddle, 22, 1), batch_size=8, shuffle=False, verbose=2, log_freq=1, num_iters=2)
    told = capsys.readouterr().out
    assert "Epoch 1/1" in told and "step 2/2 - " in told and "/3" not in told
    with pytest.raises(ValueError, match="num_iters"):
        model.fit(cases.data(paddle, 22, 1), num_iters=0)


def test_saved_and_loaded(tmp_path):
    model = cases.model(paddle)
    model.fit(cases.data(paddle, 16, 1), batch_size=8, shuffle=False, verbose=0)
    model.save(str(tmp_path / "m"))
    with paddle.utils.unique_name.guard():
        again = cases.model(paddle)
    for parameter, name in zip(again.parameters(), [p.name for p in model.parameters()], strict=True):
        parameter.name = name
    again.load(str(tmp_path / "m"))
    x, y = cases.batch(3)
    for made in (model, again):
        made.train_batch(x, y)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    model.save(str(tmp_path / "run"), training=False)
    loaded = paddle.jit.load(str(tmp_path / "run"))
    np.testing.assert_allclose(loaded(paddle.to_tensor(x[0])).numpy(), model.predict_batch(x)[0], rtol=1e-6)


def test_a_network_made_anew_takes_the_optimizer_over(tmp_path):
    """Its parameters count on from the first one's; the table of names beside them says which is which."""
    model = cases.model(paddle)
    model.fit(cases.data(paddle, 16, 1), batch_size=8, shuffle=False, verbose=0)
    model.save(str(tmp_path / "m"))
    again = cases.model(paddle)
    assert again.parameters()[0].name != model.parameters()[0].name
    again.load(str(tmp_path / "m"))
    x, y = cases.batch(3)
    for made in (model, again):
        made.train_batch(x, y)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_what_does_not_fit_is_told(tmp_path):
    paddle.Model(paddle.nn.Linear(2, 2)).save(str(tmp_path / "m"))
    other = paddle.Model(paddle.nn.Linear(2, 3))
    with pytest.raises(ValueError, match="weight.*skip_mismatch"):
        other.load(str(tmp_path / "m"))
    before = other.network.weight.numpy()
    with pytest.warns(UserWarning, match="left as it is"):
        other.load(str(tmp_path / "m"), skip_mismatch=True)
    np.testing.assert_array_equal(other.network.weight.numpy(), before)


def test_checkpoints(tmp_path, capsys):
    model = cases.model(paddle)
    stop = paddle.callbacks.EarlyStopping("acc", patience=5)
    model.fit(cases.data(paddle, 16, 1), cases.data(paddle, 8, 2), batch_size=8, epochs=3, verbose=0,
              save_dir=str(tmp_path), save_freq=2, callbacks=[stop])
    names = {"0", "2", "final", "best_model"}
    assert {p.name for p in tmp_path.iterdir()} == {f"{n}.{kind}" for n in names for kind in ("pdparams", "pdopt")}
    assert "save checkpoint at" in capsys.readouterr().out


def test_an_optimizer_that_keeps_nothing_has_no_file_and_the_first_callbacks_no_logs(tmp_path):
    class Asked(paddle.callbacks.Callback):
        first = []

        def on_train_begin(self, logs=None):
            self.first.append(logs)

        def on_epoch_begin(self, epoch, logs=None):
            self.first.append(logs)

    network = paddle.nn.Linear(2, 1)
    model = paddle.Model(network)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=network.parameters()), paddle.nn.MSELoss())
    data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
    model.fit(data, batch_size=2, epochs=1, verbose=0, save_dir=str(tmp_path), callbacks=[Asked()])
    assert {p.name for p in tmp_path.iterdir()} == {"0.pdparams", "final.pdparams"}
    assert Asked.first == [None, None]
    model.load(str(tmp_path / "final"))


@pytest.mark.parametrize("configs", ["O1", {"level": "O2", "dtype": "bfloat16"}, {
    "level": "O1", "init_loss_scaling": 128, "custom_black_list": {"matmul_v2"}}])
def test_mixed_precision(configs):
    wide, narrow = cases.model(paddle), cases.model(paddle, amp_configs=configs)
    for model in (wide, narrow):
        model.fit(cases.data(paddle, 40, 1), batch_size=8, shuffle=False, verbose=0, epochs=3)
    for a, b in zip(wide.parameters(), narrow.parameters(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.astype("float32").numpy(), atol=0.03)
    with pytest.raises(ValueError, match="unknown"):
        cases.model(paddle, amp_configs={"levle": "O1"})


def test_converted_networks_and_other_sources_of_data():
    results = []
    for convert in (False, True):
        model = cases.model(paddle)
        if convert:
            model.network = paddle.jit.to_static(model.network)
        loader = paddle.io.DataLoader(cases.data(paddle, 16, 1), batch_size=8)
        model.fit(loader, epochs=2, verbose=0)
        batches = [cases.batch(1), cases.batch(2)]
        results.append(model.evaluate([[*x, *y] for x, y in batches], verbose=0)["loss"])
    close(*results)

    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            for x in np.eye(5, 4, dtype="float32"):
                yield x, np.array([1])

    model = cases.model(paddle)
    model.fit(Stream(), batch_size=2, verbose=2, log_freq=1)
    assert len(model.predict(Stream(), batch_size=2, verbose=0)[0]) == 3


def test_several_inputs_and_labels():
    class Two(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.scale = paddle.create_parameter([1], "float32")

        def forward(self, x, y, factor=1.0):
            return (x + y) * self.scale * factor, x - y

    x, y = paddle.ones([4, 2]), paddle.zeros([4, 2])
    model = paddle.Model(Two(), labels=[paddle.static.InputSpec([None, 2])] * 2)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                  lambda a, b, p, q: [((a - p) ** 2).mean(), ((b - q) ** 2).mean()])
    data = paddle.io.TensorDataset([x, y, x, y])
    model.fit(data, batch_size=2, verbose=0)
    assert len(model.evaluate(data, batch_size=2, verbose=0)["loss"]) == 2
    assert [part[0].shape for part in model.predict(data, batch_size=4, verbose=0)] == [(4, 2), (4, 2)]


def test_what_is_refused():
    with pytest.raises(TypeError, match="network"):
        paddle.Model(lambda x: x)
    model = paddle.Model(paddle.nn.Linear(2, 2))
    for error in (AssertionError, RuntimeError):  # the first as in PaddlePaddle
        with pytest.raises(error, match="prepare"):
            model.train_batch([paddle.ones([1, 2])], [paddle.ones([1, 2])])
    with pytest.raises(TypeError, match="optimizer"):
        model.prepare("adam")
    for error in (AssertionError, TypeError):  # the first as in PaddlePaddle
        with pytest.raises(error, match="metrics"):
            model.prepare(metrics=["acc"])
    with pytest.raises(RuntimeError, match="inputs"):
        model.save("x", training=False)
    with pytest.raises(ValueError, match="input_size"):
        model.summary()
    with pytest.raises(TypeError, match="callbacks"):
        model.fit(paddle.io.TensorDataset([paddle.ones([1, 2])]), callbacks=[print])
    paddle.enable_static()
    try:
        with pytest.raises(ValueError, match="inputs must be given"):
            paddle.Model(paddle.nn.Linear(2, 2))
    finally:
        paddle.disable_static()


def test_callbacks_without_what_they_watch_warn_once():
    made, data = cases.model(paddle), cases.data(paddle, 4, 1)
    for callback in (paddle.callbacks.EarlyStopping("auc"), paddle.callbacks.ReduceLROnPlateau("auc")):
        with pytest.warns(UserWarning, match="monitor='auc'.*no such number") as told:
            made.fit(data, data, verbose=0, epochs=2, callbacks=[callback])
        assert len(told) == 1 and not made.stop_training
    schedule = paddle.optimizer.lr.StepDecay(0.1, 100)
    made._optimizer.set_lr_scheduler(schedule)
    with pytest.warns(UserWarning, match="a schedule decides") as told:
        made.fit(data, data, verbose=0, epochs=2, callbacks=[paddle.callbacks.ReduceLROnPlateau(patience=0)])
    assert len(told) == 1 and schedule() == 0.1


def test_shuffled_samples_come_in_the_order_of_their_epoch_and_batches_of_two_sizes():
    class Numbers(paddle.io.Dataset):
        def __init__(self):
            self.asked = []

        def __len__(self):
            return 7

        def __getitem__(self, index):
            self.asked.append(index)
            return np.full([2], index, "float32"), np.zeros([1], "float32")

    class Sizes(paddle.callbacks.Callback):
        seen = []

        def on_train_batch_end(self, step, logs=None):
            self.seen.append(logs["batch_size"])

        def on_eval_batch_end(self, step, logs=None):
            self.seen.append(-logs["batch_size"])

    network = paddle.nn.Linear(2, 1)
    model = paddle.Model(network)
    model.prepare(paddle.optimizer.SGD(0.0, parameters=network.parameters()), paddle.nn.MSELoss())
    train, evaluation = Numbers(), Numbers()
    model.fit(train, evaluation, batch_size=(4, 5), epochs=2, verbose=0, callbacks=[Sizes()])
    wanted = []
    for epoch in range(2):
        order = list(range(7))
        np.random.RandomState(epoch).shuffle(order)
        wanted += order
    assert train.asked == wanted and evaluation.asked == list(range(7)) * 2
    assert Sizes.seen == [4, 3, -5, -2] * 2


def test_early_stopping_counts_evaluations_and_names_the_best_checkpoint(tmp_path, capsys):
    network = paddle.nn.Linear(2, 1)
    model = paddle.Model(network)
    model.prepare(paddle.optimizer.SGD(0.0, parameters=network.parameters()), paddle.nn.MSELoss())
    data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
    stop = paddle.callbacks.EarlyStopping(patience=2)
    model.fit(data, data, epochs=9, verbose=0, save_dir=str(tmp_path), callbacks=[stop])
    assert stop.stopped_epoch == 3
    told = capsys.readouterr().out
    assert "Epoch 3: Early stopping." in told and f"saved at {tmp_path / 'best_model'}" in told


def test_curves(monkeypatch, tmp_path):
    import sys
    import types

    with pytest.raises(ImportError, match="proa\\[curves\\]"):
        monkeypatch.setitem(sys.modules, "visualdl", None)
        monkeypatch.setitem(sys.modules, "tensorboardX", None)
        paddle.callbacks.VisualDL(str(tmp_path))
    with pytest.raises(ImportError, match="wandb"):
        monkeypatch.setitem(sys.modules, "wandb", None)
        paddle.callbacks.WandbCallback()
    points, sent = [], []

    class Writer:
        def __init__(self, folder):
            assert folder == str(tmp_path)

        def add_scalar(self, name, value, step):
            points.append((name, step))

        def close(self):
            points.append("closed")

    class Run:
        log = staticmethod(sent.append)

        def finish(self):
            sent.append("finished")

    monkeypatch.setitem(sys.modules, "tensorboardX", types.SimpleNamespace(SummaryWriter=Writer))
    monkeypatch.setitem(sys.modules, "wandb", types.SimpleNamespace(run=None, init=lambda **given: Run()))
    model = cases.model(paddle)
    model.fit(cases.data(paddle, 16, 1), cases.data(paddle, 4, 2), batch_size=8, verbose=0,
              callbacks=[paddle.callbacks.VisualDL(str(tmp_path)), paddle.callbacks.WandbCallback(project="p")])
    assert points == [("train/loss", 1), ("train/acc", 1), ("train/loss", 2), ("train/acc", 2), ("eval/loss", 1),
                      ("eval/acc", 1), "closed"]
    assert sent[0].keys() == {"train/loss", "train/acc", "train/step"} and sent[-1] == "finished"


class Residual(paddle.nn.Layer):
    """A part that holds layers and a parameter of its own, and calls one layer twice."""

    def __init__(self):
        super().__init__()
        self.scale = self.create_parameter([4])
        self.linear = paddle.nn.Linear(4, 4)

    def forward(self, x, mask=None):
        return x + self.linear(self.linear(x * self.scale))


def test_summary_has_a_row_for_a_part_after_what_it_holds(capsys):
    with paddle.utils.unique_name.guard():
        net = paddle.nn.Sequential(Residual(), paddle.nn.Sequential(paddle.nn.Linear(4, 2)))
    assert paddle.summary(net, (3, 4)) == {"total_params": 34, "trainable_params": 34}
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == " Layer (type)       Input Shape          Output Shape         Param #    "
    assert [line.split() for line in lines[3:6]] == [
        ["Linear-1", "[[3,", "4]]", "[3,", "4]", "20"], ["Residual-1", "[[3,", "4]]", "[3,", "4]", "4"],
        ["Linear-2", "[[3,", "4]]", "[3,", "2]", "10"]]


def test_flops_of_a_layer_that_is_called_twice_count_twice():
    def rule(layer, inputs, output):
        layer.total_ops += 7

    net = paddle.nn.Sequential(Residual())
    assert paddle.flops(net, [3, 4]) == 2 * 3 * 4 * 4
    assert paddle.flops(net, [3, 4], custom_ops={paddle.nn.Linear: rule}) == 14


def test_flops_table_and_summary_inputs(capsys):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.Flatten(), paddle.nn.Linear(72, 3))
    assert paddle.flops(net, [1, 1, 8, 8], print_detail=True) == 72 * 10 + 72 * 3
    assert "| Params |" in capsys.readouterr().out
    assert paddle.summary(net, paddle.static.InputSpec([None, 1, 8, 8]))["total_params"] == 239
    assert paddle.summary(net, input=paddle.ones([2, 1, 8, 8]))["trainable_params"] == 239
    together = type("Together", (paddle.nn.Layer,), {"forward": lambda self, given: self.net(given[0] + given[1])})()
    together.net = net
    for container in (list, tuple, lambda given: dict(enumerate(given))):
        images = container(paddle.ones([2, 1, 8, 8]) for _ in range(2))
        assert paddle.summary(together, input=images)["total_params"] == 239  # one argument, as a list is Paddle's
    model = paddle.Model(net, inputs=paddle.static.InputSpec([None, 1, 8, 8]))
    assert net.training and model.summary()["total_params"] == 239 and net.training
    with pytest.raises(ValueError, match="sizes must be over 0"):
        paddle.summary(net, (1, 1, 0, 8))


def test_a_summary_draws_its_inputs_from_the_generator_as_paddle_does():
    """So a seeded script that prints a summary goes on with the numbers that it has there."""
    rows, linear = paddle.nn.Embedding(1, 2), paddle.nn.Linear(2, 2)  # a made-up integer is 0
    for watch in (lambda: paddle.summary(rows, (2, 2), "int64"), lambda: paddle.flops(linear, [2, 2])):
        paddle.seed(5)
        watch()
        np.testing.assert_allclose(paddle.rand([3]).numpy(), [0.34473136, 0.72667795, 0.74902534], rtol=1e-6)


def test_sizes_of_a_summary_are_numbers_and_nested_shapes(capsys):
    assert paddle.summary(paddle.nn.Linear(20, 3), 20)["total_params"] == 63
    assert paddle.Model(paddle.nn.Linear(20, 3)).summary(input_size=[20])["total_params"] == 63
    paddle.summary(paddle.nn.LSTM(4, 5, 2), [(-1, 3, 4), ((2, None, 5), (2, -1, 5))])
    assert "[[1, 3, 4], [[2, 1, 5], [2, 1, 5]]]" in capsys.readouterr().out


def test_before_a_batch_callbacks_are_given_the_logs_of_the_one_before():
    class Before(paddle.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.seen = []

        def on_train_batch_begin(self, step, logs=None):
            self.seen.append((step, logs.get("step"), "loss" in logs))

    before = Before()
    model = paddle.Model(paddle.nn.Linear(2, 1))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    model.fit([(np.ones([1, 2], "float32"), np.ones([1, 1], "float32"))] * 2, epochs=1, verbose=0,
              callbacks=[before])
    assert before.seen == [(0, None, False), (1, 0, True)]


def test_a_mode_that_is_none_is_taken_as_that_by_the_name():
    with pytest.warns(UserWarning, match="'auto'.*Received 'rising'"):
        stop = paddle.callbacks.EarlyStopping("acc", mode="rising")
    assert stop.best_value == -float("inf")


def test_callbacks_of_a_loop_of_ones_own(capsys, tmp_path):
    from proa.hapi.callbacks import config_callbacks
    from proa.hapi.model import prepare_distributed_context

    prepare_distributed_context()
    model = paddle.Model(paddle.nn.Linear(2, 1))
    model.prepare()
    told = config_callbacks(model=model, epochs=1, steps=2, log_freq=1, metrics=["loss"], save_dir=str(tmp_path))
    told.on_begin("train")
    told.on_epoch_begin(0)
    for step in range(2):
        told.on_batch_begin("train", step, {})
        told.on_batch_end("train", step, {"loss": 0.5, "batch_size": 4})
    told.on_epoch_end(0, {"loss": 0.5})
    for mode in ("eval", "predict"):
        told.on_begin(mode, {"steps": 1, "metrics": ["loss"]})
        told.on_batch_begin(mode, 0, {})
        told.on_batch_end(mode, 0, {"loss": 0.25, "batch_size": 3})
        told.on_end(mode, {"loss": 0.25})
    told.on_end("train")
    shown = capsys.readouterr().out
    assert "Epoch 1/1" in shown and "step 1/2 - loss: 0.5000" in shown and "Eval samples: 3" in shown
    assert "Predict samples: 3" in shown and (tmp_path / "final.pdparams").exists()
    with pytest.raises(ValueError, match="must be 'train', 'eval' or 'predict'. Received 'test'"):
        told.on_begin("test")


def test_a_progress_bar_of_ones_own(capsys):
    from proa.hapi.progressbar import ProgressBar

    bar = ProgressBar(10)
    bar.update(3, [["loss", 0.5], ["acc", np.array([0.25])]])
    bar.update(10, [["loss", "INF"]])
    shown = capsys.readouterr().out
    assert "step  3/10 [" in shown and "loss: 0.5000 - acc: 0.2500" in shown and shown.endswith("\n")
    ProgressBar(verbose=2).update(3.0, [["loss", 1e-4]])
    assert capsys.readouterr().out.startswith("step 3 - loss: 1.0000e-04")
    with pytest.raises(TypeError, match="must be None or above 0. Received -1"):
        ProgressBar(-1)
