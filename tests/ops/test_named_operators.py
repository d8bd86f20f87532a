"""Where the package names operators by their types outside of declarations, and why: the list can only become shorter.

A fact about operators stands in their declarations. A set, dict, tuple or list of types, words of types in a string, or
a comparison of a type with a name anywhere else is a table that somebody has to keep.
"""

import ast
from pathlib import Path

import proa
from proa.ops.core.operator import all_operators

ROOT = Path(proa.__file__).parent
TYPES = {op.type for op in all_operators()} | {
    "fused_conv2d", "fused_linear", "fused_linears", "fused_elementwise", "fused_attention",
    "channel_gate"}  # of plans alone
ROOMS = ("ops", "static", "jit", "profiler", "amp", "hapi", "dygraph", "inference", "distributed")

_API = "names of public functions or of their arguments, some of which are operators' types as well"
_PATTERN = "a pass of the compiler knows the operators of the pattern that it puts another in the place of"
_FORM = "a codec knows in which operators a file says what a Program says otherwise"
_BLOCKS = "each kind of control flow is built, differentiated and emitted by a function of its own"
_THEIRS = "Paddle's own list, word for word, of names that are partly no operators here"
_QUANTIZED = "what quantization reaches is told in operators' types, by Paddle's arguments and in its files"

#: file: how many tables and comparisons there are, and why.
NAMED = {
    "distributed/__init__.py": (1, _API),
    "distributed/collectives.py": (1, _API),
    "distributed/communication/__init__.py": (1, _API),
    "distributed/communication/stream.py": (1, _API),
    "distributed/fleet/metrics/__init__.py": (1, _API),
    "distributed/fleet/metrics/metric.py": (1, _API),
    "distributed/ps/serving.py": (1, "rows of a table begin by functions of their own, by initializers"),
    "dygraph/tables.py": (1, "the heads of columns that people see in a notebook"),
    "jit/__init__.py": (1, _API),
    "jit/api.py": (1, _API),
    "jit/operators/__init__.py": (1, _API),
    "jit/operators/size_functions.py": (2, _API),
    "ops/amp/lists.py": (1, _THEIRS),
    "ops/array/reshape.py": (1, _API),
    "ops/array/take_along_axis.py": (1, _API),
    "ops/catalogue.py": (1, "the modules that declare operators"),
    "ops/decomposed/activations.py": (2, "names that oneDNN gives activations, as files have them"),
    "ops/graph/messages.py": (1, _API),
    "ops/loss/identity_loss.py": (1, _API),
    "ops/methods.py": (23, _API),
    "ops/nn/dynamic_rnn_kernels.py": (1, "values of the attributes that say what gates are passed through"),
    "ops/sparse/methods.py": (3, _API),
    "ops/vision/boxes.py": (1, "attributes of a declaration, two of which are called as operators are"),
    "static/__init__.py": (1, _API),
    "static/amp/amp_nn.py": (1, _API),
    "static/amp/rewriting.py": (1, "the cast that it puts in has the dtype of its input among its attributes"),
    "static/autodiff/block_graph.py": (1, _BLOCKS),
    "static/autodiff/differentiable_loops.py": (1, _BLOCKS),
    "static/building/control_flow.py": (1, _BLOCKS),
    "static/compiler/emit.py": (1, _BLOCKS),
    "ops/core/panels.py": (1, "what functions in C can do behind a product"),
    "static/compiler/epilogues.py": (1, "oneDNN's names of what it does to a product"),
    "static/compiler/passes/attention.py": (5, _PATTERN),
    "static/compiler/passes/batch_norm.py": (1, _PATTERN),
    "static/compiler/passes/eliminate.py": (2, _PATTERN),
    "static/compiler/passes/epilogue.py": (6, _PATTERN),
    "static/compiler/gates.py": (1, "the functions that a gate may be"),
    "static/compiler/passes/gates.py": (3, _PATTERN),
    "static/compiler/passes/projections.py": (1, _PATTERN),
    "static/compiler/describe.py": (3, "what people are shown of the operators that the compiler itself puts in"),
    "static/files/persistence.py": (1, _API),
    "static/io.py": (1, _API),
    "static/nn/common.py": (1, _API),
    "static/nn/metric.py": (1, _API),
    "static/nn/sequence_lod.py": (1, _API),
    "static/quantization/kinds.py": (12, _QUANTIZED),
    "static/quantization/inference_passes.py": (9, _QUANTIZED),
    "static/quantization/post_training.py": (1, "names of the ways to round"),
    "static/quantization/quant_config.py": (2, _QUANTIZED),
    "static/quantization/quanter.py": (1, _QUANTIZED),
    "static/quantization/training_passes.py": (2, _QUANTIZED),
    "static/quantization/weights.py": (2, _QUANTIZED),
    "static/run/strategies.py": (1, _API),
    "static/compiler/refused.py": (1, _BLOCKS),
    "static/compiler/unit.py": (1, _PATTERN),
    "static/files/array_codec.py": (3, _FORM),
    "static/format/constant_codec.py": (3, _FORM),
    "static/files/lod_codec.py": (4, _FORM),
    "static/files/number_codec.py": (2, _FORM),
    "static/files/paddle_forms/layers.py": (1, _FORM),
    "static/files/paddle_forms/recurrent.py": (1, _FORM),
    "static/files/program_reader.py": (2, _FORM),
    "static/files/whole_weights.py": (1, _FORM),
    "static/format/older_operators.py": (3, "what files of other releases say otherwise: a history of operators"),
    "static/format/versions.py": (2, _THEIRS),
    "static/format/versions_1_8.py": (3, _THEIRS),
    "static/ir/usage.py": (1, "what is there for its gradient alone is assignments to everyone else"),
}


def _names(node: ast.AST) -> list[str]:
    """The operators' types that a literal lists, or that a type is compared with."""
    if isinstance(node, ast.Compare):
        if not ast.unparse(node.left).endswith("type"):
            return []
        found = [side for side in node.comparators if isinstance(side, ast.Constant)]
    elif isinstance(node, (ast.Set, ast.Tuple, ast.List)):
        found = [item for item in node.elts if isinstance(item, ast.Constant)]
    elif isinstance(node, ast.Dict):
        found = [key for key in node.keys if isinstance(key, ast.Constant)]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "->" not in node.value:
        words = node.value.replace(",", " ").split()
        named = [word for word in words if word in TYPES]
        return named if 2 * len(named) >= len(words) else []
    else:
        return []
    return [item.value for item in found if isinstance(item.value, str) and item.value in TYPES]


def _tables(path: Path) -> list[tuple[int, list[str]]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = _names(node)
        if len(names) >= (1 if isinstance(node, ast.Compare) else 2):
            found.append((node.lineno, names))
    return found


def test_tables_of_operators_are_those_that_have_a_reason():
    found = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            tables = _tables(path)
            if tables:
                found[path.relative_to(ROOT).as_posix()] = tables
    more = {name: tables for name, tables in found.items() if len(tables) > NAMED.get(name, (0, ""))[0]}
    assert not more, f"say it in the operators' declarations (docs/operators.md), not in a table: {more}"
    fewer = {name: len(found.get(name, [])) for name, (count, _) in NAMED.items() if len(found.get(name, [])) < count}
    assert not fewer, f"the list NAMED can become shorter: {fewer}"
