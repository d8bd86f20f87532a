"""Sequence to sequence with attention (arXiv:1409.0473): an LSTM reads, a cell writes word by word in a Python loop."""

from ..workloads import values

SIZES = ((8, 10, 8), (8, 7, 6))


def build(paddle):
    nn = paddle.nn
    functional = nn.functional

    class Translator(nn.Layer):
        def __init__(self, words=50, width=32):
            super().__init__()
            self.source, self.target = nn.Embedding(words, width), nn.Embedding(words, width)
            self.reader, self.writer = nn.LSTM(width, width), nn.LSTMCell(2 * width, width)
            self.query, self.out = nn.Linear(width, width), nn.Linear(2 * width, words)

        def forward(self, source, target):
            memory, (h, c) = self.reader(self.source(source))
            h, c = h[0], c[0]
            words = self.target(target)
            context = paddle.zeros_like(h)
            outputs = []
            for t in range(target.shape[1]):
                h, (h, c) = self.writer(paddle.concat([words[:, t], context], -1), (h, c))
                scores = paddle.bmm(memory, self.query(h).unsqueeze(-1)).squeeze(-1)
                weights = functional.softmax(scores, -1)
                context = paddle.bmm(weights.unsqueeze(1), memory).squeeze(1)
                outputs.append(self.out(paddle.concat([h, context], -1)))
            return paddle.stack(outputs, 1)

    net = paddle.jit.to_static(Translator())
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0))

    def step(size):
        batch, reading, writing = size
        source = paddle.to_tensor(values.labels(1, batch * reading, 50).reshape(batch, reading))
        target = paddle.to_tensor(values.labels(2, batch * writing, 50).reshape(batch, writing))
        logits = net(source, target)
        loss = functional.cross_entropy(logits.reshape([-1, 50]), target.reshape([-1]))
        loss.backward()
        adam.step()
        adam.clear_grad()
        return float(loss)

    return step
