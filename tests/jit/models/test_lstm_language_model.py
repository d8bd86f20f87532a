"""An LSTM language model whose state goes on from batch to batch, with dropout and weights tied."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn

WORDS, SIZE, LAYERS, BATCH, STEPS = 15, 12, 2, 3, 5


class LanguageModel(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, SIZE)
        self.lstm = nn.LSTM(SIZE, SIZE, num_layers=LAYERS)
        self.dropout = nn.Dropout(0.2)
        self.bias = self.create_parameter([WORDS], is_bias=True)

    def forward(self, words, labels, h, c):
        x = self.dropout(self.embedding(words))
        x, (h, c) = self.lstm(x, (h, c))
        logits = paddle.matmul(self.dropout(x), self.embedding.weight, transpose_y=True) + self.bias
        loss = F.cross_entropy(logits.reshape([-1, WORDS]), labels.reshape([-1]), reduction="none")
        loss = loss.reshape([BATCH, STEPS]).mean(0).sum()
        return loss, h, c


class Stateful(LanguageModel):
    def __init__(self):
        super().__init__()
        self.state = None

    def forward(self, words, labels):
        if self.state is None:
            self.state = (paddle.zeros([LAYERS, BATCH, SIZE]), paddle.zeros([LAYERS, BATCH, SIZE]))
        h, c = self.state
        loss, h, c = super().forward(words, labels, h.detach(), c.detach())
        self.state = (h, c)
        return loss


class ByHand(nn.Layer):
    """Cells called step by step, stacked in a LayerList."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, SIZE)
        self.cells = nn.LayerList([nn.LSTMCell(SIZE, SIZE) for _ in range(LAYERS)])
        self.out = nn.Linear(SIZE, WORDS)

    def forward(self, words, labels):
        states = [None] * LAYERS
        total = 0.0
        for t in range(words.shape[1]):
            x = self.embedding(words[:, t])
            for i, cell in enumerate(self.cells):
                x, states[i] = cell(x, states[i])
            total += F.cross_entropy(self.out(x), labels[:, t])
        return total / words.shape[1]


def batches():
    text = np.random.RandomState(0).randint(0, WORDS, (BATCH, 20 * STEPS + 1)).astype("int64")
    for i in range(20):
        yield [paddle.to_tensor(text[:, i * STEPS + k: (i + 1) * STEPS + k]) for k in (0, 1)]


def fit(net, step):
    sgd = paddle.optimizer.Momentum(0.1, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0))
    losses = []
    for words, labels in batches():
        loss = step(words, labels)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(float(loss))
    return losses


def test_state_given_and_returned(same_curve):
    def train(convert):
        net = LanguageModel()
        static = convert(net)
        state = [paddle.zeros([LAYERS, BATCH, SIZE]), paddle.zeros([LAYERS, BATCH, SIZE])]

        def step(words, labels):
            loss, *new = static(words, labels, *state)
            state[:] = [value.detach() for value in new]
            return loss

        return fit(net, step)

    same_curve(train)


def test_state_kept(same_curve):
    def train(convert):
        net = Stateful()
        return fit(net, convert(net))

    same_curve(train)


def test_cells_by_hand(same_curve):
    def train(convert):
        net = ByHand()
        return fit(net, convert(net))

    same_curve(train)
