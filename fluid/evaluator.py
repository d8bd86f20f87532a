"""`fluid.evaluator`: measures whose sums a Program itself keeps, from run to run. Newer code has `fluid.metrics`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.lazy import listed
from ..core.unique_name import generate
from ..ops.core.trace import using
from ..ops.math.comparison import equal
from ..static.building.mode import default_main_program, default_startup_program, program_guard
from ..static.building.trace import ProgramTrace
from ..static.ir.lod import set_lod
from ..static.ir.variable import Variable
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
        state = block.new_var(f"{generate(self._name)}_{suffix}", shape, dtype, persistable=True)
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
    return block.var(state.name) if block.has_var(state.name) else block.new_var(
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


class DetectionMAP(Evaluator):
    """The mean average precision of detections: of each run, and of all runs since `reset`.

    See `layers.detection.detection_map`. `input` [M, 6]: detections (label, score, box); `gt_label` [N, 1], `gt_box`
    [N, 4] and `gt_difficult` [N, 1]: objects; all with a LoD that divides them among images. Also
    `fluid.metrics.DetectionMAP`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     found = fluid.layers.data("found", [6], lod_level=1)
    ...     label = fluid.layers.data("label", [1], lod_level=1); box = fluid.layers.data("box", [4], lod_level=1)
    ...     current, whole = fluid.metrics.DetectionMAP(found, label, box, class_num=3).get_map_var()
    >>> current.shape
    (1,)
    """

    @face
    def __init__(self, input: Any, gt_label: Any, gt_box: Any, gt_difficult: Any = None, class_num: int | None = None,
                 background_label: int = 0, overlap_threshold: float = 0.5, evaluate_difficult: bool = True,
                 ap_version: str = "integral"):
        super().__init__("map_eval")
        if class_num is None:
            raise ValueError("DetectionMAP(class_num): the number of classes. Received None.")
        parts = [layers.cast(x=gt_label, dtype=gt_box.dtype)]
        if gt_difficult is not None:
            parts.append(layers.cast(x=gt_difficult, dtype=gt_box.dtype))
        label = layers.concat([*parts, gt_box], axis=1)
        options: dict[str, Any] = {"overlap_threshold": overlap_threshold, "evaluate_difficult": evaluate_difficult,
                                   "ap_version": ap_version}
        self.cur_map = layers.detection.detection_map(input, label, class_num, background_label, **options)
        counts = self._kept("accum_pos_count", "int32", [class_num, 1])
        states = [counts, *(self._kept(name, "float32", [0, 2], class_num + 1)
                            for name in ("accum_true_pos", "accum_false_pos"))]
        self.has_state = self._kept("has_state", "int32", [1])
        self.states = [self.has_state]
        self.accum_map = layers.detection.detection_map(
            input, label, class_num, background_label, has_state=self.has_state, input_states=states,
            out_states=states, **options)
        for state in states[1:]:
            self._keep_offsets(state)
        layers.fill_constant(shape=[1], value=1, dtype="int32", out=self.has_state)

    def _keep_offsets(self, state: Variable) -> None:
        """Lets the next run find where each class begins, as it finds the state's rows."""
        block = default_main_program().global_block()
        level = block.var(f"{state.name}_lod")
        block.append("assign", {"X": [state.lod[0].name]}, {"Out": [level.name]}, {})
        set_lod(state, [level])

    def _kept(self, suffix: str, dtype: str, shape: list[int], offsets: int = 0) -> Variable:
        """A sum that the startup Program makes zero; of so many `offsets` where it is one for each class."""
        block, name = default_main_program().global_block(), f"{generate(self._name)}_{suffix}"
        state = block.new_var(name, [-1 if size == 0 else size for size in shape], dtype, persistable=True)
        _fill_with_zeros(name, shape, dtype)
        if offsets:
            level = block.new_var(f"{name}_lod", [offsets], "int64", persistable=True)
            _fill_with_zeros(level.name, [offsets], "int64")
            set_lod(state, [level])
        return state

    def get_map_var(self) -> tuple[Variable, Variable]:
        """The Variables of the mAP of a run, and of all runs since `reset`."""
        return self.cur_map, self.accum_map


def _fill_with_zeros(name: str, shape: list[int], dtype: str) -> None:
    block = default_startup_program().global_block()
    block.new_var(name, shape, dtype, persistable=True)
    with using(ProgramTrace(block.program, None)):
        layers.fill_constant(shape=shape, value=0, dtype=dtype, out=block.var(name))


__all__ = ["ChunkEvaluator", "DetectionMAP", "EditDistance", "Evaluator"]
__dir__ = listed(__name__)
