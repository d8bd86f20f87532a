"""Reinforcement learning: an actor and a critic learn to balance a pole on a cart (Gymnasium's CartPole-v1).

    python examples/cartpole.py --steps 250        # pip install gymnasium

Eight games are played at once. After every 32 moves the actor makes the better moves likelier, by proximal policy
optimization (PPO, Schulman et al. 2017), with advantages by the generalized estimate (GAE).
"""

import argparse

import gymnasium
import numpy as np
import proa as paddle
from matplotlib import pyplot
from proa import nn
from proa.nn import functional as F

GAMES, MOVES, DISCOUNT, SMOOTHING = 8, 32, 0.99, 0.95


class ActorCritic(nn.Layer):
    """What a position is worth, and how likely each move should be."""

    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, positions):
        return self.actor(positions), self.critic(positions).squeeze(-1)


@paddle.jit.to_static
def loss_of(net, positions, moves, old_scores, advantages, returns):
    """PPO's clipped objective, the critic's error, and a reward for staying undecided."""
    logits, values = net(positions)
    scores = F.log_softmax(logits)
    ratio = (paddle.take_along_axis(scores, moves.unsqueeze(1), 1).squeeze(1) - old_scores).exp()
    gain = paddle.minimum(ratio * advantages, ratio.clip(0.8, 1.2) * advantages).mean()
    undecided = -(scores.exp() * scores).sum(-1).mean()
    return -gain + 0.5 * F.mse_loss(values, returns) - 0.01 * undecided


def advantages_of(rewards, values, last, ended):
    """The generalized advantage estimate, from the last move to the first."""
    result, following, after = np.zeros_like(rewards), np.zeros(GAMES, "float32"), last
    for step in reversed(range(MOVES)):
        goes_on = 1 - ended[step]
        error = rewards[step] + DISCOUNT * after * goes_on - values[step]
        following = error + DISCOUNT * SMOOTHING * goes_on * following
        result[step], after = following, values[step]
    return result


def play(net, games, positions, random):
    """MOVES moves in every game: what was seen, done, and got."""
    seen = {name: [] for name in ("positions", "moves", "scores", "values", "rewards", "ended")}
    lengths = []
    for _ in range(MOVES):
        with paddle.no_grad():
            logits, values = net(paddle.to_tensor(positions))
            scores = F.log_softmax(logits).numpy()
        moves = (random.rand(GAMES) < np.exp(scores[:, 1])).astype("int64")
        after, rewards, ended, facts = games.step(moves)
        for name, value in zip(seen, (positions, moves, scores[np.arange(GAMES), moves], values.numpy(),
                                      rewards.astype("float32"), ended.astype("float32")), strict=True):
            seen[name].append(value)
        positions = after
        lengths += facts
    return {name: np.stack(values) for name, values in seen.items()}, positions, lengths


class Games:
    """Several games side by side; one that ends begins anew."""

    def __init__(self, seed):
        self.games = [gymnasium.make("CartPole-v1") for _ in range(GAMES)]
        self.played = np.zeros(GAMES, int)
        self.first = np.stack([game.reset(seed=seed + n)[0] for n, game in enumerate(self.games)])

    def step(self, moves):
        positions, rewards, ended, lengths = [], [], [], []
        for n, game in enumerate(self.games):
            position, reward, fell, late, _ = game.step(int(moves[n]))
            self.played[n] += 1
            if fell or late:
                lengths.append(int(self.played[n]))
                self.played[n] = 0
                position, _ = game.reset()
            positions.append(position)
            rewards.append(reward)
            ended.append(fell or late)
        return np.stack(positions), np.array(rewards), np.array(ended), lengths


def evaluate(net, count=20):
    """The mean length of games that are played by the likelier move."""
    game, total = gymnasium.make("CartPole-v1"), 0
    for seed in range(count):
        position, is_over = game.reset(seed=10_000 + seed)[0], False
        while not is_over:
            with paddle.no_grad():
                move = int(net(paddle.to_tensor(position[None]))[0].argmax())
            position, _, fell, late, _ = game.step(move)
            total, is_over = total + 1, fell or late
    return total / count


def draw(path, lengths):
    figure, axis = pyplot.subplots(figsize=(7, 2.8), layout="constrained")
    axis.plot(lengths, ".", markersize=3, alpha=0.3, color="C0")
    if len(lengths) > 20:
        axis.plot(np.arange(19, len(lengths)), np.convolve(lengths, np.ones(20) / 20, "valid"), color="crimson")
    axis.set(xlabel="game", ylabel="moves till the pole falls", ylim=(0, 520),
             title="CartPole-v1: games while learning, and the mean of 20")
    figure.savefig(path, dpi=80)


def main(steps, picture):
    paddle.seed(0)
    random = np.random.RandomState(0)
    net, games, lengths = ActorCritic(), Games(seed=0), []
    rate = paddle.optimizer.lr.PolynomialDecay(2.5e-3, decay_steps=steps, end_lr=1e-4)
    adam = paddle.optimizer.Adam(rate, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(0.5))
    positions = games.first
    for step in range(steps):
        seen, positions, ended = play(net, games, positions, random)
        lengths += ended
        with paddle.no_grad():
            last = net(paddle.to_tensor(positions))[1].numpy()
        advantages = advantages_of(seen["rewards"], seen["values"], last, seen["ended"])
        returns = advantages + seen["values"]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        flat = [a.reshape(GAMES * MOVES, *a.shape[2:]) for a in
                (seen["positions"], seen["moves"], seen["scores"], advantages.astype("float32"), returns)]
        for _ in range(4):
            order = random.permutation(GAMES * MOVES)
            for part in np.split(order, 4):
                loss = loss_of(net, *[paddle.to_tensor(a[part]) for a in flat])
                loss.backward()
                adam.step()
                adam.clear_grad()
        rate.step()
        if step % 50 == 49:
            print(f"step {step + 1}: {len(lengths)} games, the last 20 of {np.mean(lengths[-20:]):.0f} moves")
    reached = evaluate(net)
    print(f"20 games by the likelier move: {reached:.0f} moves on average, of 500")
    draw(picture, lengths)
    return reached


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--picture", default="cartpole.png")
    main(**vars(parser.parse_args()))
