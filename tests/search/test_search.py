"""The search: it repeats itself, it finds and shrinks faults that are planted, and finds none in what it runs here."""

import os
import subprocess
import sys

import pytest
from proa.ops.core.gradient import Gradient
from proa.ops.math import unary
from proa.static.ir.variable import Variable

from . import recorded
from .generator import program
from .stages import Way, run
from .working import Worker

GROUPS, EACH = 10, 20
SLOW = 300


def found_by(numbers):
    worker = Worker(os.environ.get("PROA_ORACLE_PYTHON", ""), seconds=10)
    try:
        return [
            f"program {f['number']}, {f['stage']}, {f['kind']}: {f['detail']}\n{f['source']}"
            for number in numbers
            for f in worker.run(0, number)["findings"]
        ]
    finally:
        worker.close()


@pytest.mark.parametrize("group", range(GROUPS))
def test_programs(group):
    found = found_by(range(group * EACH, (group + 1) * EACH))
    assert not found, "\n\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("group", range(SLOW // EACH))
def test_more_programs(group):
    first = 1_000_000 + group * EACH
    found = found_by(range(first, first + EACH))
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("group", range(2))
def test_eager_gradients_are_derivatives(group):
    worker = Worker(seconds=10, derivatives=True)
    records = [worker.run(1, number) for number in range(group * 30, (group + 1) * 30)]
    found = [f"program {f['number']}: {f['detail']}\n{f['source']}" for r in records for f in r["findings"]]
    assert not found, "\n\n".join(found)
    assert sum(r["counts"]["invalid"] for r in records) < 10


def test_a_number_is_a_program():
    assert program(3, 14) == program(3, 14) != program(3, 15)
    script = "import sys; from search.generator import program; sys.stdout.write(program(3, 14))"
    folder = os.path.dirname(os.path.dirname(__file__))
    told = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])},
    )
    assert told.stdout == program(3, 14)


def test_most_programs_run():
    """Programs that fail on their own show nothing."""
    outcomes = [run(program(0, n), "program", Way(stages=())) for n in range(3)]
    assert not any(outcome.invalid for outcome in outcomes)


# Faults planted on purpose


def first_of(stage, numbers, **options):
    """A finding of a stage in the shortest of these programs that has one, shrunken."""
    worker = Worker(seconds=120, **options)  # a guard: it ends sooner, when nothing more can be left out
    for number in sorted(numbers, key=lambda number: len(program(0, number))):
        source, way = program(0, number, worker.without), Way.of(number)
        for finding in worker.outcome(source, way).findings:
            if finding.stage.startswith(stage):
                return finding, worker.shrunk(source, way, finding)
    pytest.fail(f"no finding of {stage}")


def test_finds_a_wrong_gradient_rule(monkeypatch):
    """The rule of tanh, wrong where it writes a Program."""

    def wrong(g, Out):
        return g - g * Out * (Out * 0.9 if isinstance(g, Variable) else Out)

    monkeypatch.setitem(vars(unary.tanh_op), "gradient", Gradient(unary.tanh_op, {"X": wrong}))
    finding, source = first_of(("converted", "full_graph"), range(40))
    assert finding.kind == "value"
    assert "tanh" in source and len(source.splitlines()) < 40, source


def test_finds_a_wrong_eager_gradient(monkeypatch):
    """The rule of tanh, wrong everywhere: only differences can tell."""
    wrong = Gradient(unary.tanh_op, {"X": lambda g, Out: g - g * Out * Out * 0.9})
    monkeypatch.setitem(vars(unary.tanh_op), "gradient", wrong)
    worker = Worker(seconds=10, derivatives=True)
    found = [f for number in range(12) for f in worker.run(1, number)["findings"]]
    assert found and all("tanh" in f["source"] or recorded.numbers_in(f["source"]) for f in found)  # which take it too


def test_finds_a_forgotten_detach(monkeypatch):
    monkeypatch.setattr(Variable, "detach", lambda self: self * 1.0)
    finding, source = first_of(("converted", "full_graph"), range(60))
    assert any(word in source for word in ("detach", "no_grad", "stop_gradient")), source


@pytest.mark.slow
def test_finds_an_export_that_forgets(monkeypatch):
    """A file whose buffers are zeros."""
    from proa.jit.files import save_load

    write = save_load._write

    def forgetful(path, models, names):
        for _, values in models.values():
            values.update({name: value * 0 for name, value in values.items() if value.stop_gradient})
        write(path, models, names)

    monkeypatch.setattr(save_load, "_write", forgetful)
    finding, source = first_of("loaded", range(40))
    assert finding.kind == "value" and len(source.splitlines()) < 40, source


def test_what_files_leave_out_of_evaluation_is_no_finding():
    number = next(n for n, record in enumerate(recorded.usable()) if record.label == "matrix"
                  and record.type == "batch_norm")
    source = f"""
import proa as paddle
from proa import nn
from search.recorded import recorded

class Net(nn.Layer):
    def forward(self, x, y, scale=0.5):
        return recorded({number}, x)

INPUTS, UNKNOWN, TRAIN = ["float 2 3", "float 2 3"], False, False

def optimizer(net):
    return paddle.optimizer.SGD(0.1, parameters=[net.create_parameter([1])])
"""
    outcome = run(source, "program", Way())
    assert not outcome.findings and outcome.refused == ["save: a file is for evaluation"]


def test_finds_an_error():
    """What cannot be converted."""
    head = "    def forward(self, x, scale=0.5):\n"
    texts = (program(0, n) for n in range(100))
    made = '        paddle.create_parameter([1], "float32")\n'
    sources = (text.replace(head, head + made) for text in texts if head in text)
    outcome = next(o for o in (run(source, "program", Way(full_graph=True)) for source in sources) if o.findings)
    kinds = {(f.stage, f.kind) for f in outcome.findings}
    assert {stage for stage, kind in kinds if kind.startswith("error")} == {"full_graph", "save"}, kinds
