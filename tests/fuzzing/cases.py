"""One case: a mutant of a good file, read, and run where it is a model that loads."""

from __future__ import annotations

import os
import shutil
from typing import Any

import numpy as np
from PIL import Image
from proa.core.safe_pickle import UnsafePickleError

from . import mutations
from .formats import FAMILIES, Format, operators

#: Errors that say what is wrong with a file, or with what a model does.
TOLD = (UnsafePickleError, ValueError, TypeError, NotImplementedError, RuntimeError, OSError, IndexError, KeyError,
        OverflowError, ZeroDivisionError, FloatingPointError, EOFError, Image.DecompressionBombError)


NUMBERS = {"bytes": 1, "meaning": 2, "operators": 3}
"""The kinds of mutants, with what tells their random numbers apart."""


def families_of(kind: str) -> dict[str, dict[str, Format]]:
    """What mutants of a kind are made of: of bytes every format, of meaning models, or single operators."""
    if kind == "operators":
        return operators()
    return FAMILIES if kind == "bytes" else {
        family: formats for family, formats in FAMILIES.items() if next(iter(formats.values())).is_model}


def make_corpus(folder: str, kind: str) -> None:
    """Writes the good files: a folder for each family of formats, in it one for each of its formats."""
    import proa as paddle

    paddle.seed(0)
    with paddle.utils.unique_name.guard():
        for family, formats in families_of(kind).items():
            for name, each in formats.items():
                place = os.path.join(folder, family, name)
                os.makedirs(place)
                each.make(place)


class Cases:
    """Does cases by their numbers, in a copy of the good files: each changes one of them, and puts it back."""

    def __init__(self, corpus: str, scratch: str, kind: str):
        self.kind, self._number = kind, NUMBERS[kind]
        self._formats: list[tuple[str, list[tuple[str, Format, list[str]]]]] = []
        self._good: dict[str, bytes] = {}
        for family, formats in families_of(kind).items():
            held = []
            for name, each in formats.items():
                folder = os.path.join(scratch, family, name)
                shutil.copytree(os.path.join(corpus, family, name), folder)
                held.append((folder, each, self._changed_files(folder)))
            self._formats.append((family, held))
        sizes = np.array([len(held) for _, held in self._formats])
        self._shares = sizes / sizes.sum()

    def _changed_files(self, folder: str) -> list[str]:
        """The files of a folder that mutants are made of."""
        found = []
        for root, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    self._good[path] = file.read()
                if self.kind == "bytes" or name.endswith((".pdmodel", ".json")) or name == "__model__":
                    found.append(path)
        return sorted(found)

    def run(self, number: int) -> tuple[str, str]:
        """The family of a number, and what came of it: `loaded`, `ran`, or the class of an error that tells."""
        draw = np.random.default_rng([number, self._number])
        if self.kind == "bytes":
            family, held = self._formats[int(draw.integers(len(self._formats)))]
        else:  # as many as there are of each
            family, held = self._formats[int(draw.choice(len(self._formats), p=self._shares))]
        folder, each, files = held[int(draw.integers(len(held)))]
        path = files[int(draw.integers(len(files)))]
        good = self._good[path]
        mutant = mutations.of_bytes(good, draw) if self.kind == "bytes" else mutations.of_meaning(good, draw)
        _write(path, mutant)
        try:
            return family, self._read(each, folder, draw)
        finally:
            _write(path, good)

    @staticmethod
    def _read(each: Format, folder: str, draw: Any) -> str:
        try:
            return each.read(folder, draw)
        except MemoryError:
            return "MemoryError"
        except SyntaxError as error:  # of Pillow, for a PNG
            if "broken PNG" not in str(error):
                raise
            return "SyntaxError"
        except TOLD as error:
            return type(error).__name__


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
