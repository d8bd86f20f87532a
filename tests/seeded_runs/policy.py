"""Policy gradients (Williams, 1992) with a value as baseline: a pole on a cart, actions sampled from a Categorical."""

import math

import numpy as np


class Cart:
    """The cart and pole of Barto, Sutton and Anderson (1983), in steps of 0.02 seconds."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)

    def reset(self):
        self.state = self.random.uniform(-0.05, 0.05, 4)
        return self.state.astype("float32")

    def step(self, action):
        x, v, angle, turn = self.state
        sine, cosine = math.sin(angle), math.cos(angle)
        push = ((10.0 if action == 1 else -10.0) + 0.05 * turn ** 2 * sine) / 1.1
        turned = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine ** 2 / 1.1))
        moved = push - 0.05 * turned * cosine / 1.1
        self.state = np.array([x + 0.02 * v, v + 0.02 * moved, angle + 0.02 * turn, turn + 0.02 * turned])
        return self.state.astype("float32"), abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095


def train(paddle, steps):
    paddle.seed(8)
    nn = paddle.nn
    body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
    actor, critic = nn.Linear(32, 2), nn.Linear(32, 1)
    parameters = [*body.parameters(), *actor.parameters(), *critic.parameters()]
    adam = paddle.optimizer.Adam(0.003, parameters=parameters)
    game = Cart(9)
    losses = []
    for _ in range(steps):
        state, done = game.reset(), False
        logs, values, rewards = [], [], []
        while not done and len(rewards) < 40:
            h = body(paddle.to_tensor(state).unsqueeze(0))
            choice = paddle.distribution.Categorical(actor(h))
            action = choice.sample([1])
            logs.append(nn.functional.log_softmax(actor(h)).flatten()[int(action)])
            values.append(critic(h).flatten()[0])
            state, done = game.step(int(action))
            rewards.append(1.0)
        returns = np.cumsum(0.97 ** np.arange(len(rewards)))[::-1].astype("float32")
        gains = paddle.to_tensor((returns - returns.mean()) / (returns.std() + 1e-6))
        values = paddle.stack(values)
        loss = -(paddle.stack(logs) * (gains - values.detach())).mean() + nn.functional.smooth_l1_loss(values, gains)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    return losses
