"""`cupy` as the stand-in has it: a name is there where the wheel has it, and what is not computed here says so."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from .arrays import ndarray, unwrapped, wrapped
from .facts import FACTS, bind
from .functions import function
from .ufuncs import UFunc


class Namespace:
    """A module of CuPy's."""

    def __init__(self, where: str, **parts: Any):
        self.__name__ = where
        self.__dict__.update(parts)

    def __repr__(self) -> str:
        return f"<stand-in for {self.__name__}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        fact = FACTS[self.__name__].get(name)
        if fact is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = self.__dict__[name] = _made(self.__name__, name, fact)
        return found


def _made(where: str, name: str, fact: Any) -> Any:
    if fact == "numpy" or fact == "value":
        return functools.reduce(getattr, [*where.split(".")[1:], name], np)
    if isinstance(fact, dict):
        return UFunc(where, name) if "loops" in fact else function(where, name)
    raise NotImplementedError(f"The stand-in has no {where}.{name}.")


class Generator:
    """`cupy.random.Generator`: NumPy's numbers, CuPy's methods."""

    def __init__(self, seed: Any):
        self._host = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        if name not in FACTS["Generator"]:
            raise AttributeError(f"'cupy.random.Generator' object has no attribute {name!r}")

        def draw(*args: Any, **kwargs: Any) -> ndarray:
            bind("Generator", name, args, kwargs)
            drawn = getattr(self._host, name)(*map(unwrapped, args), **{k: unwrapped(v) for k, v in kwargs.items()})
            return wrapped(np.asarray(drawn))

        return draw


class _ErrorState:
    """`cupyx.errstate`, of which `linalg` is what matters here."""

    linalg = "ignore"

    @contextlib.contextmanager
    def __call__(self, *, linalg: str = "ignore") -> Iterator[None]:
        old, self.linalg = self.linalg, linalg
        try:
            yield
        finally:
            self.linalg = old


class _Grid:
    """`mgrid` and `ogrid`."""

    def __init__(self, name: str):
        self._host = getattr(np, name)

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self._host[key])


errstate = _ErrorState()
special = Namespace("cupyx.scipy.special")
namespace = Namespace(
    "cupy", ndarray=ndarray, linalg=Namespace("cupy.linalg"), fft=Namespace("cupy.fft"),
    random=Namespace("cupy.random", default_rng=lambda seed=None: Generator(seed)),
    lib=Namespace("cupy.lib", stride_tricks=Namespace("cupy.lib.stride_tricks")),
    mgrid=_Grid("mgrid"), ogrid=_Grid("ogrid"),
)
