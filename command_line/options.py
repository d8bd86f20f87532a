"""Options that several commands have, and the kinds of values that options take."""

from __future__ import annotations

import math
from typing import Any

import click

params_file_option = click.option(
    "--params-file", metavar="NAME", help="The file of the model's values, beside the model or by its path, where it "
    "has another name than usual. Of a FILE that is named so, any name is a model's.")
lod_option = click.option(
    "--lod", "lods", multiple=True, metavar="[NAME=]OFFSETS", help="Where the sequences of an input begin, and where "
    "the last one ends: 0,2,5 are two rows and three. Several levels, the outermost first: 0,1,2/0,2,5.")


class Numbers(click.ParamType):
    """Some numbers with commas between them; one alone stands for all."""

    name = "numbers"

    def __init__(self, count: int, are_sizes: bool = False, divide: bool = False):
        self._count, self._are_sizes, self._divide = count, are_sizes, divide

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[float]:
        """The numbers of a text; a wrong call where it holds others."""
        if isinstance(value, list):
            return value
        try:
            numbers = [float(part) for part in value.split(",")]
        except ValueError:
            numbers = []
        numbers *= self._count if len(numbers) == 1 else 1
        if len(numbers) != self._count or not all(map(math.isfinite, numbers)):
            self.fail(f"{value}: {self._count} numbers with commas between them, please.", param, ctx)
        if self._are_sizes and not all(number >= 1 and number == int(number) for number in numbers):
            self.fail(f"{value}: sizes are whole numbers of 1 or more.", param, ctx)
        if self._divide and 0 in numbers:
            self.fail(f"{value}: pictures are divided by it, and 0 divides nothing.", param, ctx)
        return numbers
