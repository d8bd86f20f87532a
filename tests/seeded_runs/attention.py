"""A GRU reads and another writes with attention (arXiv:1409.0473); what it is given is chosen by chance."""

import random

import numpy as np

from .data import sentences


def train(paddle, steps):
    paddle.seed(31)
    random.seed(31)
    nn = paddle.nn
    words, width = 30, 24

    class Echo(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(words, width)
            self.reader = nn.GRU(width, width, direction="bidirect")
            self.bridge = nn.Linear(2 * width, width)
            self.score = nn.Bilinear(width, width, 1)
            self.writer = nn.GRUCell(2 * width, width)
            self.out = nn.Sequential(nn.Linear(2 * width, width), nn.Tanh(), nn.Dropout(0.1), nn.Linear(width, words))

        def forward(self, source, target):
            memory, _ = self.reader(self.embedding(source))
            memory = self.bridge(memory)
            state = memory.mean(1)
            word = target[:, 0]
            outputs = []
            for t in range(target.shape[1] - 1):
                scores = self.score(state.unsqueeze(1).expand([-1, memory.shape[1], -1]).reshape([-1, width]),
                                    memory.reshape([-1, width])).reshape([memory.shape[0], -1])
                context = (nn.functional.softmax(scores).unsqueeze(-1) * memory).sum(1)
                _, state = self.writer(paddle.concat([self.embedding(word), context], -1), state)
                logits = self.out(paddle.concat([state, context], -1))
                outputs.append(logits)
                word = target[:, t + 1] if random.random() < 0.6 else paddle.argmax(logits, -1)
            return paddle.stack(outputs, 1)

    net = Echo()
    adam = paddle.optimizer.Adam(0.005, parameters=net.parameters(), weight_decay=paddle.regularizer.L2Decay(1e-4))
    text = sentences(16 * steps, 7, words, seed=5)
    losses = []
    for step in range(steps):
        source = text[16 * step:16 * step + 16]
        target = np.concatenate([np.zeros((16, 1), "int64"), source], 1)
        logits = net(paddle.to_tensor(source), paddle.to_tensor(target))
        loss = nn.functional.cross_entropy(logits, paddle.to_tensor(source))
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    return losses
