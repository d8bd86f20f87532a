"""Workers forked from a process whose kernels have run on several threads compute the same, and do not lock up."""

import os
import subprocess
import sys

import pytest
from proa.backend.onednn import library

PROGRAM = '''
import sys
import threading

import numpy as np
import proa as paddle

F = paddle.nn.functional
x = paddle.to_tensor(np.random.RandomState(0).standard_normal((8, 16, 32, 32)).astype("float32"))
w = paddle.to_tensor(np.random.RandomState(1).standard_normal((16, 16, 3, 3)).astype("float32"))
m = paddle.to_tensor(np.random.RandomState(2).standard_normal((512, 512)).astype("float32"))
names = ("conv", "pool", "matmul", "softmax", "norm", "gelu", "small matmul", "gradient")


def compute(name):
    if name == "conv":
        y = F.conv2d(x, w, padding=1)
    elif name == "pool":
        y = F.max_pool2d(x, 2)
    elif name == "matmul":
        y = paddle.matmul(m, m)
    elif name == "softmax":
        y = F.softmax(m)
    elif name == "norm":
        y = F.layer_norm(m, 512)
    elif name == "gelu":
        y = F.gelu(paddle.concat([m] * 8))
    elif name == "small matmul":
        y = paddle.matmul(m[:8], m)
    else:
        leaf = m.clone()
        leaf.stop_gradient = False
        (F.softmax(paddle.matmul(leaf, m)) * m).sum().backward()
        y = leaf.grad
    return y.numpy()


class Computed(paddle.io.Dataset):
    def __len__(self):
        return 2 * len(names)

    def __getitem__(self, index):
        return compute(names[index % len(names)])


if __name__ == "__main__":
    expected = [compute(name) for name in names]  # starts the threads
    busy, stop = sys.argv[1] == "busy", threading.Event()

    def keep_busy():
        while not stop.is_set():
            for name in names[:4]:
                compute(name)

    thread = threading.Thread(target=keep_busy)
    if busy:
        thread.start()
    for epoch in range(2):
        loader = paddle.io.DataLoader(Computed(), batch_size=None, num_workers=2, timeout=60)
        found = [batch.numpy() for batch in loader]
        for index, value in enumerate(found):
            np.testing.assert_allclose(value, expected[index % len(names)], rtol=1e-3, atol=1e-3)
        for name, value in zip(names, expected):  # the parent goes on as before
            np.testing.assert_allclose(compute(name), value, rtol=1e-3, atol=1e-3)
    stop.set()
    if busy:
        thread.join()
    print("done")
'''


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked on Linux")
@pytest.mark.parametrize("parent", ["idle", pytest.param("busy", marks=pytest.mark.skipif(
    library.library() is None, reason="without oneDNN: a fork while OpenBLAS's pool computes hangs NumPy alone, too"))])
def test_workers_compute_what_their_parent_does(tmp_path, parent):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, str(program), parent], capture_output=True, text=True, timeout=180,
                          env=environment, check=False)
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr
