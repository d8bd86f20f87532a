"""The call of every record, on its own inputs and on variants of them, against PaddlePaddle's answers.

The answers are in fixtures/operators (`make.py` there wrote them); the variants in `variants.py`. What PaddlePaddle
refuses must give here what the record's reference gives, or be refused in its turn. Where the answers differ on purpose
`paddle_differences.py` says why; an entry there that no longer differs fails too.
"""

import json
import pathlib
import warnings

import numpy as np
import proa as paddle
import pytest
import variants
from paddle_differences import DIFFERENCES, NO_CALL, OPEN
from proa.ops.core.operator import find
from records import all_records

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "operators"
RECORDS = variants.keyed(all_records())
ASKED = json.loads((FIXTURES / "answers.json").read_text(encoding="utf-8"))
VALUES = dict(np.load(FIXTURES / "answers.npz"))
REFUSALS = (ValueError, TypeError, IndexError, NotImplementedError, OverflowError, ZeroDivisionError)
TOLERANCES = {"float32": 2e-4}
#: The variants that a reference in NumPy can judge where PaddlePaddle refuses.
JUDGED = ("itself", "0-d", "empty", "NaN", "Inf", "broadcast second", "broadcast first", "fewer dimensions")


def ours(name, variant):
    """Position -> array, or the exception with which the call is refused."""
    record = RECORDS[name]
    try:
        if variant == "gradients":
            return variants.gradients_of(paddle, record)
        return dict(enumerate(variants.results_of(paddle, record, variants.VARIANTS[variant](record))))
    except REFUSALS as error:
        return error


def difference(actual, dtype, shape, values, variant, random):
    """What tells an array from an answer, in a few words; None where nothing does."""
    if actual.dtype.name != dtype:
        return f"{actual.dtype} for {dtype}"
    if list(actual.shape) != shape:
        return f"shape {list(actual.shape)} for {shape}"
    found = variants.sample(actual, variant)
    tolerance = TOLERANCES.get(variant, 1e-5 if actual.dtype == np.float64 else 2e-4)
    with np.errstate(all="ignore"):
        rounded = found.astype(values.dtype)
    if random or np.allclose(rounded, values, tolerance, tolerance, equal_nan=True):
        return None
    return f"{found[:6]} for {values[:6]}"


def against_paddle(name, variant, answer, found):
    """What tells our results from PaddlePaddle's."""
    if isinstance(found, Exception):
        return f"refused: {type(found).__name__}: {found}"
    random = find(RECORDS[name].type).random
    if variant != "gradients" and len(found) != len(answer):
        return f"{len(found)} results for {len(answer)}"
    for position, dtype, shape, start in answer:
        if position not in found:
            return f"no gradient for input {position}"
        held = min(int(np.prod(shape)), variants.kept(variant))
        values = VALUES["complex" if dtype.startswith("complex") else "real"][start:start + held]
        told = difference(found[position], dtype, shape, values, variant, random)
        if told:
            return f"{position}: {told}"
    return None


def against_reference(name, variant, found):
    """What tells our results from the reference's, where it has some."""
    record = RECORDS[name]
    if record.reference is None or variant not in JUDGED or isinstance(found, Exception):
        return None
    try:
        with np.errstate(all="ignore"):
            expected = variants.as_list(record.reference(*variants.VARIANTS[variant](record)))
    except (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError, AttributeError, KeyError):
        return None
    for n, wanted in enumerate(map(np.asarray, expected)):
        if found[n].shape != wanted.shape:
            return f"{n}: shape {found[n].shape} for the reference's {wanted.shape}"
        if not np.allclose(found[n], wanted, 1e-5, 1e-5, equal_nan=True):
            return f"{n}: {found[n].reshape(-1)[:6]} for the reference's {wanted.reshape(-1)[:6]}"
    return None


def differing(name):
    """{variant: what differs} of one record."""
    found = {}
    for variant, answer in ASKED[name].items():
        if variant in OPEN.get(name, ()):
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = ours(name, variant)
            told = (against_reference(name, variant, result) if isinstance(answer, str)
                    else against_paddle(name, variant, answer, result))
        if told:
            found[variant] = told
    return found


@pytest.mark.parametrize("name", RECORDS)
def test_answers(name):
    found, expected = differing(name), DIFFERENCES.get(name, {})
    unexpected = {variant: told for variant, told in found.items() if variant not in expected}
    assert not unexpected, f"{name}: {unexpected}"
    assert set(expected) <= set(found), f"{name}: {set(expected) - set(found)} no longer differs; remove the entry"


def test_every_record_was_asked():
    missing = sorted(set(RECORDS) - set(ASKED))
    assert not missing, f"run tests/fixtures/operators/make.py: it has no answers to {missing}"
    unknown = sorted(name for name in {*DIFFERENCES, *OPEN} if name not in RECORDS)
    assert not unknown, f"paddle_differences.py names records that are not there: {unknown}"
    stale = sorted(set(ASKED) - set(RECORDS))
    assert not stale, f"run tests/fixtures/operators/make.py: there are no such records any more: {stale}"


def _has_answer(name):
    return any(not isinstance(answer, str) for answer in ASKED[name].values())


def test_every_operator_is_compared_with_paddle():
    compared = {record.type for name, record in RECORDS.items() if name in ASKED and _has_answer(name)}
    excused = set().union(*NO_CALL.values())
    missing = sorted({record.type for record in RECORDS.values()} - compared - excused)
    assert not missing, f"PaddlePaddle answers nothing to the records of {missing}: paddle_differences.py must say why"
    needless = sorted(excused & compared)
    assert not needless, f"PaddlePaddle has answers to {needless}: take them out of NO_CALL in paddle_differences.py"
