"""Writes the list of the modules that declare operators: `python -m tests.ops.declared_list`."""

from proa.ops.core import declared_in
from proa.ops.core.operator import all_operators


def text():
    """What the list is to hold."""
    return declared_in.listed({operator.type: operator.declared_in for operator in all_operators()})


if __name__ == "__main__":
    with open(declared_in.FILE, "w", encoding="utf-8") as file:
        file.write(text())
