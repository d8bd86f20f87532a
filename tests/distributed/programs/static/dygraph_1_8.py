"""fluid.dygraph.DataParallel among processes: as one process with the whole batches."""

import numpy as np
import paddle.fluid as fluid
from paddle.fluid.dygraph import DataParallel, Embedding, Linear, prepare_context, to_variable

ROWS, STEPS = 8, 5


class Net(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.table = Embedding([20, 4], is_sparse=True, dtype="float64")
        self.hidden, self.out = Linear(4, 6, act="tanh", dtype="float64"), Linear(6, 1, dtype="float64")

    def forward(self, ids):
        return self.out(self.hidden(fluid.layers.reduce_sum(self.table(ids), 1)))


def trained(wrap, rank, size, seed):
    with fluid.dygraph.guard():
        net, drawn = Net(), np.random.default_rng(seed)
        net.set_dict({name: drawn.standard_normal(value.shape) for name, value in net.state_dict().items()})
        net = wrap(net)
        optimizer = fluid.optimizer.MomentumOptimizer(0.1, 0.9, parameter_list=net.parameters())
        for step in range(STEPS):
            draw = np.random.default_rng(step)
            ids, y = draw.integers(0, 20, (ROWS, 3)), draw.standard_normal((ROWS, 1))
            x, y = (to_variable(np.split(rows, size)[rank]) for rows in (ids, y))
            loss = fluid.layers.mean(fluid.layers.square_error_cost(net(x), y))
            if isinstance(net, DataParallel):
                loss = net.scale_loss(loss)
            loss.backward()
            if isinstance(net, DataParallel):
                net.apply_collective_grads()
            optimizer.minimize(loss)
            net.clear_gradients()
        return {name: value.numpy() for name, value in net.state_dict().items()}


strategy = prepare_context()
env = fluid.dygraph.parallel.Env()
assert env.nranks == strategy.nranks > 1 and fluid.dygraph.parallel_helper._is_data_parallel_mode()
found = trained(lambda net: DataParallel(net, strategy), env.local_rank, env.nranks, 3 + env.local_rank)
wanted = trained(lambda net: net, 0, 1, 3)
assert found.keys() == wanted.keys() and len(found) == 5
for name, value in wanted.items():
    assert np.allclose(found[name], value, rtol=0, atol=1e-12), (name, np.abs(found[name] - value).max())
print("passed", env.local_rank)
