"""Writes a random training as Python source: `f(record, converted)`, which tells numbers by their names.

`written(seed, number)` gives the same text for the same numbers. `converted(net)` is the Layer itself, or converted.
"""

from __future__ import annotations

import re
from random import Random

from ..generator import OPTIMIZERS, SCHEDULES
from . import layers

HEAD = '''import copy
import io

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn
from proa.autograd import PyLayer
from proa.distributed.fleet.utils import recompute

INPUTS = []


class Doubled(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2.0

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return g * 2.0 + x * 0.1


def fixed(layer):
    for n, p in enumerate(layer.parameters()):
        p.set_value((paddle.cos(paddle.arange(p.size).astype(p.dtype) * 1.3 + n) * 0.4).reshape(p.shape))
    return layer


def drawn(step, number):
    return np.cos(np.arange(12) ** 2 * 0.7 + step * 3 + number).reshape([4, 3])


def through_a_file(held):
    file = io.BytesIO()
    paddle.save(held, file)
    file.seek(0)
    return paddle.load(file)


'''

RULES = [
    *OPTIMIZERS,
    "Adam(0.01, beta1=paddle.to_tensor(0.8), weight_decay=paddle.regularizer.L1Decay(0.02)",
    "Adam(0.01, weight_decay=paddle.regularizer.L2Decay(0.05)",
    "SGD(0.05, weight_decay=0.1",
    "SGD(0.05, weight_decay=paddle.regularizer.L1Decay(0.05)",
    "AdamW(0.01, weight_decay=0.1, lr_ratio=lambda p: 0.5",
    "AdamW(0.01, weight_decay=0.1, lazy_mode=True",
    "AdamW(0.01",
    "Momentum(0.05, 0.9",
]

#: What is done to gradients between `backward` and the step; {net} is a Layer.
ON_GRADIENTS = """
for p in {net}.parameters():|    if p.grad is not None:|        p.grad.scale_(0.5)
for p in {net}.parameters():|    if p.grad is not None:|        p.grad = p.grad * 0.5
for p in {net}.parameters():|    if p.grad is not None:|        p.grad.set_value(paddle.tanh(p.grad))
for p in {net}.parameters():|    if p.grad is not None and len(p.shape) > 1:|        p.grad[0] = 0.1
for p in {net}.parameters():|    if len(p.shape) == 1:|        p.clear_gradient()
for p in {net}.parameters():|    if len(p.shape) == 1:|        p.clear_gradient(False)
for p in {net}.parameters():|    if len(p.shape) == 1:|        p.grad = None
for p in {net}.parameters():|    if p.grad is not None:|        p.grad.zero_()
record("norm", nn.utils.clip_grad_norm_({net}.parameters(), 0.3))
nn.utils.clip_grad_value_({net}.parameters(), 0.05)
kept = [p.grad.clone() for p in {net}.parameters() if p.grad is not None]|record("kept", sum(g.sum() for g in kept))
for p in {net}.parameters():|    if p.grad is not None:|        with paddle.no_grad():|\
            p.subtract_(p.grad * 0.01)
for p in {net}.parameters():|    if p.grad is not None:|        with paddle.no_grad():|            p.grad.add_(p * 0.1)
record("sum of gradients", sum((p.grad * p.grad).sum() for p in {net}.parameters() if p.grad is not None))
""".strip().splitlines()

#: What is done between two steps; {net} is a Layer, {rule} its optimizer, {p} one of its parameters.
BETWEEN = """
{net}.set_state_dict(through_a_file({net}.state_dict()))
{rule}.set_state_dict(through_a_file({rule}.state_dict()))
{rule}.set_state_dict({rule}.state_dict())
held = copy.deepcopy({net}.state_dict())|{net}.set_state_dict({{name: v * 0.9 for name, v in held.items()}})
held = {net}.state_dict()|{net}.set_state_dict({{name: v * 0.9 for name, v in held.items() if v.ndim > 1}})
for p in {net}.parameters():|    p.set_value(p * 0.9)
for p in {net}.parameters():|    p.set_value(p.numpy() * 0.9)
with paddle.no_grad():|    for p in {net}.parameters():|        p.scale_(0.9)
with paddle.no_grad():|    for p in {net}.parameters():|        paddle.assign(p * 0.9, p)
with paddle.no_grad():|    {p}[0] = 0.3
with paddle.no_grad():|    {p}.add_(paddle.full_like({p}, 0.05))
with paddle.no_grad():|    {p}.fill_(0.2)
with paddle.no_grad():|    {p}.copy_({p} * 0.5, True)
{p}.stop_gradient = not {p}.stop_gradient
{p}.trainable = not {p}.trainable
{p}.optimize_attr["learning_rate"] = 0.3
{p}.need_clip = False
{p}.register_hook(lambda g: g * 0.5)
hook = {p}.register_hook(lambda g: g * 0.5)|hooks.append(hook)
for hook in hooks:|    hook.remove()|hooks.clear()
hooks.append({net}.register_forward_post_hook(lambda layer, given, found: found * 0.8))
hooks.append({net}.register_forward_pre_hook(lambda layer, given: (given[0] + 0.1,)))
{net}.eval()
{net}.train()
{net}.flag = not {net}.flag
for b in {net}.buffers():|    b.set_value(b * 0.5)
{net} = converted(copy.deepcopy({net}))
{net}.clear_gradients()
{net}.apply(lambda layer: layer.weight.set_value(layer.weight * 0.9) if type(layer) is nn.Linear else None)
{net}.to(dtype=str({p}.numpy().dtype))
vector = nn.utils.parameters_to_vector({net}.parameters())|\
nn.utils.vector_to_parameters(vector * 0.9, {net}.parameters())
with paddle.no_grad():|    record("looked", {net}(x))
{net}.eval()|record("evaluated", {net}(x))|{net}.train()
average = average * 0.5 + {p}.detach() * 0.5
for p in {net}.parameters():|    p.clear_gradient()
{rule}.clear_gradients()
{rule}.clear_grad(set_to_zero=False)
record("rate", paddle.to_tensor({rule}.get_lr()))
record("state", sum(v.astype("float32").sum() for k, v in sorted({rule}.state_dict().items()) \
if isinstance(v, paddle.Tensor) and "pow" not in k))
record("names", paddle.to_tensor(len([k for k in {rule}.state_dict() if k != "LR_Scheduler"])))
{rule} = made_{rule}({net})
{rule}, held = made_{rule}({net}), {rule}.state_dict()|{rule}.set_state_dict(held)
{rule}.step()
paddle.grad({net}(x).sum(), {p}, allow_unused=True)
record("penalty", sum((g * g).sum() for g in paddle.grad({net}(x).sum(), {net}.parameters(), allow_unused=True) \
if g is not None))
""".strip().splitlines()

RATES = ["{rule}.set_lr(0.02)", "{rule}.set_lr({rule}.get_lr() * 0.5)"]

LOSSES = """
(out * weights).sum()
F.mse_loss(out, target)
F.cross_entropy(out, label)
F.smooth_l1_loss(out, target)
(out * out).mean() + (out * weights).sum() * 0.3
F.cross_entropy(out, label) + 0.1 * sum((p * p).sum() for p in net.parameters())
F.mse_loss(paddle.tanh(out), target, reduction='sum') * 0.3
""".strip().splitlines()


def written(seed: int, number: int) -> str:
    """The source of a training."""
    return Writer(Random(f"trainings:{seed}:{number}")).text()


class Writer:
    """A training that is being written."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.lines: list[str] = []
        self.rules: dict[str, tuple[str, bool]] = {}  # a rule's Layer, and whether it has a schedule

    def line(self, text: str, indent: int = 1) -> None:
        self.lines += ["    " * indent + part for part in text.split("|")]

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def text(self) -> str:
        rng = self.rng
        self.nets = ["net", "other"] if self.chance(0.25) else ["net"]
        classes = [layers.layer(rng, name.capitalize()) for name in self.nets]
        self.line('hooks, average = [], 0.0|D = paddle.get_default_dtype()')
        for net in self.nets:
            self.line(f"{net} = converted(fixed({net.capitalize()}()))")
            if self.chance(0.3) or "late" in "".join(classes):
                self.line(f"{net}(paddle.ones([4, 3]))")
        if len(self.nets) > 1 and self.chance(0.3):
            self.line("net.inner = other")
        makers = [self._maker("rule", "net")]
        if len(self.nets) > 1:
            makers.append(self._maker("second", "other"))
        elif self.chance(0.15):
            makers.append(self._maker("second", "net", part="[:2]"))
            makers[0] = makers[0].replace("net.parameters()", "net.parameters()[2:]")
        for rule, (net, _) in self.rules.items():
            self.line(f"{rule} = made_{rule}({net})")
        self.scaled = self.chance(0.15)
        if self.scaled:
            self.line(rng.choice([
                "scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)",
                "scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0, incr_every_n_steps=1)",
                "scaler = paddle.amp.GradScaler(enable=False)",
            ]))
        self.line("for step in range(5):")
        self._step()
        for net in self.nets:
            self.line(f"for name, value in {net}.state_dict().items():|    record('{net} ' + name, value)")
        body = "\n".join(self.lines)
        return HEAD + "\n\n\n".join([*classes, *makers, "def f(record, converted):\n" + body]) + "\n"

    def _maker(self, rule: str, net: str, part: str = "") -> str:
        """A function that makes an optimizer."""
        rng = self.rng
        head = rng.choice(RULES)
        decays = any(word in head for word in ("weight_decay", "Lamb"))
        if self.chance(0.15) and not decays:
            head += ", weight_decay=0.1"
        scheduled = self.chance(0.25)
        if scheduled:
            schedule = "paddle.optimizer.lr." + rng.choice(SCHEDULES)
            head = re.sub(r"\((0\.0[15])", lambda rate: "(" + schedule.format(rate[1]), head, count=1)
        if self.chance(0.25):
            head += ", grad_clip=" + rng.choice(
                ["nn.ClipGradByGlobalNorm(0.5)", "nn.ClipGradByNorm(0.3)", "nn.ClipGradByValue(0.1)"]
            )
        parameters = f"net.parameters(){part}"
        if self.chance(0.2) and not part:
            options = ['"learning_rate": 0.5', '"weight_decay": 0.2', '"grad_clip": nn.ClipGradByNorm(0.1)']
            first = ", ".join(rng.sample(options, rng.randint(1, 2)))
            parameters = f'[{{"params": net.parameters()[:1], {first}}}, {{"params": net.parameters()[1:]}}]'
        made = f"paddle.optimizer.{head}, parameters={parameters})"
        if self.chance(0.05):
            made = f"paddle.incubate.optimizer.LookAhead({made}, alpha=0.5, k=2)"
        self.rules[rule] = net, scheduled
        return f"def made_{rule}(net):\n    return {made}"

    def _step(self) -> None:
        """The body of the loop."""
        rng = self.rng
        self.line("x = paddle.to_tensor(drawn(step, 0).astype(D))", 2)
        self.line("target = paddle.to_tensor(drawn(step, 1).astype(D))", 2)
        self.line("weights = paddle.to_tensor(drawn(step, 2).astype(D))", 2)
        self.line("label = paddle.to_tensor((drawn(step, 3)[:, 0] * 1.5 + 1.5).astype('int64'))", 2)
        if self.chance(0.3):
            self.line("x.stop_gradient = False", 2)
        self._passes()
        for net in self.nets:
            if self.chance(0.3):
                self._sometimes(rng.choice(ON_GRADIENTS).format(net=net))
        if self.chance(0.3):
            self.line("for name, p in net.named_parameters():|    record('gradient of ' + name, p.grad)", 2)
        every = rng.random()
        if every < 0.2:
            self.line("if step % 2 == 1:", 2)
            self._take(3)
        else:
            self._take(2)
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            rule, (net, scheduled) = rng.choice(list(self.rules.items()))
            choices = BETWEEN if scheduled else BETWEEN + RATES
            text = rng.choice(choices)
            place = rng.randrange(2)
            self._sometimes(text.format(net=net, rule=rule, p=f"{net}.parameters()[{-place}]"))

    def _sometimes(self, text: str) -> None:
        """Lines of the loop's body at some of the steps."""
        test = self.rng.choice(["step == 0", "step == 1", "step == 2", "step > 0", "step % 2 == 1", ""])
        if test:
            self.line(f"if {test}:", 2)
        self.line(text, 3 if test else 2)

    def _passes(self) -> None:
        """Forward and backward."""
        rng = self.rng
        loss = rng.choice(LOSSES)
        calls = ["net(x)"] if len(self.nets) == 1 else ["other(net(x))", "net(x) * other(x)", "net(other(x).detach())"]
        call = rng.choice(calls)
        way = rng.random()
        scale = "scaler.scale({})" if self.scaled else "{}"
        if way < 0.5 or self.scaled:
            self.line(f"out = {call}|loss = {loss}|record('loss', loss)", 2)
            self.line(f"{scale.format('loss')}.backward()", 2)
        elif way < 0.65:
            self.line("for part in range(2):", 2)
            self.line(f"out = {call.replace('(x)', '(x * (part + 0.5))')}|loss = {loss}|record('loss', loss)", 3)
            self.line("(loss * 0.5).backward()", 3)
        elif way < 0.75:
            self.line(f"out = {call}|loss = {loss}|loss.backward(retain_graph=True)|(out * 0.3).sum().backward()", 2)
        elif way < 0.85:
            self.line("x.stop_gradient = False", 2)
            self.line(f"out = {call}|loss = {loss}", 2)
            self.line("g = paddle.grad(out.sum(), x, create_graph=True, allow_unused=True)[0]", 2)
            self.line("if g is not None:|    loss = loss + (g * g).sum() * 0.1|record('loss', loss)|loss.backward()", 2)
        elif way < 0.92:
            self.line(f"out = {call}|paddle.autograd.backward([out, out.sum()], [weights, None])|loss = out.sum()", 2)
        else:
            self.line(f"out = {call}|out.backward(weights)|loss = out.sum().detach()", 2)
        if self.chance(0.3):
            self.line("record('gradient of x', x.grad)", 2)
        if self.chance(0.1):
            self.line("record('out', out)", 2)

    def _take(self, indent: int) -> None:
        """The optimizers' steps."""
        rng = self.rng
        for rule, (_, scheduled) in self.rules.items():
            if self.scaled:
                self.line(rng.choice([
                    f"scaler.step({rule})",
                    f"scaler.unscale_({rule})|scaler.step({rule})",
                    f"scaler.minimize({rule}, loss)",
                ]), indent)
            else:
                self.line(rng.choice([f"{rule}.step()"] * 3 + [f"{rule}.minimize(loss)"]), indent)
        if self.scaled and "minimize" not in "".join(self.lines):
            self.line("scaler.update()", indent)
        for rule, (_, scheduled) in self.rules.items():
            self.line(rng.choice([f"{rule}.clear_grad()"] * 3 + [f"{rule}.clear_grad(set_to_zero=False)"]), indent)
            if scheduled:
                self.line(f"inner = getattr({rule}, 'inner_optimizer', {rule})", indent)
                self.line("rate = inner._learning_rate|if isinstance(rate, paddle.optimizer.lr.ReduceOnPlateau):|"
                          "    rate.step(loss)|else:|    rate.step()", indent)
