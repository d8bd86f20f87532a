"""Wide & deep by 2.x's fleet, as its published scripts are written: `wide_deep_fleet.py MODE FOLDER`.

Alone, without servers, it trains on all files, with batches as large as all workers' together.
"""

import os
import sys

import paddle
import paddle.distributed.fleet as fleet

MODE, FOLDER = sys.argv[1:3]
SLOTS, DENSE = 3, 4
BATCH, EPOCHS = 8, 6


def constant(value, name=None):
    return paddle.ParamAttr(name, initializer=paddle.nn.initializer.Constant(value))


class WideDeepModel:
    def net(self):
        self.dense = paddle.static.data("dense", [None, DENSE], "float32")
        self.sparse = [paddle.static.data(f"C{n}", [None, 1], "int64", lod_level=1) for n in range(SLOTS)]
        self.label = paddle.static.data("label", [None, 1], "float32")
        self.inputs = [self.dense, *self.sparse, self.label]

        def looked_up(ids, width, what, n):
            rows = paddle.static.nn.sparse_embedding(
                ids, [100, width], param_attr=constant(0.0 if width == 1 else 0.1 * (n + 1), f"{what}_{n}"))
            return paddle.static.nn.sequence_lod.sequence_pool(rows, "sum")

        wide = paddle.add_n([looked_up(ids, 1, "wide", n) for n, ids in enumerate(self.sparse)])
        deep = paddle.concat([looked_up(ids, 8, "deep", n) for n, ids in enumerate(self.sparse)] + [self.dense], axis=1)
        for n, size in enumerate((16, 8)):
            weights = paddle.nn.initializer.Assign(
                [[((7 * i + 3 * j + n) % 11 - 5) / 25 for j in range(size)] for i in range(deep.shape[1])])
            deep = paddle.static.nn.fc(deep, size, activation="relu", weight_attr=paddle.ParamAttr(initializer=weights))
        logit = wide + paddle.static.nn.fc(deep, 1, weight_attr=constant(0.2))
        self.score = paddle.nn.functional.sigmoid(logit)
        self.cost = paddle.nn.functional.binary_cross_entropy_with_logits(logit, self.label)
        return self.cost


def strategy():
    found = fleet.DistributedStrategy()
    found.a_sync = MODE != "sync"
    if MODE == "geo":
        found.a_sync_configs = {"k_steps": 4}
    return found


def train(exe, program, model, paths, batch):
    dataset = paddle.distributed.QueueDataset()
    dataset.init(batch_size=batch, thread_num=1, use_var=model.inputs, pipe_command="cat")
    losses = []

    class Told(paddle.base.executor.FetchHandler):
        def handler(self, values):
            losses.append(float(values["cost"].reshape(-1)[0]))

    for _ in range(EPOCHS):
        dataset.set_filelist(paths)
        exe.train_from_dataset(program, dataset, fetch_handler=Told({"cost": model.cost}, period_secs=0))
    print("losses", " ".join(f"{loss:.7f}" for loss in losses), flush=True)


def optimizer():
    return paddle.optimizer.SGD(0.2) if MODE in ("sync", "geo", "alone") else paddle.optimizer.Adam(0.02)


def main():
    paddle.enable_static()
    model = WideDeepModel()
    if MODE == "alone":
        optimizer().minimize(model.net())
        exe = paddle.static.Executor(paddle.CPUPlace())
        exe.run(paddle.static.default_startup_program())
        train(exe, paddle.static.default_main_program(), model, [os.path.join(FOLDER, "all")], 2 * BATCH)
        return
    fleet.init(is_collective=False)
    fleet.distributed_optimizer(optimizer(), strategy()).minimize(model.net())
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    fleet.init_worker()
    files = sorted(os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.startswith("part-"))
    train(exe, paddle.static.default_main_program(), model, fleet.util.get_file_shard(files), BATCH)
    print("workers", sum(fleet.util.all_gather(fleet.worker_index() + 1)), flush=True)
    if fleet.is_first_worker():
        fleet.save_persistables(exe, os.path.join(FOLDER, "persistables"))
        fleet.save_inference_model(exe, os.path.join(FOLDER, "model"), [each.name for each in model.inputs[:-1]],
                                   [model.score])
    fleet.barrier_worker()
    fleet.stop_worker()


if __name__ == "__main__":
    main()
