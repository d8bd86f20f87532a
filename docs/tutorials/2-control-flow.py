# %% [markdown]
# # Exporting with control flow
#
# `to_static` makes a Program of a function: a computation that is written down, compiled, and saved without its Python.
# `if`, `while` and `for` that depend on tensors become part of it. Nothing is said twice: the function is the one that
# runs eagerly.

# %%
import subprocess
import sys
import traceback

import proa as paddle
from proa import Tensor, nn
from proa.static import InputSpec

paddle.seed(0)


def root(x: Tensor, tolerance: float = 1e-6) -> Tensor:
    """Square roots by Newton's way: as many rounds as the worst of them needs."""
    if (x < 0).any():
        x = x.abs()
    guess = paddle.ones_like(x)
    error = paddle.to_tensor(1.0)
    while error > tolerance:
        better = (guess + x / guess) / 2
        error = (better - guess).abs().max()
        guess = better
    return guess


numbers = paddle.to_tensor([4.0, 9.0, -2.0])
eager = root(numbers)
eager

# %% [markdown]
# As a Program. A condition on a tensor has become an operation with two blocks, the loop one with a block of its own;
# Python's numbers have become constants.

# %%
static_root = paddle.jit.to_static(root, input_spec=[InputSpec([None], "float32", "x")])
assert paddle.allclose(static_root(numbers), eager).item()
paddle.jit.save(static_root, "root")
paddle.jit.load("root").program()

# %% [markdown]
# ## Gradients go through it
#
# A converted function is one node for `backward()`; the gradient of its loop is a compiled loop too.

# %%
x = paddle.to_tensor([4.0, 9.0], stop_gradient=False)
static_root(x).sum().backward()
assert x.grad is not None and paddle.allclose(x.grad, paddle.to_tensor([1 / 4, 1 / 6]), atol=1e-5).item()
x.grad

# %% [markdown]
# ## A Layer with a loop in its `forward`
#
# A network that thinks as long as an input needs: its answer is refined till it changes no more, ten times at most.

# %%
class Settles(nn.Layer):
    """[N, 8] to [N, 8]: a cell applied till it changes little."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.Linear(8, 8)
        self.decide = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        state = paddle.zeros_like(x)
        rounds = paddle.zeros([], "int64")
        for _ in range(10):
            after = paddle.tanh(0.3 * self.cell(state) + x)
            change = (after - state).abs().max()
            state = after
            rounds = rounds + 1
            if change < 1e-3:
                break
        return self.decide(state), rounds


net = Settles()
net.eval()
batch = paddle.randn([3, 8])
answer, rounds = net(batch)
print("rounds:", rounds.item(), " for zeros:", net(paddle.zeros([1, 8]))[1].item())

# %% [markdown]
# ## Saved, and run where its class is unknown
#
# Three files: the Program, its parameters, and what they are called. PaddlePaddle 2.6.2 runs them too.

# %%
static_net = paddle.jit.to_static(net, input_spec=[InputSpec([None, 8], "float32", "x")])
paddle.jit.save(static_net, "settles")
paddle.save(batch, "batch.pdtensor")
program = """
import proa as paddle
loaded = paddle.jit.load("settles")
answer, rounds = loaded(paddle.load("batch.pdtensor"))
print(rounds.item(), f"{answer.sum().item():.5f}")
"""
said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
assert said.split() == [str(rounds.item()), f"{answer.sum().item():.5f}"]
print(said)

# %% [markdown]
# ## When something cannot become a Program
#
# What Python alone can do, as reading a file or asking NumPy, makes the whole function run as it was written, with one
# warning that names the line. With `full_graph=True` it is an error instead. Errors in a converted function point at
# the line of the cell, as eager ones do:

# %%
@paddle.jit.to_static
def mismatched(x: Tensor) -> Tensor:
    """Its second product cannot be."""
    y = x @ paddle.ones([3, 4])
    return y @ paddle.ones([3, 4])


where: list[traceback.FrameSummary] = []
try:
    mismatched(paddle.ones([2, 3]))
except ValueError as error:
    print(error)
    where = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name == "mismatched"]
assert where[0].lineno == 5 and where[0].line == "return y @ paddle.ones([3, 4])"

# %% [markdown]
# ## In a notebook
#
# A function that a cell defines anew is converted anew: what runs is what the cell says now. More:
# [Functions as Programs](../to_static.md).

# %%
@paddle.jit.to_static
def scaled(x: Tensor) -> Tensor:
    """The first of this name."""
    if x.sum() > 0:
        return x * 2
    return x


first = scaled(paddle.ones([2]))

# %%
@paddle.jit.to_static  # type: ignore[no-redef]
def scaled(x: Tensor) -> Tensor:
    """The second of this name."""
    if x.sum() > 0:
        return x * 3
    return x


assert first.tolist() == [2.0, 2.0] and scaled(paddle.ones([2])).tolist() == [3.0, 3.0]
