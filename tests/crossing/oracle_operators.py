"""Runs files of single operators with PaddlePaddle 2.6.2: PYTHON_WITH_PADDLE oracle_operators.py CASES ANSWERS

CASES holds pickles of (key, a Program's bytes, {input: array}), one after the other; ANSWERS gets pickles of
(key, "begun", None), then of (key, "results", arrays) or (key, "refused", the error's text), and goes on behind the
last case that it has already: so a case that ends this process, or does not come back, is the last that it tells of.
"""

import bz2  # noqa: F401  before Paddle, whose own copies of these libraries crash Python's otherwise
import gzip  # noqa: F401
import lzma  # noqa: F401
import os
import pickle
import signal
import sys
import zlib  # noqa: F401

import numpy as np
import paddle
from pickles import pickles

LONGEST = 20  # seconds for a case


def told(error):
    """An error in a line."""
    lines = [line.strip() for line in str(error).splitlines() if "Error:" in line or "[Hint" in line or "(at /" in line]
    return f"{type(error).__name__}: {' '.join(lines or [str(error)])[:400]}"


def results(program, inputs, executor):
    """What a Program's fetches give."""
    block = paddle.static.deserialize_program(program).global_block()
    fetches = [block.var(op.input("X")[0]) for op in block.ops if op.type == "fetch"]
    with paddle.static.scope_guard(paddle.static.Scope()):
        found = executor.run(block.program, feed=inputs, fetch_list=fetches, return_numpy=False)
    return [np.array(one) for one in found]


def main(cases, answers):
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    done = {key for key, _, _ in pickles(answers)} if os.path.exists(answers) else set()
    with open(answers, "ab") as file:
        def tell(*what):
            pickle.dump(what, file)
            file.flush()

        for key, program, inputs in pickles(cases):
            if key in done:
                continue
            tell(key, "begun", None)
            signal.alarm(LONGEST)
            try:
                tell(key, "results", results(program, inputs, executor))
            except Exception as error:
                tell(key, "refused", told(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
