"""Actor and critic on a cart with a pole: an action at a time from a small network, then an update by Adam.

Actions are drawn by each framework's own distribution, so that episodes differ; sides are compared by an agent that is
told what to do.
"""

from .. import values
from .cart_pole import CartPole

SIZE = {"ticks": 100, "width": 128}
DISCOUNT = 0.99


def _returns(rewards, ends):
    """What followed each tick, discounted, until its episode was over; with mean 0 and variance 1."""
    found, rest = [], 0.0
    for reward, end in zip(reversed(rewards), reversed(ends)):
        rest = reward + DISCOUNT * rest * (not end)
        found.append(rest)
    mean = sum(found) / len(found)
    deviation = (sum((value - mean) ** 2 for value in found) / len(found)) ** 0.5
    return [(value - mean) / (deviation + 1e-6) for value in reversed(found)]


def _stepper(agent, size):
    """A step: so many ticks of episodes, and what the agent learns from them."""
    def run(agent, draws=True):
        world, ticks = CartPole(1), []
        state = world.reset()
        for tick in range(size["ticks"]):
            action, *kept = agent.act(state, None if draws else tick * 7 % 3 % 2)
            state, reward, over = world.step(action)
            ticks.append((reward, over, *kept))
            if over:
                state = world.reset()
        rewards, ends, logs, judged = zip(*ticks)
        return agent.learn(logs, judged, _returns(rewards, ends))

    def step():
        return run(held)

    def check():
        told = agent()
        return [run(told, draws=False) for _ in range(3)][-1]

    held = agent()
    step.check = check
    return step


def in_paddle(paddle, mode, size):
    nn = paddle.nn

    class Policy(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(4, size["width"])
            self.actor = nn.Linear(size["width"], 2)
            self.critic = nn.Linear(size["width"], 1)

        def forward(self, x):
            x = paddle.nn.functional.relu(self.inner(x))
            return paddle.nn.functional.softmax(self.actor(x), axis=-1), self.critic(x)

    class Agent:
        def __init__(self):
            self.policy = values.fill_paddle(Policy())
            self.adam = paddle.optimizer.Adam(0.003, parameters=self.policy.parameters())
            self.call = paddle.jit.to_static(self.policy, full_graph=True) if mode == "to_static" else self.policy

        def act(self, state, told):
            chances, value = self.call(paddle.to_tensor(state))
            drawn = paddle.distribution.Categorical(chances)
            action = drawn.sample([1]) if told is None else paddle.to_tensor([told])
            return int(action), drawn.log_prob(action), value

        def learn(self, logs, judged, returns):
            returns = paddle.to_tensor(returns, dtype="float32")
            actor, critic = [], []
            for log, value, wanted in zip(logs, judged, returns):
                actor.append(-log * (wanted - value.item()))
                critic.append(paddle.nn.functional.smooth_l1_loss(value, wanted.reshape([1])))
            loss = paddle.concat(actor).sum() + paddle.stack(critic).sum()
            loss.backward()
            self.adam.step()
            self.adam.clear_grad()
            return loss

    return _stepper(Agent, size)


def in_torch(torch, mode, size):
    nn, functional = torch.nn, torch.nn.functional

    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(4, size["width"])
            self.actor = nn.Linear(size["width"], 2)
            self.critic = nn.Linear(size["width"], 1)

        def forward(self, x):
            x = functional.relu(self.inner(x))
            return functional.softmax(self.actor(x), dim=-1), self.critic(x)

    class Agent:
        def __init__(self):
            self.policy = Policy()
            values.fill_torch(torch, self.policy.parameters())
            self.adam = torch.optim.Adam(self.policy.parameters(), 0.003)
            self.call = torch.compile(self.policy) if mode == "compile" else self.policy

        def act(self, state, told):
            chances, value = self.call(torch.from_numpy(state))
            drawn = torch.distributions.Categorical(chances)
            action = drawn.sample() if told is None else torch.tensor(told)
            return action.item(), drawn.log_prob(action), value

        def learn(self, logs, judged, returns):
            returns = torch.tensor(returns)
            actor, critic = [], []
            for log, value, wanted in zip(logs, judged, returns):
                actor.append(-log * (wanted - value.item()))
                critic.append(functional.smooth_l1_loss(value, wanted.reshape([1])))
            loss = torch.stack(actor).sum() + torch.stack(critic).sum()
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
            return loss

    return _stepper(Agent, size)
