"""Policy gradients and a replay memory."""
import random
from collections import deque
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import proa as paddle
import proa.nn as nn
import proa.nn.functional as F
from proa.distribution import Categorical, Normal, kl_divergence

State = npt.NDArray[np.float32]


class Step(NamedTuple):
    state: State
    action: int
    reward: float
    done: bool


class Policy(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.fc2 = nn.Linear(16, 2)
        self.value = nn.Linear(16, 1)

    def forward(self, s: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
        h = F.tanh(self.fc1(s))
        return self.fc2(h), self.value(h).squeeze(-1)


policy = Policy()
target = Policy()
target.set_state_dict(policy.state_dict())
optimizer = paddle.optimizer.RMSProp(1e-3, parameters=policy.parameters())
memory: deque[Step] = deque(maxlen=1000)
rng = np.random.default_rng(0)
for _ in range(20):
    state = rng.standard_normal(4).astype(np.float32)
    with paddle.no_grad():
        logits, _value = policy(paddle.to_tensor(state).unsqueeze(0))
    action = int(Categorical(logits).sample([1]).item())
    memory.append(Step(state, action, float(state.sum()), False))
batch = random.sample(list(memory), 8)
states = paddle.to_tensor(np.stack([b.state for b in batch]))
actions = paddle.to_tensor([b.action for b in batch], dtype="int64")
rewards = paddle.to_tensor([b.reward for b in batch], dtype=paddle.float32)
logits, values = policy(states)
log_p = F.log_softmax(logits, axis=-1)
chosen = paddle.take_along_axis(log_p, actions.unsqueeze(1), 1).squeeze(1)
entropy = -(log_p.exp() * log_p).sum(-1).mean()
advantage = (rewards - values).detach()
loss = -(chosen * advantage).mean() + F.smooth_l1_loss(values, rewards) - 0.01 * entropy
loss.backward()
nn.utils.clip_grad_norm_(policy.parameters(), max_norm=0.5)
optimizer.step()
optimizer.clear_grad()
with paddle.no_grad():
    for mine, its in zip(policy.parameters(), target.parameters()):
        its.set_value(0.99 * its + 0.01 * mine)
n = Normal(paddle.zeros([2]), paddle.ones([2]))
kl: paddle.Tensor = kl_divergence(n, Normal(0.5, 2.0))
print(loss.item(), n.log_prob(paddle.zeros([2])).sum().item(), kl.shape, n.rsample([3]).shape)
