"""The catalogue names every file that declares operators."""

import os
import re

from proa.ops import catalogue


def test_every_family_is_in_the_catalogue():
    folder = os.path.dirname(catalogue.__file__)
    declaring = set()
    for name in os.listdir(folder):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if re.search(r"^from \.operator import .*\boperator\b", file.read(), re.M):
                    declaring.add(name.removesuffix(".py"))
    assert sorted(declaring) == catalogue.__all__
