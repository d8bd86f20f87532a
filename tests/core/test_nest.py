"""Nested structures of classes of the user's: they are built again without being called."""

import dataclasses
import time
from collections import Counter, OrderedDict, defaultdict, namedtuple

import pytest
from proa.core import nest


@dataclasses.dataclass
class Output(OrderedDict):
    """As language models give their results: fields that are entries, and attributes."""

    logits: object = None
    hidden: object = None

    def __post_init__(self):
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is not None:
                self[field.name] = getattr(self, field.name)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else tuple(self.values())[key]


class Settings(dict):
    __getattr__ = dict.__getitem__


class Itself(dict):
    def __init__(self, **entries):
        super().__init__(entries)
        self.__dict__ = self


class Pair(list):
    def __init__(self, first, second):
        super().__init__([first, second])
        self.name = "pair"


class Sizes(tuple):
    def __new__(cls, height, width):
        return super().__new__(cls, (height, width))


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize("structure", [
    Output(logits=[1], hidden=2), Output(hidden=2), Settings(a=1), Itself(a=1, b=[2]), Pair(1, [2]), Sizes(1, 2),
    Point(1, (2, 3)), Counter("aab"), OrderedDict(b=1, a=2), defaultdict(list, a=1), time.gmtime(0), {"b": 1},
    (1, [2])], ids=lambda structure: type(structure).__qualname__)
def test_structures_are_built_again_as_they_are(structure):
    made = nest.map_structure(lambda leaf: leaf + 10, structure)
    assert type(made) is type(structure)
    assert nest.flatten(made) == [leaf + 10 for leaf in nest.flatten(structure)]
    assert not isinstance(structure, dict) or list(made) == list(structure)


def test_attributes_show_the_new_items():
    made = nest.map_structure(lambda leaf: leaf + 10, Output(logits=[1], hidden=2))
    assert made.logits is made["logits"] and made.logits == [11] and made.hidden == 12
    assert nest.map_structure(lambda leaf: leaf + 10, Output(hidden=2)).logits is None
    assert nest.map_structure(lambda leaf: leaf + 10, Itself(a=1)).a == 11
    assert nest.map_structure(lambda leaf: leaf + 10, Pair(1, 2)).name == "pair"
    assert nest.alike(defaultdict(list), {"a": 1})["b"] == []
