"""Models of a repository that says in `hubconf.py` which there are: a folder, or one that was fetched before.

Nothing is fetched: of "github" and "gitee" the folder is looked for where it would be fetched to. `hubconf.py` is code
of whoever wrote it, and is run.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

#: Where fetched repositories are: a folder `owner_name_branch` each.
HUB_DIR = os.path.join(os.path.expanduser("~"), ".cache", "paddle", "hub")
_ADDRESSES = {"github": "https://github.com/{}/{}/archive/{}.zip",
              "gitee": "https://gitee.com/{}/{}/repository/archive/{}.zip"}
_BRANCHES = {"github": "main", "gitee": "master"}


def _folder(what: str, repo_dir: str, source: str) -> str:
    """The folder of a repository; ValueError for a source that is none, FileNotFoundError where it is not there."""
    if source == "local":
        return repo_dir
    if source not in _ADDRESSES:
        raise ValueError(f"paddle.hub.{what}(source): must be 'github', 'gitee' or 'local'. Received {source!r}.")
    name, _, branch = repo_dir.partition(":")
    owner, slash, repository = name.partition("/")
    if not (owner and slash and repository) or "/" in repository:
        raise ValueError(f"paddle.hub.{what}(repo_dir): of {source} must be 'owner/name' or 'owner/name:branch'. "
                         f"Received {repo_dir!r}. A folder needs source='local'.")
    branch = branch or _BRANCHES[source]
    folder = os.path.join(HUB_DIR, "_".join((owner, repository, branch.replace("/", "_"))))
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"paddle.hub.{what}: nothing is fetched. Unpack {_ADDRESSES[source].format(owner, repository, branch)} to "
            f"{folder}, or give a folder that you have: paddle.hub.{what}('path', …, source='local').")
    return folder


@contextlib.contextmanager
def _importing_from(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _configuration(what: str, folder: str) -> ModuleType:
    """The module `hubconf` of a folder, run anew; it stays in no table of modules."""
    path = os.path.join(folder, "hubconf.py")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"paddle.hub.{what}: the repository must have a hubconf.py. There is no {path}.")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _entry(what: str, module: ModuleType, model: str) -> Callable[..., Any]:
    if not isinstance(model, str):
        raise ValueError(f"paddle.hub.{what}(model): must be the name of a function in hubconf.py. Received {model!r}.")
    found = getattr(module, model, None)
    if not callable(found):
        raise RuntimeError(f"paddle.hub.{what}(model): hubconf.py has no function {model!r}. It has "
                           f"{_entries(module)}.")
    return found


def _entries(module: ModuleType) -> builtins.list[str]:
    return sorted(name for name, value in vars(module).items() if callable(value) and not name.startswith("_"))


def _check_dependencies(module: ModuleType) -> None:
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"paddle.hub.load: hubconf.py needs packages that are not installed: {', '.join(missing)}.")


def list(repo_dir: str, source: str = "github", force_reload: bool = False) -> builtins.list[str]:
    """The names of the models that a repository's `hubconf.py` has: of all that can be called.

    `repo_dir` is a folder with `source="local"`; else "owner/name:branch", looked for in the folder of fetched
    repositories. `force_reload` changes nothing.

    >>> import tempfile, pathlib
    >>> import proa as paddle
    >>> folder = tempfile.mkdtemp()
    >>> _ = pathlib.Path(folder, "hubconf.py").write_text("def small(n=2):\\n    'Small.'\\n    return [n]\\n")
    >>> paddle.hub.list(folder, source="local"), paddle.hub.load(folder, "small", source="local", n=3)
    (['small'], [3])
    """
    folder = _folder("list", repo_dir, source)
    with _importing_from(folder):
        return _entries(_configuration("list", folder))


def help(repo_dir: str, model: str, source: str = "github", force_reload: bool = False) -> str | None:
    """The documentation of a model of a repository; see `list`.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "hubconf.py"), "w") as file:
    ...     _ = file.write('def small(classes=2):\\n    "A linear classifier."\\n')
    >>> paddle.hub.help(folder, "small", source="local")
    'A linear classifier.'
    """
    folder = _folder("help", repo_dir, source)
    with _importing_from(folder):
        text = _entry("help", _configuration("help", folder), model).__doc__
    return text


def load(repo_dir: str, model: str, source: str = "github", force_reload: bool = False, **kwargs: Any) -> Any:
    """What a model's function in a repository's `hubconf.py` gives for `kwargs`; see `list`.

    Packages that `hubconf.py` names in `dependencies` must be there.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "hubconf.py"), "w") as file:
    ...     _ = file.write('import proa\\ndef small(classes=2):\\n    return proa.nn.Linear(4, classes)\\n')
    >>> paddle.hub.load(folder, "small", source="local", classes=3)
    Linear(in_features=4, out_features=3, dtype=float32)
    """
    folder = _folder("load", repo_dir, source)
    with _importing_from(folder):
        module = _configuration("load", folder)
        _check_dependencies(module)
        return _entry("load", module, model)(**kwargs)
