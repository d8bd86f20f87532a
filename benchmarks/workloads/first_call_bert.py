"""The first call of a converted BERT-base (arXiv:1810.04805): convert, trace, compile and run once."""

import numpy as np

from . import values
from .transformer import in_paddles_order

SIZE = {"batch": 1, "length": 128, "width": 768, "heads": 12, "hidden": 3072, "layers": 12, "words": 30522}
POSITIONS, KINDS = 512, 2


def _tokens(size):
    words = np.random.default_rng(1).integers(0, size["words"], (size["batch"], size["length"]))
    return words, np.zeros_like(words)


def network(paddle, size):
    """The network in Paddle's API, for words and their kinds, with random weights."""
    nn, width = paddle.nn, size["width"]

    class Bert(nn.Layer):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(size["words"], width)
            self.positions, self.kinds = nn.Embedding(POSITIONS, width), nn.Embedding(KINDS, width)
            self.norm = nn.LayerNorm(width)
            layer = nn.TransformerEncoderLayer(width, size["heads"], size["hidden"], dropout=0.1, activation="gelu")
            self.encoder = nn.TransformerEncoder(layer, size["layers"])
            self.pooler = nn.Linear(width, width)

        def forward(self, words, kinds):
            places = paddle.arange(words.shape[1], dtype="int64").unsqueeze(0)
            x = self.norm(self.words(words) + self.positions(places) + self.kinds(kinds))
            x = self.encoder(x)
            return x, paddle.tanh(self.pooler(x[:, 0]))

    return values.fill_paddle(Bert())


def in_paddle(paddle, mode, size):
    net = network(paddle, size)
    net.eval()
    words, kinds = map(paddle.to_tensor, _tokens(size))
    if mode == "to_static":
        net = paddle.jit.to_static(net, full_graph=True)

    def step():
        with paddle.no_grad():
            return net(words, kinds)[0]

    return step


def in_torch(torch, mode, size):
    nn, width = torch.nn, size["width"]

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(size["words"], width)
            self.positions, self.kinds = nn.Embedding(POSITIONS, width), nn.Embedding(KINDS, width)
            self.norm = nn.LayerNorm(width)
            layer = nn.TransformerEncoderLayer(width, size["heads"], size["hidden"], dropout=0.1, activation="gelu",
                                               batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, size["layers"])
            self.pooler = nn.Linear(width, width)

        def forward(self, words, kinds):
            places = torch.arange(words.shape[1]).unsqueeze(0)
            x = self.norm(self.words(words) + self.positions(places) + self.kinds(kinds))
            x = self.encoder(x)
            return x, torch.tanh(self.pooler(x[:, 0]))

    net = Bert()
    tables = [net.words, net.positions, net.kinds]
    parts = [p for layer in net.encoder.layers for p in in_paddles_order(layer)]
    linear = [*net.norm.parameters(), *parts, *net.pooler.parameters()]
    values.fill_torch(torch, [*(t.weight for t in tables), *linear], untouched=len(tables))
    net.eval()
    words, kinds = map(torch.from_numpy, _tokens(size))
    if mode == "compile":
        net = torch.compile(net)

    def step():
        with torch.no_grad():
            return net(words, kinds)[0]

    return step
