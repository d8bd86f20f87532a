"""Opens a model: from its Program to what a run takes, and to plans for other inputs than its file says."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..ops.core.spec import Spec
from ..static.compiler import kept_plans
from ..static.compiler.compile import compile_plan
from ..static.compiler.plan import Plan, kept_plan
from ..static.ir.frame import feed_names, fetch_names
from ..static.ir.program import Program
from ..static.ir.transform import made_for_evaluation, persistable_names, without_frame
from ..static.ir.variable import OffsetsVariable
from ..static.run.given_offsets import offsets_given
from .opened import Described, Opened


class Prepared(NamedTuple):
    """A plan, the names that it takes beyond the inputs, and those of the outputs' offsets; whether it was kept."""

    plan: Plan
    taken: list[str]
    lods: list[tuple[str, ...]]
    is_kept: bool


class Source:
    """A model's Program, made one for evaluation: nobody else has it."""

    def __init__(self, program: Program):
        self.parameters = persistable_names(program)
        self.inputs, self.outputs = feed_names(program), fetch_names(program)
        self.program = made_for_evaluation(_with_rules(without_frame(program)), fetched=self.outputs)
        self.block = self.program.global_block()
        self.variables = {name: self.block.var(name) for name in (*self.inputs, *self.outputs)}

    @property
    def is_described(self) -> bool:
        """Whether its inputs and outputs are all there is to know of it without the Program."""
        return not self.program.has_lod and all(v._dtype is not None for v in self.variables.values())

    def opened(self, prepared: Prepared) -> Opened | None:
        """What is kept of it, with the plan for the sizes that its file says; None where that is not to be kept."""
        if not prepared.is_kept or not self.is_described:
            return None
        described = {v.name: Described(v.name, v.shape, v.dtype) for v in self.variables.values()}
        return Opened([described[name] for name in self.inputs], [described[name] for name in self.outputs],
                      self.parameters, prepared.plan.form, prepared.taken)

    def prepared_for(self, specs: Mapping[str, Spec], given: Sequence[Spec], levels: Sequence[str]) -> Prepared:
        """What runs the model on inputs of these sizes; ValueError where its operators do not take them."""
        from ..static.ir.shape_inference import for_inputs  # for other sizes than the file's

        return self.prepared(for_inputs(self.program, specs, given), levels)

    def prepared(self, program: Program, levels: Sequence[str], is_of_file: bool = False) -> Prepared:
        """What runs a Program. `levels`: the names of the offsets that are given with the inputs.

        `is_of_file`: the plan is kept with what else is known of the file (`opened`), and not by the Program as well.
        """
        lods = [offsets_given(program, name, frozenset([*self.inputs, *levels])) for name in self.outputs]
        fetches = [*self.outputs, *dict.fromkeys(level for lod in lods for level in lod)]
        plan, taken, is_kept = (_compiled_for_file if is_of_file else _compiled)(
            program, [*self.inputs, *levels], fetches)
        return Prepared(plan, taken, lods, is_kept)

    def plan_for(self, given: Mapping[str, Spec]) -> Plan:
        """The plan of a run on inputs of these sizes."""
        from ..static.ir.shape_inference import infer_again

        return self.prepared(infer_again(copy.deepcopy(self.program), given), ()).plan

    def sequences_of(self, names: Sequence[str]) -> list[str]:
        """The values whose offsets these names are."""
        return sorted({v.of for v in map(self.block.find_var, names) if isinstance(v, OffsetsVariable)})


def _with_rules(program: Program) -> Program:
    """The Program with what our rules write in the place of Paddle's operators of gradients."""
    if not any(slot.endswith("@GRAD") for block in program.blocks for op in block.ops for slot in op.inputs):
        return program
    from ..static.autodiff.gradient_operators import with_rules  # for what asks for gradients as it runs

    return with_rules(program)


def _compiled_for_file(program: Program, feeds: list[str], fetches: list[str]) -> tuple[Plan, list[str], bool]:
    """The plan of a file's Program, the names that it reads beyond the feeds, and whether it may be kept."""
    plan, names, _ = compile_plan(program, feeds, fetches)
    return plan, names, kept_plans.may_be_kept(program)


def _compiled(program: Program, feeds: list[str], fetches: list[str]) -> tuple[Plan, list[str], bool]:
    """The plan of a Program and the names that it reads beyond the feeds: as an earlier process kept them, or anew."""
    def again() -> tuple[Plan, list[str], list[str]]:
        return compile_plan(program, feeds, fetches)

    key = kept_plans.key_of(program, ("predictor", feeds, fetches))
    kept = kept_plans.read(key)
    if kept is not None:
        form, names = kept
        return kept_plan(form, lambda: again()[0]), names, True
    plan, names, _ = again()
    kept_plans.write(key, (plan.form, names))
    return plan, names, key is not None
