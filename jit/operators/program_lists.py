"""Lists of the program, whose length is known only when it runs: made, and what of them is asked while it is built.

What is such a list, `staging.py` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import nest
from ...ops.array.concat_split import stack
from ...ops.array.reshape import reshape
from ...ops.array.where import where as chosen
from ...ops.core.trace import grad_mode
from ...static.building.record_lists import RecordList, fits
from ...static.building.tensor_arrays import create_array
from .run_checks import check_or_raise
from .staging import default_dtype, logical_and


def new_record_list(items: list, example: Any, is_staged: Callable[[Any], bool]) -> Any:
    """A list of the program whose items are nested like `example`, which has the like of a tensor or a number where
    `is_staged`.
    """
    columns = [new_list([], leaf) for leaf in nest.leaves(example) if is_staged(leaf)]
    made = RecordList(example, columns, is_staged)
    made.extend(items)
    return made


def example_of_list(value: Any) -> Any:
    """What the items of such a list are like; None for a list of tensors or numbers."""
    return value.example if isinstance(value, RecordList) else None


def fits_records(item: Any, example: Any, is_staged: Callable[[Any], bool]) -> bool:
    """Whether both can be items of one such list."""
    return fits(item, example, is_staged)


def new_list(items: list, example: Any) -> Any:
    """A list of the program with these items, for more of them like `example`: of a shape and a dtype, or a number."""
    shape, dtype = getattr(example, "shape", ()), getattr(example, "dtype", None)
    if dtype is not None and dtype.is_floating and getattr(example, "is_number", False):
        dtype = default_dtype()  # items are tensors
    return create_array(dtype, items, shape)


def stacked(items: Any) -> Any:
    """The items of a list of the program, numbers or tensors of one element, in a tensor of one dimension."""
    return reshape(stack(items), [-1])


def with_item(items: list, index: Any, new: Any, place: str) -> list:
    """The items, each of them `new` where the program finds it at the index; an IndexError where none is there."""
    count, index = len(items), reshape(index, [])
    check_or_raise(logical_and(index >= -count, index < count), IndexError("list assignment index out of range"), place)
    index = chosen(index < 0, index + count, index)
    with grad_mode(True):
        return [chosen(index == n, new, item) for n, item in enumerate(items)]


def keep_list(variable: Any, value: Any) -> None:
    """Gives a list of the program the items of another, in the block that is being traced."""
    variable.assign(value)
