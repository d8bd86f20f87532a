"""A beam search over a small language model, in a loop that a tensor ends."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn

WORDS, SIZE, BEAMS, END = 8, 12, 3, 0


class Searcher(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, SIZE)
        self.cell = nn.LSTMCell(SIZE, SIZE)
        self.out = nn.Linear(SIZE, WORDS)

    def forward(self, first, limit):
        n = first.shape[0]
        h = paddle.zeros([n * BEAMS, SIZE])
        c = paddle.zeros([n * BEAMS, SIZE])
        words = first.unsqueeze(1).expand([n, BEAMS]).reshape([-1])
        start = paddle.to_tensor([0.0] + [-1e9] * (BEAMS - 1))
        scores = start.unsqueeze(0).expand([n, BEAMS])
        finished = paddle.zeros([n, BEAMS], "bool")
        sequences = paddle.zeros([n, BEAMS, limit], "int64")
        only_end = paddle.full([WORDS], -1e9)
        only_end[END] = 0.0
        offsets = paddle.arange(n).unsqueeze(1) * BEAMS
        step = paddle.zeros([], "int64")
        while (step < limit) and not finished.all():
            _, (h, c) = self.cell(self.embedding(words), (h, c))
            logs = F.log_softmax(self.out(h)).reshape([n, BEAMS, WORDS])
            logs = paddle.where(finished.unsqueeze(-1), only_end.expand([n, BEAMS, WORDS]), logs)
            total = (scores.unsqueeze(-1) + logs).reshape([n, BEAMS * WORDS])
            scores, picked = paddle.topk(total, BEAMS)
            parents, chosen = picked // WORDS, picked % WORDS
            rows = (offsets + parents).reshape([-1])
            h, c = paddle.gather(h, rows), paddle.gather(c, rows)
            sequences = paddle.gather(sequences.reshape([n * BEAMS, limit]), rows).reshape([n, BEAMS, limit])
            here = F.one_hot(step, limit).astype("int64")
            sequences = sequences * (1 - here) + here * chosen.unsqueeze(-1)
            finished = paddle.gather(finished.reshape([-1]), rows).reshape([n, BEAMS])
            finished = paddle.logical_or(finished, chosen == END)
            words = chosen.reshape([-1])
            step = step + 1
        return sequences, scores, step


def test_beam_search(same_curve):
    def search(convert):
        net = Searcher()
        net.eval()
        bias = np.zeros(WORDS, "float32")
        bias[END] = 1.0
        net.out.bias.set_value(bias)
        run = convert(net)
        found = []
        for seed in range(4):
            first = paddle.to_tensor(np.random.RandomState(seed).randint(1, WORDS, 2))
            with paddle.no_grad():
                sequences, scores, steps = run(first, 6)
            found.append([*sequences.numpy().ravel(), *scores.numpy().ravel(), float(steps)])
        return found

    same_curve(search)
