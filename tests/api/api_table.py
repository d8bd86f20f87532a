"""Which of PaddlePaddle's public names are here, with the same parameters: prints docs/api.md.

    python -m tests.api.api_table > docs/api.md

It knows the names from `paddle_names.json` (what PaddlePaddle answered to `paddle_names.py`) and how often they are
used in public code from `usage.tsv`; what is here it asks of proa itself.
"""

import enum
import importlib
import inspect
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
#: The namespaces of the table, in the order of the page.
SHOWN = ["", "Tensor", "nn", "nn.functional", "nn.initializer", "nn.quant", "nn.utils", "optimizer", "optimizer.lr",
         "regularizer", "amp", "amp.debugging", "audio", "audio.backends", "audio.datasets", "audio.features",
         "audio.functional", "autograd", "io", "reader", "static", "static.nn", "jit", "metric", "callbacks", "linalg",
         "fft", "geometric", "hub", "distribution", "distribution.transform", "vision", "vision.transforms",
         "vision.datasets", "vision.models", "vision.ops", "signal", "sparse", "sparse.nn", "sparse.nn.functional",
         "text", "dataset", "dataset.cifar", "dataset.common", "dataset.conll05", "dataset.flowers", "dataset.image",
         "dataset.imdb", "dataset.imikolov", "dataset.mnist", "dataset.movielens", "dataset.uci_housing",
         "dataset.voc2012", "dataset.wmt14", "dataset.wmt16", "device", "device.cuda", "distributed",
         "distributed.checkpoint", "distributed.communication", "distributed.communication.stream",
         "distributed.fleet", "distributed.fleet.meta_parallel", "distributed.fleet.utils",
         "distributed.passes", "distributed.rpc", "distributed.sharding", "incubate",
         "incubate.asp", "incubate.autograd", "incubate.autotune", "incubate.nn", "incubate.nn.functional",
         "incubate.nn.layer", "incubate.nn.loss", "incubate.optimizer", "incubate.optimizer.functional", "inference",
         "profiler", "quantization", "quantization.observers", "quantization.quanters", "utils",
         "utils.cpp_extension", "utils.dlpack", "utils.download", "utils.unique_name", "sysconfig", "onnx", "version"]
_ABSENT = object()


def looked_up(dotted):
    """What `paddle.<dotted>` is in proa, or `_ABSENT`."""
    import proa

    found = proa
    path = "proa"
    if dotted.startswith("version."):  # proa's own stands at that place
        dotted = f"compat.paddle_{dotted}"
    for part in filter(None, dotted.split(".")):
        path = f"{path}.{part}"
        value = getattr(found, part, _ABSENT)
        if value is _ABSENT and inspect.ismodule(found):
            value = _module(path)
        if value is _ABSENT:
            return _ABSENT
        found = value
    return found


def _module(path):
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and path.startswith(error.name):
            return _ABSENT
        raise


def written_parameters(value):
    if isinstance(value, enum.EnumMeta):
        return None  # what calling one takes is Python's affair, and changes with it
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    return [_written(parameter) for parameter in signature.parameters.values()]


def _written(parameter):
    name = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name
    if parameter.default is parameter.empty:
        return name
    return f"{name}={parameter.default!r}" if _is_plain(parameter.default) else f"{name}=..."


def _is_plain(value):
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str))


def same_parameters(theirs, ours):
    """Whether a call that is right there is right here: each parameter in its place, with its name and default."""
    if theirs is None or ours is None:
        return None
    if theirs and theirs[0] in ("*args", "self") and theirs != ours and theirs[0] == "*args":
        return None
    theirs, ours = ([p for p in side if p not in ("self", "cls")] for side in (theirs, ours))
    common = ours[:len(theirs)]
    if any("=" not in p and not p.startswith("*") for p in ours[len(theirs):]) or len(common) < len(theirs):
        return False
    return all(_same(*pair) for pair in zip(theirs, common, strict=True))


def _same_but_receiver(theirs, ours):
    """As `same_parameters` of methods, whose first parameter is the Tensor, under any name; some do not show it."""
    if theirs is None or ours is None:
        return None
    own = ours[1:]
    return bool(same_parameters(theirs, own) or same_parameters(theirs[1:], own))


def _same(their, our):
    (name, _, default), (our_name, _, our_default) = their.partition("="), our.partition("=")
    if name.lstrip("_") != our_name.lstrip("_"):
        return False
    return "..." in (default, our_default) or default == our_default or _equal_numbers(default, our_default)


def _equal_numbers(left, right):
    try:
        return float(left) == float(right)
    except ValueError:
        return left.strip("()[],") == right.strip("()[],")


def _paddle():
    with open(os.path.join(HERE, "paddle_names.json"), encoding="utf-8") as file:
        return json.load(file)


def usage():
    """[(name, how often it is used, whether PaddlePaddle 2.6.2 has it), ...] in falling order of use."""
    with open(os.path.join(HERE, "usage.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [(name, int(uses), known == "yes") for name, uses, known in rows]


def missing_usage():
    """The used names that proa does not have."""
    return [(name, uses, known) for name, uses, known in usage() if looked_up(name.removeprefix("paddle.")) is _ABSENT]


def compared(namespace, names):
    """{name: 'same' | 'differs: …' | 'here' | 'absent'} for the names of one namespace."""
    answer = {}
    for name, fact in names.items():
        value = looked_up(f"{namespace}.{name}" if namespace else name)
        if value is _ABSENT:
            answer[name] = "absent"
            continue
        theirs, ours = fact.get("parameters"), written_parameters(value) if callable(value) else None
        same = same_parameters(theirs, ours)
        if same is False and namespace == "Tensor":
            same = _same_but_receiver(theirs, ours)
        answer[name] = "here" if same is None else "same" if same else _difference(theirs, ours)
    return answer


def _difference(theirs, ours):
    return "differs: `(" + ", ".join(p for p in ours if p != "self") + ")` for `(" + ", ".join(
        p for p in theirs if p != "self") + ")`"


def page():
    """The text of docs/api.md."""
    paddle = _paddle()
    tables = {name: compared(name, paddle["namespaces"][name]) for name in SHOWN}
    used, missing = usage(), missing_usage()
    lines = ["# The public names", "",
             f"The public names of PaddlePaddle {paddle['version']}, and whether proa has them with the same",
             "parameters. `python -m tests.api.api_table > docs/api.md`, run from the root of the repository, prints",
             "this page.", "",
             f"Of {len(used)} names that a large body of public code uses, {len(used) - len(missing)} are here"
             f" ({100 - 100 * len(missing) / len(used):.1f}%); weighted by how often they are used,"
             f" {100 - 100 * sum(m[1] for m in missing) / sum(u[1] for u in used):.1f}%.", "",
             "| namespace | names | here | same parameters | other parameters | not here |",
             "| --- | --: | --: | --: | --: | --: |"]
    for name, rows in tables.items():
        count = [sum(map(test, rows.values())) for test in (
            lambda r: r != "absent", lambda r: r == "same", lambda r: r.startswith("differs"), lambda r: r == "absent")]
        lines.append(f"| `{_title(name)}` | {len(rows)} | " + " | ".join(map(str, count)) + " |")
    lines += ["", "Names without a signature that Python can show (`here` below) count as here only.", ""]
    if missing:
        lines += ["## Used, and not here", "", ", ".join(f"`{name}` ({uses})" for name, uses, _ in missing), ""]
    for name, rows in tables.items():
        lines += _section(name, rows)
    return "\n".join(lines) + "\n"


def _title(namespace):
    return "paddle." + namespace if namespace else "paddle"


def _section(namespace, rows):
    lines = [f"## `{_title(namespace)}`", ""]
    for title, wanted in (("Same parameters", "same"), ("Here", "here"), ("Not here", "absent")):
        names = [f"`{name}`" for name, state in rows.items() if state == wanted]
        if names:
            lines += [f"{title}: {', '.join(names)}.", ""]
    different = [(name, state) for name, state in rows.items() if state.startswith("differs")]
    if different:
        lines += ["Other parameters (ours, for theirs):", ""]
        lines += [f"- `{name}`: {state.removeprefix('differs: ')}" for name, state in different] + [""]
    return lines


if __name__ == "__main__":
    sys.stdout.write(page())
