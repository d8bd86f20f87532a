"""BERT, small: masked words and the next sentence."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn

WORDS, SIZE, LENGTH = 30, 16, 8


class Embeddings(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, SIZE, padding_idx=0)
        self.positions = nn.Embedding(LENGTH, SIZE)
        self.kinds = nn.Embedding(2, SIZE)
        self.norm = nn.LayerNorm(SIZE)
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids, kinds=None, positions=None):
        if positions is None:
            ones = paddle.ones_like(ids, dtype="int64")
            positions = paddle.cumsum(ones, axis=-1) - ones
        if kinds is None:
            kinds = paddle.zeros_like(ids)
        x = self.words(ids) + self.positions(positions) + self.kinds(kinds)
        return self.dropout(self.norm(x))


class Bert(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embeddings = Embeddings()
        layer = nn.TransformerEncoderLayer(SIZE, 2, 32, dropout=0.1, activation="gelu", attn_dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pooler = nn.Linear(SIZE, SIZE)

    def forward(self, ids, kinds=None, mask=None):
        if mask is None:
            mask = paddle.unsqueeze((ids == 0).astype(self.pooler.weight.dtype) * -1e4, axis=[1, 2])
        hidden = self.encoder(self.embeddings(ids, kinds), mask)
        return hidden, F.tanh(self.pooler(hidden[:, 0]))


class ForPretraining(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bert = Bert()
        self.transform = nn.Sequential(nn.Linear(SIZE, SIZE), nn.GELU(), nn.LayerNorm(SIZE))
        self.bias = self.create_parameter([WORDS], is_bias=True)
        self.next = nn.Linear(SIZE, 2)

    def forward(self, ids, kinds, places=None, labels=None, follows=None):
        hidden, pooled = self.bert(ids, kinds)
        if places is not None:
            hidden = paddle.gather(hidden.reshape([-1, SIZE]), places)
        scores = paddle.matmul(self.transform(hidden), self.bert.embeddings.words.weight, transpose_y=True) + self.bias
        if labels is None:
            return scores, self.next(pooled)
        loss = F.cross_entropy(scores, labels, ignore_index=-1).mean()
        return loss + F.cross_entropy(self.next(pooled), follows).mean()


def batch(rng):
    ids = rng.randint(1, WORDS, (4, LENGTH))
    ids[:, -2:] = 0
    places = np.array([1, 3, 9, 12, 18, 27])
    labels = ids.reshape(-1)[places].copy()
    labels[-1] = -1
    kinds = (np.arange(LENGTH) > 3).astype("int64") * np.ones((4, 1), "int64")
    return [paddle.to_tensor(a.astype("int64")) for a in (ids, kinds, places, labels, rng.randint(0, 2, 4))]


def test_pretraining(same_curve):
    def train(convert):
        net = ForPretraining()
        static = convert(net)
        schedule = paddle.optimizer.lr.NoamDecay(SIZE, 10, 0.1)
        adam = paddle.optimizer.AdamW(schedule, parameters=net.parameters(), weight_decay=0.01,
                                      apply_decay_param_fun=lambda name: "norm" not in name,
                                      grad_clip=nn.ClipGradByGlobalNorm(1.0))
        rng, losses = np.random.RandomState(0), []
        for step in range(20):
            if step == 10:
                net.eval()
            loss = static(*batch(rng))
            loss.backward()
            adam.step()
            schedule.step()
            adam.clear_grad()
            losses.append(float(loss))
        return losses

    same_curve(train)


def test_prediction(same_curve):
    def predict(convert):
        net = ForPretraining()
        net.eval()
        ids, kinds, *_ = batch(np.random.RandomState(0))
        return np.concatenate([out.numpy().ravel() for out in convert(net)(ids, kinds)])

    same_curve(predict)
