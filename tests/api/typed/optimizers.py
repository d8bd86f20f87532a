"""An optimizer and schedules of one's own."""
from collections.abc import Iterable

import proa as paddle
from proa.optimizer import Optimizer
from proa.optimizer.lr import LRScheduler


class SignSGD(Optimizer):
    def __init__(self, learning_rate: float | LRScheduler, parameters: Iterable[paddle.Tensor]) -> None:
        super().__init__(learning_rate=learning_rate, parameters=list(parameters))

    def step(self) -> None:
        with paddle.no_grad():
            for p in self._parameter_list or []:
                if p.grad is not None:
                    p.set_value(p - self.get_lr() * paddle.sign(p.grad))


class Triangle(LRScheduler):
    def __init__(self, peak: float, steps: int, last_epoch: int = -1, verbose: bool = False) -> None:
        self.peak = peak
        self.steps = steps
        super().__init__(learning_rate=0.0, last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        return self.peak * min(self.last_epoch, self.steps) / self.steps


layer = paddle.nn.Linear(3, 1)
schedule = Triangle(0.1, 5)
opt = SignSGD(schedule, layer.parameters())
rates: list[float] = []
for _ in range(4):
    loss = (layer(paddle.ones([2, 3])) ** 2).mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
    schedule.step()
    rates.append(opt.get_lr())
warm = paddle.optimizer.lr.LinearWarmup(paddle.optimizer.lr.StepDecay(0.1, step_size=3), 2, 0.0, 0.1)
one = paddle.optimizer.lr.OneCycleLR(max_learning_rate=1.0, total_steps=10)
lam = paddle.optimizer.lr.LambdaDecay(0.5, lambda epoch: 0.9 ** epoch)
for s in (warm, one, lam):
    s.step()
state = opt.state_dict()
opt.set_state_dict(state)
group = paddle.optimizer.Momentum(0.1, momentum=0.9, parameters=[
    {"params": [layer.weight], "weight_decay": 0.01}, {"params": [layer.bias], "learning_rate": 0.1}])
group.step()
print(rates, warm.last_lr, one.get_lr(), sorted(schedule.state_dict()))
