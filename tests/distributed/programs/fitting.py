"""paddle.Model with several processes: the data are divided, what is said is said once, metrics are those of all."""

import os
import sys

import numpy as np
import paddle
import paddle.distributed as dist
from paddle import nn

if dist.get_world_size() > 1:
    dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
random = np.random.default_rng(3)
X, Y = random.random((26, 4)).astype("float32"), random.integers(0, 3, (26, 1))


class Samples(paddle.io.Dataset):
    def __len__(self):
        return len(X)

    def __getitem__(self, index):
        return X[index], Y[index]


class Seen(paddle.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.steps, self.losses = 0, []

    def on_train_batch_end(self, step, logs=None):
        self.steps += 1
        self.losses.append(float(np.ravel(logs["loss"])[0]))


workers = int(sys.argv[1])
paddle.seed(5)
model = paddle.Model(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)))
model.prepare(paddle.optimizer.Adam(0.05, parameters=model.parameters()), nn.CrossEntropyLoss(),
              paddle.metric.Accuracy())
seen = Seen()
saved = f"saved{size}"
stopping = paddle.callbacks.EarlyStopping("loss", patience=100, save_best_model=False, verbose=0)
model.fit(Samples(), Samples(), batch_size=8 // size, epochs=2, shuffle=False, verbose=2, log_freq=2,
          num_workers=workers, save_dir=saved, callbacks=[seen, stopping])
assert seen.steps == 2 * 4, seen.steps
states = []
dist.all_gather_object(states, {name: p.numpy() for name, p in model.network.state_dict().items()})
assert all(np.array_equal(value, states[0][name]) for one in states for name, value in one.items())
result = model.evaluate(Samples(), batch_size=8 // size, verbose=0, num_workers=workers)
guesses = model.predict(Samples(), batch_size=3, verbose=0, stack_outputs=True)[0]
assert len(guesses) == 26 and np.isclose((np.argmax(guesses, -1) == Y[:, 0]).mean(), result["acc"])
everything = []
dist.all_gather_object(everything, [float(result["acc"]), *map(float, result["loss"])])
assert all(one == everything[0] for one in everything), everything
np.savez(f"fitted{size}.npz", losses=result["loss"], **states[0])
dist.barrier()
if rank == 0:
    assert sorted(os.listdir(saved)) == sorted(f"{n}.{e}" for n in ("0", "1", "final") for e in ("pdparams", "pdopt"))
print("passed", rank)
