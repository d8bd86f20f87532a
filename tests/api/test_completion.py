"""What completion offers of a public module are names that it gives, and no names that it was written with."""

import importlib
import pkgutil
import types

import proa as paddle
import pytest
from proa import fluid

from tests.api.api_table import _ABSENT, SHOWN, looked_up

_WRITTEN_WITH = "__future__ collections collections.abc contextlib dataclasses enum functools typing".split()
_FLUID = [f"fluid.{module.name}" for module in pkgutil.iter_modules(fluid.__path__)]


def _public():
    for name in SHOWN:
        if isinstance(looked_up(name) if name else paddle, types.ModuleType):
            yield name
    for name in _FLUID:
        if looked_up(name) is not _ABSENT and hasattr(importlib.import_module(f"proa.{name}"), "__all__"):
            yield name


@pytest.mark.parametrize("name", list(_public()))
def test_nothing_else_is_offered(name):
    module = looked_up(name) if name else paddle
    offered = [one for one in dir(module) if not one.startswith("_")]
    assert offered, "nothing is"
    for one in offered:
        value = getattr(module, one)
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or "proa"
        assert home not in _WRITTEN_WITH or one in getattr(module, "__all__", ()), (one, home)
        assert not isinstance(value, types.ModuleType) or home.startswith("proa"), (one, home)
