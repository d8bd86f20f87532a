"""How many public names have a text and an example that runs: `python -m tests.api.docstrings [--missing]`.

The names are those of the page on the API, each thing counted once, under its shortest name; `--missing` lists what
lacks a text or an example, what public code uses most first. The site's pages on names are made of the same list
(`docs/hooks/reference.py`).
"""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any, NamedTuple

from tests.api.api_table import _ABSENT, SHOWN, _paddle, looked_up, usage


class Public(NamedTuple):
    """A public thing: its namespace and name in it, its value, and the other names it has, from `paddle` on."""

    namespace: str
    name: str
    value: Any
    also: list[str]

    @property
    def full(self) -> str:
        return dotted(self.namespace, self.name)

    @property
    def is_documented(self) -> bool:
        """Whether it is a class or function; of other values their type tells."""
        return inspect.isclass(self.value) or inspect.isroutine(self.value)


def dotted(namespace: str, name: str) -> str:
    return ".".join(filter(None, ("paddle", namespace, name)))


def public_things() -> list[Public]:
    """Every public thing but modules, in the order of the page of names."""
    namespaces = _paddle()["namespaces"]
    found: dict[Any, Public] = {}
    for namespace in SHOWN:
        for name in namespaces[namespace]:
            value = looked_up(f"{namespace}.{name}" if namespace else name)
            if value is _ABSENT or isinstance(value, types.ModuleType):
                continue
            one = Public(namespace, name, value, [])
            shared = inspect.isclass(value) or inspect.isfunction(value)
            kept = found.setdefault(id(value) if shared else one.full, one)
            if kept is not one:
                kept.also.append(one.full)
    return list(found.values())


def text_of(value: Any) -> str:
    """The docstring that is its own: a class's base has another."""
    text = vars(value).get("__doc__") if inspect.isclass(value) else getattr(value, "__doc__", None)
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def has_example(value: Any) -> bool:
    """Whether its docstring, or a method's, runs something."""
    texts = [text_of(value)]
    if inspect.isclass(value):
        texts += [getattr(member, "__doc__", None) or "" for member in vars(value).values()]
    return any(">>>" in text for text in texts if isinstance(text, str))


def uses() -> dict[str, int]:
    """How often public code uses a name."""
    return {name if name.startswith("paddle.") else f"paddle.{name}": count for name, count, _ in usage()}


def _weight(thing: Public, used: dict[str, int]) -> int:
    return sum(used.get(name, 0) for name in (thing.full, *thing.also))


def main(arguments: list[str]) -> None:
    things = [thing for thing in public_things() if thing.is_documented]
    used = uses()
    by_namespace: dict[str, list[Public]] = {}
    for thing in things:
        by_namespace.setdefault(thing.namespace, []).append(thing)
    print(f"{'namespace':45} {'things':>6} {'text':>6} {'example':>8}")
    for namespace, members in [*by_namespace.items(), ("in all", things)]:
        counts = [sum(bool(text_of(one.value)) for one in members), sum(has_example(one.value) for one in members)]
        title = namespace if members is things else dotted(namespace, "")
        print(f"{title:45} {len(members):6} {counts[0]:6} {counts[1]:8}")
    total = sum(_weight(one, used) for one in things)
    for title, has in (("a text", lambda value: bool(text_of(value))), ("an example", has_example)):
        share = sum(_weight(one, used) for one in things if has(one.value)) / total
        print(f"weighted by how often public code uses them, {share:.1%} have {title}")
    if "--missing" in arguments:
        lacking = [one for one in things if not text_of(one.value) or not has_example(one.value)]
        for one in sorted(lacking, key=lambda one: -_weight(one, used)):
            lacks = " ".join(word for word, has in (("text", text_of(one.value)), ("example", has_example(one.value)))
                             if not has)
            print(_weight(one, used), one.full, lacks, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])
