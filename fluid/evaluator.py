"""`fluid.evaluator`: measures whose sums a Program itself keeps, from run to run. Newer code has `fluid.metrics`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.unique_name import generate
from ..ops.math.comparison import equal
from ..static.building.mode import default_main_program, program_guard
from ..static.ir.program import Variable
from ..static.program import Program
from . import layers
from .mode import face


class Evaluator:
    """What all have: `states`, Variables with the sums, `metrics`, those of each run alone, `reset` and `eval`.

    The sums have no value before `reset(executor)`: call it behind the startup Program, and before each epoch.
    """

    def __init__(self, name: str, **kwargs: Any):
        self.states: list[Variable] = []
        self.metrics: list[Variable] = []
        self._name = kwargs.get("name") or generate(name)
        if default_main_program().current_block().idx != 0:
            raise ValueError(f"{type(self).__name__}: make it outside of loops and branches, whose blocks come and go.")

    def _create_state(self, suffix: str, dtype: str, shape: Sequence[int]) -> Variable:
        block = default_main_program().current_block()
        state = block.create_var(f"{generate(self._name)}_{suffix}", shape, dtype, persistable=True)
        self.states.append(state)
        return state

    def reset(self, executor: Any, reset_program: Program | None = None) -> None:
        """Sets the sums to zero; `reset_program`: where the operations for that are put."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            for state in self.states:
                layers.fill_constant(shape=list(state.shape), value=0.0, dtype=state.dtype, out=_same(program, state))
        executor.run(program)

    def eval(self, executor: Any, eval_program: Program | None = None) -> Any:
        """The measure of all runs since `reset`; a subclass says which."""
        raise NotImplementedError(f"{type(self).__name__}.eval: write it, as the subclass's own.")

    def _sums(self, executor: Any, eval_program: Program | None) -> list[float]:
        program = Program() if eval_program is None else eval_program
        fetched = executor.run(program, fetch_list=[_same(program, state) for state in self.states])
        return [float(np.asarray(value).reshape(-1)[0]) for value in fetched]


def _same(program: Program, state: Variable) -> Variable:
    """The variable of this name in another Program."""
    block = program.current_block()
    return block.var(state.name) if block.has_var(state.name) else block.create_var(
        state.name, state.shape, state.dtype, persistable=True)


class ChunkEvaluator(Evaluator):
    """Precision, recall and F1 of the chunks of all runs; `metrics` are those of each run. See `layers.chunk_eval`."""

    @face
    def __init__(self, input: Any, label: Any, chunk_scheme: str, num_chunk_types: int,
                 excluded_chunk_types: Sequence[int] | None = None):
        super().__init__("chunk_eval")
        self.num_infer_chunks = self._create_state("num_infer_chunks", "int64", [1])
        self.num_label_chunks = self._create_state("num_label_chunks", "int64", [1])
        self.num_correct_chunks = self._create_state("num_correct_chunks", "int64", [1])
        precision, recall, f1_score, *counts = layers.chunk_eval(
            input=input, label=label, chunk_scheme=chunk_scheme, num_chunk_types=num_chunk_types,
            excluded_chunk_types=excluded_chunk_types)
        for state, count in zip(self.states, counts, strict=True):
            layers.sums(input=[state, count], out=state)
        self.metrics += [precision, recall, f1_score]

    def eval(self, executor: Any, eval_program: Program | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Precision, recall and F1, arrays of one float32."""
        found, there, right = self._sums(executor, eval_program)
        precision = right / found if found else 0.0
        recall = right / there if there else 0.0
        f1_score = 2 * precision * recall / (precision + recall) if right else 0.0
        return np.array([precision], "float32"), np.array([recall], "float32"), np.array([f1_score], "float32")


class EditDistance(Evaluator):
    """The mean distance of the sequences of all runs, and the part of them that is not right.

    `metrics`: the sum of distances and the number of wrong sequences of each run. See `layers.edit_distance`.
    """

    @face
    def __init__(self, input: Any, label: Any, ignored_tokens: Sequence[int] | None = None, **kwargs: Any):
        super().__init__("edit_distance", **kwargs)
        self.total_distance = self._create_state("total_distance", "float32", [1])
        self.seq_num = self._create_state("seq_num", "int64", [1])
        self.instance_error = self._create_state("instance_error", "int64", [1])
        distances, seq_num = layers.edit_distance(input=input, label=label, ignored_tokens=ignored_tokens)
        zero = layers.fill_constant(shape=[1], value=0.0, dtype="float32")
        right = layers.reduce_sum(layers.cast(x=equal(distances, zero), dtype="int64"))
        wrong = layers.elementwise_sub(x=seq_num, y=right)
        total = layers.reduce_sum(distances)
        for state, value in zip(self.states, (total, seq_num, wrong), strict=True):
            layers.sums(input=[state, value], out=state)
        self.metrics += [total, wrong]

    def eval(self, executor: Any, eval_program: Program | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Both, arrays of one float32."""
        total, count, wrong = self._sums(executor, eval_program)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.array([total], "float32") / np.float32(count), np.array([wrong], "float32") / np.float32(count)


__all__ = ["ChunkEvaluator", "EditDistance", "Evaluator"]
