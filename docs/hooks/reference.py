"""The pages on public names, made when the site is built: a page a thing, an index a namespace.

What a page says is the docstring, whose examples the tests run (`tests/test_documents.py`). A name that is another name
of the same thing leads to its page. Nothing is written into the repository.
"""

from __future__ import annotations

import enum
import functools
import html
import inspect
import itertools
import os
import re
import sys
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(ROOT)

from tests.api import docstrings  # noqa: E402
from tests.api.docstrings import Public, dotted, text_of  # noqa: E402

FOLDER = "reference/api"
#: What a namespace is about; others say it in their module's first line.
ABOUT = {"": "Tensors, functions on them, and what surrounds a program", "Tensor": "Methods and properties of a Tensor"}
_SPECIAL = re.compile(r"([\\*_<>\[\]#|~])")
_others: dict[str, str] = {}


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    things = docstrings.public_things()
    pages = {f"{thing.full}.md": page_of(thing) for thing in things}
    pages |= namespace_pages(things)
    _others.update({name: thing.full for thing in things for name in thing.also})
    for path, text in pages.items():
        files.append(File.generated(config, f"{FOLDER}/{path}", content=text))
    return files


def on_post_build(config: Any) -> None:
    """Other names of a thing lead to its page."""
    folder = os.path.join(config.site_dir, FOLDER)
    for name, target in _others.items():
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        with open(os.path.join(folder, name, "index.html"), "w", encoding="utf-8") as file:
            there = f"../{target}/"
            file.write(f'<!doctype html><meta charset="utf-8"><title>{name}</title>'
                       f'<meta http-equiv="refresh" content="0; url={there}"><a href="{there}">{target}</a>\n')


def page_of(thing: Public) -> str:
    """The page on a thing, as Markdown."""
    value = thing.value
    kind = _kind(value)
    lines = ["---", f"title: {thing.full}", "search:", "  boost: 2", "hide: [navigation]", "---", "",
             f"# {thing.name} {{ #{thing.full} }}", "",
             f'[API](index.md) › [`{dotted(thing.namespace, "")}`]({_namespace_file(thing.namespace)})'
             f" &nbsp; <span class=\"proa-kind\">{kind}</span>", ""]
    lines += _signature_block(thing.full, value)
    text = text_of(value)
    if text:
        lines += [markdown(text), ""]
    if inspect.isclass(value):
        lines += _members(value, thing)
    elif not inspect.isroutine(value) and not isinstance(value, property):
        lines += [f"A `{type(value).__name__}`: `{_short(value)}`.", ""]
    if thing.also:
        lines += ["**Also as** " + ", ".join(f"`{name}`" for name in thing.also), ""]
    where = _place(value)
    if where:
        lines += [f"Written in `{where}`.", ""]
    return "\n".join(lines)


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    if isinstance(value, property) or inspect.isdatadescriptor(value):
        return "property"
    return "function" if inspect.isroutine(value) else "value"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    text = re.sub(r" at 0x[0-9a-f]+", "", text).replace("`", "'")
    return text if len(text) <= 200 else text[:197] + "…"


def _place(value: Any) -> str:
    """The file of the repository that a class or function is written in."""
    try:
        path = inspect.getsourcefile(inspect.unwrap(value)) if callable(value) else None
    except TypeError:
        return ""
    path = os.path.relpath(path, ROOT) if path else ".."
    return "" if path.startswith("..") or path.startswith("<") else path.replace(os.sep, "/")


def _signature_block(name: str, value: Any) -> list[str]:
    written = signature(name, value)
    return ["```python", written, "```", ""] if written else []


def signature(name: str, value: Any) -> str:
    """`name(parameter: type = default, …) -> type`, over several lines where it is long."""
    if isinstance(value, enum.EnumMeta) or not callable(value):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parts, seen_star = [], False
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not seen_star:
            parts.append("*")
        seen_star |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parts.append(_parameter(parameter))
    result = "" if inspect.isclass(value) or found.return_annotation in (found.empty, Any, "Any", "None", None) \
        else f" -> {_annotation(found.return_annotation)}"
    one_line = f"{name}({', '.join(parts)}){result}"
    if len(one_line) <= 88:
        return one_line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    said = parameter.annotation
    annotation = "" if said in (parameter.empty, Any, "Any") else f": {_annotation(said)}"
    if parameter.default is parameter.empty:
        return stars + parameter.name + annotation
    default = re.sub(r" at 0x[0-9a-f]+", "", repr(parameter.default))
    default = re.sub(r"<(?:function|class) '?([\w.<>]+)'?>", r"\1", default)
    return f"{parameter.name}{annotation}{' = ' if annotation else '='}{default}"


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:typing|collections\.abc|proa(?:\.\w+)*)\.(?=\w)", "", text)


def _members(value: type, thing: Public) -> list[str]:
    """What a class adds to its bases that have pages: methods and properties with a text."""
    lines: list[str] = []
    bases = [base.__name__ for base in value.__mro__[1:] if base in _classes_with_pages()]
    if isinstance(value, enum.EnumMeta):
        return ["| member | value |", "| --- | --- |", *(f"| `{member.name}` | `{_short(member.value)}` |"
                                                         for member in value), ""]
    if thing.full == "paddle.Tensor":
        return [f"Its methods have pages of their own: [`paddle.Tensor`]({_namespace_file('Tensor')}).", ""]
    parts = itertools.takewhile(lambda base: base is value or base not in _classes_with_pages(), value.__mro__[:-1])
    own = {name: member for part in reversed([*parts]) for name, member in vars(part).items() if name[:1] != "_"}
    for name, member in sorted(own.items()):
        inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if not (inspect.isfunction(inner) or isinstance(inner, property)):
            continue
        text = inspect.getdoc(inner) or ""
        lines += [f"### {name} {{ #{thing.full}.{name} }}", ""]
        lines += ["*property*", ""] if isinstance(inner, property) else _signature_block(name, inner)
        lines += [markdown(text), ""] if text else []
    if lines:
        lines = ["## Methods", "", *lines]
    return ["Bases: " + ", ".join(f"`{base}`" for base in bases), "", *lines] if bases else lines


@functools.cache
def _classes_with_pages() -> frozenset[type]:
    return frozenset(thing.value for thing in docstrings.public_things() if inspect.isclass(thing.value))


def namespace_pages(things: list[Public]) -> dict[str, str]:
    """An index of namespaces, and a page for each with all its names."""
    shown: dict[str, list[tuple[str, Public]]] = {}
    for thing in things:
        shown.setdefault(thing.namespace, []).append((thing.name, thing))
        for other in thing.also:
            namespace, _, name = other.removeprefix("paddle.").rpartition(".")
            shown.setdefault(namespace, []).append((name, thing))
    pages = {_namespace_file(space): _namespace_page(space, sorted(members, key=lambda pair: pair[0].lower()))
             for space, members in shown.items()}
    count = sum(map(len, shown.values()))
    lines = ["---", "title: API", "---", "", "# API", "",
             f"{count:,} public names, each with its signature, what it computes and raises, and an example that the",
             "tests run. The search above finds them. Names are Paddle's: `import proa as paddle`.", "",
             "| namespace | names | |", "| --- | --: | --- |"]
    for space in sorted(shown):
        lines.append(f"| [`{dotted(space, '')}`]({_namespace_file(space)}) | {len(shown[space])} | {_about(space)} |")
    return {**pages, "index.md": "\n".join([*lines, ""])}


def _namespace_file(namespace: str) -> str:
    return f"{dotted(namespace, '')}-names.md"


def _about(namespace: str) -> str:
    if namespace in ABOUT:
        return ABOUT[namespace]
    module = docstrings.looked_up(namespace)
    return markdown(_first_sentence(inspect.getdoc(module) or "")).rstrip(".")


def _namespace_page(namespace: str, members: list[tuple[str, Public]]) -> str:
    title = dotted(namespace, "")
    lines = ["---", f"title: {title}", "hide: [navigation, toc]", "---", "", f"# `{title}`", "",
             "[API](index.md)", "", _about(namespace) + ".", "", "| name | |", "| --- | --- |"]
    for name, thing in members:
        said = markdown(_first_sentence(text_of(thing.value))).replace("\n", " ").replace("|", "&#124;")
        lines.append(f"| [`{name}`]({thing.full}.md) | {said or _kind(thing.value)} |")
    return "\n".join([*lines, ""])


def _first_sentence(text: str) -> str:
    """Of the first paragraph, what stands before the first full stop that ends a sentence."""
    paragraph = " ".join(text.split("\n\n")[0].split(">>>")[0].split())
    found = re.match(r"(.*?[^.\d]\.)(?:\s|$)", paragraph)
    sentence = found[1] if found else paragraph
    return sentence if sentence.count("`") % 2 == 0 else paragraph


def markdown(text: str) -> str:
    """A docstring as Markdown: examples as code, everything but `code` in backticks as it is written."""
    made: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        start = next((n for n, line in enumerate(lines) if line.lstrip().startswith(">>>")), len(lines))
        if start:
            made.append(_prose(lines[:start]))
        if start < len(lines):
            indent = len(lines[start]) - len(lines[start].lstrip())
            code = "\n".join(line[indent:] for line in lines[start:])
            made.append(f"```pycon\n{code}\n```")
    return "\n\n".join(made).replace("```\n\n```pycon\n", "\n") if made else ""


def _prose(lines: list[str]) -> str:
    if lines and all(line.lstrip().startswith("|") for line in lines):
        return "\n".join(line.strip() for line in lines)
    if lines and all(line.startswith("    ") for line in lines):
        return "```text\n" + "\n".join(line[4:] for line in lines) + "\n```"
    text = "\n".join(lines)
    pieces = re.split(r"(``?[^`]+``?)", text)
    return "".join(piece if piece.startswith("`") else _escaped(piece) for piece in pieces)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", html.escape(text, quote=False).replace("&lt;", "<").replace("&gt;", ">"))
