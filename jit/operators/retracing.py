"""Tracing a statement again, when its first trace has shown what must be prepared before it.

That is a list which grows, and so must be one of the program; or a variable to which only some ways give a value, and
which so needs a place and a flag. Knows values; the tracing itself is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...core import nest
from ..errors import ConversionError, here
from . import program_lists, staging
from .partial import Partial, parts
from .undefined import Undefined, reason
from .values import CONTENT, FLAG, NESTED, NUMBERS, filled, is_staged, staged_leaves, staged_paths

Path = tuple[Any, ...]
_ROUNDS = 100


class Retrace(Exception):
    """Raised while a statement is traced, and caught where it is: variable `index`, at `path` inside its value."""

    def __init__(self, index: int, path: Path):
        super().__init__(index, path)
        self.index, self.path = index, path


class Several(Exception):
    """Raised in place of a Retrace where one trace has shown what several variables need."""

    def __init__(self, found: Sequence[Retrace]):
        super().__init__(found)
        self.found = found


class StageList(Retrace):
    """A list must be one of the program, of items like `example`."""

    def __init__(self, index: int, path: Path, example: Any):
        super().__init__(index, path)
        self.example = example


class MakePartial(Retrace):
    """A value that some ways give must have a place on all ways, for something like `example`.

    `optional`: on the other ways it is None.
    """

    def __init__(self, index: int, path: Path, example: Any, optional: bool = False):
        super().__init__(index, path)
        self.example, self.optional = example, optional


class CastNumber(Retrace):
    """A number of Python, the leaf at `inside` in a variable of a loop, must begin in a dtype.

    `stays`: it is a number behind a turn, too, and no tensor.
    """

    def __init__(self, index: int, inside: Path, dtype: str, stays: bool):
        super().__init__(index, (inside, dtype, stays))


class StageNumbers(Retrace):
    """Numbers of Python in a list, tuple or dict, at these paths, are others behind a turn of a loop than before it."""


class Apart(Retrace):
    """The lists or dicts at these places are others behind a turn of a loop than before it, or of other holders."""

    def __init__(self, index: int, places: frozenset[Path]):
        super().__init__(index, ())
        self.places = places


@dataclass(frozen=True)
class Example:
    """What a tensor is like."""

    shape: tuple[int, ...]
    dtype: Any
    is_number: bool = False  # it stands for a number of Python


def example_of(value: Any) -> Any:
    """A value with an Example for each tensor; numbers and other objects stay."""
    content, _ = parts(value)
    return nest.map_structure(lambda leaf: _example_of_tensor(leaf) if _is_tensor(leaf) else leaf, content)


def _example_of_tensor(tensor: Any) -> Example:
    return Example(tuple(tensor.shape), tensor.dtype, staging.is_number(tensor))


def is_like_staged(leaf: Any) -> bool:
    """Whether a leaf is staged, or is the example of one that is."""
    return isinstance(leaf, Example) or is_staged(leaf)


def _is_tensor(leaf: Any) -> bool:
    return not isinstance(leaf, Undefined) and staging.is_tensor(leaf)


def placeholder(example: Any) -> Any:
    """A value like an example, which nobody will look at."""
    def leaf(like: Any) -> Any:
        if isinstance(like, Example):
            if like.is_number:
                return staging.number(0, like.dtype, True)
            return staging.zeros([1 if size < 0 else size for size in like.shape], like.dtype)
        return type(like)() if type(like) in NUMBERS else like

    return nest.map_structure(leaf, example)


def _as_dtype(leaf: Any, dtype: str, stays: bool, where: str) -> Any:
    made = staging.number(leaf, dtype, stays)
    if type(leaf) is bool and dtype != "bool":
        staging.note_mixed(made, where)
    return made


class Preparations:
    """What one statement has been found to need; `names` are those of its variables."""

    def __init__(self, names: tuple[str, ...], why: Callable[[str, bool], str]):
        self._names, self._why = names, why
        self._partial: dict[tuple[int, Path], MakePartial] = {}
        # of leaves of a variable, by path, that are numbers: the dtype, and whether they stay numbers
        self._dtypes: dict[tuple[int, Path], tuple[str, bool]] = {}
        self._changing: set[tuple[int, Path]] = set()  # numbers in a variable that a loop changes
        self.apart: frozenset[Path] = frozenset()  # places of lists and dicts of which a turn has copies

    def complete(self, index: int, value: Any) -> Any:
        """A variable's value with a flag wherever one is needed."""
        for (which, path), needed in self._partial.items():
            if which == index:
                value = self._flagged(value, path, needed, self._names[index])
        return value

    def cast(self, index: int, value: Any, where: str) -> Any:
        """A variable's value with the numbers that need a dtype in it; `where` is the statement."""
        dtypes = {path: dtype for (which, path), dtype in self._dtypes.items() if which == index}
        if not dtypes:
            return value
        leaves = zip(staged_paths(value), staged_leaves(value), strict=True)
        given = [_as_dtype(leaf, *dtypes[path], where) if path in dtypes else leaf for path, leaf in leaves]
        return filled(value, iter(given))

    def note_dtype(self, found: CastNumber) -> None:
        """Takes down that a number needs a dtype."""
        inside, *needed = found.path
        self._dtypes[found.index, inside] = tuple(needed)

    def note_numbers(self, found: StageNumbers) -> None:
        """Takes down that a loop changes numbers."""
        self._changing.update((found.index, path) for path in found.path)

    def stays(self, index: int, path: Path, leaf: Any) -> bool:
        """Whether a leaf of a loop's variable is a number that, as far as is known, the loop leaves as it is.

        A variable that is a number itself is no such leaf: it is among the variables because the loop assigns it.
        """
        within = path and FLAG not in path and CONTENT not in path
        return bool(within) and type(leaf) in NUMBERS and (index, path) not in self._changing

    def _flagged(self, value: Any, path: Path, needed: MakePartial, name: str) -> Any:
        if path:
            return _with_part(value, path[0], f"{name}[{path[0]!r}]",
                              lambda part, shown: self._flagged(part, path[1:], needed, shown))
        if type(value) is Undefined:
            return Partial(name, reason(value) or self._why(name, False), placeholder(needed.example), False)
        if value is None and needed.optional:
            return Partial(name, self._why(name, True), placeholder(needed.example), False, True)
        content, flag = parts(value)
        if type(value) is Partial:
            return Partial(name, reason(value), content, flag, value._optional or needed.optional)
        return Partial(name, self._why(name, needed.optional), content, flag, needed.optional)

    def note(self, found: MakePartial) -> None:
        """Takes down that a value needs a flag."""
        self._partial[found.index, found.path] = found


def _with_part(value: Any, key: Any, shown: str, change: Callable[[Any, str], Any]) -> Any:
    """A list, tuple or dict with one part changed; a dict may lack it. Any other value as it is."""
    if isinstance(value, dict):
        present = value.get(key, Undefined(shown))
        return nest.alike(value, {**value, key: change(present, shown)})
    if isinstance(value, (list, tuple)) and key < len(value):
        return nest.alike(value, [*value[:key], change(value[key], shown), *value[key + 1:]])
    return value


def traced(trace: Callable[[], Any], prepare: Callable[[Retrace], None]) -> Any:
    """What `trace()` gives; where it raises Retrace, what it did to the program is undone and it is tried again."""
    for _ in range(_ROUNDS):
        mark = staging.mark()
        try:
            return trace()
        except (Retrace, Several) as raised:
            staging.undo(mark)
            for found in raised.found if isinstance(raised, Several) else [raised]:
                prepare(found)
    raise ConversionError(
        here(), "what this branch or loop keeps is called otherwise each time it is traced: a key of a dict, or a name "
        "given to `setattr`, is a text made of what only the run knows (`d[f\"{i}\"]`), or this is a defect in proa.",
        "Use keys that are known while the program is built, or a list.")


def check_differences(first: tuple, second: tuple) -> None:
    """Raises what must be prepared for each two values to be those of one variable: lists, as many as there are, first.

    Lists grow together: while one of them still has no items, what is read of it fails as soon as another has some.
    """
    pairs = enumerate(zip(first, second, strict=True))
    found = [each for index, (a, b) in pairs for each in _differences(index, a, b, ())]
    lists = [each for each in found if isinstance(each, StageList)]
    if lists:
        raise Several(lists)
    if found:
        raise found[0]


def _differences(index: int, first: Any, second: Any, path: Path) -> Iterator[Retrace]:
    """What must be prepared for two values to be those of one variable; nothing when they are, or cannot be."""
    if (first is None) != (second is None):
        yield from _optional(index, second if first is None else first, path)
    elif type(first) in (Undefined, Partial) or type(second) in (Undefined, Partial):
        yield from _flag_needed(index, first, second, path)
    elif isinstance(first, dict) and isinstance(second, dict) and type(first) is type(second):
        missing = Undefined("")
        for k in {**first, **second}:
            yield from _differences(index, first.get(k, missing), second.get(k, missing), (*path, k))
    elif (grown := _grown(first, second)) is not None:
        yield StageList(index, path, grown)
    elif isinstance(first, (list, tuple)) and type(first) is type(second) and len(first) == len(second):
        for n, (a, b) in enumerate(zip(first, second, strict=True)):
            yield from _differences(index, a, b, (*path, n))


def _optional(index: int, given: Any, path: Path) -> Iterator[Retrace]:
    """What a variable needs that is None on the other way."""
    content, _ = parts(given)
    leaves = list(nest.leaves(content))
    if leaves and all(map(is_staged, leaves)) and not any(map(staging.is_list, leaves)):
        yield MakePartial(index, path, example_of(given), True)


def _flag_needed(index: int, first: Any, second: Any, path: Path) -> Iterator[Retrace]:
    if type(first) is type(second):
        if type(first) is not Undefined and first._optional is not second._optional:
            yield MakePartial(index, path, example_of(first), True)
        elif type(first) is not Undefined:
            yield from _differences(index, first._content, second._content, path)
        return
    given = second if type(first) is Undefined else first
    if type(given) is Undefined:
        given = first
    if not any(isinstance(step, int) for step in path) and _can_stand_in(given):
        optional = any(type(value) is Partial and value._optional for value in (first, second))
        yield MakePartial(index, path, example_of(given), optional)


def _can_stand_in(value: Any) -> bool:
    content, _ = parts(value)
    return type(content) is not Undefined and not any(staging.is_list(leaf) for leaf in nest.leaves(content))


def _grown(first: Any, second: Any) -> Any:
    """An Example of the items of a list that is longer in one of two values; None if it is not."""
    lists = [v for v in (first, second) if type(v) is list]
    if staging.is_list(first) and staging.is_list(second) or not lists:
        return None
    if len(lists) == 2 and len(first) == len(second):
        return None
    for value in (first, second):
        if staging.is_list(value):
            return program_lists.example_of_list(value) or Example(tuple(value.shape), value.dtype)
    if len(lists) < 2:
        return None
    items = [item for items in lists for item in items]
    if isinstance(items[0], NESTED):
        example = example_of(items[0])
        fit = all(program_lists.fits_records(item, example, is_like_staged) for item in items)
        return example if fit and any(map(is_like_staged, nest.leaves(example))) else None
    tensors = [item for item in items if _is_tensor(item)]
    if not all(is_staged(item) for item in items):
        return None
    return example_of(tensors[0]) if tensors else example_of(items[0])


def at(value: Any, path: Path) -> Any:
    """What a value holds at a path."""
    for key in path:
        value = value[key]
    return value


def with_list(value: Any, path: Path, example: Any) -> Any:
    """A value whose list at `path` is one of the program; dicts and lists around it are changed in place."""
    if not path:
        if type(value) is not list:
            return value
        if isinstance(example, NESTED):
            return program_lists.new_record_list(value, example, is_like_staged)
        return program_lists.new_list(value, example)
    inner = with_list(value[path[0]], path[1:], example)
    if isinstance(value, tuple):
        items = [*value[:path[0]], inner, *value[path[0] + 1:]]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    value[path[0]] = inner
    return value
