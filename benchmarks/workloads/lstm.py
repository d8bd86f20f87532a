"""A training step of one LSTM layer of `width` over `length` steps, its last output classified, with Adam."""

from . import values
from .training import paddle_step, torch_step

SIZE = {"batch": 32, "length": 50, "width": 128}


def operations(size):
    each = 4 * size["width"] ** 2  # a step's input, and its state, into four gates
    return 2 * size["batch"] * size["length"] * (2 * each + 3 * each)  # the layer's input needs no gradient


def _data(size):
    return values.random(1, size["batch"], size["length"], size["width"]), values.labels(2, size["batch"], 10)


def in_paddle(paddle, mode, size):
    class Classifier(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.lstm = paddle.nn.LSTM(size["width"], size["width"])
            self.head = paddle.nn.Linear(size["width"], 10)

        def forward(self, x):
            outputs, _ = self.lstm(x)
            return self.head(outputs[:, -1])

    net = Classifier()
    values.fill_paddle(net.lstm)
    values.fill_paddle(net.head)
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    return paddle_step(paddle, mode, net, paddle.nn.CrossEntropyLoss(), adam, *_data(size))


def in_torch(torch, mode, size):
    class Classifier(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(size["width"], size["width"], batch_first=True)
            self.head = torch.nn.Linear(size["width"], 10)

        def forward(self, x):
            outputs, _ = self.lstm(x)
            return self.head(outputs[:, -1])

    net = Classifier()
    values.fill_torch(torch, net.lstm.parameters(), transposed=False)
    values.fill_torch(torch, net.head.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    return torch_step(torch, mode, net, torch.nn.CrossEntropyLoss(), adam, *_data(size))
