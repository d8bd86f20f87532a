"""LeNet, its training and its measuring, as one writes them in Paddle."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import io, nn, no_grad, to_tensor
from .digits import Digits


def train(layer: Any, optimizer: Any, digits: Digits, epochs: int, label: str, batch_size: int = 64) -> list[float]:
    """Trains for some epochs with a progress bar; the loss of every step."""
    from tqdm import tqdm

    loader = io.DataLoader(digits, batch_size=batch_size, shuffle=True, drop_last=True)
    loss_function = nn.CrossEntropyLoss()
    losses: list[float] = []
    layer.train()
    with tqdm(total=epochs * len(loader), desc=label, unit="step", leave=True) as bar:
        for _ in range(epochs):
            for images, labels in loader():
                loss = loss_function(layer(images), labels)
                loss.backward()
                optimizer.step()
                optimizer.clear_grad()
                losses.append(float(loss))
                bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
                bar.update()
    return losses


def predict(layer: Any, images: np.ndarray, batch_size: int = 250) -> np.ndarray:
    """The scores [N, 10] of images, in evaluation."""
    layer.eval()
    with no_grad():
        return np.concatenate([layer(to_tensor(images[start:start + batch_size])).numpy()
                               for start in range(0, len(images), batch_size)])


def accuracy(layer: Any, digits: Digits) -> float:
    """The share of digits whose highest score is the right one."""
    return float((predict(layer, digits.images).argmax(axis=1) == digits.labels).mean())


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
