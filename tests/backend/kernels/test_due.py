"""When a kernel is compiled: after so many elements that NumPy was given in its place, whatever time or disk say."""

import os
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from comparing import needs_loops, normal
from proa.backend import loops
from proa.backend.kernels import layer_norm
from proa.backend.loops.kernel import Kernel
from proa.backend.recurrent import ArrayEngine, LoopEngine, Plan, Stack
from proa.core.flags import flags_guard

pytestmark = needs_loops

TRAINING = """
import numpy as np
import proa as paddle
from proa.backend.loops.kernel import Kernel

made = []
typed = Kernel.typed
Kernel.typed = lambda self, *types: made.append(self.function.name) or typed(self, *types)


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.words, self.reader = paddle.nn.Embedding(20, 32), paddle.nn.LSTM(32, 32)
        self.norm, self.out = paddle.nn.LayerNorm(32), paddle.nn.Linear(32, 20)

    def forward(self, x):
        h, _ = self.reader(self.words(x))
        return self.out(paddle.nn.functional.gelu(self.norm(h)))


paddle.seed(3)
net = paddle.jit.to_static(Net())
adam = paddle.optimizer.AdamW(0.01, parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0))
x = paddle.to_tensor(np.random.default_rng(0).integers(0, 20, (8, 12)))
made.clear()  # what drew the weights gives the same bits as NumPy, and goes by a rule of its own
for step in range(6):
    loss = paddle.nn.functional.cross_entropy(net(x), x)
    loss.backward()
    adam.step()
    adam.clear_grad()
    print(float(loss).hex(), len(made) > 0)
"""


def test_a_kernel_is_due_after_so_many_elements_and_stays_so():
    kernel = Kernel(loops.functions.Function(source="def f(out, n):\n    pass"))
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 18}):
        found = [kernel.is_due(10) for _ in range(5)]
    assert found == [False, False, False, True, True]
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 40}):
        assert kernel.is_due(1)


def test_one_call_for_enough_elements_is_its_own():
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 23}):
        assert Kernel(loops.functions.Function(source="def f(n):\n    pass")).is_due(1 << 23)


def test_numpy_computes_what_is_not_due(monkeypatch):
    monkeypatch.setattr(layer_norm._forward, "_is_due", False)
    monkeypatch.setattr(layer_norm._forward, "_elements", 0)
    x = normal(16, 32)
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 17}):
        assert layer_norm.layer_norm(x) is NotImplemented
        first, _, _ = layer_norm.layer_norm(x)
    np.testing.assert_allclose(first, (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5),
                               rtol=1e-5, atol=1e-6)


def _run(folder, **variables):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), **variables}
    return subprocess.run([sys.executable, "-c", TRAINING], capture_output=True, text=True, check=True,
                          env=environment).stdout.split("\n")


def test_a_training_gives_the_same_bits_whatever_is_kept_on_disk(tmp_path):
    due = {"FLAGS_kernel_after_elements": str(1 << 18)}
    cold = _run(tmp_path, **due)
    assert cold[0].endswith("False") and cold[5].endswith("True")  # kernels come in the middle of it
    assert _run(tmp_path, **due) == cold
    assert any((tmp_path / "proa" / "kernels").glob("*.o"))


@pytest.mark.parametrize("mode", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"])
@pytest.mark.parametrize("engines", [(ArrayEngine(np), LoopEngine()), (LoopEngine(), ArrayEngine(np))])
def test_the_way_back_is_right_by_either_engine(mode, engines):
    plan = Plan(mode, 2, 2, 8, 7, 6)
    x = normal(7, 6, 5)
    states = [normal(4, 6, 8, seed=n) for n in range(2 if mode == "LSTM" else 1)]
    shapes = [s for own in (5, 5, 16, 16) for s in ((plan.gates, own), (plan.gates, 8))] + [(plan.gates,)] * 8
    weights = [normal(*shape, seed=n) * 0.3 for n, shape in enumerate(shapes)]
    lengths = np.array([7, 3, 1, 7, 5, 6])
    grad_out, grad_states = normal(7, 6, 16, seed=9), [normal(4, 6, 8, seed=10 + n) for n in range(len(states))]

    def gradients(forward, backward):
        reserve = np.zeros(plan.size, "float32")
        out, _ = Stack(forward, plan, x, states, weights, lengths).forward(reserve)
        return Stack(backward, plan, x, states, weights, lengths).backward(reserve, out, grad_out, grad_states)

    first, second = (gradients(ArrayEngine(np), ArrayEngine(np)), gradients(*engines))
    for a, b in zip([first[0], *first[1], *first[2]], [second[0], *second[1], *second[2]], strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def test_a_step_before_and_after_kernels_are_due_differs_by_rounding_alone():
    def results():
        paddle.seed(1)
        net = paddle.nn.Sequential(paddle.nn.Linear(8, 32), paddle.nn.GELU(), paddle.nn.LayerNorm(32),
                                   paddle.nn.Softmax())
        x = paddle.to_tensor(normal(64, 8))
        loss = (net(x) ** 2).sum() + paddle.randn([64]).sum()
        loss.backward()
        return [loss.numpy(), *(p.grad.numpy() for p in net.parameters())]

    with flags_guard({"FLAGS_cpu_engines": "onednn"}):
        by_numpy = results()
    for a, b in zip(by_numpy, results(), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)
