"""The catalogue names every file that declares operators, or what those of files are made of."""

import pathlib
import re

from proa.ops import catalogue


def test_every_family_is_in_the_catalogue():
    declaring = re.compile(r"^from \.+core\.operator import .*\boperator\b", re.M)
    decomposing = re.compile("^@decomposition", re.M)
    named = []
    for file in pathlib.Path(catalogue.__file__).parent.rglob("*.py"):
        text = file.read_text("utf-8")
        named += [file.stem] if declaring.search(text) else []
        named += [f"decomposed_{file.stem}"] if decomposing.search(text) else []
    assert sorted(named) == catalogue.__all__
