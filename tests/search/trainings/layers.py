"""The Layers of generated trainings: pieces that keep the shape [4, 3], one after another."""

from __future__ import annotations

from random import Random

#: What `__init__` has, and what `forward` does with `h`; {k} is a number, {p} a parameter's option; `|` ends a line.
PIECES = """
self.l{k} = nn.Linear(3, 3) :: h = paddle.tanh(self.l{k}(h))
self.l{k} = nn.Linear(3, 3, weight_attr={p}) :: h = self.l{k}(h) * 0.5 + h
self.l{k} = nn.Linear(3, 3, weight_attr={p}, bias_attr={p}) :: h = F.sigmoid(self.l{k}(h)) + h
self.l{k} = nn.Linear(3, 3, bias_attr=False) :: h = F.gelu(self.l{k}(h)) + h * 0.5
self.l{k} = nn.Linear(3, 3) :: h = paddle.tanh(self.l{k}(self.l{k}(h)))
self.l{k} = nn.Linear(3, 3)|self.t{k} = nn.Linear(3, 3)|self.t{k}.weight = self.l{k}.weight :: \
h = self.t{k}(paddle.tanh(self.l{k}(h)))
self.l{k} = nn.Linear(3, 3)|self.t{k} = self.l{k} :: h = self.t{k}(paddle.tanh(self.l{k}(h)))
self.l{k} = nn.Linear(3, 3) :: h = F.linear(paddle.tanh(self.l{k}(h)), self.l{k}.weight.T)
self.n{k} = nn.BatchNorm1D(3) :: h = self.n{k}(h) * 0.5 + h
self.n{k} = nn.BatchNorm1D(3, momentum=0.5, weight_attr={p}) :: h = self.n{k}(h)
self.n{k} = nn.LayerNorm(3) :: h = self.n{k}(h + 0.3 * h * h)
self.e{k} = nn.Embedding(5, 3) :: h = h + self.e{k}((h[:, 0] > 0).astype('int64') + 1)
self.e{k} = nn.Embedding(5, 3, sparse=True) :: h = h * 0.5 + self.e{k}((h[:, 0] > 0).astype('int64'))
self.g{k} = self.create_parameter([3], attr={p}) :: h = h * self.g{k} + 0.1
self.g{k} = self.create_parameter([1], attr={p}) :: h = h * self.g{k}
self.g{k} = self.create_parameter([3], attr={p}) :: if h.mean() > 0:|    h = h * self.g{k}|else:|    h = h - self.g{k}
self.g{k} = self.create_parameter([3], attr={p}) :: if self.training:|    h = h * self.g{k}
self.g{k} = self.create_parameter([3], attr={p}) :: for _ in range(3):|    h = h * 0.5 + self.g{k}
self.g{k} = self.create_parameter([3, 3], attr={p}) :: h = h + h.detach() @ self.g{k} * 0.3
self.g{k} = self.create_parameter([3], attr={p}) :: with paddle.no_grad():|    q = h * self.g{k}|h = h + q * 0.5
self.g{k} = self.create_parameter([3], attr={p}) :: if self.flag:|    h = h * self.g{k}
self.c{k} = nn.Conv1D(3, 3, 1) :: h = paddle.tanh(self.c{k}(h.unsqueeze(-1)).squeeze(-1))
self.r{k} = nn.GRUCell(3, 3) :: h = self.r{k}(h)[0]
self.r{k} = nn.LSTM(3, 3) :: h = self.r{k}(h.unsqueeze(1))[0].squeeze(1) + h
self.s{k} = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3, weight_attr={p})) :: h = self.s{k}(h) + h
self.s{k} = nn.LayerList([nn.Linear(3, 3) for _ in range(2)]) :: for layer in self.s{k}:|    h = paddle.tanh(layer(h))
self.s{k} = nn.ParameterList([self.create_parameter([3], attr={p}) for _ in range(2)]) :: \
for p in self.s{k}:|    h = h * p + 0.2
self.late{k} = None :: if self.late{k} is None:|    self.late{k} = fixed(nn.Linear(3, 3))|\
h = paddle.tanh(self.late{k}(h))
self.p{k} = nn.PReLU(1, 0.3) :: h = self.p{k}(h)
self.l{k} = nn.utils.weight_norm(nn.Linear(3, 3)) :: h = self.l{k}(h) * 0.5 + h
self.l{k} = nn.Linear(3, 3) :: h = recompute(self.l{k}, h) * 0.5
self.l{k} = nn.Linear(3, 3) :: h = Doubled.apply(self.l{k}(h)) * 0.5
self.l{k} = nn.Linear(3, 3)|self.l{k}.register_forward_post_hook(lambda layer, given, found: found * 0.5) :: \
h = self.l{k}(h) + h
self.l{k} = nn.Linear(3, 3)|self.l{k}.register_forward_pre_hook(lambda layer, given: (given[0] * 0.5,)) :: \
h = self.l{k}(h) + h
self.register_buffer("b{k}", paddle.zeros([3])) :: self.b{k} = self.b{k} * 0.9 + h.mean(0).detach() * 0.1|\
h = h - self.b{k}
self.register_buffer("b{k}", paddle.zeros([3])) :: with paddle.no_grad():|    self.b{k}.add_(h.mean(0) * 0.1)|\
h = h - self.b{k}
self.l{k} = nn.Linear(3, 3) :: q = h.detach()|q.stop_gradient = False|e = paddle.tanh(self.l{k}(q)).sum()|\
h = h + paddle.grad(e, q, create_graph=True)[0]
self.l{k} = nn.Linear(3, 3) :: z = self.l{k}(h)|z[:, 0] = h[:, 1]|h = paddle.tanh(z)
self.l{k} = nn.Linear(3, 3) :: z = self.l{k}(h)|z.tanh_()|z += h|h = z
self.l{k} = nn.Linear(3, 3) :: z = self.l{k}(h)|if not z.stop_gradient:|    z.register_hook(lambda g: g * 0.5)|\
h = paddle.tanh(z)
self.g{k} = self.create_parameter([3], attr={p}) :: h = paddle.where(h > 0, h * self.g{k}, h * 0.5)
self.g{k} = self.create_parameter([4, 3], attr={p}) :: h = paddle.concat([h, self.g{k}], 0)[2:6]
self.g{k} = self.create_parameter([6, 3], attr={p}) :: h = h + self.g{k}[paddle.to_tensor([0, 2, 2, 5])]
self.g{k} = self.create_parameter([3, 3], attr={p}) :: h = paddle.matmul(h, paddle.tril(self.g{k})) + h
""".strip().splitlines()

#: Options of parameters.
ATTRS = [
    "None",
    "None",
    "None",
    "paddle.ParamAttr(learning_rate=0.5)",
    "paddle.ParamAttr(regularizer=paddle.regularizer.L2Decay(0.1))",
    "paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(0.05))",
    "paddle.ParamAttr(need_clip=False)",
    "paddle.ParamAttr(trainable=False)",
    "paddle.ParamAttr(learning_rate=0.0)",
    "paddle.ParamAttr(learning_rate=2.0, need_clip=False)",
]


def layer(rng: Random, name: str) -> str:
    """The text of a Layer's class."""
    init, lines = ["self.flag = True"], ["h = x"]
    for k in range(rng.randint(1, 4)):
        head, _, body = rng.choice(PIECES).partition(" :: ")
        while "{p}" in head:
            head = head.replace("{p}", rng.choice(ATTRS), 1)
        init += head.format(k=k).split("|")
        lines += body.format(k=k).split("|")
    return "\n".join(
        [
            f"class {name}(nn.Layer):",
            "    def __init__(self):",
            "        super().__init__()",
            *("        " + line for line in init),
            "",
            "    def forward(self, x):",
            *("        " + line for line in lines),
            "        return h",
        ]
    )
