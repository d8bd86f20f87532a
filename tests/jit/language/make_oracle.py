"""Makes `oracle.npz` with PaddlePaddle 2.6.2: PYTHON_WITH_PADDLE make_oracle.py [--missing]

With `--missing` the cases that are in it stay as they are.

Of each case it holds what PaddlePaddle comes to without conversion, under CASE.NUMBER.WHAT; and under `converts` the
cases that PaddlePaddle converts, saves and loads to the same values and gradients.
"""

import bz2  # noqa: F401  before Paddle, whose own copies of these libraries crash Python's otherwise
import gzip  # noqa: F401
import lzma  # noqa: F401
import multiprocessing
import sys
import tempfile
import zlib  # noqa: F401
from pathlib import Path

import numpy as np
from outcomes_of_cases import CASES, attempt, is_layer, run, specs, target

from framework import paddle

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def same(found, wanted):
    return found.keys() == wanted.keys() and all(
        np.shape(found[k]) == np.shape(wanted[k]) and np.allclose(found[k], wanted[k], **CLOSE) for k in wanted)


def _converted(made, input_spec=None):
    return paddle.jit.to_static(made, input_spec=input_spec, full_graph=True)


def converts(case, wanted):
    """Whether the converted and the saved form come to the same."""
    if not same(attempt(case, _converted), wanted):
        return False
    prefix = tempfile.mkdtemp() + "/saved"
    made = target(case)
    paddle.jit.save(_converted(made, specs(case)), prefix)
    if is_layer(case):
        made = target(case)
        made.eval()
    for arguments in case.argument_sets:
        loaded = paddle.jit.load(prefix)
        loaded.eval()
        found, expected = run(loaded, arguments, numbers=False), run(made, arguments, numbers=False)
        if not same(_values(found), _values(expected)):
            return False
    return True


def _values(kept):
    return {k: np.reshape(v, [-1]) for k, v in kept.items() if k.startswith("value")}


def outcome(name):
    """What one case comes to, and whether PaddlePaddle converts it."""
    case = CASES[name]
    try:
        found = attempt(case, lambda made: made)
    except Exception as error:
        return {}, f"not without conversion: {type(error).__name__} {str(error).strip()[-150:]}"
    try:
        return found, "yes" if converts(case, found) else "otherwise"
    except Exception as error:
        return found, f"{type(error).__name__} {str(error).strip()[-150:]}"


def ask(name):
    """The outcome from a process of its own, which some cases end."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: theirs.send(outcome(name)))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(60) else ({}, "no end")
    except EOFError:
        return {}, "the process ended"
    finally:
        process.kill()
        process.join()


def main():
    kept: dict = {}
    converted: list = []
    place = Path(__file__).parent / "oracle.npz"
    if "--missing" in sys.argv:
        kept = dict(np.load(place))
        converted = list(kept.pop("converts"))
    there = {key.partition(".")[0] for key in kept}
    for name in [name for name in CASES if name not in there]:
        found, said = ask(name)
        print(name, "|", said.replace("\n", " "), flush=True)
        kept.update({f"{name}.{k}": v for k, v in found.items()})
        converted += [name] if said == "yes" else []
    print(len(CASES), "cases;", len(converted), "converted by PaddlePaddle", paddle.__version__)
    np.savez_compressed(place, converts=np.array(converted), **kept)


if __name__ == "__main__":
    main()
