"""LeNet: a small convolutional network for images of digits."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...ops.array.reshape import flatten


class LeNet(nn.Layer):
    """Two convolutions, each with ReLU and pooling, and three linear maps: [N, 1, 28, 28] to [N, num_classes].

    With num_classes=0 the features [N, 16, 5, 5] instead.
    LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998.

    >>> import proa as paddle
    >>> paddle.vision.models.LeNet()(paddle.zeros([2, 1, 28, 28])).shape
    [2, 10]
    """

    def __init__(self, num_classes: int = 10):
        super().__init__()
        self.num_classes = num_classes
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, stride=1, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5, stride=1, padding=0), nn.ReLU(), nn.MaxPool2D(2, 2))
        if num_classes > 0:
            self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes))

    def forward(self, inputs: Any) -> Any:
        """[N, 1, 28, 28] to [N, num_classes]."""
        x = self.features(inputs)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x
