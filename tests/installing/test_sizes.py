"""What an installation takes, and what of it is given back when somebody asks."""

import ctypes
import importlib.util
import os
import random
import sys

import pytest
from click.testing import CliRunner
from proa.bundling import elf, space
from proa.command_line import sizes

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="libraries are of other formats elsewhere")


def library():
    """A shared library of Python's own: one of NumPy's modules."""
    return importlib.util.find_spec("numpy.random._common").origin


@LINUX
def test_a_library_without_what_is_not_loaded_is_the_same_library(tmp_path):
    with open(library(), "rb") as file:
        content = file.read()
    longer = content + b"a table of symbols" * 1000
    end = elf.loaded_bytes(longer)
    assert end is not None and end <= len(content)
    short = elf.stripped(longer)
    assert len(short) == end and elf.stripped(short) == short
    path = str(tmp_path / os.path.basename(library()))
    with open(path, "wb") as file:
        file.write(short)
    ctypes.CDLL(path).PyInit__common


@pytest.mark.parametrize("content", [b"", b"MZ", b"\x7fELF\x02\x01" + bytes(10), b"\x7fELF\x01\x01" + bytes(100),
                                     b"\x7fELF\x02\x01" + b"\xff" * 100])
def test_what_is_no_such_library_is_left_alone(content):
    assert elf.loaded_bytes(content) is None and elf.stripped(content) == content


def test_damaged_libraries_are_read_without_harm():
    with open(library(), "rb") as file:
        head = bytearray(file.read(4096))
    draw = random.Random(0)
    for _ in range(2000):
        changed = bytearray(head)
        changed[draw.randrange(6, 200)] = draw.randrange(256)
        end = elf.loaded_bytes(bytes(changed))
        assert end is None or end <= len(changed)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder with a distribution `heavy`, of which a file stands three times and which has tests."""
    packages = tmp_path / "tests" / "site-packages"  # a folder `tests` on the way there is nobody's tests
    info = packages / "heavy-1.0.dist-info"
    for folder in (info, packages / "heavy" / "deep" / "tests", packages / "heavy" / "libs"):
        folder.mkdir(parents=True)
    content = random.Random(0).randbytes(space._WORTH + 10)
    for name in ("libheavy.so", "libheavy.so.3", "libheavy.so.3.2"):
        (packages / "heavy" / "libs" / name).write_bytes(content)
    (packages / "heavy" / "deep" / "tests" / "test_deep.py").write_text("assert False\n" * 100)
    (packages / "heavy" / "__init__.py").write_text("")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: heavy\nVersion: 1.0\n")
    names = ["heavy/__init__.py", "heavy/deep/tests/test_deep.py", "heavy/libs/libheavy.so", "heavy/libs/libheavy.so.3",
             "heavy/libs/libheavy.so.3.2", "heavy-1.0.dist-info/METADATA"]
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in names))
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.setattr(space, "_CHANGED", ("heavy",))
    monkeypatch.setattr(space, "distributions", lambda: ["heavy"])
    return packages


@LINUX
def test_copies_become_links_and_tests_go_when_asked(installed):
    before = space.size("heavy")
    told = CliRunner().invoke(sizes.command, [])
    assert told.exit_code == 0 and space.size("heavy") == before, told.output
    assert "a copy of libheavy.so.3.2: libheavy.so.3, libheavy.so" in told.output and "--free gives back" in told.output
    told = CliRunner().invoke(sizes.command, ["--free"])
    assert told.exit_code == 0 and "given back" in told.output, told.output
    libraries = installed / "heavy" / "libs"
    assert [os.readlink(libraries / name) for name in ("libheavy.so", "libheavy.so.3")] == ["libheavy.so.3.2"] * 2
    assert len((libraries / "libheavy.so").read_bytes()) == space._WORTH + 10
    assert not (installed / "heavy" / "deep" / "tests").exists() and (installed / "heavy" / "__init__.py").exists()
    assert list(space.savings("heavy")) == [] and space.size("heavy") < before / 2
    assert sorted(os.listdir(libraries)) == ["libheavy.so", "libheavy.so.3", "libheavy.so.3.2"]


def test_tests_that_other_modules_import_stay(installed):
    """numpy.testing of NumPy 2.2 imports `numpy._core.tests._natype`."""
    tests = installed / "heavy" / "deep" / "tests"
    (installed / "heavy" / "__init__.py").write_text("def f():\n    from heavy.deep.tests._kind import KIND\n")
    (installed / "heavy" / "deep" / "__init__.py").write_text("")
    (installed / "heavy" / "conftest.py").write_text("from heavy.deep.tests import test_deep\n")
    (tests / "__init__.py").write_text("")
    (tests / "_kind.py").write_text("from ._more import KIND\nfrom . import _most\n")
    (tests / "_more.py").write_text("KIND = 1\n")
    (tests / "_most.py").write_text("")
    added = ["conftest.py", "deep/__init__.py", *(f"deep/tests/{name}" for name in os.listdir(tests))]
    with open(installed / "heavy-1.0.dist-info" / "RECORD", "a") as file:
        file.write("".join(f"heavy/{name},,\n" for name in added))
    assert CliRunner().invoke(sizes.command, ["--free"]).exit_code == 0
    assert sorted(path.name for path in tests.iterdir()) == ["__init__.py", "_kind.py", "_more.py", "_most.py"]
    assert not [one for one in space.savings("heavy") if one.how == "its tests"]


def test_what_proa_requires_is_found():
    found = space.distributions()
    assert found[0] == "proa" and {"numpy", "protobuf", "gast"} <= set(found)
    assert space.size("numpy") > 10**6 and list(space.savings("gast")) == []


def test_bytecode_counts_whoever_compiled_it(installed):
    before = space.size("heavy")
    kept = installed / "heavy" / "__pycache__" / f"__init__.{sys.implementation.cache_tag}.pyc"
    kept.parent.mkdir()
    kept.write_bytes(b"x" * 1000)
    assert space.size("heavy") == before + 1000


@LINUX
def test_advice_says_what_makes_it_smaller_and_what_that_costs(installed, monkeypatch):
    (installed / "heavy" / "__pycache__").mkdir()
    (installed / "heavy" / "__pycache__" / f"__init__.{sys.implementation.cache_tag}.pyc").write_bytes(b"x" * 10_000)
    told = CliRunner().invoke(sizes.command, ["--advice"])
    assert told.exit_code == 0, told.output
    assert told.output.index("proa sizes --free") < told.output.index("pip install --no-compile"), told.output
    assert "llvmlite" not in told.output  # which is not there


@pytest.mark.parametrize(("size", "saved"), [(178_800_000, 45_900_000), (159_800_000, 55_700_000), (132_900_000, 0),
                                             (104_100_000, 0)])
def test_a_large_llvm_is_told_of(size, saved, monkeypatch):
    monkeypatch.setattr(space, "files", lambda name: ["/libllvmlite.so"] if name == "llvmlite" else [])
    monkeypatch.setattr(os.path, "getsize", lambda path: size)
    monkeypatch.setattr(space, "_NONE_FROM", (9, 9))
    assert space._larger_llvm(["proa", "llvmlite"]) == saved
    assert space._larger_llvm(["proa"]) == 0
