"""An LSTM language model as in arXiv:1409.2329: dropout between layers, gradients clipped by their global norm."""

import numpy as np

from .data import sentences


def train(paddle, steps):
    paddle.seed(102)
    nn = paddle.nn

    class Language(nn.Layer):
        def __init__(self, words=60, width=32):
            super().__init__()
            self.embedding = nn.Embedding(words, width)
            self.lstm = nn.LSTM(width, width, num_layers=2, dropout=0.3)
            self.dropout = nn.Dropout(0.3)
            self.out = nn.Linear(width, words)

        def forward(self, x, state):
            outputs, state = self.lstm(self.dropout(self.embedding(x)), state)
            return self.out(self.dropout(outputs)), state

    net = Language()
    clip = nn.ClipGradByGlobalNorm(0.5)
    sgd = paddle.optimizer.SGD(1.0, net.parameters(), grad_clip=clip)
    text = sentences(16, 12 * steps + 1, 60, seed=3)
    state = None
    losses = []
    for step in range(steps):
        part = text[:, 12 * step:12 * step + 13]
        x, y = paddle.to_tensor(part[:, :-1]), paddle.to_tensor(np.ascontiguousarray(part[:, 1:]))
        logits, state = net(x, state)
        state = tuple(s.detach() for s in state)
        loss = nn.functional.cross_entropy(logits.reshape([-1, 60]), y.reshape([-1]))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(float(loss))
    return losses
