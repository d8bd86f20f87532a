"""One framework's side of `train_steps.py`: runs rounds of training steps on request and answers with seconds a step.

    python worker.py proa|paddle WORKLOAD eager|static

Reads a number of steps a line on standard input, answers a line of JSON. The code is the same for both frameworks.
"""

import json
import sys
import time

import numpy as np

framework, workload, mode = sys.argv[1:]
if framework == "proa":
    import proa as paddle
else:
    import paddle

nn = paddle.nn


class MLP(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(784, 200), nn.ReLU(), nn.Linear(200, 200), nn.ReLU(), nn.Linear(200, 10))

    def forward(self, x):
        return self.layers(x)


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Flatten())
        self.classifier = nn.Sequential(
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, x):
        return self.classifier(self.features(x))


def build():
    shape = [784] if workload == "mlp" else [1, 28, 28]
    layer = MLP() if workload == "mlp" else LeNet()
    if mode == "static":
        layer = paddle.jit.to_static(layer, input_spec=[paddle.static.InputSpec([None, *shape], "float32")])
    random = np.random.RandomState(0)
    images = paddle.to_tensor(random.rand(64, *shape).astype("float32"))
    labels = paddle.to_tensor(random.randint(0, 10, (64, 1)))
    adam = paddle.optimizer.Adam(0.001, parameters=layer.parameters())
    loss_function = nn.CrossEntropyLoss()

    def step():
        loss = loss_function(layer(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return step


step = build()
for _ in range(5):
    step()
print("ready", flush=True)
for line in sys.stdin:
    count = int(line)
    begin = time.perf_counter()
    for _ in range(count):
        loss = step()
    float(loss)
    print(json.dumps((time.perf_counter() - begin) / count), flush=True)
