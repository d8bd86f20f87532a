"""`--api 2.4`: no value is without dimensions, as in Paddle 2.0 to 2.4. `--api 1.8`: an index of one drops its."""

import subprocess
import sys

COMPUTED = """
import numpy as np
import paddle

w = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], stop_gradient=False)
loss = w.mean()
assert loss.shape == [1] and loss.numpy()[0] == 3.5 and float(loss) == 3.5 and len(loss) == 1
assert paddle.concat([loss, w.sum()]).tolist() == [3.5, 21.0]
assert paddle.to_tensor(1.0).shape == [1] and paddle.argmax(w).shape == [1] and paddle.dot(w[0], w[1]).shape == [1]
assert paddle.nn.functional.cross_entropy(w, paddle.to_tensor([0, 1])).shape == [1]
assert [v.shape for v in paddle.unbind(w[0])] == [[1], [1], [1]]
assert paddle.topk(w[0], 1)[0].shape == [1] and paddle.max(w, axis=1).shape == [2]
loss.backward()
assert abs(w.grad.numpy() - 1 / 6).max() < 1e-6
assert paddle.grad((w * w).sum(), w, create_graph=True)[0].sum().shape == [1]

assert paddle.multiply(w, paddle.to_tensor([1.0, 2.0]), axis=0).tolist() == [[1.0, 2.0, 3.0], [8.0, 10.0, 12.0]]
assert paddle.multiply(w, w[1]).tolist() == (w * w[1]).tolist()
one = paddle.to_tensor([1])
assert w[one].shape == [3] and w[:, one].shape == [2] and w[one, one].shape == [1]
assert w[[1]].shape == [1, 3] and w[paddle.to_tensor([0, 1])].shape == [2, 3]
assert w[paddle.to_tensor([True, False])].shape == [1, 3]
for row in paddle.arange(2):
    assert w[row].shape == [3]
v = w.detach().clone()
v[one] = paddle.to_tensor([7.0, 8.0, 9.0])
assert v[1].tolist() == [7.0, 8.0, 9.0]
assert paddle.full([4, 3], 1.0)[paddle.full([1], 2, "int64"), paddle.full([1], 1, "int64")].shape == [1]
assert paddle.ones([4, 3, 2])[one, one].shape == [2]


@paddle.jit.to_static
def summed(x):
    total = x.sum()
    if total > 0:
        total = total * 2
    return total, x[paddle.argmax(x[:, 0])]


total, row = summed(w)
assert total.shape == [1] and total.numpy()[0] == 42.0 and row.shape == [3]


@paddle.jit.to_static(full_graph=True)
def turns(x, times):
    total = 0
    for i in range(times):
        last = i * 2
        if i == 1:
            continue
        total = total + paddle.concat([last, x[i].sum()]).sum()
    for j, each in enumerate(x):
        total = total + (each * j).sum()
    return total, last


total, last = turns(w, paddle.to_tensor([2]))
assert (total.numpy().tolist(), last.numpy().tolist()) == ([21.0], [2])

paddle.seed(3)
net = paddle.nn.Linear(3, 1)
steps = paddle.optimizer.Adam(0.1, parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0))
losses = []
for _ in range(3):
    loss = paddle.nn.functional.mse_loss(net(w.detach()), paddle.ones([2, 1]))
    loss.backward()
    steps.step()
    steps.clear_grad()
    losses.append(loss.numpy()[0])
assert losses[2] < losses[0]
assert float(loss.numpy()) == loss.item() and "%.1f" % loss.numpy() and paddle.to_tensor(loss.numpy()).shape == [1]
assert type(paddle.ones([2]).numpy()) is np.ndarray and np.mean([loss.numpy(), loss.numpy()]) == loss.item()

paddle.enable_static()
main = paddle.static.Program()
with paddle.static.program_guard(main):
    x = paddle.static.data("x", [None, 3])
    y = x.mean()
    assert y.shape == (1,) and y.name == "mean_0.tmp_0"
    assert paddle.static.Executor().run(main, {"x": np.ones((2, 3), "float32")}, [y])[0].shape == (1,)
    assert float(paddle.static.Executor().run(main, {"x": np.ones((2, 3), "float32")}, [y])[0]) == 1.0
paddle.disable_static()
assert paddle.ones([2]).sum().shape == [1]
print("done")
"""
FLUID = """
import numpy as np
import paddle.fluid as fluid

x = fluid.layers.data("x", [3, 4], append_batch_size=False)
i = fluid.layers.fill_constant([1], "int32", 1)
row, column = x[i], x[:, i]
assert row.shape == (4,) and column.shape == (3,)
given = {"x": np.arange(12, dtype="float32").reshape(3, 4)}
row, column = fluid.Executor(fluid.CPUPlace()).run(fluid.default_main_program(), given, [row, column])
assert row.tolist() == [4.0, 5.0, 6.0, 7.0] and column.tolist() == [1.0, 5.0, 9.0]
print("done")
"""


def run(tmp_path, api: str, text: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    found = subprocess.run([sys.executable, "-m", "proa", "run", "--api", api, str(script)], capture_output=True,
                           text=True, timeout=120)
    assert (found.returncode, found.stdout) == (0, "done\n"), found.stdout + found.stderr


def test_what_2_4_computes(tmp_path):
    run(tmp_path, "2.4", COMPUTED)


def test_an_index_of_one_element_in_1_8(tmp_path):
    run(tmp_path, "1.8", FLUID)
