"""Maps of the plane as matrices: what moves, turns, scales, shears or tilts an image. Knows nothing of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def affine_matrix(
    center: Sequence[float], angle: float, translate: Sequence[float], scale: float, shear: Sequence[float]
) -> list[float]:
    """The six numbers that give, for a place in the new image, the place in the old one.

    The new image is the old one sheared, turned by `angle` degrees with the clock, scaled, all about `center`, and
    moved by `translate`. The inverse of T(center + translate) · R(angle) · Shear · S(scale) · T(-center).
    """
    turn, shear_x, shear_y = (math.radians(degrees) for degrees in (angle, shear[0], shear[1]))
    # Rotation times shear, written out; its determinant is 1, so the inverse exchanges and negates its numbers.
    a = math.cos(turn - shear_y) / math.cos(shear_y)
    b = -a * math.tan(shear_x) - math.sin(turn)
    c = math.sin(turn - shear_y) / math.cos(shear_y)
    d = -c * math.tan(shear_x) + math.cos(turn)
    rows = [(d / scale, -b / scale), (-c / scale, a / scale)]
    away = (-center[0] - translate[0], -center[1] - translate[1])
    shifts = [row[0] * away[0] + row[1] * away[1] + middle for row, middle in zip(rows, center, strict=True)]
    return [*rows[0], shifts[0], *rows[1], shifts[1]]


def perspective_matrix(startpoints: Any, endpoints: Any) -> np.ndarray:
    """The 3 x 3 matrix, its last number 1, that takes the four `endpoints` back to the `startpoints`.

    ValueError where there are not four of each, or three of them lie on one line.
    """
    old, new = (np.asarray(points, np.float64) for points in (startpoints, endpoints))
    if old.shape != (4, 2) or new.shape != (4, 2):
        raise ValueError("perspective(startpoints, endpoints): each must be four points [x, y]. "
                         f"Received shapes {list(old.shape)} and {list(new.shape)}.")
    system = np.zeros((8, 8))
    system[0::2, :2], system[0::2, 2] = new, 1
    system[1::2, 3:5], system[1::2, 5] = new, 1
    system[:, 6:] = -old.reshape(8, 1) * np.repeat(new, 2, 0)
    try:
        return np.append(np.linalg.solve(system, old.reshape(8)), 1).reshape(3, 3)
    except np.linalg.LinAlgError as error:
        raise ValueError("perspective(startpoints, endpoints): no three points may lie on one line. "
                         f"Received {startpoints} and {endpoints}.") from error
