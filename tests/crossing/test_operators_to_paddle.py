"""Every operator's form in files is run by PaddlePaddle 2.6.2: what it gives there is what it gives here.

A file is written of the call of each record of tests/ops, for its own inputs and for others' dtypes, with all sizes
known, with the rows unknown, and with no size known; and, where it takes several floats, with each of them in turn in
float64 and the others in float32 ("mixed"). PROA_ORACLE_PYTHON names the Python that has PaddlePaddle. One
process runs them all; one that a file ends is followed by another. `operators_there.py` lists what does not agree,
and why; an entry that no longer differs fails too.
"""

import json
import pickle
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import oracle
import pytest
from operator_files import RECORDS, run_here, written
from operators_there import DIFFERENCES
from pickles import pickles

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))

import checks
import variants

pytestmark = pytest.mark.oracle
DTYPES = ("itself", "float32", "int32", "int64", "int32 beside")
ANSWERS = json.loads((Path(__file__).parents[1] / "fixtures" / "operators" / "answers.json").read_text("utf-8"))
ASKING = Path(__file__).parent / "oracle_operators.py"


@dataclass
class Case:
    """A file, with what it gives here."""

    key: str
    program: bytes
    inputs: dict
    expected: list


def unknown_sizes(record):
    """For each form of sizes, the (input, dimension) that the Program does not know."""
    every = {(n, axis) for n, a in enumerate(record.inputs) for axis in range(a.ndim)}
    rows = {(n, 0) for n in checks.batched(record)}
    forms = {"known": set(), "rows": rows, "unknown": every}
    return {name: places for name, places in forms.items() if places or name == "known"}


def cases_of(name, record):
    """The files of a record; where a call is refused, for these dtypes or without sizes, there is none."""
    for dtype in DTYPES:
        changed = variants.VARIANTS[dtype](record)
        if changed is None or (dtype != "itself" and _same_dtypes(changed, record.inputs)):
            continue
        inputs = {f"input{n}": array for n, array in enumerate(changed)}
        for sizes, unknown in unknown_sizes(record).items():
            try:
                program = written(record, changed, unknown)
                if program is not None:
                    yield Case(f"{name}/{dtype}/{sizes}", program, inputs, run_here(program, inputs))
            except (ValueError, TypeError, NotImplementedError, IndexError, RuntimeError, KeyError):
                if dtype == "itself" and sizes != "unknown":
                    raise


def mixed_cases(name, record):
    """The files of a record with one of its floats in float64; where a call is refused, there is none."""
    for wide, changed in variants.one_in_float64(record):
        inputs = {f"input{n}": array for n, array in enumerate(changed)}
        try:
            program = written(record, changed)
        except (ValueError, TypeError):
            continue
        if program is not None:
            yield Case(f"{name}/mixed/{wide}", program, inputs, run_here(program, inputs))


def _same_dtypes(some, others):
    return all(a.dtype == b.dtype for a, b in zip(some, others, strict=True))


def ask(cases, folder):
    """{key: ("results", arrays) | ("refused", why) | ("begun", None) where the process did not come back}.

    What ended a process is asked once more by itself: it may have been the work of a file before it.
    """
    found = _asked(cases, folder / "all")
    for n, case in enumerate([case for case in cases if found[case.key][0] == "begun"]):
        found.update(_asked([case], folder / f"again{n}"))
    return found


def _asked(cases, folder):
    folder.mkdir()
    given, answers, found = folder / "cases", folder / "answers", {}
    with open(given, "wb") as file:
        for case in cases:
            pickle.dump((case.key, case.program, case.inputs), file)
    while len(found) < len(cases):
        asked = subprocess.run([oracle.PYTHON, "-B", ASKING, given, answers], capture_output=True, text=True)
        before, found = len(found), {key: (state, value) for key, state, value in pickles(answers)}
        assert len(found) > before, f"oracle_operators.py ended with {asked.returncode}:\n{asked.stderr[-3000:]}"
    return found


def difference(case, answer, asked_for):
    """What tells PaddlePaddle's run from ours, in a few words; None where nothing does."""
    state, value = answer
    if state == "begun":
        return "ends the process, or does not come back"
    if state == "refused":
        return f"refused: {value}" if asked_for else None
    if len(value) != len(case.expected):
        return f"{len(value)} results for {len(case.expected)}"
    for there, here in zip(value, case.expected, strict=True):
        if (there.dtype, there.shape) != (here.dtype, here.shape):
            return f"{there.dtype}{list(there.shape)} for {here.dtype}{list(here.shape)}"
        narrow = any(array.dtype == np.float32 for array in (here, *case.inputs.values()))
        tolerance = 2e-4 if narrow else 1e-6
        if not np.allclose(there, here, tolerance, tolerance, equal_nan=True):
            return f"{there.reshape(-1)[:5]} for {here.reshape(-1)[:5]}"
    return None


def is_asked_for(key):
    """Whether PaddlePaddle takes such a call eagerly; of what it has no function for, only floats count."""
    name, dtype, _ = key.rsplit("/", 2)
    dtype = "itself" if dtype == "mixed" else dtype
    answer = ANSWERS.get(name, {}).get(dtype, "no public call")
    if isinstance(answer, str) and answer.startswith("no public call"):
        return dtype in ("itself", "float32") and any(a.dtype.kind == "f" for a in RECORDS[name].inputs)
    return not isinstance(answer, str)


@pytest.fixture(scope="module")
def differing(tmp_path_factory):
    """{record: {dtype/sizes, or mixed/input: what differs}}."""
    if oracle.missing():
        pytest.skip(oracle.missing())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases = [case for name, record in RECORDS.items()
                 for case in (*cases_of(name, record), *mixed_cases(name, record))]
    answers, found = ask(cases, tmp_path_factory.mktemp("operators")), {}
    for case in cases:
        told = difference(case, answers[case.key], is_asked_for(case.key))
        if told:
            name, dtype, sizes = case.key.rsplit("/", 2)
            found.setdefault(name, {})[f"{dtype}/{sizes}"] = told
    return found


@pytest.mark.parametrize("name", RECORDS)
def test_runs_there_as_here(differing, name):
    found, expected = differing.get(name, {}), DIFFERENCES.get(name, {})
    unexpected = {form: told for form, told in found.items() if form.split("/")[0] not in expected}
    assert not unexpected, f"{name}: {unexpected}"
    needless = set(expected) - {form.split("/")[0] for form in found}
    assert not needless, f"{name}: {needless} no longer differ; take them out of operators_there.py"


def test_the_list_names_records():
    assert set(DIFFERENCES) <= set(RECORDS)
