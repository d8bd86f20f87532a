"""What the passes work on: the operations between given inputs and outputs, each value written once.

A pass is a function that takes a Unit and changes its operations; `passes/` holds them, one a file, and none depends on
another having run. Programs write a name as often as they like; here every write has a name of its own (`x`, `x@1`, …),
so that operations may be moved, merged and removed by looking at names alone. Names that a sub-block (a loop's body, a
branch) reads or writes stay as they are, and passes leave alone what concerns them: `pinned`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...ops.array.reshape import reshape_op
from ...ops.core.operator import Operator, find, is_declared
from ...ops.core.spec import Spec
from ...ops.nn.norm import is_constant
from ...ops.program.control_flow import share_data_op
from ..ir.block import Block
from ..ir.one_element import widened
from ..ir.open_ranks import open_ranks
from ..ir.operation import Operation
from ..ir.usage import block_writes, reads, sub_block, views, without_gradient, writes
from .exchanges import has_exchanges


class Unit:
    """Operations that compute `results` from `inputs`; `frozen` inputs seldom change from one run to the next.

    `open`: the values whose number of dimensions only a run knows.
    """

    def __init__(self, block: Block, ops: list[Operation], inputs: list[str], results: list[str],
                 frozen: frozenset[str] = frozenset(), pinned: frozenset[str] = frozenset(),
                 updated: frozenset[str] = frozenset(), open: frozenset[str] = frozenset()):
        self.block, self.ops, self.inputs, self.results = block, ops, inputs, results
        self.frozen, self.pinned, self.updated, self.open = frozen, pinned, updated, open
        self._given = frozenset(inputs)
        self.specs: dict[str, Spec] = {}
        self.fitting: set[Operation] = set()  # those whose rule has taken what is sure to be given
        self.prepared: list[Operation] = []

    def spec(self, name: str) -> Spec | None:
        """Shape and dtype of a value; None where it holds no tensor, or nothing is known of it."""
        found = self.specs.get(name)
        return self.declared_spec(name) if found is None else found

    def declared_spec(self, name: str) -> Spec | None:
        """What the Program says of a value: files that others wrote say wrong things of values inside."""
        name = name.partition("@v")[0]
        variable = self.block.find_var(name)
        if name in self.open or variable is None or variable._dtype is None or variable.kind != "tensor":
            return None
        return variable.spec

    def sure_spec(self, name: str) -> Any:
        """As `spec`, but `...` for a value of which a run may make another: none that is given or inferred here."""
        if name in self.pinned:
            return ...
        found = self.specs.get(name)
        if found is None and name in self._given:
            found = self.declared_spec(name)
        return ... if found is None else found

    def _is_sure(self, name: str) -> bool:
        return name not in self.pinned and (name in self.specs or name in self._given)

    def infer(self, op: Operation) -> None:
        """Takes down what an operation's own rule says of the values that it makes."""
        for name, spec in zip(*self.inferred(op), strict=True):
            if spec is not None and name not in self.pinned and name.partition("@v")[0] not in self.open:
                self.specs[name] = spec

    def inferred(self, op: Operation) -> tuple[list[str], list[Spec | None]]:
        """The values that an operation makes, and what its rule says of them where that is known."""
        if sub_block(op) is not None or not is_declared(op.type):
            return [], []
        operator = find(op.type)
        specs: list[Any] = []
        for slot in operator.inputs:
            found = [self.spec(name) for name in op.input(slot.name)]
            if any(spec is None for spec in found):
                return [], []
            specs.append((found or slot.nothing) if slot.many else found[0] if found else None)
        results = self._results(op, operator, tuple(specs))
        if results is None:
            return [], []
        if all(map(self._is_sure, op.input_arg_names)) and all(
                type(spec) is Spec and spec.dtype is not None for spec in results):
            self.fitting.add(op)
        names: list[str] = []
        known: list[Spec | None] = []
        for slot, spec in zip(operator.results, results, strict=False):
            given = op.output(slot.name)
            if not given:  # nobody asked for the slot
                continue
            names += given
            known += list(spec or [None] * len(given)) if slot.many else [spec] * len(given)
        return names, known

    def sure_results(self, op: Operation) -> list[Spec]:
        """What an operation makes of what is sure to be given; nothing where that is not sure.

        Raises what its rule raises, of an operation that does not take what it is given.
        """
        if sub_block(op) is not None or not is_declared(op.type) or not op.output_arg_names:
            return []
        operator = find(op.type)
        specs: list[Any] = []
        for slot in operator.inputs:
            found = [self.sure_spec(name) for name in op.input(slot.name)]
            if any(spec is ... for spec in found):
                return []
            specs.append((found or slot.nothing) if slot.many else found[0] if found else None)
        results = operator.infer_specs(tuple(specs), {k: v for k, v in op.attrs.items() if k in operator.attributes})
        flat = [spec for each in results for spec in (each if type(each) in (list, tuple) else [each])]
        plain = [spec for spec in flat if type(spec) is Spec]
        if any(spec.dtype is None for spec in plain):
            raise ValueError("nothing says which dtype the result has")
        return plain

    @staticmethod
    def _results(op: Operation, operator: Operator, specs: tuple) -> tuple | None:
        """What the rule says, which it may have said when the operation was appended; None where it fails."""
        if op.inferred is not None and op.inferred[0] == specs:
            return op.inferred[1]
        known = operator.attributes
        try:
            return operator.infer_specs(specs, {k: v for k, v in op.attrs.items() if k in known})
        except (ValueError, TypeError, IndexError):  # the run itself will tell the user, with the place
            return None
        except Exception:
            if op.block.program.is_loaded:  # of attributes that nobody has checked; `refuse_misfits` tells
                return None
            raise

    def new_name(self, near: str, spec: Spec | None) -> str:
        """A name for a value that a pass makes."""
        name = f"{near.partition('@v')[0]}@v{len(self.specs)}"
        while name in self.specs:
            name += "'"
        if spec is not None:
            self.specs[name] = spec
        return name

    def is_movable(self, op: Operation) -> bool:
        """Whether an operation gives the same wherever it stands behind its inputs: it may be moved, merged, fused."""
        if "sub_block" in op.attrs or not is_declared(op.type):
            return False
        operator = find(op.type)
        if operator.effects or (operator.aliases and alias_inputs(op)):
            return False
        if self.pinned and not self.pinned.isdisjoint((*op.input_arg_names, *op.output_arg_names)):
            return False
        return not self.updated or self.updated.isdisjoint(op.input_arg_names)

    def readers(self) -> dict[str, int]:
        """How many operations read each value; a result counts as read once more."""
        counts: dict[str, int] = {}
        for op in self.ops:
            for name in set(reads(op)):
                counts[name] = counts.get(name, 0) + 1
        for name in set(self.results):
            counts[name] = counts.get(name, 0) + 1
        return counts

    def producers(self) -> dict[str, Operation]:
        """The operation that makes each value."""
        return {name: op for op in self.ops for name in op.output_arg_names}


def renamed(op: Operation, inputs: dict[str, str], outputs: dict[str, str]) -> Operation:
    """The operation over other names; itself where nothing changes."""
    if inputs.keys().isdisjoint(op.input_arg_names) and outputs.keys().isdisjoint(op.output_arg_names):
        return op
    return Operation(op.block, op.type, {s: [inputs.get(n, n) for n in names] for s, names in op.inputs.items()},
                     {s: [outputs.get(n, n) for n in names] for s, names in op.outputs.items()}, op.attrs, op.source,
                     op.inferred)


def written_inputs(op: Operation) -> list[str]:
    """The names whose memory an operation may write into: behind it they are not to be read."""
    if not is_declared(op.type):
        return []
    operator: Operator = find(op.type)
    return [name for index in sorted(operator.writes) for name in op.input(operator.inputs[index].name)]


def alias_inputs(op: Operation) -> list[str]:
    """The inputs that have a new value among an operation's outputs."""
    if not is_declared(op.type):
        return []
    operator: Operator = find(op.type)
    return [name for result, index in operator.aliases if op.output(operator.results[result].name)
            for name in op.input(operator.inputs[index].name)]


def in_evaluation(op: Operation) -> list[Operation]:
    """A batch norm of constant statistics without the outputs that give these back; under another name they get it."""
    if op.type != "batch_norm" or not is_constant(**{k: bool(op.attrs.get(k, False)) for k in _MODES}):
        return [op]
    outputs = {slot: names for slot, names in op.outputs.items() if slot not in _STATISTICS}
    handed = [(given, new) for result, slot in _STATISTICS.items()
              for given, new in zip(op.input(slot), op.output(result), strict=False) if given != new]
    return [Operation(op.block, op.type, op.inputs, outputs, op.attrs, op.source),
            *(Operation(op.block, share_data_op.type, {"X": [given]}, {"Out": [new]}, {}) for given, new in handed)]


_STATISTICS = {"MeanOut": "Mean", "VarianceOut": "Variance"}
_MODES = ("is_test", "use_global_stats", "trainable_statistics")


def in_declared_rank(op: Operation) -> list[Operation]:
    """An operation whose results are as the Program declares them, with one dimension where the rule gives none."""
    names = widened(op)
    if not names:
        return [op]
    bare = {name: f"{name}@v_bare" for name in names}
    return [renamed(op, {}, bare), *(Operation(op.block, reshape_op.type, {"X": [bare[name]]}, {"Out": [name]},
                                               {"shape": [1]}, op.source) for name in names)]


def unit_of(block: Block, ops: Sequence[Operation], inputs: Sequence[str], results: Sequence[str],
            frozen: Iterable[str] = (), pinned: Iterable[str] = ()) -> Unit:
    """The Unit of these operations, with a name of its own for every write but those of `pinned` names."""
    touched = {name for op in ops if sub_block(op) is not None for name in (*reads(op), *writes(op))}
    pinned = frozenset(pinned) | touched
    current: dict[str, str] = {}
    known = set(inputs)
    versions: dict[str, int] = {}
    done: list[Operation] = []
    updated: set[str] = set()
    for op in ops:
        if sub_block(op) is None:
            known.update(op.input_arg_names)
            new: dict[str, str] = {}
            for name in op.output_arg_names:
                if name in known and name not in pinned:
                    versions[name] = versions.get(name, 0) + 1
                    new[name] = f"{name}@v_{versions[name]}"
            updated.update(current.get(n, n) for n in written_inputs(op))
            op = renamed(op, current, new)
            known.update(name.partition("@v")[0] for name in op.output_arg_names)
            current.update(new)
        done.append(op)
    for op in done if updated else ():
        updated.update(result for result, given in views(op) if given in updated)
    unit = Unit(block, done, list(inputs), [current.get(name, name) for name in results], pinned=pinned,
                updated=frozenset(updated), open=open_ranks(block.program))
    unit.frozen = frozenset(frozen).difference(updated, current, pinned)
    for op in done:
        unit.infer(op)
    return unit


def handed(op: Operation) -> list[str]:
    """The variables of a block by which the operation that runs it, step by step, hands values in and out."""
    if "ex_states" in op.attrs:
        return [*op.input("inputs"), *op.attrs["ex_states"], *op.output("outputs"), *op.attrs["states"]]
    slots = ("of_outputs", "of_states", "of_ex_states", "of_inputs")
    return [name for slot in slots for name in op.attrs.get(slot, ())]


def inner_unit(op: Operation, block: Block) -> Unit:
    """The Unit of the block that a control-flow operation runs: what is seen outside it keeps its name."""
    saved = [*op.attrs.get("saved", ()), *handed(op)]
    outside = list(dict.fromkeys(name for inner in block.ops for name in (*reads(inner), *writes(inner))
                                 if name not in block.vars))
    written = [name for name in block_writes(block)]
    ops = [ranked for inner in block.ops for plain in without_gradient(inner) for ranked in in_declared_rank(plain)]
    if has_exchanges(ops):
        from .coalesced import with_values_alone  # see `exchanges.py`

        ops = with_values_alone(ops)
    return unit_of(block, ops, [*outside, *saved], [*written, *saved], pinned=[*outside, *saved])
