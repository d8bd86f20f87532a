"""Recurrent networks of these tests, for `nets.py`: their classes, the specs of their inputs, and inputs."""

import numpy as np


def networks(paddle):
    """The classes by name."""
    nn = paddle.nn

    class Tagger(nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 6)
            self.lstm = nn.LSTM(6, 5, num_layers=2, direction="bidirect")
            self.head = nn.Linear(10, 3)

        def forward(self, ids, lengths):
            out, (h, c) = self.lstm(self.table(ids), None, lengths)
            return self.head(out), h, c

    class Forecast(nn.Layer):
        def __init__(self):
            super().__init__()
            self.start = nn.Linear(3, 4)
            self.gru = nn.GRU(3, 4, num_layers=2, time_major=True)
            self.rnn = nn.SimpleRNN(4, 5, direction="bidirectional", activation="relu", time_major=True)

        def forward(self, x):
            h = paddle.tanh(self.start(x[0]))
            out, last = self.gru(x, paddle.stack([h, -h]))
            out, states = self.rnn(out)
            return out, last, states

    return {"Tagger": Tagger, "Forecast": Forecast}


SPECS = {
    "Tagger": [([None, None], "int64", "ids"), ([None], "int64", "lengths")],
    "Forecast": [([None, None, 3], "float32", "x")],
}


def inputs(name):
    """The lists of input arrays with which a network is tried."""
    found = []
    for seed in range(3):
        random, batch, steps = np.random.RandomState(seed), seed + 1, seed + 3
        if name == "Tagger":
            lengths = random.randint(1, steps + 1, batch).astype("int64")
            found.append([random.randint(0, 20, (batch, steps)).astype("int64"), lengths])
        else:
            found.append([random.uniform(-1, 1, (steps, batch, 3)).astype("float32")])
    return found
