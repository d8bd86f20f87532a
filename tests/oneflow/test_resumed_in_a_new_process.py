"""Training that a new process takes up has the bits of training that goes on, whatever kernels are due in it."""

import os
import subprocess
import sys

import numpy as np
import proa.oneflow as flow

TRAINING = """
import sys
import numpy as np
import proa
import proa.oneflow as flow
import proa.oneflow.typing as tp

proa.seed(3)

@flow.global_function(type="train")
def job(x: tp.Numpy.Placeholder((32, 1, 12, 12)), y: tp.Numpy.Placeholder((32,), dtype=flow.int32)) -> tp.Numpy:
    drawn = flow.truncated_normal(0.1)
    h = flow.layers.conv2d(x, 8, 5, padding="SAME", activation=flow.nn.relu, name="c", kernel_initializer=drawn)
    h = flow.reshape(flow.nn.max_pool2d(h, 2, 2, "SAME"), [32, -1])
    h = flow.layers.dense(h, 64, activation=flow.math.tanh, name="d", kernel_initializer=drawn)
    h = flow.layers.dense(h, 10, name="e", kernel_initializer=drawn)
    loss = flow.nn.sparse_softmax_cross_entropy_with_logits(y, h)
    flow.optimizer.Adam(flow.optimizer.PiecewiseConstantScheduler([], [0.001])).minimize(loss)
    return loss

random = np.random.RandomState(0)
data = [(random.rand(32, 1, 12, 12).astype("float32"), random.randint(0, 10, 32).astype("int32")) for _ in range(150)]
first, last, given, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
check_point = flow.train.CheckPoint()
check_point.load(given) if first else check_point.init()
for x, y in data[first:last]:
    job(x, y)
check_point.save(out)
"""
#: A kernel is due at its call 128, where there is nothing else: one run gets there, the other begins anew before it.
WHOLE, HALF = 150, 100


def test_training_goes_on_to_the_last_bit_in_a_new_process(tmp_path):
    script = tmp_path / "training.py"
    script.write_text(TRAINING)
    environment = {name: value for name, value in os.environ.items() if name != "FLAGS_kernel_after_elements"}
    for first, last, given, out in ((0, WHOLE, "-", "whole"), (0, HALF, "-", "half"), (HALF, WHOLE, "half", "resumed")):
        subprocess.run([sys.executable, script, str(first), str(last), given, out], check=True, cwd=tmp_path,
                       env=environment)
    whole, resumed = (flow.checkpoint.get(str(tmp_path / name)) for name in ("whole", "resumed"))
    assert whole.keys() == resumed.keys() and len(whole) > 12
    for name in whole:
        one, other = ((tmp_path / folder / name / "out").read_bytes() for folder in ("whole", "resumed"))
        np.testing.assert_array_equal(np.frombuffer(one, "uint8"), np.frombuffer(other, "uint8"), err_msg=name)
