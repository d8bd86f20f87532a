"""A small decoder of its own making that generates word by word; keys and values are kept, and grow with each step."""

from ..workloads import values

SIZES = ("first", "second", *("grown",) * 6)


def build(paddle):
    nn = paddle.nn
    functional = nn.functional

    class Layer(nn.Layer):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.norms = nn.LayerList([nn.LayerNorm(width), nn.LayerNorm(width)])
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.hidden, self.back = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x, keys, values):
            b, n, width = x.shape
            qkv = self.qkv(self.norms[0](x)).reshape([b, n, 3, self.heads, width // self.heads])
            q, k, v = qkv.transpose([2, 0, 3, 1, 4]).unbind(0)
            if keys is not None:
                k, v = paddle.concat([keys, k], 2), paddle.concat([values, v], 2)
            weights = functional.softmax(paddle.matmul(q * (width // self.heads) ** -0.5, k, transpose_y=True), -1)
            x = x + self.out(paddle.matmul(weights, v).transpose([0, 2, 1, 3]).reshape([b, n, width]))
            return x + self.back(functional.gelu(self.hidden(self.norms[1](x)))), k, v

    class Decoder(nn.Layer):
        def __init__(self, words=60, width=32, layers=3):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(64, width)
            self.layers = nn.LayerList([Layer(width, 4) for _ in range(layers)])
            self.out = nn.Linear(width, words)

        def forward(self, words, cache):
            past = 0 if cache is None else cache[0][0].shape[2]
            x = self.words(words) + self.places(paddle.arange(words.shape[1]) + past)
            grown = []
            for n, layer in enumerate(self.layers):
                x, k, v = layer(x, *((None, None) if cache is None else cache[n]))
                grown.append((k, v))
            return self.out(x[:, -1]), grown

    net = paddle.jit.to_static(Decoder())
    net.eval()
    state = {"cache": None, "words": paddle.to_tensor(values.labels(1, 16, 60).reshape(2, 8))}

    def step(size):
        with paddle.no_grad():
            logits, state["cache"] = net(state["words"], state["cache"])
            state["words"] = logits.argmax(-1, keepdim=True)
        return float(logits.abs().mean())

    return step
