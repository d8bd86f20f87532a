"""Each operator's call with one thing in it that no honest call has: run in processes of their own, and looked at.

`python -m tests.ops.extreme_calls` (some 50,000 calls; `--match conv` for some operators) lists those that end the
process, take more than five seconds or a gigabyte, or end with an error that does not name the operator.

A call is what `tests/ops/records_*.py` apply: the operator, its inputs and attributes. One attribute, or one of several
numbers of it, becomes 0, -1, 2**31-1, 2**63-1, not a number, an empty list…; one input loses a dimension, gets one
more, has a size of 0, another dtype, or is not there.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_ROOT = Path(__file__).parents[2]
SECONDS, MEGABYTES = 5, 1024
_WHOLE = [0, -1, 2, 2**31 - 1, 2**63 - 1, -(2**31)]
_REAL = [0.0, -1.0, float("nan"), float("inf"), 1e38]
_DTYPES = ["float16", "bool", "complex64", "int64", "int32", "float32", "uint8"]


class Call(NamedTuple):
    """What is applied: inputs are arrays, lists of arrays, or None."""

    op: Any
    inputs: tuple
    attrs: dict[str, Any]


def calls_of(record: Any) -> list[Call]:
    """The calls of the record's operator that its function makes."""
    import checks
    from proa.ops.core.trace import current_trace, using
    from proa.ops.core.trace_around import TraceAround

    found = []

    class Watching(TraceAround):
        def apply(self, op, inputs, attrs):
            if op.type == record.type:
                found.append(Call(op, tuple(_plain(value) for value in inputs), dict(attrs)))
            return self.inner.apply(op, inputs, attrs)

    with using(Watching(current_trace())):
        record.function(*checks.tensors([array.copy() for array in record.inputs]))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if value is None else np.array(value.numpy())


def variants(call: Call) -> Iterator[tuple[str, Call]]:
    """The call with one thing changed, and what that is."""
    attrs = {name: parameter.default for name, parameter in call.op.attributes.items()
             if parameter.default is not parameter.empty} | call.attrs
    for name, value in attrs.items():
        for other in _others(value):
            yield f"{name}={other!r}"[:80], call._replace(attrs={**call.attrs, name: other})
    for place, value in enumerate(call.inputs):
        arrays = value if isinstance(value, list) else [value]
        for number, array in enumerate(arrays[:2]):
            if array is None:
                continue
            for what, other in _other_arrays(array):
                changed = [*arrays[:number], other, *arrays[number + 1:]] if isinstance(value, list) else other
                inputs = (*call.inputs[:place], changed, *call.inputs[place + 1:])
                yield f"{call.op.inputs[place].name}{f'[{number}]' if isinstance(value, list) else ''} {what}", \
                    call._replace(inputs=inputs)
        if isinstance(value, list):
            yield f"{call.op.inputs[place].name} []", call._replace(
                inputs=(*call.inputs[:place], [], *call.inputs[place + 1:]))
    alike = [n for n, value in enumerate(call.inputs) if isinstance(value, np.ndarray) and value.ndim
             and value.shape[:1] == getattr(call.inputs[0], "shape", ())[:1]]
    if len(alike) > 1:
        yield "all without rows", call._replace(inputs=tuple(
            value[:0] if n in alike else value for n, value in enumerate(call.inputs)))


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [other for other in _WHOLE if other != value]
    if isinstance(value, float):
        return list(_REAL)
    if isinstance(value, str):
        return ["nonsense", ""]
    if isinstance(value, (list, tuple)):
        items = list(value)
        found = [[], [*items, items[0] if items else 1], items[:-1]]
        for place, item in enumerate(items[:3]):
            found += [[*items[:place], other, *items[place + 1:]] for other in _others(item)[:5]]
        return [other for other in found if other != items]
    return []


def _other_arrays(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "with one more dimension", array[None]
    if array.ndim:
        yield "flat", array.reshape(-1)
        yield "of one number", array.reshape(-1)[:1].reshape(() if array.size else (0, 0))
    for axis in range(array.ndim):
        yield f"without axis {axis}", np.take(array, range(0), axis)
        if array.shape[axis] > 1:
            yield f"shorter along {axis}", np.take(array, range(array.shape[axis] - 1), axis)
    for dtype in _DTYPES:
        if array.dtype != dtype:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                yield f"in {dtype}", array.astype(dtype)
    if array.dtype.kind == "i" and array.size:
        for extreme in (-1, 2**31 - 1, -(2**62), 2**62):
            if np.iinfo(array.dtype).max >= abs(extreme):
                yield f"holds {extreme}", np.where(np.arange(array.size).reshape(array.shape) == 0, extreme,
                                                   array).astype(array.dtype)


def done(call: Call) -> list:
    """Applies it to Tensors; the results."""
    import proa as paddle
    from proa.ops.core.trace import apply

    given = [[paddle.to_tensor(item) for item in value] if isinstance(value, list)
             else None if value is None else paddle.to_tensor(value) for value in call.inputs]
    results = apply(call.op, *given, **call.attrs)
    return list(results) if isinstance(results, (list, tuple)) else [results]


_TELLS = re.compile(r"^[A-Za-z_][\w./@ ]*(\(|: |\[)")


def is_told(call_type: str, error: BaseException) -> bool:
    """Whether an error says, in a sentence, which operator or function does not take what."""
    text = str(error)
    if isinstance(error, OSError):  # which names a file
        return True
    if isinstance(error, (ZeroDivisionError, AttributeError, UnboundLocalError, KeyError, NameError)):
        return False
    if isinstance(error, AssertionError) and not isinstance(error, (ValueError, TypeError)):  # an `assert` of our own
        return False
    return bool(_TELLS.match(text)) and len(text.split()) > 3 or call_type in text


class _Late(BaseException):
    pass


def main_of_worker() -> None:
    """`worker PATTERN FIRST`: a line of JSON for each record that has something to tell, `begin` before each call."""
    sys.path[:0] = [str(_ROOT.parent), str(Path(__file__).parent)]
    pattern, first, share = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    import records
    import variants as others

    def late(*_: Any) -> None:
        raise _Late

    signal.signal(signal.SIGPROF, late)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    warnings.simplefilter("ignore")
    number = -1
    for name, record in others.keyed(records.all_records()).items():
        if not re.search(pattern, name):
            continue
        try:
            calls = calls_of(record)[:1]
        except Exception as error:  # an older record that needs a Program
            print(json.dumps(["record", name, repr(error)[:200]]), flush=True)
            continue
        for call in calls:
            for what, changed in variants(call):
                number += 1
                if number < first or number % share:
                    continue
                print(json.dumps(["begin", number, name, what]), flush=True)
                print(json.dumps(["end", number, *_looked_at(changed)]), flush=True)


def _looked_at(call: Call) -> tuple[str, str]:
    before, status = resource.getrusage(resource.RUSAGE_SELF), ("ok", "")
    signal.setitimer(signal.ITIMER_PROF, 2 * SECONDS)  # of processors: others may keep this one waiting
    try:
        with np.errstate(all="ignore"):
            done(call)
    except _Late as error:
        place = traceback.extract_tb(error.__traceback__)
        status = "late", " < ".join(f"{p.filename.rpartition('/')[2]}:{p.lineno}" for p in place[-1:-5:-1])
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition('/proa/')[2][-50:]}:{place.lineno}"
        told = is_told(call.op.type, error)
        status = "told" if told else "bare", f"{type(error).__name__} {where} {str(error)[:150]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    after = resource.getrusage(resource.RUSAGE_SELF)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if took > SECONDS and status[0] != "late":
        status = "late", f"{took:.0f} s, {status[1]}"
    if after.ru_maxrss - before.ru_maxrss > MEGABYTES << 10:
        status = "large", f"{(after.ru_maxrss - before.ru_maxrss) >> 10} MB, {status[1]}"
    return status


def looked_at(pattern: str = "", share: int = 1, first: int = 0) -> Iterator[tuple[str, str, str, str]]:
    """(record, what is changed, `ok`, `told`, `bare`, `late`, `large` or `ended`, the error) of each call."""
    while True:
        process = subprocess.Popen(
            [sys.executable, __file__, "worker", pattern, str(first), str(share)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, cwd=_ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
        timer, begun = threading.Timer(0, int), None
        with process.stdout as lines:
            for line in lines:
                timer.cancel()
                kind, *rest = json.loads(line)
                if kind == "begin":
                    begun = rest
                    timer = threading.Timer(20 * SECONDS, process.kill)
                    timer.start()
                elif kind == "end":
                    yield begun[1], begun[2], rest[1], rest[2]
                    first, begun = rest[0] + 1, None
                else:
                    yield rest[0], "the record", "record", rest[1]
        timer.cancel()
        status = process.wait()
        if begun is None:
            if status:
                raise RuntimeError(f"the worker ended with {status} before {first}")
            return
        yield begun[1], begun[2], "ended", f"status {status}"
        first = begun[0] + 1


def main() -> None:
    """Lists what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.ops.extreme_calls", description=__doc__)
    parser.add_argument("--match", default="", help="a regular expression for the records' names")
    parser.add_argument("--share", type=int, default=1, help="only each n-th call")
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--all", action="store_true", help="everything, what is told among it")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    for name, what, status, text in looked_at(options.match, options.share, options.first):
        counts[status] += 1
        if options.all or status not in ("ok", "told"):
            print(f"{status}\t{name}\t{what}\t{text}".replace("\n", " "), flush=True)
    print(dict(counts))


if __name__ == "__main__":
    faulthandler.enable()
    main_of_worker() if sys.argv[1:2] == ["worker"] else main()
