"""A chain of small operators on 8×8 numbers, where the cost is the framework's own: forward, or also backward."""

from . import values

SIZE = {"side": 8, "links": 5, "backward": 0}
OPERATORS_A_LINK = 4


def _data(size):
    return [values.random(seed, size["side"], size["side"]) for seed in (1, 2, 3)]


def _stepper(chain, inputs, backward, clear):
    def forward():
        return chain(inputs)

    def both():
        result = chain(inputs)
        result.sum().backward()
        clear()
        return result

    return both if backward else forward


def in_paddle(paddle, mode, size):
    class Chain(paddle.nn.Layer):
        def __init__(self, scale, shift, links):
            super().__init__()
            self.scale = self.create_parameter([size["side"]] * 2)
            self.shift = self.create_parameter([size["side"]] * 2)
            self.scale.set_value(scale)
            self.shift.set_value(shift)
            self.links = links

        def forward(self, x):
            y = x
            for _ in range(self.links):
                y = (y * self.scale + self.shift).tanh() - x
            return y

    scale, shift, inputs = _data(size)
    chain = Chain(scale, shift, size["links"])
    if mode == "to_static":
        chain = paddle.jit.to_static(chain, full_graph=True)
    return _stepper(chain, paddle.to_tensor(inputs), size["backward"], chain.clear_gradients)


def in_torch(torch, mode, size):
    class Chain(torch.nn.Module):
        def __init__(self, scale, shift, links):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.as_tensor(scale))
            self.shift = torch.nn.Parameter(torch.as_tensor(shift))
            self.links = links

        def forward(self, x):
            y = x
            for _ in range(self.links):
                y = (y * self.scale + self.shift).tanh() - x
            return y

    scale, shift, inputs = _data(size)
    chain = Chain(scale, shift, size["links"])
    compiled = torch.compile(chain) if mode == "compile" else chain
    return _stepper(compiled, torch.as_tensor(inputs), size["backward"], chain.zero_grad)
