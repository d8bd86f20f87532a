"""LeNet-5 in its usual modern form (LeCun et al., Gradient-based learning applied to document recognition, 1998)."""

from __future__ import annotations

from typing import Any

from .. import nn


class LeNet(nn.Layer):
    """Images [N, 1, 28, 28] to the scores of ten digits [N, 10]."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, stride=1, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5, stride=1, padding=0), nn.ReLU(), nn.MaxPool2D(2, 2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, images: Any) -> Any:
        """The scores."""
        return self.classifier(self.features(images))
