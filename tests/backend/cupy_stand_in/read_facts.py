"""Reads what CuPy's wheel has: functions with their parameters, ufuncs with their loops, names of arrays.

    python tests/backend/cupy_stand_in/read_facts.py            # says whether facts.json is what the wheel says
    python tests/backend/cupy_stand_in/read_facts.py --write    # writes it

The wheel imports where there is no GPU; no function of it is called. `ml_dtypes` must be installed beside it: CuPy has
loops for bfloat16 where it can be imported. Parameters come from signatures, and from the first line of docstrings for
what is compiled. `facts.json` stands beside this file, so that tests need no wheel.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

FACTS = Path(__file__).with_name("facts.json")
_KINDS = {inspect.Parameter.POSITIONAL_ONLY: "/", inspect.Parameter.POSITIONAL_OR_KEYWORD: "",
          inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.KEYWORD_ONLY: "k",
          inspect.Parameter.VAR_KEYWORD: "**"}


def _parameter(name: str, kind: str, optional: bool) -> str:
    """`x`, `x?` with a default, `/x` by position only, `k:x` by keyword only, `*x`, `**x`."""
    return (f"{kind}:" if kind == "k" else kind) + name + ("?" if optional else "")


def _by_signature(function: Any) -> list[str]:
    return [_parameter(p.name, _KINDS[p.kind], p.default is not p.empty)
            for p in inspect.signature(function).parameters.values()]


def _by_docstring(function: Any) -> list[str]:
    """The parameters in a docstring's first line, as compilers of C extensions write them: types before names."""
    line = (function.__doc__ or "").lstrip().partition("\n")[0]
    found = re.search(r"\((.*)\)", line)
    if found is None:
        raise ValueError(f"no parameters in the docstring of {function!r}: {line!r}")
    parameters, keyword_only = [], False
    for part in filter(None, re.split(r",\s*(?![^()\[\]]*[)\]])", found[1])):
        name, _, default = part.strip().partition("=")
        name = name.split()[-1]
        if name in ("self", "/"):
            continue
        if name.startswith("*"):
            keyword_only = True
            if name not in ("*", r"\*"):
                parameters.append(name)
            continue
        parameters.append(_parameter(name, "k" if keyword_only else "", bool(default)))
    return parameters


def parameters_of(function: Any) -> list[str]:
    """The parameters of a function of the wheel, without `self`."""
    try:
        return [p for p in _by_signature(function) if p != "self"]
    except ValueError:
        return _by_docstring(function)


def _of_namespace(module: Any, numpy_module: Any) -> dict[str, Any]:
    """What a module offers, by name: parameters, loops of a ufunc, or `numpy` for what is NumPy's own."""
    found: dict[str, Any] = {}
    for name in sorted(vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value) or name == "annotations":
            continue
        own = getattr(numpy_module, name, None)
        if not inspect.isclass(value) and hasattr(value, "types") and hasattr(value, "nin"):
            found[name] = {"in": value.nin, "out": value.nout, "loops": " ".join(value.types),
                           "at": value._scatter_op}
        elif type(value).__name__ == "_GUFunc":
            found[name] = {"parameters": ["*args", *(f"k:{p}?" for p in (
                "axes", "axis", "keepdims", "casting", "dtype", "signature", "order", "out"))]}
        elif value is own or isinstance(value, (bool, int, float, str, type(None))):
            found[name] = "numpy" if value is own or own is not None else "value"
        elif inspect.isclass(value):
            found[name] = "class"
        elif callable(value):
            found[name] = {"parameters": parameters_of(value)}
        else:
            found[name] = "object"
    return found


def _of_class(kind: type) -> dict[str, Any]:
    """The public names of a class: parameters of its methods, `attribute` for the rest; special ones by name only."""
    found: dict[str, Any] = {}
    for name in sorted(dir(kind)):
        value = getattr(kind, name)
        if name.startswith("__"):
            if name not in dir(object) and "pyx" not in name:
                found[name] = "special"
        elif not name.startswith("_"):
            found[name] = {"parameters": parameters_of(value)} if callable(value) else "attribute"
    return found


def _of_nccl(nccl: Any) -> dict[str, Any]:
    """NCCL's functions, numbers and the methods of its communicator; it must be loadable: nvidia-nccl-cu12."""
    if not nccl.available:
        raise SystemExit("CuPy finds no NCCL. Install nvidia-nccl-cu12 beside it; it needs no GPU to be read.")
    found = {name: getattr(nccl, name) for name in sorted(dir(nccl)) if name.startswith("NCCL_")}
    for name in ("get_unique_id", "groupStart", "groupEnd", "NcclCommunicator"):
        found[name] = {"parameters": parameters_of(getattr(nccl, name))}
    return found | {"communicator": _of_class(nccl.NcclCommunicator)}


def read() -> dict[str, Any]:
    """The facts of the CuPy that can be imported."""
    import cupy
    import cupy.cuda.nccl
    import cupy.lib.stride_tricks
    import cupyx
    import cupyx.scipy.special
    import ml_dtypes  # noqa: F401 (without it there are no loops for bfloat16)
    import numpy

    return {
        "version": cupy.__version__,
        "cupy": _of_namespace(cupy, numpy),
        "cupy.linalg": _of_namespace(cupy.linalg, numpy.linalg),
        "cupy.fft": _of_namespace(cupy.fft, numpy.fft),
        "cupy.random": _of_namespace(cupy.random, numpy.random),
        "cupy.lib.stride_tricks": {name: {"parameters": parameters_of(getattr(cupy.lib.stride_tricks, name))}
                                   for name in ("as_strided", "sliding_window_view")},
        "cupyx": {name: {"parameters": parameters_of(getattr(cupyx, name))}
                  for name in ("rsqrt", "errstate")
                  if inspect.isfunction(getattr(cupyx, name))},
        "cupyx.scipy.special": _of_namespace(cupyx.scipy.special, object()),
        "cupy.cuda": {name: {"parameters": parameters_of(getattr(cupy.cuda, name))}
                      for name in ("Event", "Stream", "get_current_stream")},
        "Event": _of_class(cupy.cuda.Event),
        "Stream": _of_class(cupy.cuda.Stream),
        "cupy.cuda.nccl": _of_nccl(cupy.cuda.nccl),  # an attribute once it is imported, and not before
        "ndarray": _of_class(cupy.ndarray),
        "Generator": _of_class(cupy.random.Generator),
    }


def text_of(facts: dict[str, Any]) -> str:
    """The facts as JSON, one line for each name."""
    parts = []
    for key, value in facts.items():
        if isinstance(value, dict):
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(fact)}" for name, fact in value.items())
            parts.append(f"{json.dumps(key)}: {{\n{lines}\n}}")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Writes or compares; 1 where the wheel says otherwise than the file."""
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != FACTS.parent]
    text = text_of(read())
    if "--write" in arguments:
        FACTS.write_text(text)
        print(f"{FACTS}: written from CuPy {json.loads(text)['version']}.")
        return 0
    if text == FACTS.read_text():
        print(f"{FACTS.name} is what CuPy {json.loads(text)['version']} says.")
        return 0
    ours, theirs = FACTS.read_text().splitlines(), text.splitlines()
    for line in [f"- {x}" for x in ours if x not in theirs] + [f"+ {x}" for x in theirs if x not in ours]:
        print(line[:200])
    print(f"{FACTS.name} is not what the wheel says; write it anew with --write, and see what the tests say.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
