"""Runs a program in every way there is and tells where the numbers are not those of the eager run."""

from __future__ import annotations

import contextlib
import copy
import io
import re
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle

from . import by_hand, comparing, derivatives, loading
from .loading import OTHER, TRAINING, Module

STEPS = 3
LARGEST = 1e4


class Invalid(Exception):
    """The program does not even run eagerly, or what it computes is too large to compare."""


class Noise(Exception):
    """A gradient is rounding, of which an optimizer's rule may make steps."""


@dataclass
class Finding:
    """Something that differs: at which stage, what kind of thing, and the details."""

    stage: str
    kind: str
    detail: str

    @property
    def signature(self) -> tuple[str, str, str]:
        """What a smaller program must show as well: with an error's kind, its text without names and numbers."""
        if self.kind == "value":
            return self.stage, self.kind, ""
        said = self.detail.partition("Reason: ")[2] or self.detail
        said = re.sub(r'File "[^"]*", line \d+, in \w+: ', "", said.partition("\n")[0])
        return self.stage, self.kind, re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\[[^\]]*\]|[-\d.]+", "", said)[:100]


@dataclass
class Outcome:
    """What came of a program."""

    findings: list[Finding] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    rounding: list[str] = field(default_factory=list)
    invalid: str = ""


@dataclass(frozen=True)
class Way:
    """How a program is run: what is rotated from number to number."""

    full_graph: bool = False
    with_specs: bool = False
    dtype: str = "float32"
    stages: tuple[str, ...] = ("train", "export")
    resumed: bool = False  # the converted training goes on, behind its first step, with what state dicts hold
    method: bool = False  # what is saved is a method beside `forward`
    keep: str = ""  # a folder for the model's files, inputs and outputs, for the oracle
    copied: bool = False  # what is converted, or loaded, is run as a deep copy
    parallel: bool = False  # the Layer is trained inside of a DataParallel
    narrow: bool = False  # something is computed in 16 bits, which rounds

    @property
    def precision(self) -> str:
        """To what precision results are compared."""
        return "narrow" if self.narrow else self.dtype

    @classmethod
    def of(cls, number: int, keep: str = "") -> Way:
        stages = {0: ("train",), 1: ("export",)}.get(number // 2 % 4, ("train", "export"))
        stages += ("step",) * (number % 5 == 3) + ("by hand",) * (number % 5 == 1)
        return cls(
            full_graph=number % 2 == 0,
            with_specs=number % 3 == 0,
            stages=stages,
            resumed=number % 7 == 5,
            method=number % 7 == 3,
            copied=number % 9 == 2,
            parallel=number % 11 == 4,
            keep=keep,
        )


#: What may be refused, with a reason: the documented bounds of conversion and export.
REFUSALS = [
    "inside of an `if` or a loop",
    "an operation in place must keep the shape",
    "both sides are computed. Write it as an `if` statement",
    "which is one of the branch or loop alone",
    r"Give it a copy: y\.detach\(\)\.clone\(\)",
    "the hook reads .*, which is given another value behind it",
    "a tensor decides whether (this (loop|call) goes on|what stands behind)",
    "says whether another variable is the same tensor",
    "has hooks on its gradient, which no Program calls",
    "in a branch or loop that a tensor decides, or outlives the call: it must keep its shape",
    "text that is made of .*, in str.split",
    "the deque `.*` is changed in place inside it",
    "comes out of an `if` or a loop that a tensor decides, and so does another value",
    r"is (int|float)\d+ before a turn and (int|float)\d+ behind it",
]


@contextlib.contextmanager
def dtype_of_numbers(dtype: str) -> Iterator[None]:
    before = paddle.get_default_dtype()
    paddle.set_default_dtype(dtype)
    try:
        yield
    finally:
        paddle.set_default_dtype(before)


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """TimeoutError inside of a block that takes too long."""

    def ring(*_: Any) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again and again: a conversion may take it for its own error
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def loss_of(result: Any) -> Any:
    """A number in which every float of a result counts differently."""
    total = None
    for part in loading.leaves(result):
        if part.dtype not in (paddle.float32, paddle.float64):
            continue
        places = paddle.arange(part.size, dtype=part.dtype)
        term = (part * paddle.cos(places).reshape(part.shape)).sum()
        total = term if total is None else total + term
    return total


def outputs(result: Any) -> dict[str, np.ndarray]:
    return {f"output{n}": part.numpy().copy() for n, part in enumerate(loading.leaves(result))}


def state(net: Any) -> dict[str, np.ndarray]:
    """Parameters and buffers by their names."""
    held = {f"parameter {name}": p.numpy().copy() for name, p in net.named_parameters()}
    held.update({f"buffer {name}": b.numpy().copy() for name, b in net.named_buffers()})
    return held


def train(
    module: Module,
    net: Any,
    way: Way,
    *,
    flat: bool = False,
    frozen: bool = False,
    sizes: Any = None,
    zeros: dict[str, list[int]] | None = None,
    again: Callable[[], Any] | None = None,
    changes: bool = False,
) -> Trained:
    """Three steps: each one's outputs, loss and gradients, and what they leave.

    `flat`: arguments without their nesting, as a loaded Layer takes them. `frozen`: buffers are put back after a step.
    `zeros`: parameters whose gradient, where a step gives none, is made zeros: those that the other run has one for.
    `changes`: between steps the program's `between` changes the Layer.
    `again` makes the Layer that goes on, behind the first step, with what the state dicts of the first one hold.
    """
    optimizer = module.optimizer(net)
    found: dict[str, np.ndarray] = {}
    given: dict[str, list[int]] = {}
    kept = {name: b.numpy().copy() for name, b in net.named_buffers()} if frozen else {}
    call = paddle.DataParallel(net) if way.parallel else net
    for step in range(STEPS):
        held = loading.tensors(
            loading.arrays(module, (sizes or [TRAINING] * STEPS)[step], 100 + step), way.dtype, stop_gradient=False
        )
        result = call(*(loading.leaves(held) if flat else held))
        found.update({f"step {step} {name}": array for name, array in outputs(result).items()})
        loss = loss_of(result)
        if loss is not None and not loss.stop_gradient:
            loss.backward()
        for n, leaf in enumerate(loading.leaves(held)):
            if leaf.dtype in (paddle.float32, paddle.float64):
                found[f"step {step} gradient of input {n}"] = _gradient(leaf)
        gradients = {name: _gradient(p) for name, p in net.named_parameters()}
        found.update({f"step {step} gradient of {name}": array for name, array in gradients.items()})
        largest = max((float(np.abs(array).max(initial=0.0)) for array in gradients.values()), default=0.0)
        for name, p in net.named_parameters():
            if p.grad is not None:
                given.setdefault(name, []).append(step)
                p.grad = _without_noise(p.grad, largest)
            elif step in (zeros or {}).get(name, ()):
                p.grad = paddle.zeros_like(p)
        optimizer.step()
        optimizer.clear_grad()
        _next_rate(optimizer, loss)
        for name, array in kept.items():  # another tensor: `forward` may have given the buffer another dtype
            owner, _, last = name.rpartition(".")
            setattr(net if not owner else dict(net.named_sublayers())[owner], last, paddle.to_tensor(array))
        if again is not None and step == 0:
            net, optimizer = _restored(module, net, optimizer, again)
            call = net
        if changes:
            module.between(net, step)
    found.update(state(net))
    return Trained(found, given)


def _next_rate(optimizer: Any, loss: Any) -> None:
    """Takes a schedule one step further."""
    rate = getattr(optimizer, "inner_optimizer", optimizer)._learning_rate
    if isinstance(rate, paddle.optimizer.lr.ReduceOnPlateau):
        rate.step(paddle.to_tensor(1.0) if loss is None else loss.detach())
    elif hasattr(rate, "step"):
        rate.step()


def _restored(module: Module, net: Any, optimizer: Any, again: Callable[[], Any]) -> tuple[Any, Any]:
    """A new Layer and optimizer with the state of others, by way of a file's bytes."""
    left = {name: p.grad for name, p in net.named_parameters()}  # of parameters that the optimizer has not
    file = io.BytesIO()
    paddle.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    held = paddle.load(file)
    net = again()
    optimizer = module.optimizer(net)
    net.set_state_dict(held["net"])
    optimizer.set_state_dict(held["optimizer"])
    for name, p in net.named_parameters():
        if left[name] is not None:
            p.grad = left[name]
    return net, optimizer


def _without_noise(gradient: Any, largest: float) -> Any:
    """Zeros for what is rounding alone (of a bias before a norm, say): a rule such as Adam's would make steps of it.

    `largest`: the largest number in any parameter's gradient, from whose terms such a rest may come.
    """
    array = gradient.numpy()
    least = (1e-6 if array.dtype == np.float32 else 1e-13) * max(1.0, largest)
    return paddle.to_tensor(np.where(np.abs(array) < least, np.zeros_like(array), array))


def _checked(net: Any, zeros: bool) -> None:
    """Raises Noise where a gradient has what is rounding alone; puts `zeros` where there is none."""
    gradients = [p.grad for p in net.parameters() if p.grad is not None]
    largest = max((float(g.abs().max()) for g in gradients), default=0.0)
    if any(not np.array_equal(_without_noise(g, largest).numpy(), g.numpy()) for g in gradients):
        raise Noise
    for p in net.parameters():
        if zeros and p.grad is None and not p.stop_gradient:
            p.grad = paddle.zeros_like(p)


class Trained(dict):
    """What a training found, and at which steps each parameter was given a gradient."""

    def __init__(self, found: dict, given: dict[str, list[int]]):
        super().__init__(found)
        self.given = given


def _gradient(tensor: Any) -> np.ndarray:
    return np.zeros(tensor.shape, str(tensor.numpy().dtype)) if tensor.grad is None else tensor.grad.numpy().copy()


def run(source: str, name: str, way: Way) -> Outcome:
    """Every stage of a program; what differs in float32 is settled in float64."""
    way = replace(way, narrow=bool(re.search(r"auto_cast\(|float16", source)))
    outcome = _run(source, name, way)
    for n, finding in enumerate(list(outcome.findings)):
        if finding.kind != "value" or way.precision != "float32":
            continue
        exact = _run(source, name, replace(way, dtype="float64", keep=""))
        if not exact.invalid and not any(f.stage == finding.stage for f in exact.findings):
            outcome.rounding.append(f"{finding.stage}: {finding.detail}")
            outcome.findings[n] = None
    outcome.findings = [f for f in outcome.findings if f is not None]
    return outcome


def _run(source: str, name: str, way: Way) -> Outcome:
    outcome = Outcome()
    with warnings.catch_warnings(), dtype_of_numbers(way.dtype), np.errstate(all="ignore"), time_limit(60):
        warnings.simplefilter("ignore")
        module = None
        try:
            module = Module(source, name)
            if "train" in way.stages:
                _converted(module, way, outcome)
            if "step" in way.stages:
                _whole_steps(module, way, outcome)
            if "by hand" in way.stages and by_hand.can_be_built(module):
                _built_by_hand(module, way, outcome)
            if "export" in way.stages:
                _exported(module, way, outcome)
            if "derivatives" in way.stages:
                _judged(module, outcome)
        except Invalid as error:
            outcome.invalid = str(error)
        finally:
            if module is not None:
                module.close()
    return outcome


def _eagerly(function: Any) -> dict[str, np.ndarray]:
    """An eager run, whose errors and infinities are the program's own."""
    paddle.jit.enable_to_static(False)
    try:
        found = function()
    except Noise:
        raise
    except Exception as error:
        raise Invalid(f"{type(error).__name__}: {str(error)[:300]}") from error
    finally:
        paddle.jit.enable_to_static(True)
    for key, array in found.items():
        if array.dtype.kind == "f" and not (np.isfinite(array).all() and np.abs(array).max(initial=0) < LARGEST):
            raise Invalid(f"{key} is not finite, or large")
    return found


def _attempt(outcome: Outcome, stage: str, function: Any) -> Any:
    """A stage's result; an error is a finding, or a refusal where it is one that is documented."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", paddle.jit.FallbackWarning)
        try:
            found = function()
        except Exception as error:
            _refuse(outcome, stage, f"error {type(error).__name__}", str(error) + "\n" + _place(error))
            return None
    for warning in said:
        if issubclass(warning.category, paddle.jit.FallbackWarning):
            _refuse(outcome, stage, "fallback", str(warning.message))
    return found


def _place(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__)[-3:])


def _refuse(outcome: Outcome, stage: str, kind: str, text: str) -> None:
    for pattern in REFUSALS:
        if re.search(pattern, text):
            outcome.refused.append(pattern)
            return
    outcome.findings.append(Finding(stage, kind, text))


def _compare(outcome: Outcome, stage: str, found: dict | None, expected: dict, precision: str) -> None:
    if found is None:
        return
    text = comparing.difference(found, expected, precision)
    if text:
        outcome.findings.append(Finding(stage, "value", text))


def _judged(module: Module, outcome: Outcome) -> None:
    """Eager gradients against differences."""
    try:
        with dtype_of_numbers("float64"):
            text = derivatives.difference(module, loss_of)
    except Exception as error:
        raise Invalid(f"{type(error).__name__}: {str(error)[:300]}") from error
    if text:
        outcome.findings.append(Finding("derivatives", "slope", text))


def _converted(module: Module, way: Way, outcome: Outcome) -> None:
    """Trained three steps, eagerly and converted."""
    mode = "train" if module.TRAIN else "eval"
    sizes = [TRAINING, TRAINING, OTHER] if module.UNKNOWN and way.with_specs else None

    def eager(zeros: Any = None) -> Trained:
        net = module.net()
        getattr(net, mode)()
        return train(module, net, replace(way, parallel=False), sizes=sizes, zeros=zeros, changes=True)

    def made() -> Any:
        with paddle.utils.unique_name.guard():  # the names that an optimizer's state has
            net = copy.deepcopy(module.net()) if way.copied else module.net()
        getattr(net, mode)()
        options = {"full_graph": True} if way.full_graph else {}
        if way.with_specs:
            options["input_spec"] = loading.specs(module, way.dtype)
        return paddle.jit.to_static(net, **options)

    resumed = way.resumed and "persistable=False" not in module.source

    def converted() -> Trained:
        return train(module, made(), way, sizes=sizes, again=made if resumed else None, changes=True)

    expected = _eagerly(eager)
    stage = ("full_graph" if way.full_graph else "converted") + (" with specs" if way.with_specs else "")
    found = _attempt(outcome, stage, converted)
    if found is not None and found.given != expected.given:
        expected = _eagerly(lambda: eager(found.given))
    _compare(outcome, stage, found, expected, way.precision)


def _whole_steps(module: Module, way: Way, outcome: Outcome) -> None:
    """Steps of training that are converted whole, the optimizer's included."""

    def steps(converted: bool, zeros: bool = False) -> dict:
        net = module.net()
        (net.train if module.TRAIN else net.eval)()
        optimizer = module.optimizer(net)

        def step(*held: Any) -> Any:
            result = net(*held)
            loss = loss_of(result)
            loss.backward()
            if not converted:
                _checked(net, zeros)
            optimizer.step()
            optimizer.clear_grad()
            return result

        run = paddle.jit.to_static(step, full_graph=True) if converted else step
        found: dict[str, np.ndarray] = {}
        for n in range(STEPS):
            result = run(*loading.tensors(loading.arrays(module, TRAINING, 100 + n), way.dtype))
            found.update({f"step {n} {name}": array for name, array in outputs(result).items()})
            _next_rate(optimizer, loss_of(result))
            module.between(net, n)
        return {**found, **state(net)}

    try:
        expected = _eagerly(lambda: steps(False))
    except Noise:
        return
    found = _attempt(outcome, "step", lambda: steps(True))
    if found is not None and comparing.difference(found, expected, way.precision):
        zeros = _eagerly(lambda: steps(False, True))
        expected = {key: _nearest({key: found[key]}, [{key: zeros[key]}, {key: array}], way)[key]
                    for key, array in expected.items()}
    _compare(outcome, "step", found, expected, way.precision)


def _built_by_hand(module: Module, way: Way, outcome: Outcome) -> None:
    """A Program by hand that is trained, a clone of it for evaluation, and its file."""

    def eager(zeros: bool = False) -> dict:
        net = module.net()
        (net.train if module.TRAIN else net.eval)()
        optimizer = module.optimizer(net)
        found: dict[str, np.ndarray] = {}
        for n in range(STEPS + 1):
            if n == STEPS:
                found.update(state(net))
                net.eval()
            result = net(*loading.tensors(loading.arrays(module, TRAINING, 100 + n), way.dtype))
            found.update({f"step {n} {name}": array for name, array in outputs(result).items()})
            if n < STEPS:
                loss_of(result).backward()
                _checked(net, zeros)
                optimizer.step()
                optimizer.clear_grad()
                _next_rate(optimizer, loss_of(result))
        last = {f"file {name}": found[f"step {STEPS} {name}"] for name in outputs(result)}
        return {**found, **last}

    def built() -> dict:
        program = by_hand.ByHand(module, way.dtype, loss_of, way.full_graph)
        found: dict[str, np.ndarray] = {}
        for n in range(STEPS):
            *results, loss = program.run(program.main, 100 + n, [*program.outputs, program.loss])
            found.update({f"step {n} output{k}": array for k, array in enumerate(results)})
            _next_rate(program.optimizer, paddle.to_tensor(loss))
        results = program.run(program.test, 100 + STEPS, program.outputs)
        found.update({f"step {STEPS} output{k}": array for k, array in enumerate(results)})
        found.update({f"file output{k}": array for k, array in enumerate(program.from_file(100 + STEPS))})
        now, net = program.state(), module.net()
        found.update({f"parameter {name}": now[name] for name, _ in net.named_parameters()})
        found.update({f"buffer {name}": now[name] for name, _ in net.named_buffers() if name in now})
        return found

    try:
        expected = _eagerly(eager)
    except Noise:
        return
    found = _attempt(outcome, "by hand", built)
    if found is not None:  # a tensor that is an attribute of the Layer is a value in the Program, computed by it
        expected = {key: array for key, array in expected.items() if key in found or not key.startswith("buffer ")}
    if found is not None and comparing.difference(found, expected, way.precision):
        zeros = _eagerly(lambda: eager(True))
        expected = {key: _nearest({key: found[key]}, [{key: zeros[key]}, {key: array}], way)[key]
                    for key, array in expected.items()}
    _compare(outcome, "by hand", found, expected, way.precision)


def _exported(module: Module, way: Way, outcome: Outcome) -> None:
    """Saved and loaded; run at several sizes, and trained three steps in evaluation mode."""
    folder = way.keep or tempfile.mkdtemp(prefix="search")
    try:
        _export_to(folder, module, way, outcome)
    finally:
        if not way.keep:
            shutil.rmtree(folder, ignore_errors=True)


def _export_to(folder: str, module: Module, way: Way, outcome: Outcome) -> None:
    every = [TRAINING, OTHER] if module.UNKNOWN else [TRAINING]
    inputs = [loading.arrays(module, sizes, 200 + n) for n, sizes in enumerate(every)]

    def eager(moving: bool = False) -> dict:
        found, net = {}, None
        for n, held in enumerate(inputs):
            if net is None or not moving:
                net = module.net()
                net.eval()
            result = net(*loading.tensors(held, way.dtype, stop_gradient=False))  # as InputSpecs are
            found.update({f"try {n} {name}": array for name, array in outputs(result).items()})
        return found

    expected = _eagerly(eager)
    prefix = str(Path(folder) / "model")

    def save() -> Any:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            specs = loading.specs(module, way.dtype)
            if way.method:
                net = module.beside()
                net.answer = paddle.jit.to_static(net.answer, input_spec=specs)
                net.forward = paddle.jit.to_static(net.forward, input_spec=[paddle.static.InputSpec([2, 3], way.dtype)])
                paddle.jit.save(net, prefix)
            else:
                paddle.jit.save(module.net(), prefix, input_spec=specs)
        return [str(w.message) for w in said]

    said = _attempt(outcome, "save", save)
    if said is None:
        return
    if any("in evaluation mode too" in text for text in said):  # and a file has not what training has
        outcome.refused.append("save: a file is for evaluation")
        return

    def loaded_run() -> dict:
        net = paddle.jit.load(prefix)
        net.eval()
        if way.copied:
            net = copy.deepcopy(net)
        found = {}
        for n, held in enumerate(inputs):
            result = (net.answer if way.method else net)(*loading.leaves(loading.tensors(held, way.dtype)))
            found.update({f"try {n} {name}": array for name, array in outputs(result).items()})
        return found

    found = _attempt(outcome, "loaded", loaded_run)
    if found is not None and comparing.difference(found, expected, way.precision):
        expected = _nearest(found, [eager(True), eager()], way)
    _compare(outcome, "loaded", found, expected, way.precision)
    if way.method:  # what is trained, and run by PaddlePaddle, is `forward`
        return
    if not any("gradients of PyLayers are left out" in text for text in said):
        _tuned(prefix, module, way, outcome)
    if way.keep:
        own = any("only proa has" in text for text in said)
        flat = [[a.astype(way.dtype) if a.dtype.kind == "f" else a for a in loading.leaves(held)] for held in inputs]
        np.savez(
            Path(folder) / "arrays.npz",
            own=own,
            **{f"input {n} {k}": a for n, held in enumerate(flat) for k, a in enumerate(held)},
            **{f"expected {key}": array for key, array in expected.items()},
        )


def _tuned(prefix: str, module: Module, way: Way, outcome: Outcome) -> None:
    """A loaded Layer and the Layer itself, both trained in evaluation mode; an export keeps no changes of buffers."""

    def eager(frozen: bool, zeros: Any = None) -> Trained:
        net = module.net()
        net.eval()
        return train(module, net, way, frozen=frozen, zeros=zeros)

    def tuned() -> Trained:
        net = paddle.jit.load(prefix)
        net.eval()
        return train(module, net, way, flat=True)

    once = _eagerly(lambda: eager(False))
    found = _attempt(outcome, "tuned", tuned)
    if found is None:
        return
    found = _registered(found)
    tries = [once] if found.given == once.given else [eager(False, found.given)]
    if any(key.startswith("buffer ") for key in once):
        tries.append(eager(True, found.given))
    expected = _nearest(found, [_without_unused(e, found) for e in tries], way)
    _compare(outcome, "tuned", found, expected, way.precision)


def _nearest(found: dict, expected: list[dict], way: Way) -> dict:
    """Of what is expected, with state that `forward` moves and with state as it was saved, what was found."""
    return next((e for e in expected if comparing.difference(found, e, way.precision) is None), expected[-1])


def _registered(found: Trained) -> Trained:
    """Without tensors that were no buffers of the Layer, which a file keeps under names of its own."""
    return Trained({key: array for key, array in found.items() if "generated_tensor" not in key}, found.given)


def _without_unused(expected: Trained, found: Trained) -> dict:
    """Without the values that a file need not have: of parameters without a gradient, and of buffers."""
    unused = [
        key.partition(" ")[2] for key in expected if key.startswith(("parameter ", "buffer ")) and key not in found
    ]
    return {
        key: array
        for key, array in expected.items()
        if not any(
            key in (f"parameter {n}", f"buffer {n}") or key.endswith(f"gradient of {n}")
            for n in unused
            if n not in expected.given
        )
    }
