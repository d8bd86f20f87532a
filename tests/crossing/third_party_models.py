"""Runs models of other packages, written for Paddle, under Paddle and under proa, and prints where they differ.

    python tests/crossing/third_party_models.py third_party_vision.json --oracle PYTHON --packages FOLDER [--only REGEX]

PYTHON has PaddlePaddle 2.6.2, FOLDER the packages (`pip install --no-deps --target FOLDER paddleclas==2.6.0 ...`),
and this interpreter proa. A file of models is JSON: `paths` (folders of FOLDER to import from), `absent` (modules that
those packages import and that no model needs; empty ones answer), `setup` (calls before the first model) and `models`:
a name with `call` (module:name), its arguments, the `inputs`, and `evaluation` where training draws numbers outside of
dropout layers: gradients are then taken in that mode. third_party_work.py is what each Python runs.

A model is built and drawn at random by Paddle. Each column compares with Paddle's eager result, relative to the
largest number in it: `eager` evaluation, `grad` (the norms of all parameters' gradients in training mode, dropout
off), `static` and `static_grad` (`to_static`, `full_graph=True`), `saved` (`jit.save` and `jit.load` here),
`theirs` (the files that Paddle's own `jit.save` wrote) and `ours` (Paddle loads what proa saved). Gradients of a batch
normalization of few values hang on the last bits of the input: `noise` says by how much a change in those moves them,
and what differs by less than ten times as much is marked ~ instead of !.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
COLUMNS = ("eager", "grad", "static", "static_grad", "saved", "theirs", "ours")
TOLERANCE = {"grad": 2e-3, "static_grad": 2e-3}


def answers(folder, phase):
    """What a phase has answered so far, by the names of models."""
    kept = folder / f"{phase}.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    return {answer["name"]: answer for answer in map(json.loads, lines)}


def work(phase, python, options, models):
    """Lets a Python do a phase for the models that have no answer; one that ends the process is an answer, too."""
    while waiting := [name for name in models if name not in answers(options.work, phase)]:
        path = os.pathsep.join(filter(None, [str(options.packages), os.environ.get("PYTHONPATH")]))
        command = [python, "-B", str(HERE / "third_party_work.py"), phase, str(options.file), str(options.packages),
                   str(options.work), *waiting]
        ended = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        still = [name for name in waiting if name not in answers(options.work, phase)]
        if still:
            with (options.work / f"{phase}.jsonl").open("a") as kept:
                kept.write(json.dumps({"name": still[0], "error": ended.stderr[-2000:]}) + "\n")


def shown(answer, column):
    """A cell of the table."""
    if column not in answer:
        return "-"
    found = answer[column]
    if isinstance(found, str):
        return "error"
    noise = answer.get("noise", 0.0) if column in TOLERANCE else 0.0
    return f"{found:.0e}" + ("" if found <= TOLERANCE.get(column, 1e-4) else " ~" if found < 10 * noise else " !")


def report(options, models):
    """Prints the table; gives the number of models that something is wrong with."""
    made, checked, read = (answers(options.work, phase) for phase in ("make", "check", "read"))
    print("| model | " + " | ".join(COLUMNS) + " |\n|---|" + "--:|" * len(COLUMNS))
    wrong, notes = 0, []
    for name in models:
        answer = {**read.get(name, {}), **checked.get(name, {})}
        cells = [shown(answer, column) for column in COLUMNS]
        wrong += any(cell.endswith(("error", "!")) for cell in cells) or "error" in answer
        print(f"| {name} | " + " | ".join(cells) + " |")
        notes += [f"{name}, Paddle, {key}: {last_line(said)}" for key, said in made[name].items()
                  if key != "name" and isinstance(said, str)]
        notes += [f"{name}, {key}: {last_line(said)}" for key, said in answer.items()
                  if key != "name" and isinstance(said, str)]
    print("\n".join(["", *notes]))
    return wrong


def last_line(text):
    """The end of what an error says."""
    return text.strip().rpartition("\n")[2][:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("third_party"), help="where results are kept")
    parser.add_argument("--only", default="", help="names of models")
    options = parser.parse_args()
    options.file = options.file if options.file.exists() else HERE / options.file
    options.work.mkdir(parents=True, exist_ok=True)
    models = [name for name in json.loads(options.file.read_text())["models"] if re.search(options.only, name)]
    work("make", options.oracle, options, models)
    usable = [name for name in models if "error" not in answers(options.work, "make")[name]]
    work("check", sys.executable, options, usable)
    saved = [name for name in usable if "saved" in answers(options.work, "check")[name]]
    work("read", options.oracle, options, saved)
    return 1 if report(options, models) else 0


if __name__ == "__main__":
    sys.exit(main())
