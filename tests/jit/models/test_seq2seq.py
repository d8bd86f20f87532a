"""A sequence-to-sequence model with attention; greedy decoding stops when every sentence has ended."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa import nn

WORDS, SIZE, START, END = 12, 16, 1, 2


class Attention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(2 * SIZE, SIZE)

    def forward(self, query, memory, mask):
        scores = paddle.matmul(memory, query.unsqueeze(-1)).squeeze(-1)
        weights = F.softmax(scores + (mask - 1.0) * 1e9, axis=-1)
        context = paddle.matmul(weights.unsqueeze(1), memory).squeeze(1)
        return F.tanh(self.project(paddle.concat([context, query], axis=-1)))


class Seq2Seq(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, SIZE)
        self.encoder = nn.GRU(SIZE, SIZE)
        self.cell = nn.GRUCell(2 * SIZE, SIZE)
        self.attention = Attention()
        self.out = nn.Linear(SIZE, WORDS)

    def encode(self, source):
        mask = (source != 0).astype("float32")
        memory, state = self.encoder(self.embedding(source))
        return memory, state[0], mask

    def step(self, word, attended, state, memory, mask):
        inputs = paddle.concat([self.embedding(word), attended], axis=-1)
        _, state = self.cell(inputs, state)
        attended = self.attention(state, memory, mask)
        return self.out(attended), attended, state

    def forward(self, source, target):
        memory, state, mask = self.encode(source)
        attended = paddle.zeros_like(state)
        logits = []
        for t in range(target.shape[1] - 1):
            scores, attended, state = self.step(target[:, t], attended, state, memory, mask)
            logits.append(scores)
        logits = paddle.stack(logits, axis=1)
        return F.cross_entropy(logits.reshape([-1, WORDS]), target[:, 1:].reshape([-1]))

    def decode(self, source, limit):
        memory, state, mask = self.encode(source)
        attended = paddle.zeros_like(state)
        word = paddle.full([source.shape[0]], START, "int64")
        finished = paddle.zeros([source.shape[0]], "bool")
        words = []
        while not finished.all() and len(words) < limit:
            scores, attended, state = self.step(word, attended, state, memory, mask)
            word = paddle.where(finished, paddle.zeros_like(word), scores.argmax(axis=-1))
            finished = paddle.logical_or(finished, word == END)
            words.append(word)
        return paddle.stack(words, axis=1)

    def decode_with_buffer(self, source, limit):
        memory, state, mask = self.encode(source)
        attended = paddle.zeros_like(state)
        word = paddle.full([source.shape[0]], START, "int64")
        finished = paddle.zeros([source.shape[0]], "bool")
        words = paddle.zeros([source.shape[0], limit], "int64")
        t = paddle.zeros([], "int64")
        while paddle.logical_and(t < limit, paddle.logical_not(finished.all())):
            scores, attended, state = self.step(word, attended, state, memory, mask)
            word = paddle.where(finished, paddle.zeros_like(word), scores.argmax(axis=-1))
            finished = paddle.logical_or(finished, word == END)
            words = words + F.one_hot(t, limit).astype("int64") * word.unsqueeze(-1)
            t = t + 1
        return words, t


def batch(rng):
    """Sentences to be written backwards."""
    words = rng.randint(3, WORDS, (6, 4))
    source = np.concatenate([words, np.zeros((6, 1))], 1).astype("int64")
    ends = np.full((6, 1), END)
    target = np.concatenate([np.full((6, 1), START), words[:, ::-1], ends], 1).astype("int64")
    return paddle.to_tensor(source), paddle.to_tensor(target)


def test_training(same_curve):
    def train(convert):
        net = Seq2Seq()
        static = convert(net)
        adam = paddle.optimizer.Adam(0.02, parameters=net.parameters(),
                                     grad_clip=nn.ClipGradByGlobalNorm(1.0))
        rng, losses = np.random.RandomState(0), []
        for _ in range(20):
            loss = static(*batch(rng))
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
        return losses

    curve = same_curve(train)
    assert curve[-1] < curve[0]


@pytest.mark.parametrize("method", ["decode", "decode_with_buffer"])
def test_decoding(method, same_curve):
    def decode(convert):
        net = Seq2Seq()
        net.eval()
        bias = np.zeros(WORDS, "float32")
        bias[END] = 0.3
        net.out.bias.set_value(bias)
        run = convert(getattr(net, method))
        found = []
        for seed in range(3):
            source, _ = batch(np.random.RandomState(seed))
            words = run(source, 7)
            words, steps = words if isinstance(words, tuple) else (words, words.shape[1])
            padded = np.zeros((6, 7))
            padded[:, : words.shape[1]] = words.numpy()
            found.append([*padded.ravel(), float(steps)])
        return found

    same_curve(decode)
