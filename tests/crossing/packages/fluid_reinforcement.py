"""parl 1.3.3: agents whose models are trained by its algorithms on generated steps of an environment."""

import sys
from unittest import mock

import fluid_shared as shared  # before paddle
import numpy as np
import paddle.fluid as fluid

sys.modules["pyarrow"] = mock.MagicMock()  # actors on other machines need a function that it has no longer

import parl  # noqa: E402
from parl import layers  # noqa: E402

OBSERVED, ACTIONS, BATCH = 6, 3, 8


def drawn(step, **shapes):
    """Values of a step by name: observations, actions, rewards."""
    random = np.random.RandomState(step)
    return {name: random.uniform(-1, 1, shape).astype("float32") for name, shape in shapes.items()}


class Values(parl.Model):
    def __init__(self):
        self.fc1 = layers.fc(size=16, act="relu")
        self.fc2 = layers.fc(size=ACTIONS)

    def value(self, obs):
        return self.fc2(self.fc1(obs))


class Policy(parl.Model):
    def __init__(self):
        self.fc1 = layers.fc(size=16, act="tanh")
        self.fc2 = layers.fc(size=ACTIONS, act="softmax")

    def forward(self, obs):
        return self.fc2(self.fc1(obs))


class Actor(parl.Model):
    def __init__(self):
        self.fc1, self.fc2 = layers.fc(size=16, act="relu"), layers.fc(size=2, act="tanh")

    def policy(self, obs):
        return self.fc2(self.fc1(obs))


class Critic(parl.Model):
    def __init__(self):
        self.fc1, self.fc2 = layers.fc(size=16, act="relu"), layers.fc(size=1)

    def value(self, obs, act):
        both = layers.concat([obs, act], axis=1)
        return layers.squeeze(self.fc2(self.fc1(both)), axes=[1])


class Both(parl.Model):
    """What moves and what judges it."""

    def __init__(self):
        self.actor, self.critic = Actor(), Critic()

    def policy(self, obs):
        return self.actor.policy(obs)

    def value(self, obs, act):
        return self.critic.value(obs, act)

    def get_actor_params(self):
        return self.actor.parameters()


class ActorCritic(parl.Model):
    def __init__(self):
        self.fc1, self.policy_fc = layers.fc(size=16, act="tanh"), layers.fc(size=ACTIONS)
        self.value_fc = layers.fc(size=1)

    def policy(self, obs):
        return self.policy_fc(self.fc1(obs))

    def value(self, obs):
        return layers.squeeze(self.value_fc(self.fc1(obs)), axes=[1])

    def policy_and_value(self, obs):
        return self.policy(obs), self.value(obs)


class Agent(parl.Agent):
    """Runs an algorithm's `learn` on what `inputs` declares; `predict` on observations."""

    def __init__(self, algorithm, inputs, rate=None):
        self.inputs, self.rate = inputs, rate
        super().__init__(algorithm)

    def build_program(self):
        self.pred_program, self.learn_program = fluid.Program(), fluid.Program()
        with fluid.program_guard(self.pred_program):
            obs = layers.data("obs", shape=[OBSERVED], dtype="float32")
            self.predicted = self.alg.predict(obs)
        with fluid.program_guard(self.learn_program):
            given = [layers.data(name, shape=shape, dtype=dtype) for name, shape, dtype in self.inputs]
            self.costs = self.alg.learn(*given, **({} if self.rate is None else self.rate()))

    def learn(self, feed):
        costs = list(self.costs) if isinstance(self.costs, tuple) else [self.costs]
        got = self.fluid_executor.run(self.learn_program, feed=feed, fetch_list=costs)
        return [float(np.asarray(value).mean()) for value in got]

    def predict(self, obs):
        found = self.predicted[0] if isinstance(self.predicted, tuple) else self.predicted
        return self.fluid_executor.run(self.pred_program, feed={"obs": obs}, fetch_list=[found])[0]


OBS, NEXT = ("obs", [OBSERVED], "float32"), ("next_obs", [OBSERVED], "float32")
CHOSEN, MOVED = ("action", [1], "int64"), ("action", [2], "float32")
REWARD, ENDED = ("reward", [], "float32"), ("terminal", [], "bool")


def feed_of(step, inputs):
    random = np.random.RandomState(step)
    found = {}
    for name, shape, dtype in inputs:
        if dtype == "int64":
            found[name] = random.randint(0, ACTIONS, [BATCH, *shape]).astype(dtype)
        elif dtype == "bool":
            found[name] = random.randint(0, 4, [BATCH, *shape]) == 0
        else:
            found[name] = random.uniform(-1, 1, [BATCH, *shape]).astype(dtype)
    return found


def learned(found, algorithm, inputs, synced=True, rate=None):
    """Ten steps, with the target taken over after each second one; what is predicted; the weights' sums."""
    agent = Agent(algorithm, inputs, rate)
    shared.same_values(agent.learn_program, agent.pred_program)
    if synced:
        algorithm.sync_target(**({"decay": 0} if "decay" in algorithm.sync_target.__code__.co_varnames else {}))
    found["10 steps"] = []
    for step in range(10):
        found["10 steps"] += agent.learn(feed_of(step, inputs))
        if synced and step % 2:
            algorithm.sync_target()
    found["predicted"] = np.asarray(agent.predict(feed_of(99, [OBS])["obs"])).reshape(-1).tolist()
    weights = algorithm.model.get_weights()
    found["weights"] = [float(np.abs(value).sum()) for value in shared.leaves(weights)]


def dqn(found):
    learned(found, parl.algorithms.DQN(Values(), act_dim=ACTIONS, gamma=0.9, lr=1e-2),
            [OBS, CHOSEN, REWARD, NEXT, ENDED])


def ddqn(found):
    learned(found, parl.algorithms.DDQN(Values(), act_dim=ACTIONS, gamma=0.9, lr=1e-2),
            [OBS, CHOSEN, REWARD, NEXT, ENDED])


def policy_gradient(found):
    learned(found, parl.algorithms.PolicyGradient(Policy(), lr=1e-2), [OBS, CHOSEN, ("reward", [1], "float32")],
            synced=False)


def ddpg(found):
    learned(found, parl.algorithms.DDPG(Both(), gamma=0.9, tau=0.1, actor_lr=1e-3, critic_lr=1e-3),
            [OBS, MOVED, REWARD, NEXT, ENDED])


def a3c(found):
    def rates():
        return {"learning_rate": layers.fill_constant([1], "float32", 1e-3), "entropy_coeff": 0.01}

    inputs = [OBS, ("actions", [], "int64"), ("advantages", [], "float32"), ("target_values", [], "float32")]
    learned(found, parl.algorithms.A3C(ActorCritic(), vf_loss_coeff=0.5), inputs, synced=False, rate=rates)


shared.run(dqn=dqn, ddqn=ddqn, policy_gradient=policy_gradient, ddpg=ddpg, a3c=a3c)
