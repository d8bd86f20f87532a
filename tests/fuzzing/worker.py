"""A process that does cases one behind the other, under a limit of memory, and says what came of each."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
import traceback
import warnings

from .cases import Cases


def main() -> None:
    """`worker CORPUS KIND FIRST COUNT STEP MEGABYTES`: `ready`, then `N SECONDS FAMILY: RESULT` for each case."""
    corpus, kind = sys.argv[1:3]
    first, count, step, megabytes = map(int, sys.argv[3:])
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        cases = Cases(corpus, scratch, kind)
        print("ready", flush=True)
        for number in range(first, first + count * step, step):
            start = time.process_time()
            try:
                family, result = cases.run(number)
            except BaseException as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
                family, result = "?", f"unexpected {type(error).__name__} {where} {str(error)[:80]!r}"
            text = result.replace("\n", " ")
            print(f"{number} {time.process_time() - start:.2f} {family}: {text}", flush=True)


if __name__ == "__main__":
    main()
