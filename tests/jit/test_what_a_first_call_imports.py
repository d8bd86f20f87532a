"""The first call of a converted function imports what it needs: neither the families of all operators nor protobuf."""

import subprocess
import sys

import pytest

TRAINING = """
import sys
import proa as paddle

class Gated(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(3, 3)

    def forward(self, x):
        h = self.inner(x)
        if h.mean() > 0:
            h = h * 2
        while {condition}:
            h = h * 0.5
        return h

net = paddle.jit.to_static(Gated(), full_graph=True)
net(paddle.ones([2, 3])).sum().backward()
print(net.inner.weight.grad is not None, "proa.ops.catalogue" in sys.modules,
      "google.protobuf" in sys.modules)
"""


@pytest.mark.parametrize("condition", ["h.sum() > 10.0", "(h * h).sum() > 4.0"])
def test_branches_and_loops_with_gradients_import_neither(condition, tmp_path):
    script = tmp_path / "training.py"  # a function is converted from its source, which has to be in a file
    script.write_text(TRAINING.format(condition=condition))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False", "False"], done.stderr
