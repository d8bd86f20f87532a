"""Encoder, decoder, attention, beam."""

import proa as paddle
from proa import Tensor, nn
from proa.nn import functional as F


class Encoder(nn.Layer):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, num_layers=2, direction="bidirect", dropout=0.1)

    def forward(self, ids: Tensor, lengths: Tensor | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        out, (h, c) = self.lstm(self.embedding(ids), sequence_length=lengths)
        return out, (h, c)


class Decoder(nn.Layer):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.cell = nn.GRUCell(width, width)
        self.attend = nn.MultiHeadAttention(width, 2, kdim=2 * width, vdim=2 * width)
        self.out = nn.Linear(width, words)

    def forward(self, ids: Tensor, memory: Tensor, state: Tensor | None = None) -> Tensor:
        steps: list[Tensor] = []
        for t in range(ids.shape[1]):
            y, state = self.cell(self.embedding(ids[:, t]), state)
            a: Tensor = self.attend(y.unsqueeze(1), memory, memory)
            steps.append(self.out(a.squeeze(1) + y))
        return paddle.stack(steps, axis=1)


enc, dec = Encoder(20, 8), Decoder(20, 8)
params = [*enc.parameters(), *dec.parameters()]
opt = paddle.optimizer.Adam(parameters=params, learning_rate=paddle.optimizer.lr.NoamDecay(8, 10))
src = paddle.randint(1, 20, [4, 5])
tgt = paddle.randint(1, 20, [4, 6])
memory, (h, _) = enc(src, paddle.to_tensor([5, 4, 3, 2]))
logits = dec(tgt[:, :-1], memory)
mask = (tgt[:, 1:] != 0).astype("float32")
loss = (F.cross_entropy(logits, tgt[:, 1:], reduction="none").squeeze(-1) * mask).sum() / mask.sum()
loss.backward()
opt.step()
opt.clear_grad()
model = nn.Transformer(8, 2, 1, 1, 16)
causal = model.generate_square_subsequent_mask(6)
out: Tensor = model(paddle.randn([2, 5, 8]), paddle.randn([2, 6, 8]), tgt_mask=causal)
best = logits.argmax(-1)
words = best.numpy().tolist()
top, where = paddle.topk(logits[:, -1], k=3, axis=-1)
print(loss.item(), out.shape, len(words), top.shape, where.dtype, F.one_hot(best[0], 20).shape,
      paddle.concat([top, top], axis=-1).shape, h.shape)
