"""Makes a program smaller while it goes on failing in the same way.

Works on Python's syntax tree, not on what the generator knows: statements go, compound statements are replaced by
their blocks, expressions by their parts, constants by simpler ones. Whether what is left is a program at all shows when
it is run.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

Edit = Callable[[ast.Module], bool]
KEPT = ("Net", "INPUTS", "UNKNOWN", "TRAIN", "optimizer", "f", "G", "told")


def shrink(source: str, fails: Callable[[str], bool], seconds: float = 60.0) -> str:
    """The smallest text found for which `fails` is still true.

    `seconds`: of this process's own time, as other work on the machine takes the clock's; four times as many of those.
    """
    best, until = _text(ast.parse(source)), (time.process_time() + seconds, time.monotonic() + 4 * seconds)
    if not fails(best):
        return source
    tried = {best}
    smaller = True
    while smaller and _is_before(until):
        smaller = False
        position = 0
        while _is_before(until):
            edits = list(_edits(ast.parse(best)))
            if position >= len(edits):
                break
            candidate = _applied(best, edits[position])
            position += 1
            if candidate is None or candidate in tried or _size(candidate) >= _size(best):
                continue
            tried.add(candidate)
            if fails(candidate):
                best, smaller, position = candidate, True, max(0, position - 3)
    return best


def _is_before(until: tuple[float, float]) -> bool:
    return time.process_time() < until[0] and time.monotonic() < until[1]


def _text(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _size(source: str) -> tuple[int, int]:
    tree = ast.parse(source)
    return sum(1 for _ in ast.walk(tree)), len(source)


def _applied(source: str, edit: tuple) -> str | None:
    tree = ast.parse(source)
    try:
        if not _apply(tree, edit):
            return None
        text = _text(tree)
        ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return text


def _nodes(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))


def _edits(tree: ast.Module) -> Iterator[tuple]:
    """Edits by the number of their node in the walk: larger parts of the tree come first."""
    nodes = _nodes(tree)
    for n, node in enumerate(nodes):
        for name, blocks in _blocks(node):
            if not isinstance(node, ast.Module):
                yield from _runs(n, name, len(blocks))
    for n, node in enumerate(nodes):
        for name, blocks in _blocks(node):
            for k in reversed(range(len(blocks))):
                if not (isinstance(node, ast.Module) and getattr(blocks[k], "name", None) in KEPT):
                    yield ("drop", n, name, k)
    for n, node in enumerate(nodes):
        for name, blocks in _blocks(node):
            for k, child in enumerate(blocks):
                for inner, _ in _blocks(child):
                    if not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                        yield ("unwrap", n, name, k, inner)
    for n, node in enumerate(nodes):
        for name, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for k, part in enumerate(parts):
                if isinstance(part, ast.expr) and not isinstance(getattr(part, "ctx", None), ast.Store):
                    count = sum(1 for _ in _parts(part))
                    for inner in range(count):
                        yield ("part", n, name, k if isinstance(value, list) else None, inner)
                    if isinstance(value, list) and len(value) > 1 and isinstance(node, (ast.List, ast.Tuple, ast.Call)):
                        yield ("item", n, name, k)
                if isinstance(part, ast.keyword):
                    yield ("item", n, name, k)


def _runs(n: int, name: str, length: int) -> Iterator[tuple]:
    """Statements one behind another in a long block, the last ones first."""
    count = length // 2
    while count > 2:
        for end in range(length, count - 1, -count):
            yield ("run", n, name, end - count, count)
        count //= 2


def _blocks(node: ast.AST) -> Iterator[tuple[str, list]]:
    for name in ("body", "orelse", "finalbody"):
        value = getattr(node, name, None)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield name, value


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """What may stand for an expression: its parts, names, simple numbers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value
    if not isinstance(node, (ast.Name, ast.Constant)):
        yield ast.Name("x", ast.Load())
        yield ast.Constant(1.0)
    if isinstance(node, ast.Name) and node.id != "x":
        yield ast.Name("x", ast.Load())
    if isinstance(node, ast.Constant):
        for simple in _simpler(node.value):
            yield ast.Constant(simple)


def _simpler(value: object) -> list:
    if isinstance(value, bool):
        return [False] if value else []
    if isinstance(value, str) and " " in value:  # a leaf of INPUTS
        kind, *sizes = value.split()
        return [" ".join([kind, *sizes[:k], *sizes[k + 1 :]]) for k in range(len(sizes))] + [
            " ".join([kind, *sizes[:k], "2", *sizes[k + 1 :]]) for k in range(len(sizes)) if sizes[k] not in ("2", "1")
        ]
    return []


def _apply(tree: ast.Module, edit: tuple) -> bool:
    kind, n, name, k, *rest = edit
    node = _nodes(tree)[n]
    value = getattr(node, name)
    if kind == "drop":
        del value[k]
        if not value and name == "body":
            value.append(ast.Pass())
        return True
    if kind == "run":
        del value[k : k + rest[0]]
        return True
    if kind == "unwrap":
        value[k : k + 1] = getattr(value[k], rest[0])
        return True
    if kind == "item":
        del value[k]
        return True
    held = value if k is None else value[k]
    new = copy.deepcopy(list(_parts(held))[rest[0]])
    if k is None:
        setattr(node, name, new)
    else:
        value[k] = new
    return True
