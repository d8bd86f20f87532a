"""Wide & deep by 1.x's fleet, as its published scripts are written: `wide_deep_fluid.py MODE FOLDER DISTRIBUTED`.

Alone, without servers, it trains on all files, with batches as large as all workers' together.
"""

import os
import sys

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import StrategyFactory

MODE, FOLDER, IS_DISTRIBUTED = sys.argv[1], sys.argv[2], sys.argv[3:] == ["distributed"]
SLOTS, ROWS, DENSE = 3, 100, 4
BATCH, EPOCHS = 8, 6


def uniform(seed, name=None):
    return fluid.ParamAttr(name, initializer=fluid.initializer.Uniform(-0.3, 0.3, seed=seed))


def net():
    dense = fluid.data("dense", [None, DENSE], "float32")
    sparse = [fluid.data(f"C{n}", [None, 1], "int64", lod_level=1) for n in range(SLOTS)]
    label = fluid.data("label", [None, 1], "float32")

    def looked_up(ids, n, width, what):
        rows = fluid.layers.embedding(ids, [ROWS, width], is_sparse=True, is_distributed=IS_DISTRIBUTED,
                                      param_attr=uniform(n + 1, name=f"{what}_{n}"))
        return fluid.layers.sequence_pool(rows, "sum")

    wide = fluid.layers.sum([looked_up(ids, n, 1, "wide") for n, ids in enumerate(sparse)])
    deep = fluid.layers.concat([looked_up(ids, n, 8, "deep") for n, ids in enumerate(sparse)] + [dense], axis=1)
    for n, size in enumerate((16, 8)):
        deep = fluid.layers.fc(deep, size, act="relu", param_attr=uniform(10 + n))
    logit = wide + fluid.layers.fc(deep, 1, param_attr=uniform(20))
    cost = fluid.layers.mean(fluid.layers.sigmoid_cross_entropy_with_logits(logit, label))
    return [dense, *sparse, label], cost, fluid.layers.sigmoid(logit)


def optimizer():
    return fluid.optimizer.SGD(0.2) if MODE in ("sync", "geo", "alone") else fluid.optimizer.Adam(0.02)


def files():
    return sorted(os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.startswith("part-"))


def dataset_of(inputs, paths, batch):
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var(inputs)
    dataset.set_pipe_command("cat")
    dataset.set_batch_size(batch)
    dataset.set_thread(1)
    dataset.set_filelist(paths)
    return dataset


def train(exe, program, inputs, paths, cost, batch):
    losses = []

    class Told(fluid.executor.FetchHandler):
        def handler(self, values):
            losses.append(float(values["cost"].reshape(-1)[0]))

    for _ in range(EPOCHS):
        exe.train_from_dataset(program, dataset_of(inputs, paths, batch),
                               fetch_handler=Told({"cost": cost}, period_secs=0))
    print("losses", " ".join(f"{loss:.7f}" for loss in losses), flush=True)


def alone():
    inputs, cost, _ = net()
    optimizer().minimize(cost)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    train(exe, fluid.default_main_program(), inputs, [os.path.join(FOLDER, "all")], cost, 2 * BATCH)


def main():
    inputs, cost, score = net()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = {"sync": StrategyFactory.create_sync_strategy, "async": StrategyFactory.create_async_strategy,
                "half_async": StrategyFactory.create_half_async_strategy,
                "geo": lambda: StrategyFactory.create_geo_strategy(4)}[MODE]()
    fleet.distributed_optimizer(optimizer(), strategy).minimize(cost)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    train(exe, fleet.main_program, inputs, fleet.split_files(files()), cost, BATCH)
    ready = np.zeros(1)
    fleet.all_reduce_worker(np.array([fleet.worker_index() + 1.0]), ready)
    print("workers", ready[0], flush=True)
    if fleet.is_first_worker():
        fleet.save_persistables(exe, os.path.join(FOLDER, "persistables"))
        fleet.save_inference_model(exe, os.path.join(FOLDER, "model"), [each.name for each in inputs[:-1]], [score])
    fleet.barrier_worker()
    fleet.stop_worker()


if __name__ == "__main__":
    alone() if MODE == "alone" else main()
