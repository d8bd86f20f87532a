"""Modules do not import each other in circles, imports inside of functions counted."""

import ast
import sys

import pytest
from package_files import ROOT, package_files

NAMED: dict[frozenset[str], str] = {}
"""Circles that are meant to be there, each with its reason. Only taken out of: a new one is to be untied instead."""


def module_of(path, root):
    parts = list(path.relative_to(root).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package


def imported(path, root, modules):
    """The modules that one imports anywhere but for annotations: relative imports, and absolute ones of the package."""
    name, is_package = module_of(path, root)
    tree = ast.parse(path.read_text("utf-8"))
    annotations = {id(child) for node in ast.walk(tree) if isinstance(node, ast.If)
                   and "TYPE_CHECKING" in ast.dump(node.test) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level or id(node) in annotations:
            continue
        base = name.split(".") if is_package else name.split(".")[:-1]
        base = base[:len(base) - node.level + 1]
        source = ".".join([*base, *([node.module] if node.module else [])])
        for alias in node.names:
            inside = f"{source}.{alias.name}".lstrip(".")
            found = inside if inside in modules else source
            if found in modules and found != name:
                yield found


def circles(edges):
    """The strongly connected components of more than one node (Tarjan, 1972)."""
    number, lowest, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        for other in edges.get(node, ()):
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in on_stack:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            position = stack.index(node)
            members = stack[position:]
            del stack[position:]
            on_stack.difference_update(members)
            if len(members) > 1:
                found.append(frozenset(members))

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        for node in edges:
            if node not in number:
                visit(node)
    finally:
        sys.setrecursionlimit(limit)
    return set(found)


def circles_of(files, root):
    modules = {module_of(path, root)[0] for path in files}
    return circles({module_of(path, root)[0]: sorted(set(imported(path, root, modules))) for path in files})


def test_no_circles_but_those_that_are_named():
    found = circles_of(list(package_files()), ROOT)
    assert found == set(NAMED), [sorted(circle) for circle in found ^ set(NAMED)]


@pytest.mark.parametrize("first, second, expected", [
    ("from .b import g\n", "def g():\n    from .a import f\n", {frozenset({"a", "b"})}),
    ("def f():\n    from . import b\n", "from .a import f\n", {frozenset({"a", "b"})}),
    ("from .b import g\n", "import typing\nif typing.TYPE_CHECKING:\n    from .a import f\n", set()),
    ("from .b import g\n", "", set()),
])
def test_what_counts_as_a_circle(tmp_path, first, second, expected):
    files = [tmp_path / "__init__.py", tmp_path / "a.py", tmp_path / "b.py"]
    for file, text in zip(files, ("", first, second)):
        file.write_text(text)
    assert circles_of(files, tmp_path) == expected
