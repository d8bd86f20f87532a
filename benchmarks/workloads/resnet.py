"""ResNet-18: a training step with momentum, or inference. Deep Residual Learning, arXiv:1512.03385."""

from . import values
from .torch_resnet import resnet
from .training import paddle_call, paddle_step, torch_call, torch_step

SIZE = {"batch": 8, "side": 64, "classes": 1000, "training": 1}


def multiplications(side, classes):
    """Multiplications of one image's forward pass: the first convolution, and everything after it."""
    side //= 2
    first = side ** 2 * 64 * 3 * 49
    side, features, rest = side // 2, 64, 0
    for stage in range(4):
        width = 64 << stage
        side = side // 2 if stage else side
        rest += side ** 2 * width * (features * 9 + 3 * width * 9 + (features if stage else 0))
        features = width
    return first, rest + 512 * classes


def operations(size):
    first, rest = multiplications(size["side"], size["classes"])
    return 2 * size["batch"] * (2 * first + 3 * rest if size["training"] else first + rest)


def traffic(size):
    parameters = 11.18e6 + 513 * size["classes"]
    return 4 * parameters * (5 if size["training"] else 1)  # momentum reads three arrays and writes two


def _data(size):
    images = values.random(1, size["batch"], 3, size["side"], size["side"])
    return images, values.labels(2, size["batch"], size["classes"])


def in_paddle(paddle, mode, size):
    net = values.fill_paddle(paddle.vision.models.resnet18(num_classes=size["classes"]))
    images, labels = _data(size)
    if not size["training"]:
        return paddle_call(paddle, mode, net, images)
    momentum = paddle.optimizer.Momentum(0.001, 0.9, parameters=net.parameters())
    return paddle_step(paddle, mode, net, paddle.nn.CrossEntropyLoss(), momentum, images, labels)


def in_torch(torch, mode, size):
    net = resnet(torch, 18, size["classes"])
    values.fill_torch(torch, net.parameters())
    images, labels = _data(size)
    if not size["training"]:
        return torch_call(torch, mode, net, images)
    momentum = torch.optim.SGD(net.parameters(), 0.001, momentum=0.9)
    return torch_step(torch, mode, net, torch.nn.CrossEntropyLoss(), momentum, images, labels)
