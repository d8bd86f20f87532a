"""What an installation finds at the rows of docs/differences.md: `python ask.py`, a line of JSON for each.

Runs under proa, as `paddle`, and under PaddlePaddle 2.6.2 alike, each row in a process of its own: some end it.
"""

import zlib, gzip, bz2, lzma  # noqa: E401, F401, I001  (before PaddlePaddle, which carries others)
import json
import os
import signal
import sys
import warnings


def _finds(code: str, paddle) -> str:
    import numpy as np

    here = {"paddle": paddle, "np": np, "F": paddle.nn.functional, "nn": paddle.nn, "__name__": "row"}
    try:
        exec(compile(code, "<row>", "exec"), here)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip()[:200]}"
    return repr(here["got"])


def main() -> None:
    """Prints what each row's program finds, or how it ended the process."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import paddle
    from rows import ROWS

    warnings.simplefilter("ignore")
    for start, code, _ in ROWS:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            signal.alarm(20)  # one waits for ever
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 2)
            with os.fdopen(writer, "w") as file:
                file.write(_finds(code, paddle))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as file:
            found = file.read()
        _, status = os.waitpid(child, 0)
        print("\n" + json.dumps([start, found or f"the process ends: {status}"]), flush=True)


if __name__ == "__main__":
    main()
