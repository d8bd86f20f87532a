"""Lists of values: those that the file counts, and those whose length only a run knows."""

from __future__ import annotations

from .values import Translation


def combine(t: Translation) -> None:
    """A list of values."""
    number, of_type = t.result(0)
    t.bind(number, [t.tensor(given) for given in t.op.operands], of_type)


def split(t: Translation) -> None:
    """The values of a list."""
    names = t.values(t.operand(0))
    if len(names) != len(t.op.results):
        t.fail(f"a list of {len(names)} is taken apart into {len(t.op.results)}")
    for (number, of_type), name in zip(t.op.results, names, strict=True):
        t.item(number, of_type, name)


def slice(t: Translation) -> None:
    """One value of a list."""
    names, index = t.values(t.operand(0)), t.attribute("index", int)
    if not 0 <= index < len(names):
        t.fail(f"a list of {len(names)} has no value {index}")
    t.item(*t.result(0), names[index])


def create_array(t: Translation) -> None:
    """An empty list, which is there before anything is written to it."""
    if not t.declare(0):
        t.fail("it makes no list")


def array_write(t: Translation) -> None:
    """A value at a place of a list, which stays the same variable."""
    names = t.values(t.operand(0))
    if len(names) != 1 or t.block.var(names[0]).kind != "array":
        t.fail("what it writes to is no list")
    value, place = t.tensor(t.operand(1)), t.tensor(t.operand(2))
    t.append("write_to_array", {"X": [value], "I": [place]}, {"Out": names}, {})
    t.bind(t.result(0)[0], names[0], t.result(0)[1])
