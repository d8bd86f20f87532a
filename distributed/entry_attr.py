"""Entries for `static.nn.sparse_embedding`: which rows of a table on servers begin, by how often their numbers come."""

from __future__ import annotations

__all__ = ["CountFilterEntry", "EntryAttr", "ProbabilityEntry", "ShowClickEntry"]


class EntryAttr:
    """A condition of a table's rows."""

    def _to_attr(self) -> str:
        """As an operator's attribute has it."""
        raise NotImplementedError(f"{type(self).__name__}: use CountFilterEntry, ProbabilityEntry or ShowClickEntry.")


class CountFilterEntry(EntryAttr):
    """A row begins when its number has come so many times; till then it is zeros. ValueError for less than 0 times.

    >>> import proa as paddle
    >>> paddle.distributed.CountFilterEntry(10)._to_attr()
    'count_filter_entry:10'
    """

    def __init__(self, count_filter: int):
        if isinstance(count_filter, bool) or not isinstance(count_filter, int) or count_filter < 0:
            raise ValueError(f"CountFilterEntry(count_filter): a whole number, at least 0. Received {count_filter!r}.")
        self._count_filter = count_filter

    def _to_attr(self) -> str:
        return f"count_filter_entry:{self._count_filter}"


class ProbabilityEntry(EntryAttr):
    """A row begins with this probability when its number comes. ValueError for one that is not between 0 and 1.

    >>> import proa as paddle
    >>> paddle.distributed.ProbabilityEntry(0.1)._to_attr()
    'probability_entry:0.1'
    """

    def __init__(self, probability: float):
        if not isinstance(probability, float) or not 0 < probability < 1:
            raise ValueError(f"ProbabilityEntry(probability): a float between 0 and 1. Received {probability!r}.")
        self._probability = probability

    def _to_attr(self) -> str:
        return f"probability_entry:{self._probability}"


class ShowClickEntry(EntryAttr):
    """Rows count how often they were shown and clicked, which two variables of the Program say, by their names.

    >>> import proa as paddle
    >>> paddle.distributed.ShowClickEntry("show", "click")._to_attr()
    'show_click_entry:show:click'
    """

    def __init__(self, show_name: str, click_name: str):
        if not isinstance(show_name, str) or not isinstance(click_name, str):
            raise ValueError("ShowClickEntry(show_name, click_name): names of variables. Received "
                             f"{show_name!r}, {click_name!r}.")
        self._show_name, self._click_name = show_name, click_name

    def _to_attr(self) -> str:
        return f"show_click_entry:{self._show_name}:{self._click_name}"
