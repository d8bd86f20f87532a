"""Writes a program of the search as Python source: a Layer, what it is called with, and an optimizer for it.

`program(seed, number)` gives the same text for the same numbers. The module that it is the text of holds

- `Net`, the Layer;
- `INPUTS`, its arguments: nested lists and dicts of texts such as `float N 4`, where N is the size of the batch;
- `UNKNOWN`, whether the sizes that have letters are unknown to its InputSpecs;
- `TRAIN`, whether it is trained in training mode (dropout draws numbers, so it is not);
- `optimizer(net)`;
- now and then `between(net, step)`, which changes the Layer behind a step of training.
"""

from __future__ import annotations

import re
from random import Random

from . import changes, statements
from .body import Body, Shape, Value
from .expressions import expression, same_shape
from .network import Network

HEAD = '''"""Program {number} of seed {seed}."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, chain, islice

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn
from proa.autograd import PyLayer
from proa.distributed.fleet.utils import recompute
'''

#: Features, and words of templates, that no program has for now.
LEFT_OUT: frozenset[str] = frozenset()

SHAPES: list[Shape] = [
    ("N", 4),
    ("N", 4),
    ("N", 4),
    ("N", 3),
    ("N", "T", 4),
    ("N", "T", 2),
    ("N", 2, 4),
    ("N", 2, 3, 4),
    ("N", 1, 4, 4),
    (3, 4),
    (4,),
]


def program(seed: int, number: int, without: frozenset[str] = LEFT_OUT) -> str:
    """The source of a program. `without`: features that it shall not have."""
    rng = Random(f"{seed}:{number}")
    network = Network(rng, without)
    network.has_unknown = network.allows("unknown") and rng.random() < 0.6
    inputs, parameters, opening, values = _inputs(network)
    body = Body(network, values)
    for text in opening:
        body.line(text)
    _first(body)
    for _ in range(rng.randint(2, 8)):
        statements.write(body)
    result = _result(body)
    optimizer = _optimizer(network)
    classes = "\n\n".join(network.classes.values())
    trained = "nn.Dropout" not in " ".join(network.init) + classes
    source = "\n\n".join(
        filter(
            None,
            [
                HEAD.format(number=number, seed=seed)
                + (
                    "from search.recorded import recorded\n"
                    if "recorded(" in "\n".join(body.lines + network.methods) + classes
                    else ""
                ),
                classes,
                network.text("Net", f"self, {parameters}", body.lines, result),
                f"INPUTS = {inputs!r}\nUNKNOWN = {network.has_unknown}\nTRAIN = {trained}",
                optimizer,
                changes.between(network),
            ],
        )
    )
    return source + "\n"


def _leaf(shape: Shape, kind: str = "float") -> str:
    return " ".join([kind, *map(str, shape)])


def _inputs(network: Network) -> tuple[list, str, list[str], list[Value]]:
    """The arguments: how the caller sees them, the parameters' names, lines that open them, and the values."""
    rng = network.rng
    shape = rng.choice(SHAPES)
    second = rng.choice([shape, shape, ("N", *shape[1:-1], 1), shape[-1:], rng.choice(SHAPES)])
    if not network.allows("unknown_time"):
        shape, second = (tuple(3 if s == "T" else s for s in found) for found in (shape, second))
    if not network.has_unknown:
        fixed = {"N": 2, "T": 3}
        shape, second = (tuple(fixed.get(s, s) for s in found) for found in (shape, second))
    way = rng.random()
    if way < 0.45:
        return [_leaf(shape)], "x, scale=0.5", [], [Value("x", shape)]
    if way < 0.7:
        return [_leaf(shape), _leaf(second)], "x, y, scale=0.5", [], [Value("x", shape), Value("y", second)]
    if way < 0.8 and network.allows("nested_inputs"):
        return (
            [{"a": _leaf(shape), "b": _leaf(second)}],
            "given, scale=0.5",
            ['x, y = given["a"], given["b"]'],
            [Value("x", shape), Value("y", second)],
        )
    if way < 0.9 and network.allows("nested_inputs"):
        return (
            [[_leaf(shape), _leaf(second)]],
            "given, scale=0.5",
            ["x, y = given"],
            [Value("x", shape), Value("y", second)],
        )
    return (
        [_leaf(shape), _leaf(shape[:1], "int")],
        "x, n, scale=0.5",
        [],
        [Value("x", shape), Value("n", shape[:1], "int")],
    )


def _first(body: Body) -> None:
    """A parameter at the start, so that there is something to train."""
    x = body.values[0]
    last = x.shape[-1] if x.rank and isinstance(x.shape[-1], int) else 1
    body.network.init.append(
        f"self.gain = self.create_parameter([{last}], default_initializer=nn.initializer.Uniform(0.5, 1.5))"
    )
    body.assign(f"{x.text} * self.gain", x.shape)
    if body.chance(0.4):
        body.assign(*expression(body))


def _result(body: Body) -> str:
    network, rng = body.network, body.rng
    if network.result is None:
        own = [v for v in body.values if v.kind == "float"] if rng.random() < 0.9 else body.values
        chosen = [own[-1]] + [rng.choice(own) for _ in range(rng.randint(0, 2))]
        return network.structure([v.text for v in chosen[:-1]] + [chosen[-1].text + _unread(body, chosen)])
    return network.structure([same_shape(body, v) if rng.random() < 0.3 else v.text for v in network.result])


def _unread(body: Body, chosen: list[Value]) -> str:
    """The means of values that nothing has read, so that what made them matters."""
    text = "\n".join(body.lines)
    left = [
        v for v in body.values if v.kind == "float" and v not in chosen and len(re.findall(rf"\b{v.text}\b", text)) < 2
    ]
    if chosen[-1].kind != "float":
        return ""
    return "".join(f" + {v.text}.mean()" for v in left[-3:])


OPTIMIZERS = [
    "SGD(0.05",
    "Momentum(0.05, 0.9",
    "Adam(0.01",
    "AdamW(0.01, weight_decay=0.1",
    "RMSProp(0.01",
    "Adagrad(0.05",
    "Adamax(0.01",
    "Lamb(0.01",
    "Adadelta(0.05",
    "Momentum(0.05, 0.9, use_nesterov=True",
    "Adam(0.01, beta1=0.5, epsilon=1e-6, multi_precision=True",
    "AdamW(0.01, weight_decay=0.1, beta2=0.9, lr_ratio=None",
    "Momentum(0.05, 0.8, weight_decay=paddle.regularizer.L1Decay(0.05)",
    "RMSProp(0.01, momentum=0.5, centered=True",
    "AdamW(0.01, weight_decay=0.1, apply_decay_param_fun=lambda name: not name.endswith('b_0')",
    "Adam(0.01, lazy_mode=True",
    "Momentum(0.05, 0.9, multi_precision=True, rescale_grad=0.5",
    "Adamax(0.01, beta1=0.5, epsilon=1e-6",
    "Adagrad(0.05, initial_accumulator_value=0.1",
    "Lamb(0.01, lamb_weight_decay=0.1, exclude_from_weight_decay_fn=lambda p: len(p.shape) < 2",
]

SCHEDULES = [
    "StepDecay({0}, 1, 0.5)",
    "ExponentialDecay({0}, 0.5)",
    "LambdaDecay({0}, lambda epoch: 0.5**epoch)",
    "LinearWarmup({0}, 2, 0.0, {0})",
    "CosineAnnealingDecay({0}, 4)",
    "NoamDecay(4, 2, {0})",
    "ReduceOnPlateau({0}, patience=0, factor=0.5)",
    "MultiStepDecay({0}, [1, 2], 0.5)",
    "PiecewiseDecay([1, 2], [{0}, 0.5 * {0}, 0.1 * {0}])",
    "PolynomialDecay({0}, 4, cycle=True)",
    "InverseTimeDecay({0}, 0.5)",
    "NaturalExpDecay({0}, 0.5)",
    "MultiplicativeDecay({0}, lambda epoch: 0.5)",
    "CosineAnnealingWarmRestarts({0}, 2)",
    "OneCycleLR({0}, 6)",
    "CyclicLR({0}, 2 * {0}, 2)",
    "LinearLR({0}, 3)",
    "LinearWarmup(paddle.optimizer.lr.StepDecay({0}, 1, 0.5), 1, 0.0, {0})",
]


def _optimizer(network: Network) -> str:
    rng = network.rng
    head = rng.choice(OPTIMIZERS)
    if rng.random() < 0.15 and "weight_decay" not in head and not head.startswith("Lamb"):
        head += ", weight_decay=0.1"
    if rng.random() < 0.2 and network.allows("schedules"):
        schedule = "paddle.optimizer.lr." + rng.choice(SCHEDULES)
        head = re.sub(r"\((0\.0[15])", lambda rate: "(" + schedule.format(rate[1]), head, count=1)
    if rng.random() < 0.2 and network.allows("clipping"):
        head += ", grad_clip=" + rng.choice(
            ["nn.ClipGradByGlobalNorm(0.5)", "nn.ClipGradByNorm(0.3)", "nn.ClipGradByValue(0.1)"]
        )
    lines = ["def optimizer(net):"]
    if rng.random() < 0.2 and network.allows("groups"):
        option = rng.choice(
            ['"learning_rate": 0.5', '"weight_decay": 0.2', '"learning_rate": 0.5, "weight_decay": 0.2']
        )
        lines += [
            '    first = [p for name, p in net.named_parameters() if name == "gain"]',
            '    others = [p for name, p in net.named_parameters() if name != "gain"]',
            f'    groups = [{{"params": first, {option}}}]',
            "    if others:",
            '        groups.append({"params": others})',
        ]
        parameters = "groups"
    else:
        parameters = "net.parameters()"
    made = f"paddle.optimizer.{head}, parameters={parameters})"
    if rng.random() < 0.08 and network.allows("lookahead"):
        made = f"paddle.incubate.optimizer.LookAhead({made}, alpha=0.5, k=2)"
    return "\n".join([*lines, f"    return {made}"])
