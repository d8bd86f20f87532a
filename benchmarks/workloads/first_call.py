"""The first call of a converted ResNet-50: convert, trace, compile and run once."""

from . import values
from .torch_resnet import resnet

SIZE = {"batch": 1, "side": 224}


def _images(size):
    return values.random(1, size["batch"], 3, size["side"], size["side"])


def in_paddle(paddle, mode, size):
    net = values.fill_paddle(paddle.vision.models.resnet50())
    net.eval()
    images = paddle.to_tensor(_images(size))
    if mode == "to_static":
        net = paddle.jit.to_static(net, full_graph=True)

    def step():
        with paddle.no_grad():
            return net(images)

    return step


def in_torch(torch, mode, size):
    net = resnet(torch, 50, 1000)
    values.fill_torch(torch, net.parameters())
    net.eval()
    images = torch.from_numpy(_images(size))
    if mode == "compile":
        net = torch.compile(net)

    def step():
        with torch.no_grad():
            return net(images)

    return step
