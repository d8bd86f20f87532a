"""Updates write in place where nobody looks: an ordinary training loop copies nothing after its first step."""

import gc

import numpy as np
import proa as paddle
import pytest
from looking import RULES, parameter, step
from proa import nn, static
from proa.backend import aliasing


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 2)), [16, 4]


def convolutions():
    return nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(16, 2)), [8, 1, 4, 4]


def embedding():
    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(6, 4)

        def forward(self, x):
            return paddle.matmul(self.table(x.astype("int64").abs() % 6), self.table.weight, transpose_y=True)

    return Tied(), [5, 3]


def recurrent():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.rnn = nn.LSTM(4, 3, 2)

        def forward(self, x):
            return self.rnn(x)[0]

    return Net(), [2, 5, 4]


def attention():
    return nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), [2, 3, 8]


@pytest.mark.parametrize("rule", [r for r in RULES if r != "LBFGS"])
@pytest.mark.parametrize("converted", [False, True])
@pytest.mark.parametrize("net", [mlp, convolutions, embedding, recurrent, attention])
def test_an_ordinary_loop_never_copies(net, converted, rule):
    network, shape = net()
    optimizer = RULES[rule](network.parameters(), grad_clip=nn.ClipGradByGlobalNorm(1.0))
    run = paddle.jit.to_static(network) if converted else network
    x = paddle.randn(shape)
    gc.collect()

    def train():
        loss = (run(x) ** 2.0).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    train()
    copies = aliasing.copies[0]
    losses = [train() for _ in range(4)]  # kept, as users keep them
    assert aliasing.copies[0] == copies
    assert len({float(loss) for loss in losses}) == 4


@pytest.mark.parametrize("wrapped", ["scaler", "lookahead", "average", "amp"])
def test_what_is_put_around_an_optimizer_never_copies(wrapped):
    network, shape = mlp()
    optimizer = RULES["Adam"](network.parameters())
    outer = paddle.incubate.LookAhead(optimizer, k=2) if wrapped == "lookahead" else optimizer
    average = paddle.incubate.ModelAverage(0.5, network.parameters(), min_average_window=2, max_average_window=4)
    scaler = paddle.amp.GradScaler(enable=wrapped == "scaler")
    x = paddle.randn(shape)

    def train():
        with paddle.amp.auto_cast(wrapped == "amp"):
            loss = (network(x).astype("float32") ** 2.0).mean()
        scaler.scale(loss).backward()
        scaler.step(outer) if wrapped == "scaler" else outer.step()
        if wrapped == "scaler":
            scaler.update()
        if wrapped == "average":
            average.step()
        optimizer.clear_grad()

    for _ in range(2):
        train()
    copies = aliasing.copies[0]
    for _ in range(4):
        train()
    assert aliasing.copies[0] == copies


@pytest.mark.parametrize("rule", ["SGD", "Momentum", "Adam"])
def test_a_program_never_copies_after_its_first_run(rule, programs):
    network, shape = mlp()
    x = static.data("x", [None, *shape[1:]])
    loss = (network(x) ** 2.0).mean()
    getattr(paddle.optimizer, rule)(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {"x": np.ones(shape, "float32")}
    exe.run(feed=feed, fetch_list=[loss])
    copies = aliasing.copies[0]
    for _ in range(4):
        exe.run(feed=feed, fetch_list=[loss])
    assert aliasing.copies[0] == copies


def test_two_programs_that_train_in_turns_never_copy(programs):
    """What the one prepares of the parameters that the other trains does not hold on to these."""
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    x = static.data("x", [None, 4])
    turns = []
    for trained, frozen in ((first, second), (second, first)):
        program = static.default_main_program().clone()
        with static.program_guard(program):
            loss = (frozen(trained(program.global_block().var("x"))) ** 2.0).mean()
            paddle.optimizer.SGD(0.1, parameters=trained.parameters()).minimize(loss)
        turns.append((program, loss))
    assert x is not None
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {"x": np.ones((2, 4), "float32")}
    for program, loss in turns * 2:
        exe.run(program, feed=feed, fetch_list=[loss])
    copies = aliasing.copies[0]
    for program, loss in turns * 2:
        exe.run(program, feed=feed, fetch_list=[loss])
    assert aliasing.copies[0] == copies


def test_where_counts_do_not_tell_every_update_copies(monkeypatch):
    monkeypatch.setattr(aliasing, "_alone", 0)
    w, optimizer = parameter("Adam")
    taken = []
    for _ in range(3):
        taken.append((w.t() * 1.0, w.numpy(), w.t()))
        step(w, optimizer)
    for computed, before, view in taken:
        np.testing.assert_array_equal(computed.numpy(), before.T)
        np.testing.assert_array_equal(view.numpy(), w.numpy().T)


def test_the_count_is_that_of_the_array_that_owns_the_memory():
    alone, other = np.zeros(4, "float32").view(), np.zeros((2, 2), "float32").view()
    transposed = other.T
    owner = np.zeros(4, "float32")
    buffer = np.frombuffer(bytearray(16), "float32")
    shared = np.zeros(8, "float32")
    parts = shared[:4], shared[4:]
    del shared
    assert aliasing.to_write([alone])[0] is alone
    for array in (other, owner, owner[:], buffer, buffer.reshape(2, 2), *parts):
        [found] = aliasing.to_write([array])
        assert not np.shares_memory(found, array)
        assert aliasing.to_write([found])[0] is found
    del transposed
    assert aliasing.to_write([other])[0] is other
    del parts
    assert aliasing.changing(np.asfortranarray(np.ones((2, 3)))).flags.c_contiguous
