"""A process that does cases one behind the other, under a limit of memory: it says before each which one, and after."""

from __future__ import annotations

import resource
import sys
import tempfile
import traceback
import warnings

from .cases import run


def main() -> None:
    """`worker CORPUS KIND FIRST COUNT STEP MEGABYTES`: a line `start N`, then `end N RESULT`, for each case."""
    corpus, kind = sys.argv[1:3]
    first, count, step, megabytes = map(int, sys.argv[3:])
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(first, first + count * step, step):
            print("start", number, flush=True)
            try:
                result = run(corpus, scratch, kind, number)
            except BaseException as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
                result = f"unexpected {type(error).__name__} {where} {str(error)[:80]!r}"
            print("end", number, result.replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
