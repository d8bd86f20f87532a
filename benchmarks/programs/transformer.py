"""Encoder and decoder (arXiv:1706.03762) of the library's own layers, with masks and a schedule."""

from ..workloads import values

SIZES = ((8, 12, 10), (8, 9, 7))


def build(paddle):
    nn = paddle.nn
    functional = nn.functional

    class Translator(nn.Layer):
        def __init__(self, words=60, width=32):
            super().__init__()
            self.width = width
            self.source, self.target = nn.Embedding(words, width), nn.Embedding(words, width)
            self.places = nn.Embedding(64, width)
            self.transformer = nn.Transformer(width, 4, 2, 2, 64, dropout=0.1)
            self.out = nn.Linear(width, words)

        def embed(self, table, words):
            places = paddle.arange(words.shape[1]).unsqueeze(0)
            return table(words) * self.width ** 0.5 + self.places(places)

        def forward(self, source, target):
            length = target.shape[1]
            mask = paddle.triu(paddle.full([length, length], -1e9), 1)
            hidden = (source == 0).astype("float32").unsqueeze([1, 2]) * -1e9
            y = self.transformer(self.embed(self.source, source), self.embed(self.target, target), hidden, mask, hidden)
            return self.out(y)

    net = paddle.jit.to_static(Translator())
    schedule = paddle.optimizer.lr.NoamDecay(32, 100)
    adam = paddle.optimizer.Adam(schedule, parameters=net.parameters())

    def step(size):
        batch, reading, writing = size
        source = paddle.to_tensor(values.labels(1, batch * reading, 60).reshape(batch, reading))
        target = paddle.to_tensor(values.labels(2, batch * writing, 60).reshape(batch, writing))
        loss = functional.cross_entropy(net(source, target), target)
        loss.backward()
        adam.step()
        adam.clear_grad()
        schedule.step()
        return float(loss)

    return step
