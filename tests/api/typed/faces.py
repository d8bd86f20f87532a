"""Paddle 1.x and OneFlow: every name is exported, and what is gathered from elsewhere has its signature."""

from typing import Any

import numpy as np
import proa.fluid as fluid
import proa.oneflow as flow
from proa.fluid.dygraph import Linear, to_variable
from proa.oneflow import nn

with fluid.dygraph.guard():
    layer = Linear(3, 4, act="relu")
    out = layer(to_variable(np.ones((2, 3), "float32")))
main, startup = fluid.Program(), fluid.Program()
with fluid.program_guard(main, startup):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.layers.fc(x, 2)
    loss = fluid.layers.mean(y)
    fluid.optimizer.Adam(0.1).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
fetched = exe.run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss])
t: fluid.Tensor = fluid.LoDTensor()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

    def forward(self, value: Any) -> Any:
        return self.body(value)


net = Net()
opt = flow.optim.SGD(net.parameters(), lr=0.1)
z = net(flow.ones((2, 3))).sum()
z.backward()
opt.step()
assert np.isfinite(fetched[0]).all() and np.isfinite(z.numpy()).all()
