"""Writes the stubs by which type checkers know the public names: `python -m tests.api.stubs`.

Public functions of operators say `Any` where they stand, since they apply to Tensors and to a Program's Variables
alike and know neither. To a program of a user's, what they give is a Tensor: so say the stubs `__init__.pyi` of the
public packages, which are made by looking at the packages, and `dygraph/tensor_methods.pyi`, of Tensor's methods. What
the faces `fluid` and `oneflow` gather says itself what it gives: their stubs say that it is there for all to import.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import os
import re
import sys
import types
from typing import Any

from proa.core import lazy
from proa.dygraph.tensor import Tensor
from proa.dygraph.value import EagerValue
from proa.nn import Layer
from proa.nn.layers import rnn_cells
from proa.nn.layers.rnn_cells import RNNCellBase
from proa.nn.layers.rnn_stacks import RNNBase
from proa.ops.methods import METHODS, SYNTAX
from proa.static.ir.variable import Variable

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = """
    . amp audio audio.features audio.functional autograd device distributed distributed.fleet distribution fft geometric
    hapi incubate incubate.nn incubate.nn.functional incubate.optimizer inference interchange io jit
    linalg metric nn nn.functional nn.initializer nn.utils optimizer optimizer.lr profiler quantization
    sparse sparse.nn static static.nn text utils vision vision.datasets vision.models vision.ops vision.transforms
""".split()
FACES = """
    fluid fluid.contrib fluid.contrib.layers fluid.contrib.utils fluid.dygraph fluid.incubate fluid.incubate.fleet
    fluid.incubate.fleet.base fluid.incubate.fleet.parameter_server fluid.incubate.fleet.utils fluid.layers
    oneflow oneflow.autograd oneflow.nn oneflow.nn.functional oneflow.nn.utils oneflow.optim oneflow.utils
    oneflow.utils.data
""".split()
METHODS_STUB = "dygraph/tensor_methods.pyi"
VARIABLE_STUB = "static/ir/variable_methods.pyi"
_KNOWN = set("Any Callable Sequence Iterable Iterator Mapping Literal np int float bool str bytes complex list tuple "
             "dict set None Tensor object type".split())
_HEADER = ("from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence\n"
           "from typing import Any, Literal\n\nimport numpy as np\n")
_HELPERS = {"annotations", "TYPE_CHECKING", "Any", "attach", "asked_of", "stand_at", "explaining"}
_NOTE = '"""Made by `python -m tests.api.stubs`: what type checkers know of {what}."""\n\n'


def stubs() -> dict[str, str]:
    """The text of each stub, by its path in the repository."""
    made = {METHODS_STUB: methods_stub(), VARIABLE_STUB: variable_stub()}
    for package in PACKAGES:
        name = "proa" if package == "." else f"proa.{package}"
        made[_path(name)] = package_stub(name)
    return made | {_path(f"proa.{face}"): face_stub(f"proa.{face}") for face in FACES}


def _path(name: str) -> str:
    file = importlib.import_module(name).__file__
    assert file is not None
    return os.path.relpath(file, ROOT) + "i"


def methods_stub() -> str:
    """Two classes: Python's operators, which every face's values have, and the methods that Tensor has besides."""
    head = _NOTE.format(what="Tensor's methods") + _HEADER + "\nfrom typing_extensions import Self\n\n" \
        "from .tensor import Tensor\n\n"
    own = {*vars(EagerValue), *vars(Tensor)} - set(METHODS)
    operators = [_operator(name) for name in sorted(SYNTAX)]
    methods = [line for name in sorted(set(METHODS) - set(SYNTAX) - own) for line in _method(name)]
    body = "".join(["class Operators:\n", *operators, "\n\nclass TensorMethods:\n", *methods])
    return _with_builtins(head, body, sorted(METHODS))


def variable_stub() -> str:
    """One class: the operators and methods of a Program's variables, which give variables."""
    head = _NOTE.format(what="the methods of a Program's variables") + _HEADER + \
        "\nfrom typing_extensions import Self\n\nfrom .variable import Variable\n\n"
    names = sorted(set(METHODS) - set(SYNTAX) - set(vars(Variable)))
    methods = [re.sub(r"\bTensor\b", "Variable", line) for name in names for line in _method(name, Variable)]
    body = "".join(["class VariableMethods:\n", *map(_operator, sorted(set(SYNTAX) - set(vars(Variable)))), *methods])
    return _with_builtins(head, body, sorted(METHODS))


def _operator(name: str) -> str:
    """The line of an operator of Python's, of which no caller gives more than Python does."""
    given = [f"{p}: Any" for p in list(inspect.signature(SYNTAX[name]).parameters)[1:3 if name == "__setitem__" else 2]]
    operands = [] if name in ("__neg__", "__abs__", "__invert__", "__pos__") else given
    ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    result = "None" if name == "__setitem__" else "Self"
    return f"    def {name}({', '.join(['self', *operands, '/'])}) -> {result}: ...{ignored}\n"


def _method(name: str, owner: type = Tensor) -> list[str]:
    """The lines of a method or property of Tensor's; none of a name that only says what it belongs to."""
    method = getattr(owner, name, None)
    if isinstance(method, property):
        return ["    @property\n", f"    def {name}(self) -> {_result(method.fget)}: ...\n"]
    return [f"    def {name}{_signature(method, method=True)}: ...\n"] if inspect.isfunction(method) else []


def package_stub(name: str) -> str:
    """The public names of a package: classes from where they are, functions of operators with what they give."""
    package = importlib.import_module(name)
    imports: dict[str, list[str]] = {}
    functions, classes, values = [], [], []
    for public in _public(package):
        value = getattr(package, public)
        if isinstance(value, types.ModuleType):
            where, _, last = value.__name__.rpartition(".")
            imports.setdefault(where, []).append(f"{last} as {public}")
        elif inspect.isfunction(value) and (_gives_tensors(value) or value.__module__ == name):
            functions.append(f"def {public}{_signature(value)}: ...\n")
        elif inspect.ismethod(value):
            functions.append(f"def {public}{_signature(value)}: ...\n")
        elif inspect.isclass(value) and _computes_tensors(value):
            imports.setdefault(value.__module__, []).append(f"{value.__name__} as _{value.__name__}")
            classes.append(f"class {public}(_{value.__name__}):\n" + _attributes(value) +
                           f"    def forward{_signature(value.forward, True, _cell_of(value).forward)}: ...\n\n")
        elif inspect.isclass(value) or inspect.isfunction(value):
            imports.setdefault(value.__module__, []).append(f"{value.__name__} as {public}")
        else:
            kind = type(value)
            if kind.__module__.startswith("proa."):
                imports.setdefault(kind.__module__, []).append(f"{kind.__name__} as _{kind.__name__}")
            values.append(f"{public}: {'_' * kind.__module__.startswith('proa.')}{kind.__name__}\n")
    text = "".join([*classes, *functions])
    if re.search(r"\bTensor\b", text):
        imports.setdefault("proa.dygraph.tensor", []).append("Tensor as Tensor")
    found = [f"from {'.' if module == name else module} import {', '.join(sorted(set(names)))}\n"
             for module, names in sorted(imports.items())]
    body = "".join([*values, "\n" if values and text else "", text])
    return _with_builtins(_NOTE.format(what=f"`{name}`") + _HEADER + "".join(found) + "\n", body, _public(package))


def face_stub(name: str) -> str:
    """The names that a package gathers by imports, each of which is one of its own."""
    file = importlib.import_module(name).__file__
    assert file is not None
    with open(file, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    lines, public = [], []
    for node in [child for top in tree.body for child in (top.body if isinstance(top, ast.If) else [top])]:
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "__future__"):
            names = [each for each in node.names
                     if not (each.asname or each.name).startswith("_") and each.name not in _HELPERS]
            public += [each.asname or each.name for each in names]
            if names:
                imported = ", ".join(map(ast.unparse, names))
                lines.append(f"from {'.' * node.level}{node.module or ''} import {imported}\n")
    version = "\n__version__: str\n" if hasattr(importlib.import_module(name), "__version__") else ""
    return _NOTE.format(what=f"`{name}`") + "".join(lines) + f"\n__all__ = {sorted(set(public))}\n" + version


def _with_builtins(head: str, body: str, defined: list[str]) -> str:
    """The stub, with names of Python's own types, such as `bool`, that it also gives to something else, kept apart."""
    taken = [name for name in defined if isinstance(getattr(builtins, name, None), type)]
    for name in taken:
        body = re.sub(rf"(?<=[:>|\[,] ){name}\b|(?<=\[){name}\b", f"_{name}", body)
    imported = f"from builtins import {', '.join(f'{name} as _{name}' for name in taken)}\n" if taken else ""
    return head.replace("\nimport numpy", f"{imported}\nimport numpy", 1) + body


def _public(package: types.ModuleType) -> list[str]:
    names: Any = lazy.listing(package.__name__) if "attach" in vars(package) else getattr(package, "__all__", None)
    names = sorted({*(vars(package).get("__all__") or names or dir(package)), *_modules(package)})
    shown = [name for name in names if not name.startswith("_") and name not in _HELPERS and _here(package, name)]
    return shown + [name for name in ("__version__",) if name in vars(package)]


def _modules(package: types.ModuleType) -> list[str]:
    """The modules that a package lists; they stand in no `__all__`, which says what a star import brings."""
    tree = ast.parse(inspect.getsource(package))
    found = [node for top in tree.body for node in (top.body if isinstance(top, ast.If) else [top])]
    names = [alias.asname or alias.name for node in found if isinstance(node, ast.ImportFrom) for alias in node.names]
    return [name for name in names if isinstance(getattr(package, name, None), types.ModuleType)]


def _here(package: types.ModuleType, name: str) -> bool:
    """Whether a name is there, and is the project's own."""
    try:
        value = getattr(package, name)
    except AttributeError:
        return False
    of = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "proa") or "proa"
    return of == "proa" or of.startswith("proa.")


def _computes_tensors(layer: type) -> bool:
    """Whether it is one of the layers of `nn` whose call, which says Any, gives Tensors with all arguments."""
    if not (issubclass(layer, Layer) and layer.forward is not Layer.forward
            and layer.__module__.startswith("proa.nn.layers")):
        return False
    asked = {*inspect.signature(layer).parameters, *inspect.signature(layer.forward).parameters}
    result = inspect.signature(layer.forward).return_annotation
    return (result in ("Any", Any) or _cell_of(layer) is not layer or issubclass(layer, RNNCellBase)
            and layer is not RNNCellBase) and not asked & {"cache", "need_weights", "return_mask"}


def _cell_of(layer: type) -> Any:
    """The cell that a recurrent layer is made of, which says what the state is; other layers themselves."""
    return getattr(rnn_cells, f"{layer.__name__}Cell", layer) if issubclass(layer, RNNBase) else layer


def _attributes(layer: type) -> str:
    """A line for each parameter that a layer is given; that one may be left out, and is None then, is not told."""
    names: dict[str, None] = {}
    for kind in reversed(layer.__mro__):
        if kind.__module__.startswith("proa.nn.layers"):
            for node in ast.walk(ast.parse(inspect.getsource(kind))):
                if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Attribute):
                    if "parameter(" in ast.unparse(node.value) and not target.attr.startswith("_"):
                        names[target.attr] = None
    return "".join(f"    {name}: Tensor\n" for name in names)


def _gives_tensors(function: Any) -> bool:
    """Whether it is a function of operators whose result is said as Any: one that a trace decides."""
    within = ("proa.ops.", "proa.nn.functional", "proa.vision.ops", "proa.incubate.nn", "proa.sparse", "proa.fft",
              "proa.geometric", "proa.audio.functional", "proa.dygraph.engine")
    return function.__module__.startswith(within)


def _signature(function: Any, method: bool = False, giving: Any = None) -> str:
    """Parameters and result, as source; the result is what another function says where one is `giving` it."""
    parts: list[str] = []
    parameters = list(inspect.signature(function).parameters.values())
    starred = False
    for index, parameter in enumerate(parameters):
        if method and index == 0:
            parts.append("self")
            if parameter.kind is parameter.POSITIONAL_ONLY:
                parts.append("/")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        starred = starred or mark == "*"
        default = "" if parameter.default is parameter.empty else " = " + _default(parameter.default)
        parts.append(f"{mark}{parameter.name}: {_annotation(parameter.annotation)}{default}")
        following = parameters[index + 1] if index + 1 < len(parameters) else None
        if parameter.kind is parameter.POSITIONAL_ONLY and (
                following is None or following.kind is not parameter.POSITIONAL_ONLY) and "/" not in parts:
            parts.append("/")
    return f"({', '.join(parts)}) -> {_result(giving or function)}"


def _default(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, (bool, int, str)) or (
        isinstance(value, float) and abs(value) < float("inf")) else "..."


def _annotation(annotation: Any) -> str:
    """The annotation where its names are known everywhere, else Any."""
    if annotation is inspect.Parameter.empty:
        return "Any"
    is_class = isinstance(annotation, type) and not hasattr(annotation, "__args__")
    text = annotation.__name__ if is_class else str(annotation)
    text = re.sub(r"\b(typing|collections\.abc|builtins)\.", "", text).replace("NoneType", "None")
    text = text.replace("numpy.", "np.")
    words = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"np\.\w+|'[^']*'", "", text)))
    return _filled(text) if words <= _KNOWN and _is_expression(text) else "Any"


def _filled(text: str) -> str:
    """The annotation with what bare containers and functions hold."""
    for name, held in {"list": "Any", "tuple": "Any, ...", "dict": "Any, Any", "set": "Any", "Callable": "..., Any",
                       "Sequence": "Any", "Iterable": "Any", "Iterator": "Any", "Mapping": "Any, Any"}.items():
        text = re.sub(rf"\b{name}\b(?!\[)", f"{name}[{held}]", text)
    return text


def _is_expression(text: str) -> bool:
    try:
        compile(text, "<annotation>", "eval")
    except SyntaxError:
        return False
    return True


def _result(function: Any) -> str:
    """What it gives: a Tensor where it says Any, several where it says a tuple or list of Any."""
    annotation = _annotation(inspect.signature(function).return_annotation)
    return re.sub(r"\bAny\b", "Tensor", annotation)


def main() -> None:
    """Writes all."""
    for path, text in stubs().items():
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
