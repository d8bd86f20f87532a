"""What first calls import: a converted function neither the families of all operators nor protobuf, a loaded one no
conversion.
"""

import subprocess
import sys

import proa as paddle
import pytest
from proa.ops.core import native

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


PREDICTED = """
import sys
import proa as paddle
predictor = paddle.inference.create_predictor(paddle.inference.Config("net.pdmodel", "net.pdiparams"))
images = paddle.ones([2, 3, 8, 8]).numpy()
print(predictor.run([images])[0].shape, *sorted(name for name in sys.modules if name.startswith((
    "google.protobuf", "proa.ops.collective", "proa.ops.random.draws", "proa.static.autodiff", "proa.static.building",
    "proa.static.ir.program", "proa.static.compiler.compile"))))
"""


@pytest.mark.skipif(native.module is None, reason="the compiled form is not in use")
def test_a_predictor_imports_what_makes_plans_and_then_not_even_that(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAGS_kernel_cache_dir", str(tmp_path / "kept"))
    monkeypatch.setenv("FLAGS_keep_plans", "1")
    net = paddle.nn.Sequential(*(part for n in range(12) for part in (
        paddle.nn.Conv2D(3, 3, 3, padding=1), paddle.nn.BatchNorm2D(3), paddle.nn.ReLU())), paddle.nn.Softmax())
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), [paddle.static.InputSpec([None, 3, 8, 8], "float32")])
    for imported in (["proa.static.compiler.compile", "proa.static.ir.program"], []):
        done = subprocess.run([sys.executable, "-c", PREDICTED], capture_output=True, text=True, cwd=tmp_path)
        assert done.stdout.split() == ["[2,", "3,", "8,", "8]", *imported], done.stdout + done.stderr


LOADED = """
import sys
import proa as paddle
net = paddle.jit.load("net")
print(net(paddle.ones([2, 3])).shape, *sorted(name for name in sys.modules if name.startswith((
    "proa.jit.operators", "proa.jit.converters", "proa.jit.sot", "proa.ops.catalogue"))))
"""


def test_a_loaded_program_imports_nothing_of_conversion(tmp_path):
    paddle.jit.save(paddle.nn.Linear(3, 4), str(tmp_path / "net"), [paddle.static.InputSpec([None, 3], "float32")])
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == ["[2,", "4]"], done.stdout + done.stderr
