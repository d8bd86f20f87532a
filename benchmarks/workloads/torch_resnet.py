"""Residual networks in plain PyTorch, with the parameters in the order that Paddle's have."""

STAGES = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3)}


def resnet(torch, depth, classes):
    """ResNet-18 or ResNet-50 (arXiv:1512.03385) with this number of classes."""
    nn = torch.nn

    class Block(nn.Module):
        """Convolutions with a shortcut around them: 3×3 twice, or 1×1, 3×3, 1×1 to four times the width."""

        def __init__(self, features, width, stride):
            super().__init__()
            if depth == 18:
                kernels, widths, strides = (3, 3), (width, width), (stride, 1)
            else:
                kernels, widths, strides = (1, 3, 1), (width, width, 4 * width), (1, stride, 1)
            layers, inside = [], features
            for number, (kernel, outside, step) in enumerate(zip(kernels, widths, strides), 1):
                layers += [nn.Conv2d(inside, outside, kernel, step, kernel // 2, bias=False), nn.BatchNorm2d(outside)]
                if number < len(kernels):
                    layers.append(nn.ReLU())
                inside = outside
            self.body = nn.Sequential(*layers)
            self.shortcut = nn.Identity()
            if stride != 1 or features != inside:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(features, inside, 1, stride, bias=False), nn.BatchNorm2d(inside))
            self.relu = nn.ReLU()

        def forward(self, x):
            return self.relu(self.body(x) + self.shortcut(x))

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    features = 64
    for stage, blocks in enumerate(STAGES[depth]):
        for number in range(blocks):
            layers.append(Block(features, 64 << stage, 2 if stage and not number else 1))
            features = (64 << stage) * (1 if depth == 18 else 4)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(features, classes))
