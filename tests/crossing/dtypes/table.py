"""The table: every call with every dtype, what both sides answer, and where they differ."""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
FIXTURE = HERE / "answers.json"
sys.path.insert(0, str(HERE))

from answering import answer  # noqa: E402
from calls import DTYPES, NONE, NUMBERS, ONE, TWO, WITH_A_NUMBER  # noqa: E402


def cases():
    """(expression, dtypes…) of every cell."""
    for expression in NONE:
        yield (expression,)
    for expression in ONE:
        for dtype in DTYPES:
            yield expression, dtype
    for expression in WITH_A_NUMBER:
        for number in NUMBERS:
            if number.startswith("np.") and expression.startswith("k ") and "array" not in number:
                continue  # PaddlePaddle does not come back from np.generic <operator> Tensor
            if "(" in expression and "array([" in number:
                continue  # where a number belongs it takes the first element, or reads beyond
            for dtype in DTYPES:
                yield re.sub(r"\bk\b", number, expression), dtype
    for expression in TWO:
        for first in DTYPES:
            for second in DTYPES:
                yield expression, first, second


def oracle_answers(python):
    """Case -> answer of PaddlePaddle's, which runs under this interpreter."""
    asked = list(cases())
    process = subprocess.run([python, str(HERE / "answering.py")], input="".join(json.dumps(c) + "\n" for c in asked),
                             capture_output=True, text=True, check=True)
    return dict(zip(asked, map(json.loads, process.stdout.splitlines()), strict=True))


def save(answers):
    """Writes the fixture: for each expression and answer the dtypes; refusals are left out."""
    found = {}
    for (expression, *dtypes), text in answers.items():
        if not text.startswith("!"):
            found.setdefault(expression, {}).setdefault(text, []).append(" ".join(dtypes))
    lines = [f"{json.dumps(name)}: {json.dumps(rows, separators=(',', ':'))}" for name, rows in found.items()]
    FIXTURE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def recorded():
    """Case -> answer, from the fixture: those cases that PaddlePaddle answers."""
    rows = json.loads(FIXTURE.read_text(encoding="utf-8"))
    return {(expression, *dtypes.split()): text for expression, answers in rows.items()
            for text, group in answers.items() for dtypes in group}


def differences(answers):
    """(case, theirs, ours) where PaddlePaddle answers and proa answers something else, or refuses."""
    import proa as paddle

    for case, theirs in answers.items():
        if not theirs.startswith("!"):
            ours = answer(paddle, case[0], list(case[1:]))
            if ours != theirs and not _close(ours, theirs):
                yield case, theirs, ours


def _close(ours, theirs):
    """Whether two texts say the same but for the last digits of floats."""
    left, right = ours.replace(";", " ").split(" "), theirs.replace(";", " ").split(" ")
    return len(left) == len(right) and all(a == b or _near(a, b) for a, b in zip(left, right, strict=True))


def _near(a, b):
    try:
        a, b = complex(a.strip("()")), complex(b.strip("()"))
    except ValueError:
        return False
    return abs(a - b) <= 6e-2 * max(abs(a), abs(b), 1e-3) or a == b or (a != a and b != b)
