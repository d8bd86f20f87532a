"""The catalogue names every file that declares operators."""

import pathlib
import re

from proa.ops import catalogue


def test_every_family_is_in_the_catalogue():
    files = pathlib.Path(catalogue.__file__).parent.rglob("*.py")
    declaring = [file.stem for file in files
                 if re.search(r"^from \.+core\.operator import .*\boperator\b", file.read_text("utf-8"), re.M)]
    assert sorted(declaring) == catalogue.__all__
