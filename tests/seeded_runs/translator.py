"""A Transformer (arXiv:1706.03762) that learns to write sentences backwards, with label smoothing and warmup."""

import numpy as np

from .data import sentences


def train(paddle, steps):
    paddle.seed(7)
    nn = paddle.nn
    words, width = 40, 32

    class Translator(nn.Layer):
        def __init__(self):
            super().__init__()
            self.source = nn.Embedding(words, width, weight_attr=nn.initializer.Normal(0.0, width ** -0.5))
            self.target = nn.Embedding(words, width, weight_attr=nn.initializer.Normal(0.0, width ** -0.5))
            near = nn.initializer.TruncatedNormal(std=0.1)
            self.places = self.create_parameter([12, width], default_initializer=near)
            self.body = nn.Transformer(width, 4, 2, 2, 64, dropout=0.1, normalize_before=True)
            self.out = nn.Linear(width, words)

        def forward(self, source, target):
            mask = self.body.generate_square_subsequent_mask(target.shape[1])
            x = self.source(source) * width ** 0.5 + self.places[:source.shape[1]]
            y = self.target(target) * width ** 0.5 + self.places[:target.shape[1]]
            return self.out(self.body(x, y, tgt_mask=mask))

    net = Translator()
    schedule = paddle.optimizer.lr.NoamDecay(width, 100, learning_rate=1.0)
    adam = paddle.optimizer.AdamW(schedule, beta2=0.98, parameters=net.parameters(), weight_decay=0.01)
    text = sentences(8 * steps, 10, words, seed=4)
    losses = []
    for step in range(steps):
        source = text[8 * step:8 * step + 8]
        target = np.concatenate([np.zeros((8, 1), "int64"), source[:, ::-1]], 1)
        logits = net(paddle.to_tensor(source), paddle.to_tensor(target[:, :-1].copy()))
        wanted = paddle.to_tensor(target[:, 1:].copy())
        smooth = nn.functional.label_smooth(nn.functional.one_hot(wanted, words), epsilon=0.1)
        loss = nn.functional.cross_entropy(logits, smooth, soft_label=True)
        loss.backward()
        adam.step()
        adam.clear_grad()
        schedule.step()
        losses.append(float(loss))
    return losses
