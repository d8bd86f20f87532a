"""Packages whose public names are loaded when they are touched."""

import gc
import importlib
import os
import subprocess
import sys
import types

import proa
import pytest
from proa.core import lazy

PACKAGE = '''
"""A package."""
from typing import TYPE_CHECKING
from proa.core.lazy import attach
if TYPE_CHECKING:
    from . import part, other
    from .part import value, maker as make
    from .part import absent
else:
    __getattr__, __dir__ = attach(__name__)
'''


def run(folder, code):
    search = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": search})
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__init__.py").write_text(PACKAGE)
    (tmp_path / "house" / "part.py").write_text("print('loading part')\nvalue = 3\ndef maker(): return 4\n")
    (tmp_path / "house" / "other.py").write_text("print('loading other')\n")
    return tmp_path


@pytest.mark.parametrize("code, output", [
    ("import house", ""),
    ("import house; print(house.value, house.make(), 'value' in vars(house))", "loading part\n3 4 True\n"),
    ("from house import make; print(make.__name__)", "loading part\nmaker\n"),
    ("import house; house.other", "loading other\n"),
    ("import house; print(sorted(set(dir(house)) & {'part', 'make', 'maker', '__name__'}))",
     "['__name__', 'make', 'part']\n"),
    ("import house; print(house.__all__)", "['absent', 'make', 'value']\n"),
    ("import house; print(hasattr(house, 'maker'), hasattr(house, '__path__'))", "False True\n"),
    ("import house; house.nothing", "AttributeError: module 'house' has no attribute 'nothing'"),
    ("from house import nothing", "ImportError: cannot import name 'nothing' from 'house'"),
    ("import house; house.absent", "loading part\nAttributeError: module 'house.part' has no attribute 'absent'"),
])
def test_names_are_loaded_when_touched(folder, code, output):
    assert run(folder, code).startswith(output) if "Error" in output else run(folder, code) == output


def test_names_come_out_of_an_archive(folder):
    import shutil

    archive = shutil.make_archive(str(folder / "packed"), "zip", folder, "house")
    assert run(archive, "import house; print(house.value)") == "loading part\n3\n"


def test_source_that_is_missing_is_said(folder):
    code = "import house; house.__spec__.loader = None; house.value"
    assert "ImportError: house reads its public names from the source" in run(folder, code)


def test_every_public_name_is_there():
    listed = lazy.listing("proa")
    assert len(listed) > 200 and sorted({*proa.__all__} - {*listed}) == []
    assert set(listed) <= set(dir(proa))
    for name, (module, attribute) in listed.items():
        found = getattr(proa, name)
        source = sys.modules[module]
        assert found is (source if attribute is None else getattr(source, attribute)), name


@pytest.mark.parametrize("package", ["proa", "proa.nn", "proa.static", "proa.static.nn", "proa.utils", "proa.io"])
def test_completion_offers_what_is_for_users(package):
    """`dir` names no module of others, nothing of how packages are made, and only what is there."""
    module = importlib.import_module(package)
    names = [name for name in dir(module) if not name.startswith("_")]
    made_of = {"TYPE_CHECKING", "annotations", "attach", "provide", "begin_with_ipython", "np", "os", "sys", "Any"}
    assert not made_of & set(names)
    assert all(hasattr(module, name) for name in names)


def test_the_collector_rests_while_a_name_is_loaded(monkeypatch):
    found, load = [], importlib.import_module
    monkeypatch.delitem(vars(proa), "inference", raising=False)
    monkeypatch.setattr(importlib, "import_module", lambda *given: found.append(gc.isenabled()) or load(*given))
    assert proa.inference is load("proa.inference")
    assert found == [False] and gc.isenabled()


def test_a_star_brings_no_modules():
    """As with Paddle's own `__all__`: a script's `io`, `layers` or `loss` stays what it is."""
    for name in ("proa", "proa.nn", "proa.fluid.layers", "proa.fluid.dygraph"):
        brought = {}
        exec(f"from {name} import *", brought)
        assert len(brought) > 50 and not any(isinstance(value, types.ModuleType) for value in brought.values())
