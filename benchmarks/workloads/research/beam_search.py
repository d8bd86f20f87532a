"""Beam search with a small decoder: a loop in Python, a cell, the best of all continuations, states taken along."""

from .. import values

SIZE = {"beams": 4, "length": 30, "width": 64, "words": 500}
FIRST, LAST = 1, 2


def in_paddle(paddle, mode, size):
    nn, words = paddle.nn, size["words"]

    class Decoder(nn.Layer):
        def __init__(self, words, width):
            super().__init__()
            self.embedding = nn.Embedding(words, width)
            self.cell = nn.GRUCell(width, width)
            self.head = nn.Linear(width, words)

        def forward(self, tokens, state):
            _, state = self.cell(self.embedding(tokens), state)
            return paddle.nn.functional.log_softmax(self.head(state), axis=-1), state

    decoder = Decoder(words, size["width"])
    for layer in (decoder.embedding, decoder.cell, decoder.head):
        values.fill_paddle(layer)
    decoder.eval()
    call = paddle.jit.to_static(decoder, full_graph=True) if mode == "to_static" else decoder
    context = paddle.to_tensor(values.random(1, 1, size["width"]))

    @paddle.no_grad()
    def search():
        tokens = paddle.full([1], FIRST, dtype="int64")
        state, scores, history = context, paddle.zeros([1]), tokens.unsqueeze(1)
        for _ in range(size["length"]):
            found, state = call(tokens, state)
            scores, best = paddle.topk((scores.unsqueeze(1) + found).flatten(), size["beams"])
            parents, tokens = best // words, best % words
            state = paddle.index_select(state, parents)
            history = paddle.concat([paddle.index_select(history, parents), tokens.unsqueeze(1)], axis=1)
            if bool((tokens == LAST).all()):
                break
        return scores + history.sum(axis=1).astype("float32")

    return search


def in_torch(torch, mode, size):
    nn, functional, words = torch.nn, torch.nn.functional, size["words"]

    class Decoder(nn.Module):
        def __init__(self, words, width):
            super().__init__()
            self.embedding = nn.Embedding(words, width)
            self.cell = nn.GRUCell(width, width)
            self.head = nn.Linear(width, words)

        def forward(self, tokens, state):
            state = self.cell(self.embedding(tokens), state)
            return functional.log_softmax(self.head(state), dim=-1), state

    decoder = Decoder(words, size["width"])
    for module, transposed in ((decoder.embedding, False), (decoder.cell, False), (decoder.head, True)):
        values.fill_torch(torch, module.parameters(), transposed=transposed)
    decoder.eval()
    call = torch.compile(decoder) if mode == "compile" else decoder
    context = torch.from_numpy(values.random(1, 1, size["width"]))

    @torch.no_grad()
    def search():
        tokens = torch.full([1], FIRST)
        state, scores, history = context, torch.zeros(1), tokens.unsqueeze(1)
        for _ in range(size["length"]):
            found, state = call(tokens, state)
            scores, best = torch.topk((scores.unsqueeze(1) + found).flatten(), size["beams"])
            parents, tokens = best // words, best % words
            state = state[parents]
            history = torch.cat([history[parents], tokens.unsqueeze(1)], dim=1)
            if bool((tokens == LAST).all()):
                break
        return scores + history.sum(dim=1)

    return search
