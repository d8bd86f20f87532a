"""Random programs about values that share memory, and four ways to run each; `python -m aliasing.generated COUNT`.

A program is a list of statements on parameters, buffers, an input and values: views of all kinds, arithmetic, steps of
optimizers, assignments, running means, branches, detached values, arrays handed out, losses whose gradient is asked for
after an update. It runs `ROUNDS` times over, as a training loop does; every value of every round is looked at when all
is done. The reference is NumPy, whose views share memory as those of eager code do; of Programs, and of what converted
functions give, it copies everything. Eager code, a Program, and code of which every stretch between updates is a
converted function must give the same.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import proa as paddle
from proa import static
from proa.core.errors import ModifiedInPlaceError

ROUNDS = 3
REFUSED = "refused"
CHANGED = "after a change, "
SHAPES = ((2, 3), (4,), (1, 2, 2), (2, 2))
F = paddle.nn.functional


@dataclass(frozen=True)
class View:
    """A way to look at a value: of a Tensor or Variable, of an array, and for which shapes."""

    take: Callable[[Any], Any]
    copy: Callable[[np.ndarray], np.ndarray]
    fits: Callable[[tuple[int, ...]], bool] = lambda shape: len(shape) > 0
    whole: bool = True  # every element is there once
    shares: bool = True  # eager code shares the memory


def _reversed(n: int) -> list[int]:
    return list(range(n))[::-1]


VIEWS = {
    "flat": View(lambda x: paddle.reshape(x, [-1]), lambda x: x.reshape(-1)),
    "transpose": View(lambda x: paddle.transpose(x, _reversed(len(x.shape))), lambda x: x.T),
    "first": View(lambda x: x[0], lambda x: x[0, ...], whole=False),
    "last": View(lambda x: x[-1:], lambda x: x[-1:], whole=False),
    "steps": View(lambda x: x[::2], lambda x: x[::2], whole=False),
    "flip": View(lambda x: paddle.flip(x, [0]), lambda x: x[::-1], shares=False),
    "rot90": View(lambda x: paddle.rot90(x), np.rot90, lambda shape: len(shape) > 1, shares=False),
    "unsqueeze": View(lambda x: paddle.unsqueeze(x, 0), lambda x: x[None]),
    "squeeze": View(lambda x: paddle.squeeze(x, 0), lambda x: x[0], lambda shape: len(shape) > 1 and shape[0] == 1),
    "expand": View(lambda x: paddle.expand(x, [2, *x.shape]), lambda x: np.broadcast_to(x, (2, *x.shape)), whole=False,
                   shares=False),
    "split": View(lambda x: paddle.split(x, 2, 0)[1], lambda x: np.split(x, 2)[1],
                  lambda shape: len(shape) > 0 and shape[0] % 2 == 0, whole=False, shares=False),
    "unbind": View(lambda x: paddle.unbind(x, 0)[-1], lambda x: x[-1, ...], whole=False),
    "moveaxis": View(lambda x: paddle.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1)),
    "diagonal": View(lambda x: paddle.diagonal(x), np.diagonal, lambda shape: len(shape) > 1, whole=False),
    "cast": View(lambda x: paddle.cast(x, "float32"), lambda x: x, shares=False),
    "clone": View(lambda x: x.clone(), lambda x: x, shares=False),
    "assign": View(lambda x: paddle.assign(x), lambda x: x, shares=False),
    "eval dropout": View(lambda x: F.dropout(x, 0.5, training=False), lambda x: x, shares=False),
}
PIECES = {
    "double": (lambda x: x * 2.0, lambda x: x * 2.0),
    "shift": (lambda x: x * 0.5 + 1.0, lambda x: x * 0.5 + 1.0),
    "tanh": (paddle.tanh, np.tanh),
    "square": (lambda x: paddle.tanh(x * x), lambda x: np.tanh(x * x)),
}


@dataclass(frozen=True)
class Statement:
    """`kind`, what it concerns (a name such as 'p0' or 'v3'), and the rest; `result` is the name that it defines."""

    kind: str
    source: str
    how: Any = None
    result: str = ""

    def __str__(self) -> str:
        given = self.source if self.how is None else f"{self.source}, {self.how}"
        return f"{self.result} = {self.kind}({given})" if self.result else f"{self.kind}({given})"


@dataclass
class Program:
    """The statements, and the shapes of parameters (p0, …) and buffers (b0, …)."""

    shapes: dict[str, tuple[int, ...]]
    statements: list[Statement] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join([f"{self.shapes}", *map(str, self.statements)])


class _Writer:
    """Writes one program; knows the shape of every value, and which values hold all of a parameter."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        r = self.random
        shapes = {f"p{n}": r.choice(SHAPES) for n in range(r.choice((1, 1, 2)))}
        shapes |= {"b0": (3,)} if r.random() < 0.3 else {}
        self.program = Program(shapes)
        self.shapes = dict(shapes) | {"x0": INPUT.shape}
        self.whole: dict[str, str] = {}  # values that hold every element of a parameter once
        self.pending: list[str] = []
        self.count = 0

    def write(self) -> Program:
        kinds = [*["view"] * 6, *["piece"] * 3, *["step"] * 4, "product", "product", "add", "set", "mean", "average",
                 "branch", "detach", "numpy", "dlpack", "loss", "loss", "gradient", "both"]
        for _ in range(self.random.randint(4, 14)):
            getattr(self, "_" + self.random.choice(kinds))()
        if not any(s.kind == "step" for s in self.program.statements):
            self._step()
        for name in self.pending:
            self._say("gradient", name)
        return self.program

    def _say(self, kind: str, source: str, how: Any = None, shape: tuple[int, ...] | None = None) -> str:
        name = ""
        if shape is not None:
            name, self.count = f"v{self.count}", self.count + 1
            self.shapes[name] = shape
        self.program.statements.append(Statement(kind, source, how, name))
        return name

    def _any(self) -> str:
        """A value: mostly the newest or a parameter."""
        names = list(self.shapes)
        return self.random.choice(names + [n for n in names if n[0] == "p"] * 2 + names[-2:] * 2)

    def _parameter(self) -> str:
        return self.random.choice([n for n in self.program.shapes if n[0] == "p"])

    def _view(self) -> None:
        source = self._any()
        shape = self.shapes[source]
        fitting = [name for name, view in VIEWS.items() if view.fits(shape)]
        if fitting and len(shape) < 5:
            how = self.random.choice(fitting)
            name = self._say("view", source, how, VIEWS[how].copy(np.zeros(shape)).shape)
            of = source if source[0] == "p" else self.whole.get(source)
            if VIEWS[how].whole and of:
                self.whole[name] = of

    def _piece(self) -> None:
        source = self._any()
        self._say("piece", source, self.random.choice(list(PIECES)), self.shapes[source])

    def _both(self) -> None:
        source = self._any()
        same = [n for n, shape in self.shapes.items() if shape == self.shapes[source]]
        self._say("both", source, self.random.choice(same), self.shapes[source])

    def _product(self) -> None:
        square = [n for n, shape in self.shapes.items() if shape == INPUT.shape]
        parameters = [n for n in square if n[0] == "p"]
        self._say("product", self.random.choice(parameters or square), self.random.choice(square), INPUT.shape)

    def _step(self) -> None:
        source = self._parameter()
        rule = self.random.choice(("SGD", "Momentum", "Adam"))
        loss = self.random.choice(["linear", "square", "view"] if rule != "Adam" else ["linear"])
        around = self.shapes[source] == INPUT.shape and self.random.random() < 0.3
        if around:  # the parameter before and after, each with one value
            value = self._say("piece", "x0", self.random.choice(list(PIECES)), INPUT.shape)
            self._say("product", source, value, INPUT.shape)
        self._say("step", source, (rule, loss))
        if around:
            self._say("both", value, source, INPUT.shape)

    def _add(self) -> None:
        self._say("add", self._parameter(), 0.25)

    def _set(self) -> None:
        target = self.random.choice(list(self.program.shapes))
        same = [n for n, shape in self.shapes.items() if shape == self.shapes[target] and n != target]
        if same:
            self._say("set", target, self.random.choice(same))

    def _mean(self) -> None:
        if "b0" in self.shapes:
            self._say("mean", "b0")

    def _average(self) -> None:
        names = [n for n in self.program.shapes if n[0] == "p"]
        if len(names) == 2 and self.shapes["p0"] == self.shapes["p1"]:
            self._say("average", "p0", "p1")

    def _branch(self) -> None:
        source = self._any()
        if VIEWS["transpose"].fits(self.shapes[source]):
            self._say("branch", source, self.random.random() < 0.5, self.shapes[source][::-1])

    def _detach(self) -> None:
        source = self._parameter()
        self._say("detach", source, None, self.shapes[source])

    def _numpy(self) -> None:
        source = self._any()
        self._say("numpy", source, None, self.shapes[source])

    def _dlpack(self) -> None:
        source = self._any()
        self._say("dlpack", source, None, self.shapes[source])

    def _loss(self) -> None:
        """A sum of squares, of a parameter or of all of it seen in another way: its gradient needs the values."""
        source = self.random.choice([*self.whole, *[n for n in self.program.shapes if n[0] == "p"]])
        self.pending.append(self._say("loss", source, self.whole.get(source, source), ()))

    def _gradient(self) -> None:
        if self.pending:
            self._say("gradient", self.pending.pop(self.random.randrange(len(self.pending))))


def written(seed: int) -> Program:
    """The program of this number."""
    return _Writer(seed).write()


def initial(program: Program) -> dict[str, np.ndarray]:
    """What parameters and buffers begin with."""
    return {name: (np.arange(np.prod(shape)) / 8 + 0.5 + n / 2).reshape(shape).astype("float32")
            for n, (name, shape) in enumerate(program.shapes.items())}


# The reference

class Reference:
    """NumPy's answer: values that share memory are views of one array, all others are copies.

    `updates`: detached values share the memory of theirs, as in eager code; `views`: those that views give do, too;
    `branches`: where a tensor decides, too.
    """

    def __init__(self, program: Program, updates: bool, views: bool, branches: bool):
        self.program, self.updates, self.views, self.branches = program, updates, views, branches
        self.values = {name: array.astype("float64") for name, array in initial(program).items()}
        self.values["x0"] = INPUT.astype("float64")
        self.version = dict.fromkeys(program.shapes, 0)
        self.state: dict[Any, Any] = {}
        self.squares: dict[str, tuple] = {}
        self.root = {name: name for name in program.shapes}  # which parameter a value is all or a part of
        self.origin: dict[str, tuple] = {}  # what a copy has seen of a parameter, and the versions of all then
        self.seen: list[tuple[str, Any]] = []

    def run(self) -> list[tuple[str, Any]]:
        for turn in range(ROUNDS):
            for place, statement in enumerate(self.program.statements):
                getattr(self, "_" + statement.kind)(statement, place)
                if statement.result:
                    self.seen.append((f"{turn}: {statement}", self.values[statement.result]))
            for name in self.program.shapes:
                self.seen.append((f"{turn}: {name}", self.values[name].copy()))
        return [(label, np.array(value) if isinstance(value, np.ndarray) else value) for label, value in self.seen]

    def _define(self, statement: Statement, array: np.ndarray, shares: bool = False) -> None:
        self.values[statement.result] = array if shares else np.array(array)
        for known in (self.root, self.origin):
            known.pop(statement.result, None)

    def _view(self, s, place):
        shares = self.views and VIEWS[s.how].shares
        self._define(s, VIEWS[s.how].copy(self.values[s.source]), shares)
        if s.source in self.root:
            self.root[s.result] = root = self.root[s.source]
            if s.source in self.origin:
                self.origin[s.result] = self.origin[s.source]
            elif not shares:
                self.origin[s.result] = self.values[root].copy(), dict(self.version)

    def _piece(self, s, place):
        self._define(s, PIECES[s.how][1](self.values[s.source]))

    def _both(self, s, place):
        self._define(s, np.tanh(self.values[s.source] + self.values[s.how]))

    def _product(self, s, place):
        self._define(s, np.tanh(self.values[s.source] @ self.values[s.how]))

    def _branch(self, s, place):
        turned = self.values[s.source].T
        self._define(s, turned if s.how else turned * 2, self.branches)

    def _numpy(self, s, place):
        self._define(s, self.values[s.source])

    _dlpack = _numpy

    def _detach(self, s, place):
        self._define(s, self.values[s.source], self.updates)

    def _update(self, name: str, array: np.ndarray) -> None:
        """What is written in place: all that share the memory show it, wherever they have been seen."""
        if self.updates:
            self.values[name][...] = array
        else:
            self.values[name] = np.array(array)
        self.version[name] += 1

    def _add(self, s, place):
        self._update(s.source, self.values[s.source] + s.how)

    def _set(self, s, place):
        self._update(s.source, self.values[s.how])

    def _average(self, s, place):
        self._update(s.source, self.values[s.source] * 0.75 + self.values[s.how] * 0.25)

    def _mean(self, s, place):
        self._update(s.source, self.values[s.source] * 0.9 + 0.1 * DATA.mean(0))

    def _step(self, s, place):
        rule, loss = s.how
        p = self.values[s.source]
        g = np.full_like(p, 3.0) if loss == "linear" else 2 * p
        if rule == "SGD":
            step = 0.1 * g
        elif rule == "Momentum":
            velocity = self.state[place] = self.state.get(place, 0.0) * 0.9 + g
            step = 0.1 * velocity
        else:
            m, v, t = self.state.get(place, (0.0, 0.0, 0))
            m, v, t = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, t + 1
            self.state[place] = m, v, t
            step = 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        self._update(s.source, p - step)

    def _loss(self, s, place):
        self._define(s, (self.values[s.source] ** 2).sum())
        then, taken = self.origin.get(s.source) or (self.values[s.how].copy(), dict(self.version))
        self.squares[s.result] = s.how, then, taken, s.source == s.how

    def _gradient(self, s, place):
        name, then, taken, direct = self.squares[s.source]
        found = 2 * then
        if direct and self.version[name] != taken[name]:
            found = REFUSED if self.updates else 2 * self.values[name]
        self.seen.append((f"{'' if self.version == taken else CHANGED}gradient of {s.source}", found))


INPUT = np.array([[0.5, -0.25], [1.0, 0.75]], "float32")
DATA = np.linspace(-1, 2, 12, dtype="float32").reshape(4, 3)


# Eager code

class Eager:
    """Tensors; `converted`: each stretch of statements that only compute is a converted function."""

    def __init__(self, program: Program, converted: bool = False):
        self.program, self.converted = program, converted
        self.values: dict[str, Any] = {}
        for name, array in initial(program).items():
            if name[0] == "p":
                self.values[name] = paddle.create_parameter(
                    list(array.shape), "float32", default_initializer=paddle.nn.initializer.Assign(array))
            else:
                self.values[name] = paddle.to_tensor(array)
        self.values["x0"] = paddle.to_tensor(INPUT)
        self.optimizers: dict[int, Any] = {}
        self.variance = paddle.ones([3])
        self.seen: list[tuple[str, Any]] = []
        self.functions: dict[int, Any] = {}

    def run(self) -> list[tuple[str, Any]]:
        for turn in range(ROUNDS):
            place = 0
            while place < len(self.program.statements):
                stretch = self._stretch(place) if self.converted else []
                if stretch:
                    self._run_stretch(place, stretch)
                else:
                    getattr(self, "_" + self.program.statements[place].kind)(self.program.statements[place], place)
                for statement in stretch or [self.program.statements[place]]:
                    if statement.result:
                        self.seen.append((f"{turn}: {statement}", self.values[statement.result]))
                place += len(stretch) or 1
            for name in self.program.shapes:
                self.seen.append((f"{turn}: {name}", self.values[name].numpy()))
        return self.seen

    def _stretch(self, place: int) -> list[Statement]:
        found = []
        for statement in self.program.statements[place:]:
            if statement.kind not in ("view", "piece", "both", "product", "branch"):
                break
            found.append(statement)
        return found

    def _run_stretch(self, place: int, stretch: list[Statement]) -> None:
        made = {s.result for s in stretch}
        needed = {n for s in stretch for n in (s.source, s.how) if isinstance(n, str) and n in self.values} - made
        held = {name: self.values[name] for name in sorted(needed)}
        if place not in self.functions:
            self.functions[place] = paddle.jit.to_static(_staged(stretch), full_graph=True)
        results = self.functions[place]({name: self._tensor(name) for name in held})
        self.values.update(zip([s.result for s in stretch], results, strict=True))

    def _tensor(self, name: str) -> Any:
        value = self.values[name]
        return paddle.to_tensor(value) if isinstance(value, np.ndarray) else value

    def _view(self, s, place):
        self.values[s.result] = VIEWS[s.how].take(self._tensor(s.source))

    def _piece(self, s, place):
        self.values[s.result] = PIECES[s.how][0](self._tensor(s.source))

    def _both(self, s, place):
        self.values[s.result] = paddle.tanh(self._tensor(s.source) + self._tensor(s.how))

    def _product(self, s, place):
        self.values[s.result] = paddle.tanh(paddle.matmul(self._tensor(s.source), self._tensor(s.how)))

    def _branch(self, s, place):
        self.values[s.result] = _branched(self._tensor(s.source), paddle.to_tensor(s.how))

    def _detach(self, s, place):
        self.values[s.result] = self.values[s.source].detach()

    def _numpy(self, s, place):
        self.values[s.result] = self._tensor(s.source).numpy()

    def _dlpack(self, s, place):
        self.values[s.result] = np.from_dlpack(self._tensor(s.source).detach())

    def _add(self, s, place):
        with paddle.no_grad():
            self.values[s.source].add_(paddle.full([1], s.how))

    def _set(self, s, place):
        self.values[s.source].set_value(self._tensor(s.how).detach())

    def _average(self, s, place):
        with paddle.no_grad():
            self.values[s.source].set_value(self.values[s.source] * 0.75 + self.values[s.how] * 0.25)

    def _mean(self, s, place):
        F.batch_norm(paddle.to_tensor(DATA), self.values[s.source], self.variance, training=True)

    def _step(self, s, place):
        rule, loss = s.how
        p = self.values[s.source]
        if place not in self.optimizers:
            self.optimizers[place] = getattr(paddle.optimizer, rule)(0.1, parameters=[p])
        p.clear_gradient(False)
        _objective(p, loss).backward()
        self.optimizers[place].step()
        p.clear_gradient(False)

    def _loss(self, s, place):
        value = self.values[s.source]
        self.values[s.result] = (value * value).sum()

    def _gradient(self, s, place):
        how = next(t for t in self.program.statements if t.result == s.source).how
        try:
            [found] = paddle.grad(self.values[s.source], self.values[how], retain_graph=True)
        except ModifiedInPlaceError:
            found = REFUSED
        self.seen.append((f"gradient of {s.source}", found))


def _objective(p, loss):
    if loss == "linear":
        return (p * 3.0).sum()
    seen = p if loss == "square" else paddle.flip(paddle.reshape(p, [-1]), [0])
    return (seen * seen).sum()


def _branched(x, condition):
    if condition.sum() > 0:
        y = paddle.transpose(x, _reversed(len(x.shape)))
    else:
        y = paddle.transpose(x, _reversed(len(x.shape))) * 2.0
    return y


def _staged(stretch: list[Statement]) -> Callable[[dict[str, Any]], list[Any]]:
    """The statements as one function of the values that they need."""

    def function(held):
        values = dict(held)
        for s in stretch:
            values[s.result] = _computed(s, values)
        return [values[s.result] for s in stretch]

    return function


def _computed(s, values):
    if s.kind == "view":
        return VIEWS[s.how].take(values[s.source])
    if s.kind == "piece":
        return PIECES[s.how][0](values[s.source])
    if s.kind == "both":
        return paddle.tanh(values[s.source] + values[s.how])
    if s.kind == "product":
        return paddle.tanh(paddle.matmul(values[s.source], values[s.how]))
    return _branched(values[s.source], paddle.full([1], float(s.how)))


# A Program

class Static(Eager):
    """One Program, run over and over; what is fetched is kept as it is given."""

    def __init__(self, program: Program):
        self.program, self.converted = program, False
        self.values, self.optimizers, self.seen = {}, {}, []

    def run(self) -> list[tuple[str, Any]]:
        main, startup, scope = static.Program(), static.Program(), static.Scope()
        exe = static.Executor()
        with static.scope_guard(scope), paddle.utils.unique_name.guard(), static.program_guard(main, startup):
            for name, array in initial(self.program).items():
                self.values[name] = static.create_parameter(
                    list(array.shape), "float32", default_initializer=paddle.nn.initializer.Assign(array))
                self.values[name].stop_gradient = name[0] == "b"
            self.variance = static.create_global_var([3], 1.0, "float32", persistable=True)
            self.data = paddle.to_tensor(DATA)
            self.values["x0"] = static.data("x0", list(INPUT.shape))
            fetched: list[tuple[str, Any]] = []
            for place, statement in enumerate(self.program.statements):
                getattr(self, "_" + statement.kind)(statement, place)
                if statement.result:
                    fetched.append((str(statement), self.values[statement.result]))
                if statement.kind == "gradient":
                    fetched.append((f"gradient of {statement.source}", self.found))
            fetched += [(name, self.values[name]) for name in self.program.shapes]
            exe.run(startup)
            wanted = [value for _, value in fetched]
            runs = [exe.run(main, {"x0": INPUT}, wanted, return_numpy=False) for _ in range(ROUNDS)]
        return [(f"{turn}: {label}", value) for turn, values in enumerate(runs)
                for (label, _), value in zip(fetched, values, strict=True)]

    def _tensor(self, name: str) -> Any:
        return self.values[name]

    def _branch(self, s, place):
        x = self.values[s.source]
        order = _reversed(len(x.shape))
        self.values[s.result] = static.nn.cond(
            paddle.full([1], float(s.how)).sum() > 0.0, lambda: paddle.transpose(x, order),
            lambda: paddle.transpose(x, order) * 2.0)

    def _numpy(self, s, place):
        self.values[s.result] = paddle.assign(self.values[s.source])

    _dlpack = _numpy

    def _add(self, s, place):
        paddle.assign(self.values[s.source] + s.how, self.values[s.source])

    def _set(self, s, place):
        paddle.assign(self.values[s.how], self.values[s.source])

    def _average(self, s, place):
        paddle.assign(self.values[s.source] * 0.75 + self.values[s.how] * 0.25, self.values[s.source])

    def _mean(self, s, place):
        F.batch_norm(self.data, self.values[s.source], self.variance, training=True)

    def _step(self, s, place):
        rule, loss = s.how
        p = self.values[s.source]
        getattr(paddle.optimizer, rule)(0.1).minimize(_objective(p, loss), parameters=[p])

    def _gradient(self, s, place):
        how = next(t for t in self.program.statements if t.result == s.source).how
        [self.found] = static.gradients([self.values[s.source]], [self.values[how]])


# Comparing

def array_of(value: Any) -> Any:
    """What a value holds when it is looked at in the end."""
    return value if isinstance(value, str) else np.array(value.numpy() if isinstance(value, paddle.Tensor) else value)


def differences(wanted: list[tuple[str, Any]], found: list[tuple[str, Any]], may_refuse: bool = False) -> list[str]:
    """What differs, a line a value. `may_refuse`: gradients of what has changed since may be refused."""
    lines = [] if len(wanted) == len(found) else [f"{len(found)} values for {len(wanted)}"]
    for (label, a), (_, b) in zip(wanted, found, strict=False):
        b = array_of(b)
        if isinstance(a, str) or isinstance(b, str):
            if may_refuse and b == REFUSED and label.startswith(CHANGED):
                continue
            if not (isinstance(a, str) and isinstance(b, str)):
                lines.append(f"{label}: {b} for {a}")
        elif a.shape != b.shape or not np.allclose(a, b, rtol=1e-3, atol=3e-4):
            lines.append(f"{label}: {b.tolist()} for {np.asarray(a).tolist()}")
    return lines


WAYS: dict[str, Callable[[Program], Any]] = {
    "eager": Eager, "Program": Static, "converted": lambda program: Eager(program, converted=True)}


def checked(program: Program, way: str) -> list[str]:
    """What a way of running a program gives that the reference does not."""
    with paddle.utils.unique_name.guard():
        is_tensors = way != "Program"
        reference = Reference(program, is_tensors, is_tensors, branches=way == "eager")
        return differences(reference.run(), WAYS[way](program).run(), way == "converted")


def shrunken(program: Program, way: str) -> Program:
    """The program without statements that the difference does not need."""
    place = len(program.statements) - 1
    while place >= 0:
        rest = [s for n, s in enumerate(program.statements) if n != place]
        smaller = Program(program.shapes, rest)
        try:
            differs = bool(checked(smaller, way))
        except Exception:
            differs = False
        if differs:
            program = smaller
        place -= 1
    return program


def found_in(numbers: Any, ways: Callable[[int], Any] = lambda n: WAYS) -> list[str]:
    """What differs in the programs of these numbers, made small."""
    found = []
    for number in numbers:
        program = written(number)
        for way in ways(number):
            if checked(program, way):
                small = shrunken(program, way)
                found.append(f"program {number}, {way}:\n{small}\n" + "\n".join(checked(small, way)[:5]))
    return found


def ways_of(number: int) -> Any:
    """The ways in which a program is run: a converted function takes longest to make, so one in ten has some."""
    return WAYS if number % 10 == 0 else ("eager", "Program")


def main(count: int, start: int = 0) -> None:
    """Runs so many programs and prints what differs."""
    found = 0
    for number in range(start, start + count):
        try:
            lines = found_in([number], ways_of)
        except Exception as error:
            lines = [f"program {number}: {type(error).__name__}: {error}\n{written(number)}"]
        for line in lines:
            sys.stdout.write(line + "\n\n")
        found += len(lines)
        if number % 500 == 499:
            sys.stdout.write(f"{number + 1 - start} programs\n")
            sys.stdout.flush()
    sys.stdout.write(f"{count} programs, {found} differ\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
