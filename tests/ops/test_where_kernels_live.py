"""The rule of docs/operators.md: a kernel lives with what it cannot do without."""

import ast
import inspect

from package_files import ROOT, package_files
from proa.ops.core.operator import all_operators

OF_ENGINES = {"kernel", "kernel_with", "function"}  # what makes loops: `@loops.kernel`
OURS = [op for op in all_operators() if op._declared_kernel.__module__.startswith("proa.")]


def writes_loops(path):
    """The lines of a file that make a loop of the language of `backend/loops/`."""
    text = path.read_text(encoding="utf-8")
    return [f"{path.relative_to(ROOT)}:{node.lineno}" for node in ast.walk(ast.parse(text if "loops." in text else ""))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "loops"
            and node.attr in OF_ENGINES]


def test_loops_are_written_in_the_backend():
    found = [line for path in package_files() for line in writes_loops(path)]
    assert found and [line for line in found if not line.startswith("backend/")] == []


def parameters(function):
    return list(inspect.signature(function).parameters)


def room(function):
    return function.__module__.split(".")[1]


def test_kernels_on_namespaces_are_with_the_declaration():
    elsewhere = [op for op in OURS if room(op._declared_kernel) not in ("ops", "static")
                 or parameters(op._declared_kernel)[:1] != ["xp"]]
    assert elsewhere == []


def adapters():
    """What stands between declarations and engines, by operator: functions with a name, in the declarations' files."""
    return [(op, inspect.unwrap(found.kernel)) for op in OURS for found in op.kernels.declared
            if not found.kernel.__module__.startswith("proa.backend.") and found.kernel.__name__ != "<lambda>"]


def test_what_is_between_an_operator_and_an_engine_is_named_for_the_engine():
    assert [(op, kernel) for op, kernel in adapters() if "_by_" not in kernel.__name__] == []
    assert [(op, kernel) for op, kernel in adapters() if room(kernel) != room(op._declared_kernel)] == []


def test_kernels_of_engines_take_no_namespace():
    assert [op for op in OURS for found in op.kernels.declared if parameters(found.kernel)[:1] == ["xp"]] == []
