"""Residual networks: ResNet, Wide ResNet and ResNeXt."""

from __future__ import annotations

import warnings
from typing import Any

from ... import nn
from ...ops.array.reshape import flatten
from .pretrained import refuse_download


class BasicBlock(nn.Layer):
    """Two 3×3 convolutions with batch norm, and a residual around them: [N, inplanes, H, W] to [N, planes, H', W'].

    `downsample` is applied to the residual where its shape changes; `norm_layer` makes the norms (BatchNorm2D).
    Groups and another base width change nothing, with a warning; like dilation they are for BottleneckBlock.
    """

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Layer | None = None,
                 groups: int = 1, base_width: int = 64, dilation: int = 1, norm_layer: Any = None):
        super().__init__()
        if dilation != 1:
            raise NotImplementedError(f"BasicBlock(dilation): must be 1; BottleneckBlock takes others. Received "
                                      f"{dilation}.")
        if (groups, base_width) != (1, 64):
            warnings.warn(f"BasicBlock has no groups and the width `planes`: groups={groups} and base_width="
                          f"{base_width} change nothing. BottleneckBlock takes them.", stacklevel=2)
        norm = norm_layer or nn.BatchNorm2D
        self.conv1 = nn.Conv2D(inplanes, planes, 3, padding=1, stride=stride, bias_attr=False)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """The block's result, activated."""
        residual = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(out)) + residual)


class BottleneckBlock(nn.Layer):
    """A 1×1, a 3×3 and a 1×1 convolution with batch norm, and a residual: [N, inplanes, …] to [N, 4 · planes, …].

    The 3×3 convolution has planes · base_width / 64 channels for each of `groups` groups.
    """

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Layer | None = None,
                 groups: int = 1, base_width: int = 64, dilation: int = 1, norm_layer: Any = None):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2D(width, width, 3, padding=dilation, stride=stride, groups=groups, dilation=dilation,
                               bias_attr=False)
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """The block's result, activated."""
        residual = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        return self.relu(self.bn3(self.conv3(out)) + residual)


_STAGES = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


class ResNet(nn.Layer):
    """A residual network: a 7×7 convolution, a pooling, four stages of blocks, mean pooling and a linear map.

    `block` is BasicBlock or BottleneckBlock, `depth` one of 18, 34, 50, 101, 152. With with_pool=False the mean is left
    out, with num_classes=0 the linear map (which needs the mean). `groups` and `width` are those of the blocks.
    He et al., Deep Residual Learning for Image Recognition, 2015; Zagoruyko and Komodakis, Wide Residual Networks,
    2016; Xie et al., Aggregated Residual Transformations for Deep Neural Networks, 2016.

    >>> import proa as paddle
    >>> from proa.vision.models.resnet import BasicBlock
    >>> paddle.vision.models.ResNet(BasicBlock, 18, num_classes=10)(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, block: Any, depth: int = 50, width: int = 64, num_classes: int = 1000, with_pool: bool = True,
                 groups: int = 1):
        super().__init__()
        if depth not in _STAGES:
            raise ValueError(f"ResNet(depth): must be one of {', '.join(map(str, _STAGES))}. Received {depth!r}.")
        self.groups, self.base_width = groups, width
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inplanes, self.dilation = 64, 1
        self.conv1 = nn.Conv2D(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(self.inplanes)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        counts = _STAGES[depth]
        self.layer1 = self._make_layer(block, 64, counts[0])
        self.layer2 = self._make_layer(block, 128, counts[1], stride=2)
        self.layer3 = self._make_layer(block, 256, counts[2], stride=2)
        self.layer4 = self._make_layer(block, 512, counts[3], stride=2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    _norm_layer: Any = nn.BatchNorm2D

    def _make_layer(self, block: Any, planes: int, blocks: int, stride: int = 1, dilate: bool = False) -> nn.Sequential:
        """`blocks` blocks, the first of which halves height and width where stride is 2.

        With `dilate` the later ones look further apart instead. Networks made from this one call it, and replace it.
        """
        outer, dilation = planes * block.expansion, self.dilation
        if dilate:
            self.dilation, stride = self.dilation * stride, 1
        downsample = None
        if stride != 1 or self.inplanes != outer:
            downsample = nn.Sequential(nn.Conv2D(self.inplanes, outer, 1, stride=stride, bias_attr=False),
                                       self._norm_layer(outer))
        settings = {"groups": self.groups, "base_width": self.base_width, "norm_layer": self._norm_layer}
        made = [block(self.inplanes, planes, stride, downsample, dilation=dilation, **settings)]
        self.inplanes = outer
        made += [block(outer, planes, **settings) for _ in range(1, blocks)]
        return nn.Sequential(*made)

    def forward(self, x: Any) -> Any:
        """[N, 3, H, W] to [N, num_classes]."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def _resnet(arch: str, Block: Any, depth: int, pretrained: bool, **kwargs: Any) -> ResNet:
    refuse_download(arch, pretrained)
    return ResNet(Block, depth, **kwargs)


def resnet18(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 18 layers; keyword arguments are those of ResNet.

    `pretrained=True` raises NotImplementedError, which tells how to load weights from a file.

    >>> import proa as paddle
    >>> model = paddle.vision.models.resnet18(num_classes=4)
    >>> model(paddle.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """
    return _resnet("resnet18", BasicBlock, 18, pretrained, **kwargs)


def resnet34(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 34 layers; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnet34()
    >>> sum(parameter.size for parameter in net.parameters())
    21814696
    """
    return _resnet("resnet34", BasicBlock, 34, pretrained, **kwargs)


def resnet50(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 50 layers; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnet50()
    >>> sum(parameter.size for parameter in net.parameters())
    25610152
    """
    return _resnet("resnet50", BottleneckBlock, 50, pretrained, **kwargs)


def resnet101(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 101 layers; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnet101()
    >>> sum(parameter.size for parameter in net.parameters())
    44654504
    """
    return _resnet("resnet101", BottleneckBlock, 101, pretrained, **kwargs)


def resnet152(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 152 layers; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnet152()
    >>> sum(parameter.size for parameter in net.parameters())
    60344232
    """
    return _resnet("resnet152", BottleneckBlock, 152, pretrained, **kwargs)


def _resnext(name: str, depth: int, groups: int, pretrained: bool, settings: dict[str, Any]) -> ResNet:
    return _resnet(name, BottleneckBlock, depth, pretrained, **{**settings, "groups": groups, "width": 4})


def resnext50_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 50 layers with 32 groups of width 4; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnext50_32x4d()
    >>> sum(parameter.size for parameter in net.parameters())
    25097128
    """
    return _resnext("resnext50_32x4d", 50, 32, pretrained, kwargs)


def resnext50_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 50 layers with 64 groups of width 4; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnext50_64x4d()
    >>> sum(parameter.size for parameter in net.parameters())
    45290920
    """
    return _resnext("resnext50_64x4d", 50, 64, pretrained, kwargs)


def resnext101_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 101 layers with 32 groups of width 4; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnext101_32x4d()
    >>> sum(parameter.size for parameter in net.parameters())
    44315560
    """
    return _resnext("resnext101_32x4d", 101, 32, pretrained, kwargs)


def resnext101_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 101 layers with 64 groups of width 4; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnext101_64x4d()
    >>> sum(parameter.size for parameter in net.parameters())
    83658152
    """
    return _resnext("resnext101_64x4d", 101, 64, pretrained, kwargs)


def resnext152_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 152 layers with 32 groups of width 4; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnext152_32x4d()
    >>> sum(parameter.size for parameter in net.parameters())
    60150696
    """
    return _resnext("resnext152_32x4d", 152, 32, pretrained, kwargs)


def resnext152_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNeXt of 152 layers with 64 groups of width 4; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.resnext152_64x4d()
    >>> sum(parameter.size for parameter in net.parameters())
    115266984
    """
    return _resnext("resnext152_64x4d", 152, 64, pretrained, kwargs)


def wide_resnet50_2(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 50 layers whose blocks are twice as wide inside; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.wide_resnet50_2()
    >>> sum(parameter.size for parameter in net.parameters())
    68951464
    """
    return _resnet("wide_resnet50_2", BottleneckBlock, 50, pretrained, **{**kwargs, "width": 128})


def wide_resnet101_2(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """ResNet of 101 layers whose blocks are twice as wide inside; the arguments are those of `resnet18`.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():  # its parameters have no values yet
    ...     net = paddle.vision.models.wide_resnet101_2()
    >>> sum(parameter.size for parameter in net.parameters())
    127024552
    """
    return _resnet("wide_resnet101_2", BottleneckBlock, 101, pretrained, **{**kwargs, "width": 128})
