"""Model.fit with callbacks and metrics of one's own."""
from typing import Any

import numpy as np
import proa as paddle
from proa import nn
from proa.callbacks import Callback, EarlyStopping, LRScheduler, ModelCheckpoint
from proa.metric import Accuracy, Metric


class Log(Callback):
    def __init__(self, every: int = 1) -> None:
        super().__init__()
        self.every = every
        self.losses: list[float] = []

    def on_train_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        if step % self.every == 0 and logs:
            self.losses.append(float(logs["loss"][0]))

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        print("epoch", epoch, self.params.get("epochs"))


class Mean(Metric):
    def __init__(self) -> None:
        super().__init__()
        self.total, self.n = 0.0, 0

    def name(self) -> str:
        return "mean"

    def reset(self) -> None:
        self.total, self.n = 0.0, 0

    def update(self, *args: Any) -> float:
        self.total += float(np.asarray(args[0]).sum())
        self.n += 1
        return self.accumulate()

    def accumulate(self) -> float:
        return self.total / max(self.n, 1)

    def compute(self, pred: paddle.Tensor, *labels: paddle.Tensor) -> paddle.Tensor:
        return pred.mean()


data = paddle.io.TensorDataset([paddle.randn([32, 4]), paddle.randint(0, 2, [32, 1])])
net = nn.Sequential(("fc", nn.Linear(4, 8)), ("act", nn.ReLU()), ("out", nn.Linear(8, 2)))
model = paddle.Model(net, inputs=[paddle.static.InputSpec([None, 4], "float32", "x")])
model.prepare(paddle.optimizer.Adam(0.01, parameters=model.parameters()), nn.CrossEntropyLoss(), [Accuracy(), Mean()])
log = Log()
model.fit(data, data, batch_size=8, epochs=2, verbose=0, callbacks=[log, EarlyStopping("loss"), LRScheduler()])
result = model.evaluate(data, batch_size=8, verbose=0)
outputs = model.predict(data, batch_size=8, stack_outputs=True, verbose=0)
info = paddle.summary(net, (1, 4))
print(result["acc"], len(outputs), outputs[0].shape, info["total_params"], len(log.losses))
print(ModelCheckpoint(1).save_freq)
