"""`install(name)`: makes `import name` and `import name.part` give proa's modules; scripts and modules run so.

The root module of that name is one of its own, which looks everything up in proa but answers `__version__` and
`version` as Paddle does, since packages check them. Everything below it is proa's very modules. The name "oneflow" is
for that face, `proa.oneflow`, and everything in it.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

from ..core import child_processes
from ..core.absent import why_absent
from ..core.module_files import BESIDE_FUNCTIONS, PLACES
from . import fluid_of_2

_ROOT = __name__.partition(".")[0]
#: Where modules are that stand elsewhere here: at the root they would hide Python's own.
_ELSEWHERE = {".signal": ".utils.signal", ".sysconfig": ".utils.sysconfig", ".onnx": ".interchange.onnx",
              ".version": ".compat.paddle_version"}
_ELSEWHERE |= PLACES
#: Under which names a part of proa is found that is a face of its own.
_FACES = {"oneflow": ".oneflow", "oneflow_api": ".oneflow._oneflow_internal"}
#: What such a face's scripts may put behind its name, to the same effect.
_SAME = {".oneflow": (".compatible.single_client", ".python")}
#: Which module tells the version, by the API that is asked for.
_VERSIONS = {"2.6": ".compat.paddle_version", "2.4": ".compat.paddle_version_2_4", "1.8": ".compat.paddle_version_1"}
#: What `paddle.complex` was in 1.8, where later Paddle has a function.
_COMPLEX = {".complex": ".fluid.complex", ".complex.helper": ".fluid.complex", ".complex.tensor": ".fluid.complex"}
_COMPLEX |= {f".complex.tensor.{file}": ".fluid.complex" for file in ("linalg", "manipulation", "math")}


#: What PaddlePaddle's own import has loaded, so that programs which `import PIL` alone find `PIL.Image` in it.
_BROUGHT_ALONG = {"PIL": "Image ImageEnhance ImageOps", "urllib": "request"}


class _AliasRoot(ModuleType):
    """The root module under its other name."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(_ROOT), name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(importlib.import_module(_ROOT))})


class _AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads the modules of one alias."""

    def __init__(self, alias: str, api: str):
        self.alias, self.api, self.face = alias, api, _FACES.get(alias, "")

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname == "pip":
            _load_setuptools()
        if fullname in _BROUGHT_ALONG:
            return _with_parts(fullname)
        if fullname == self.alias:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if not fullname.startswith(self.alias + "."):
            return self._asked_of_ours(fullname)
        if self._is_fluid_of_2(fullname):
            found = fluid_of_2.parts(fullname.removeprefix(f"{self.alias}.fluid"))
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if found else None
        if importlib.util.find_spec(self._real_name(fullname)) is None:
            why = self._why_absent(fullname)
            if why is not None:  # without the module's name, for which `from paddle import part` would hide the text
                raise ModuleNotFoundError(why)
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def _is_fluid_of_2(self, fullname: str) -> bool:
        return self.api == "2.4" and f"{fullname}.".startswith(f"{self.alias}.fluid.")

    def _asked_of_ours(self, fullname: str) -> Any:
        """`from paddle.optimizer import adamw` asks for proa.optimizer.adamw: the package is proa's very module."""
        if self.face or fullname.count(".") < 2 or fullname.removeprefix(_ROOT) not in _ELSEWHERE:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def _why_absent(self, fullname: str) -> str | None:
        """What to say of a module that belongs to a subject which is not here."""
        if not self.face:
            return why_absent(fullname[len(self.alias) + 1:])
        whole = "." + self.face.split(".")[1]
        reasons: Any = importlib.import_module(f"{_ROOT}{whole}.refused")
        told: str | None = reasons.why_refused(self._real_name(fullname).removeprefix(_ROOT + whole + "."))
        return told

    def _real_name(self, fullname: str) -> str:
        part = fullname.removeprefix(self.alias).removeprefix(_ROOT)
        if self.face:
            same = next((s for s in _SAME.get(self.face, ()) if (part + ".").startswith(s + ".")), "")
            return _ROOT + self.face + part[len(same):]
        if part == ".version":
            return _ROOT + _VERSIONS[self.api]
        return _ROOT + (_ELSEWHERE | _COMPLEX if self.api == "1.8" else _ELSEWHERE).get(part, part)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        if self._is_root(spec.name):
            return _alias_root(self.alias, self.api)
        if self._is_fluid_of_2(spec.name):
            return fluid_of_2.joined(spec.name, spec.name.removeprefix(f"{self.alias}.fluid"))
        module = importlib.import_module(self._real_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._name_loaded_modules()
        spec = module.__spec__
        if spec is not None and spec.loader is self and not self._is_root(spec.name):
            module.__spec__ = spec.loader_state  # the module keeps its own name; only sys.modules knows the other

    def _is_root(self, name: str) -> bool:
        """Whether it is the module that stands for proa; a face is itself."""
        return name == self.alias and not self.face

    def _name_loaded_modules(self) -> None:
        """Puts the modules that are loaded under their other names too.

        What is found there is not loaded again; loading would bind the module's name in its package, where something
        else may bear it: `paddle.amp.auto_cast` is a function, and the module that it stands in.
        """
        within = _ROOT + self.face + "."
        for name, module in list(sys.modules.items()):
            part = name.removeprefix(within)
            if part != name and "." + part.partition(".")[0] not in _ELSEWHERE and not self._is_fluid_of_2(
                    f"{self.alias}.{part}"):
                sys.modules.setdefault(f"{self.alias}.{part}", module)
        for file, place in () if self.face else (BESIDE_FUNCTIONS | PLACES).items():
            here = sys.modules.get(_ROOT + place)
            if here is not None and (file in BESIDE_FUNCTIONS or not hasattr(here, "__path__")):
                sys.modules.setdefault(self.alias + file, here)
                if file not in BESIDE_FUNCTIONS:  # for `from paddle.geometric import math`
                    sys.modules.setdefault(_ROOT + file, here)


class _PartsLoader(importlib.abc.Loader):
    """Loads a package as its own loader does, and then modules in it."""

    def __init__(self, loader: Any):
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = module.__spec__.loader = self._loader  # type: ignore[union-attr]
        self._loader.exec_module(module)
        for part in _BROUGHT_ALONG[module.__name__].split():
            importlib.import_module(f"{module.__name__}.{part}")


def _with_parts(package: str) -> importlib.machinery.ModuleSpec | None:
    """Where a package is, to be loaded with those modules of it that PaddlePaddle loads itself."""
    spec = importlib.machinery.PathFinder.find_spec(package)
    if spec is not None and spec.loader is not None:
        spec.loader = _PartsLoader(spec.loader)
    return spec


def _promise_parts() -> None:
    """The same for packages that are loaded already: such a module is loaded when something in it is asked for."""
    for package, parts in _BROUGHT_ALONG.items():
        for part in parts.split() if package in sys.modules else ():
            name = f"{package}.{part}"
            spec = None if name in sys.modules else importlib.machinery.PathFinder.find_spec(
                name, sys.modules[package].__path__)
            if spec is None or spec.loader is None:
                continue
            spec.loader = importlib.util.LazyLoader(spec.loader)
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            setattr(sys.modules[package], part, module)


def _load_setuptools() -> None:
    """Loads setuptools where it is, before pip: behind pip it fails before Python 3.12, which takes distutils from it.

    PaddlePaddle loads it when it is imported itself, so that packages for it import both in either order.
    """
    loaded = "setuptools" in sys.modules or "distutils" in sys.modules  # behind distutils it warns, and helps no more
    if sys.version_info < (3, 12) and not loaded and importlib.util.find_spec("setuptools"):
        importlib.import_module("setuptools")


def _alias_root(alias: str, api: str) -> ModuleType:
    paddle_version: Any = importlib.import_module(_ROOT + _VERSIONS[api])
    root = _AliasRoot(alias, importlib.import_module(_ROOT).__doc__)
    root.__version__ = paddle_version.full_version  # type: ignore[attr-defined]
    root.__git_commit__ = paddle_version.commit  # type: ignore[attr-defined]
    root.version = paddle_version  # type: ignore[attr-defined]
    if api == "1.8":
        root.complex = importlib.import_module(_ROOT + _COMPLEX[".complex"])  # type: ignore[attr-defined]
    elif api == "2.4":
        root.multiply = importlib.import_module(f"{_ROOT}.compat.functions_of_2_0").multiply  # type: ignore[attr-defined]
    for value in (root.Tensor, root.base.framework.EagerParamBase):
        value.stand_in(f"{alias}.base.framework" if value is not root.Tensor else alias)
    setattr(root, alias, root)  # importing its own parts binds the name there too: `x: paddle.paddle` in a signature
    return root


def install(name: str = "paddle", api: str = "2.6") -> None:
    """From now on `import name` gives proa, in this process.

    With `api="1.8"` it is Paddle 1.8.5: Programs are the default, no value is without dimensions, and versions say so.
    With `api="2.4"` there is a `paddle.fluid` beside the API of 2.6, as programs of Paddle 2.0 to 2.4 import it: its
    layers are `paddle.nn`'s, and its functions compute at once where the process does. No value is without dimensions.
    `install("oneflow")` makes `import oneflow` give `proa.oneflow`.
    Raises RuntimeError when another package of that name has been imported already, or another API installed;
    ValueError for another API.

    >>> import proa
    >>> proa.compat.install("paddle")
    >>> import paddle
    >>> paddle.Tensor is proa.Tensor
    True
    """
    if api not in _VERSIONS:
        raise ValueError(f"install(api): must be one of {', '.join(_VERSIONS)}. Received {api!r}.")
    before = next((f for f in sys.meta_path if isinstance(f, _AliasFinder) and f.alias == name), None)
    if before is not None:
        if before.api != api:
            raise RuntimeError(f"install({name!r}, api={api!r}): that name is installed already, with "
                               f"api={before.api!r}.")
        return
    if name in sys.modules:
        raise RuntimeError(
            f"{name!r} is imported already, from {getattr(sys.modules[name], '__file__', None)}. "
            f"Call proa.compat.install({name!r}) before anything imports it."
        )
    sys.meta_path.insert(0, _AliasFinder(name, api))
    if api == "1.8":
        mode: Any = importlib.import_module(f"{_ROOT}.static.building.mode")
        mode.set_least_rank(1)
        mode.enable_static()
        core: Any = importlib.import_module(f"{_ROOT}.core.dtype")
        core.show_dtypes_as(lambda dtype: f"VarType.{dtype.name_in_files}")
        made: Any = importlib.import_module(f"{_ROOT}.ops.random.draws_of_1")
        importlib.import_module(f"{_ROOT}.ops.random.draws").draw_seeded_by(made.SeededOf1())
    elif api == "2.4":
        fluid_of_2.begin()
    here = os.path.dirname(os.path.abspath(__file__))
    if name == "paddle":
        _promise_parts()
        os.environ["PROA_API"] = api
    if name in ("paddle", "oneflow"):  # programs that are started from here import it too
        child_processes.add_to_path(os.path.join(here, "children", name))


def _install_all(api: str) -> None:
    """What scripts that are run find: Paddle, and OneFlow; and what programs find that such a script starts."""
    install("paddle", api)
    for name in _FACES:
        install(name)
    os.environ.update(child_processes.environment())


def run_script(path: str, arguments: list[str], api: str = "2.6") -> None:
    """Runs a file as `__main__`, with its folder first on the path and `sys.argv` its own.

    What can be read once only, as /dev/stdin, is kept for those that ask for the lines of a function. Raises
    FileNotFoundError, before anything is changed, where there is no such file.
    """
    if not os.path.exists(path) or os.path.isdir(path):
        raise FileNotFoundError(f"there is no file {path!r}")
    _install_all(api)
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    main = ModuleType("__main__")
    loader = SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __loader__=loader, __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = main
    if os.path.isfile(path):
        code: Any = loader.get_code("__main__")
    else:
        source = loader.get_data(path)
        _keep_lines(path, importlib.util.decode_source(source))
        code = loader.source_to_code(source, path)
    exec(code, main.__dict__)  # noqa: S102 - the user asked for it


def run_module(name: str, arguments: list[str], api: str = "2.6") -> None:
    """Runs a module as `python -m NAME` would; ModuleNotFoundError, before it runs, where there is none."""
    _install_all(api)
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    if not _is_found(name):
        raise ModuleNotFoundError(f"there is no module {name!r}")
    if name.startswith("paddle."):
        name = _AliasFinder("paddle", api)._real_name(name)  # as in `-m paddle.distributed.launch`: it has code to run
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _is_found(name: str) -> bool:
    """Whether there is a module of this name; what is wrong inside of its packages is raised."""
    parts = name.split(".")
    for n in range(1, len(parts) + 1):
        found = importlib.util.find_spec(".".join(parts[:n]))
        if found is None or n < len(parts) and found.submodule_search_locations is None:
            return False
    return True


def run_code(code: str, arguments: list[str], api: str = "2.6") -> None:
    """Runs a text as `python -c TEXT` would."""
    _run_text("-c", "<string>", code, arguments, api)


def run_input(arguments: list[str], api: str = "2.6") -> None:
    """Runs the script that is written to this process's input, as `python -` would."""
    source = sys.stdin.read()
    _keep_lines("<stdin>", source)
    _run_text("-", "<stdin>", source, arguments, api)


def _run_text(named: str, file: str, text: str, arguments: list[str], api: str) -> None:
    _install_all(api)
    sys.argv = [named, *arguments]
    sys.path[0] = ""
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins)
    sys.modules["__main__"] = main
    exec(compile(text, file, "exec"), main.__dict__)  # noqa: S102 - the user asked for it


def _keep_lines(file: str, text: str) -> None:
    """Keeps the lines of what is read once for those that ask for them: conversion, tracebacks."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
