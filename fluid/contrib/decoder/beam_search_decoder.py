"""TrainingDecoder and BeamSearchDecoder: the step of a StateCell over given sequences, or over what it chooses."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from ....core.unique_name import generate
from ....static.building.block_builders import enclosing_block
from ....static.building.tensor_arrays import ArrayVariable
from ....static.ir.variable import Variable
from ...layers.arrays import array_named, array_read, array_write, increment
from ...layers.blocks import Switch, While
from ...layers.comparison import is_empty, less_than
from ...layers.decoding import beam_search, beam_search_decode
from ...layers.dense import embedding, fc
from ...layers.dynamic_rnn import DynamicRNN
from ...layers.elementwise import elementwise_add
from ...layers.lod import lod_reset
from ...layers.lookup import topk
from ...layers.manipulation import reshape
from ...layers.ops import log
from ...layers.sequence_lod import sequence_expand
from ...layers.tensor import fill_constant, zeros
from .state_cell import InitState, StateCell

BEFORE, INSIDE, AFTER = range(3)


class _Written:
    """A decoder whose block is written once, and whose methods belong in it or behind it."""

    def __init__(self, cell: StateCell):
        self._cell, self._status = cell, BEFORE
        cell.enter(self)  # type: ignore[arg-type]

    @contextlib.contextmanager
    def _within(self) -> Iterator[None]:
        if self._status != BEFORE:
            raise ValueError(f"{type(self).__name__}.block(): can be written once.")
        self._status = INSIDE
        yield
        self._status = AFTER
        self._cell.leave()

    def _check(self, what: str, status: int) -> None:
        if self._status != status:
            where = "in" if status == INSIDE else "behind"
            raise ValueError(f"{type(self).__name__}.{what}: belongs {where} `with decoder.block():`.")

    @property
    def state_cell(self) -> StateCell:
        """The cell."""
        self._check("state_cell", INSIDE)
        return self._cell


class TrainingDecoder(_Written):
    """A cell's step over sequences that are given, a DynamicRNN whose memories are the cell's states.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.contrib.decoder import InitState, StateCell, TrainingDecoder
    >>> with fluid.program_guard(fluid.Program()):
    ...     words = fluid.data("words", [None, 4], lod_level=1)
    ...     start = InitState(fluid.data("start", [None, 4]), need_reorder=True)
    ...     cell = StateCell(inputs={"x": None}, states={"h": start}, out_state="h")
    ...     @cell.state_updater
    ...     def step(cell):
    ...         cell.set_state("h", cell.get_state("h") + cell.get_input("x"))
    ...     decoder = TrainingDecoder(cell)
    ...     with decoder.block():
    ...         decoder.state_cell.compute_state(inputs={"x": decoder.step_input(words)})
    ...         decoder.state_cell.update_states()
    ...         decoder.output(decoder.state_cell.out_state())
    ...     print(decoder().lod_level)
    1
    """

    BEFORE_DECODER, IN_DECODER, AFTER_DECODER = BEFORE, INSIDE, AFTER

    def __init__(self, state_cell: StateCell, name: str | None = None):
        super().__init__(state_cell)
        self.dynamic_rnn = DynamicRNN()

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Within it the step is written."""
        with self._within(), self.dynamic_rnn.block():
            yield

    def begin_state(self, init: InitState) -> Any:
        """A memory."""
        return self.dynamic_rnn.memory(init=init.value, need_reorder=init.need_reorder)

    def end_state(self, begun: Any, value: Any) -> None:
        """What the memory becomes."""
        self.dynamic_rnn.update_memory(begun, value)

    def step_input(self, x: Any) -> Any:
        """The step's items of sequences."""
        self._check("step_input", INSIDE)
        return self.dynamic_rnn.step_input(x)

    def static_input(self, x: Any) -> Any:
        """What of x belongs to the step's sequences."""
        self._check("static_input", INSIDE)
        return self.dynamic_rnn.static_input(x)

    def output(self, *outputs: Any) -> None:
        """Makes values of the step outputs."""
        self._check("output", INSIDE)
        self.dynamic_rnn.output(*outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs, as sequences."""
        self._check("__call__()", AFTER)
        return self.dynamic_rnn(*args, **kwargs)


class BeamSearchDecoder(_Written):
    """A cell's step over the ids that it finds likeliest, `beam_size` prefixes of each sentence side by side.

    `init_ids` and `init_scores` [sentences, 1], of two levels of LoD, are what sentences begin with. `decode()` writes
    the step: the last ids' embedding [target_dict_dim, word_dim] is the cell's input, where `input_var_dict` does not
    give another; of the softmax of a layer over `out_state` the best `topk_size` are asked. It goes on for `max_len`
    steps, or till all sentences have come to `end_id`. A step of one's own is written in `with decoder.block():`, with
    `read_array`, `update_array` and `early_stop`. `decoder()` is (ids, scores) as layers.beam_search_decode gives them.
    """

    BEFORE_BEAM_SEARCH_DECODER, IN_BEAM_SEARCH_DECODER, AFTER_BEAM_SEARCH_DECODER = BEFORE, INSIDE, AFTER

    def __init__(self, state_cell: StateCell, init_ids: Any, init_scores: Any, target_dict_dim: int, word_dim: int,
                 input_var_dict: Mapping[str, Any] | None = None, topk_size: int = 50, sparse_emb: bool = True,
                 max_len: int = 100, beam_size: int = 1, end_id: int = 1, name: str | None = None):
        super().__init__(state_cell)
        self._start = init_ids, init_scores
        self._sizes = target_dict_dim, word_dim
        self._given = dict(input_var_dict or {})
        self._topk_size, self._sparse_emb, self._beam_size, self._end_id = topk_size, sparse_emb, beam_size, end_id
        self._counter, self._first = zeros([1], "int64"), zeros([1], "int64")
        self._max_len = fill_constant([1], "int64", max_len)
        self._cond = less_than(self._counter, self._max_len)
        self._while = While(self._cond)
        self._arrays: dict[str, ArrayVariable] = {}  # by the names of what was read of them
        self._links: list[tuple[Any, ArrayVariable]] = []
        self._ids: Any = None
        self._scores: Any = None

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Within it the step is written."""
        with self._within(), self._while.block():
            yield
            with Switch() as switch, switch.case(self._cond):
                increment(self._counter)
                for value, array in self._links:
                    array_write(value, self._counter, array)
                less_than(self._counter, self._max_len, cond=self._cond)

    def begin_state(self, init: InitState) -> Any:
        """The state that the step before left."""
        return self.read_array(init.value)

    def end_state(self, begun: Any, value: Any) -> None:
        """What is left for the next step."""
        self.update_array(begun, value)

    def early_stop(self) -> None:
        """Makes this step the last one, and of no effect."""
        fill_constant([1], "bool", False, force_cpu=True, out=self._cond)

    def read_array(self, init: Any, is_ids: bool = False, is_scores: bool = False) -> Any:
        """What `update_array` kept of the step before, at first `init`; the results are made of ids and scores."""
        self._check("read_array", INSIDE)
        if is_ids and is_scores:
            raise ValueError("BeamSearchDecoder.read_array: either is_ids or is_scores.")
        if not isinstance(init, Variable):
            raise TypeError(f"BeamSearchDecoder.read_array(init): must be a Variable. Received {type(init).__name__}.")
        with enclosing_block():
            array = array_named(generate("beam_search_decoder_array"))
            array.write(self._first, init)
        if is_ids:
            self._ids = array
        elif is_scores:
            self._scores = array
        found = array_read(array, self._counter)
        self._arrays[found.name] = array
        return found

    def update_array(self, array: Any, value: Any) -> None:
        """Keeps a value for the next step, where `read_array` gave `array`."""
        self._check("update_array", INSIDE)
        for what, given in (("array", array), ("value", value)):
            if not isinstance(given, Variable):
                raise TypeError(f"BeamSearchDecoder.update_array({what}): must be a Variable. Received "
                                f"{type(given).__name__}.")
        if array.name not in self._arrays:
            raise ValueError("BeamSearchDecoder.update_array(array): must be what read_array() gave.")
        self._links.append((value, self._arrays[array.name]))

    def decode(self) -> None:
        """Writes the step."""
        with self.block():
            ids, scores = (self.read_array(start, is_ids=i == 0, is_scores=i == 1)
                           for i, start in enumerate(self._start))
            words = embedding(ids, list(self._sizes), is_sparse=self._sparse_emb)
            unknown = sorted(set(self._given) - set(self._cell.inputs))
            if unknown:
                raise ValueError(f"BeamSearchDecoder(input_var_dict): the cell has no input {', '.join(unknown)}.")
            kept = {name: self.read_array(value) for name, value in self._given.items()}
            inputs = {name: sequence_expand(value, scores) for name, value in kept.items()}
            for name in self._cell.states:
                self._cell.set_state(name, sequence_expand(self._cell.get_state(name), scores))
            self._cell.compute_state({name: inputs.get(name, words) for name in self._cell.inputs})
            chosen = self._chosen(ids, scores)
            with Switch() as switch:
                with switch.case(is_empty(chosen[0])):
                    self.early_stop()
            self._cell.update_states()
            for before, after in [(ids, chosen[0]), (scores, chosen[1])] + [(kept[n], inputs[n]) for n in kept]:
                self.update_array(before, after)

    def _chosen(self, ids: Any, scores: Any) -> Any:
        """The ids and scores of the prefixes that go on."""
        likely = fc(lod_reset(self._cell.out_state(), scores), self._sizes[0], act="softmax")
        best, which = topk(likely, self._topk_size)
        total = elementwise_add(log(best), reshape(scores, [-1]), axis=0)
        return beam_search(ids, scores, which, total, self._beam_size, end_id=self._end_id, level=0)

    def __call__(self) -> Any:
        """The ids and scores of whole sentences."""
        self._check("__call__()", AFTER)
        return beam_search_decode(self._ids, self._scores, self._beam_size, self._end_id)


__all__ = ["BeamSearchDecoder", "InitState", "StateCell", "TrainingDecoder"]
