"""Text made of what only the run knows: f-strings, `str(n)`, `"%d" % n`, `"{}".format(n)`, `", ".join(…)`.

Such a text can be printed, where the run fills it in, be part of a message, and be joined to other text; whatever asks
for its letters is refused: which they are is not known while the program is built. Knows what is symbolic, nothing
else of staging.
"""

from __future__ import annotations

import re
import string
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...core import nest
from . import staging
from .partial import certain

_HERE = __name__.rpartition(".")[0]


def _of_run(value: Any) -> Iterator[Any]:
    """The values in this one, and the texts, that only the run knows."""
    seen, left = set(), [value]  # a list may hold itself, and has a text in Python all the same
    while left:
        part = left.pop()
        if staging.is_symbolic(part) or isinstance(part, Text):
            yield part
        elif isinstance(part, (list, tuple, dict)) and id(part) not in seen:
            seen.add(id(part))
            left += [inner for _, inner in nest.parts(part)][::-1]


class Text(str):
    """A text with values in it that only the run knows; as a str of Python it has their names in the place of them."""

    stands_for_a_value = True  # it may not outlive the call
    parts: tuple[Any, ...]

    def __new__(cls, parts: Iterable[Any]) -> Text:
        """The text of these parts: texts, and values."""
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, Text) else (part,))]
        made = super().__new__(cls, "".join(map(str, flat)))
        made.parts = tuple(flat)
        return made

    def __add__(self, other: str) -> Text:
        return Text((self, other))

    def __radd__(self, other: str) -> Text:
        return Text((other, self))

    def __bool__(self) -> bool:
        return True

    def _refused(self, asked: str) -> TypeError:
        value = next(inner for part in self.parts for inner in _of_run(part) if staging.is_symbolic(inner))
        return staging.without_value(value, f"text that is made of x, {asked}")


def _refusing(name: str) -> Callable[..., Any]:
    asked = {"__hash__": "as a key of a dict or in a set", "__eq__": "compared", "__ne__": "compared"}.get(
        name, f"in str.{name}")

    def refused(self: Text, *args: Any, **kwargs: Any) -> Any:
        raise self._refused(asked)

    return refused


_OF_OBJECTS = set(dir(object)) - {"__eq__", "__ne__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__"}
for _name in set(dir(str)) - _OF_OBJECTS - {"__add__", "__getnewargs__", "maketrans"}:
    setattr(Text, _name, _refusing(_name))


def _is_of_run(value: Any) -> bool:
    return any(True for _ in _of_run(value))


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "s": str, "r": repr, "a": ascii}


def shown(value: Any, conversion: str = "", spec: str = "") -> str:
    """`{value!conversion:spec}` of an f-string."""
    if isinstance(value, Text):
        return value
    if staging.is_symbolic(value) and staging.stands_for_python(value):
        known = value.known_value()
        value = value if known is None else known.reshape(()).item()
    if _is_of_run(value):
        return Text([value])
    check_letters(spec, "a format")
    return format(_CONVERSIONS[conversion](value), spec)


def text(*parts: str) -> str:
    """An f-string of these parts."""
    return Text(parts) if any(isinstance(part, Text) for part in parts) else "".join(parts)


_FIELD = re.compile(r"%(?:\((?P<name>[^)]*)\))?(?P<form>[#0\- +]*\d*(?:\.\d+)?[a-zA-Z%])")


def percent(template: str, values: Any) -> Any:
    """`template % values`."""
    if isinstance(template, Text) or not _is_of_run(values):
        return template % values
    given = iter(values if isinstance(values, tuple) else [values])
    parts: list[Any] = []
    end = 0
    for field in _FIELD.finditer(template):
        parts += [template[end:field.start()]]
        end = field.end()
        if field["form"] == "%":
            parts.append("%")
            continue
        value = next(given) if field["name"] is None else values[field["name"]]
        parts.append(shown(value) if _is_of_run(value) else f"%{field['form']}" % value)
    return text(*parts, template[end:])


def _formatted(template: str, *args: Any, **kwargs: Any) -> str:
    """`template.format(…)`."""
    if not _is_of_run([*args, *kwargs.values()]):
        return template.format(*args, **kwargs)
    formatter, parts, count = string.Formatter(), [], 0
    for literal, field, spec, conversion in formatter.parse(template):
        parts.append(literal)
        if field is None:
            continue
        if not field or field[0] in ".[":
            field, count = f"{count}{field}", count + 1
        value, _ = formatter.get_field(field, args, kwargs)
        parts.append(shown(value, conversion or "", _formatted(spec or "", *args, **kwargs) if spec else ""))
    return text(*parts)


def _joined(separator: str, items: Any) -> str:
    """`separator.join(items)`."""
    items = list(certain(items))
    if not any(isinstance(item, Text) for item in items):
        return separator.join(items)
    return text(*[part for item in items for part in (separator, item)][1:])


def method_of_text(method: Any) -> Callable[..., Any]:
    """A method of a str, for arguments in which values may be that only the run knows."""
    owner, name = method.__self__, method.__name__
    if isinstance(owner, Text):
        return method
    if name in ("format", "join"):
        return lambda *args, **kwargs: (_formatted if name == "format" else _joined)(owner, *args, **kwargs)

    def called(*args: Any, **kwargs: Any) -> Any:
        for value in args:
            check_letters(value, f"str.{name}")
        return method(*args, **kwargs)

    return called


def check_letters(value: Any, what: str) -> None:
    """TypeError where a function looks at the letters of a text that only the run knows."""
    if isinstance(value, Text):
        raise value._refused(f"in {what}")


def str_(*args: Any, **kwargs: Any) -> str:
    """`str(value)`."""
    return shown(args[0]) if len(args) == 1 and not kwargs and _is_of_run(args[0]) else str(*args, **kwargs)


def repr_(value: Any) -> str:
    """`repr(value)`."""
    return shown(value, "r") if _is_of_run(value) else repr(value)


def format_(value: Any, spec: str = "") -> str:
    """`format(value, spec)`."""
    return shown(value, "", spec) if _is_of_run(value) else format(value, spec)


def warn_(message: Any, category: Any = None, stacklevel: int = 1, **options: Any) -> None:
    """`warnings.warn(message)`: told while the program is built, with the names of values that only the run knows."""
    said = str(message) if isinstance(message, Text) else message
    frame, between = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").rpartition(".")[0] == _HERE:
        frame, between = frame.f_back, between + 1  # a call may come by way of others from here
    warnings.warn(said, category, stacklevel + between, **options)


def lines(values: Iterable[Any]) -> list[Any]:
    """What `print` is given, with the parts of such texts in the place of them."""
    found: list[Any] = []
    for value in values:
        found += value.parts if isinstance(value, Text) else [value]
    return found
