"""What documents show runs, and what they say of the repository is true."""

import configparser
import doctest
import glob
import importlib
import os
import pkgutil
import re

import proa
import pytest
from proa.core import flags
from proa.core.flags import flags_guard
from proa.ops.core import operator
from proa.ops.core.operator import all_operators

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md",
             *sorted(os.path.relpath(path, ROOT) for path in glob.glob(f"{ROOT}/docs/**/*.md", recursive=True))]
#: Pages that are made when the site is built (docs/hooks/).
MADE = ("docs/reference/api/", "docs/changelog.md", "docs/contributing.md")
NOT_PACKAGED = {"tests", "docs", "benchmarks", "examples", "build", "dist"}

#: Those whose blocks stand for themselves; a page beside a script of its name is made of it, and run as a notebook.
RUN_BY_BLOCKS = [path for path in DOCUMENTS if not os.path.exists(os.path.join(ROOT, path[:-len("md")] + "py"))]


def modules():
    skipped = ("proa.__main__", "proa.setup", "proa.bundling.hook-proa", "proa.static.format.framework_pb2")
    found = (m.name for m in pkgutil.walk_packages(proa.__path__, "proa."))
    return sorted(n for n in found if n not in skipped and n.split(".")[1] not in NOT_PACKAGED and "conftest" not in n)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("name", modules())
def test_doctests(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("path", RUN_BY_BLOCKS)
def test_python_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    all_operators()  # those that a document declares are gone after it
    declared = set(operator._registry)
    blocks = re.findall(r"```python\n(.*?)```", read(path), re.S)
    for number, block in enumerate(blocks):
        script = tmp_path / f"block_{number}.py"  # to_static reads the source of a function in its file
        script.write_text(block, encoding="utf-8")
        with flags_guard(dict(flags.values)):
            exec(compile(block, str(script), "exec"), {"__name__": "__main__"})
    for type in operator._registry.keys() - declared:
        del operator._registry[type]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_links_lead_somewhere(path):
    prose = re.sub(r"```.*?```", "", read(path), flags=re.S)
    for target in re.findall(r"\]\(([^)#:]+)\)", prose):
        wanted = os.path.normpath(os.path.join(os.path.dirname(path), target))
        assert os.path.exists(os.path.join(ROOT, wanted)) or f"{wanted}/".startswith(MADE) or wanted in MADE, target


def test_every_package_is_in_the_package_map():
    parser = configparser.ConfigParser()
    parser.read(os.path.join(ROOT, "setup.cfg"))
    listed = set(parser["options"]["packages"].split())
    real = {"proa"} | {m.name for m in pkgutil.walk_packages(proa.__path__, "proa.")
                       if m.ispkg and m.name.split(".")[1] not in NOT_PACKAGED}
    assert listed == real


def test_versions_agree():
    assert re.search(r'^version = "(.+)"$', read("pyproject.toml"), re.M)[1] == proa.__version__
