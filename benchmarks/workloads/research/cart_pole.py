"""The cart with a pole of Barto, Sutton and Anderson (1983), in NumPy: the same episodes on all sides."""

import math

import numpy as np

GRAVITY, CART, POLE, HALF, FORCE, TICK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
FURTHEST, STEEPEST = 2.4, 12 * math.pi / 180


class CartPole:
    """Place and speed of the cart, angle and speed of the pole; an action pushes left (0) or right (1)."""

    def __init__(self, seed):
        self._draw = np.random.default_rng(seed)
        self.state = None

    def reset(self):
        """A new episode: its first observation."""
        self.state = tuple(self._draw.uniform(-0.05, 0.05, 4).tolist())
        return np.array(self.state, "float32")

    def step(self, action):
        """The observation behind a tick, the reward, and whether the episode is over."""
        place, speed, angle, turning = self.state
        force = FORCE if action == 1 else -FORCE
        sine, cosine, total = math.sin(angle), math.cos(angle), CART + POLE
        pushed = (force + POLE * HALF * turning ** 2 * sine) / total
        bend = (GRAVITY * sine - cosine * pushed) / (HALF * (4 / 3 - POLE * cosine ** 2 / total))
        rush = pushed - POLE * HALF * bend * cosine / total
        self.state = (place + TICK * speed, speed + TICK * rush, angle + TICK * turning, turning + TICK * bend)
        over = abs(self.state[0]) > FURTHEST or abs(self.state[2]) > STEEPEST
        return np.array(self.state, "float32"), 1.0, over
