"""Decoding step by step till every sequence has ended: Decoder, BeamSearchDecoder, dynamic_decode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core import nest
from ...nn.decode import Decoder
from ...static.building.block_builders import enclosing_block
from ..mode import face
from .activation import softmax
from .arrays import array_read, array_write, create_array, increment
from .blocks import While
from .comparison import equal, less_equal
from .elementwise import (
    elementwise_add,
    elementwise_floordiv,
    elementwise_mod,
    elementwise_mul,
    logical_and,
    logical_not,
    logical_or,
    reduce_all,
)
from .lookup import topk
from .manipulation import expand, gather_nd, gather_tree, reshape, slice, stack, transpose, unsqueeze
from .manipulation import shape as shape_of
from .ops import log
from .rnn_cells import masked, steps_first
from .tensor import (
    assign,
    cast,
    fill_constant,
    fill_constant_batch_size_like,
    tensor_array_to_tensor,
    zeros_like,
)
from .tensor import range as numbers

_IMPOSSIBLE = -1e9  # the logarithm of a probability of 0


class _Output(NamedTuple):
    """What a step of a beam search gives, [batch, beams] each."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class _State(NamedTuple):
    """The state of a beam search: the cell's, and [batch, beams] each of the rest."""

    cell_states: Any
    log_probs: Any
    finished: Any
    lengths: Any


def _first_as(x: Any, count: int, sizes: list[int]) -> Any:
    """x with its first `count` dimensions as such of these sizes; the others stay, though they be unknown.

    A size that is not known can be named by 0 alone, in its place: so the first dimensions go behind the others, and
    come back.
    """
    rest = list(x.shape[count:])
    if -1 not in rest:
        return reshape(x, [*sizes, *rest])
    behind = reshape(transpose(x, _turned(len(x.shape), count)), [0] * len(rest) + sizes)
    return transpose(behind, _turned(len(behind.shape), len(rest)))


def _turned(rank: int, count: int) -> list[int]:
    """So many dimensions, the first `count` of them behind the others."""
    return [*range(count, rank), *range(count)]


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_size` likeliest sequences at each step of a cell.

    `output_fn` makes scores [batch, beams, vocabulary] of the cell's outputs, and `embedding_fn` inputs of ids.
    Sequences begin with `start_token` and end with `end_token`. Batch and beams are one dimension for the cell;
    whatever else it takes for each sequence, `tile_beam_merge_with_batch` repeats.

    >>> import proa.fluid as fluid
    >>> layers = fluid.layers
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     decoder = layers.BeamSearchDecoder(
    ...         layers.GRUCell(4), 0, 1, 2, lambda ids: fluid.embedding(ids, [9, 4], param_attr=fluid.ParamAttr("emb")),
    ...         lambda x: layers.fc(x, 9, num_flatten_dims=2))
    ...     ids, states = layers.dynamic_decode(decoder, fluid.data("h", [None, 4]), max_step_num=5)
    ...     len(ids.shape)
    3
    """

    OutputWrapper, StateWrapper = _Output, _State

    def __init__(self, cell: Any, start_token: int, end_token: int, beam_size: int,
                 embedding_fn: Callable[..., Any] | None = None, output_fn: Callable[..., Any] | None = None):
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    @face
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """x [batch, …] as [batch * beam_size, …], each item repeated `beam_size` times."""
        return _first_as(expand(unsqueeze(x, [1]), [1, beam_size, *[1] * (len(x.shape) - 1)]), 2, [-1])

    def _split_batch_beams(self, x: Any) -> Any:
        return _first_as(x, 1, [-1, self.beam_size])

    def _merge_batch_beams(self, x: Any) -> Any:
        return _first_as(x, 2, [-1])

    def _expand_to_beam_size(self, x: Any) -> Any:
        return expand(unsqueeze(x, [1]), [1, self.beam_size, *[1] * (len(x.shape) - 1)])

    def _embedded(self, ids: Any) -> Any:
        return ids if self.embedding_fn is None else self.embedding_fn(ids)

    @face
    def initialize(self, initial_cell_states: Any) -> tuple[Any, Any, Any]:
        """The inputs of the start token, the state of which only the first beam is likely, and that none has ended."""
        state = next(nest.leaves(initial_cell_states))
        self.batch_size = slice(shape_of(state), [0], [0], [1])
        cell_states = nest.map_structure(self._expand_to_beam_size, initial_cell_states)

        def filled(dtype: str, value: float) -> Any:
            return fill_constant_batch_size_like(state, [-1, self.beam_size], dtype, value)

        likely = assign(np.array([0.0] + [_IMPOSSIBLE] * (self.beam_size - 1), "float32"))
        first = _State(cell_states, elementwise_add(filled("float32", 0.0), likely), filled("bool", 0.0),
                       filled("int64", 0))
        return self._embedded(filled("int64", self.start_token)), first, first.finished

    def _mask_probs(self, probs: Any, finished: Any) -> Any:
        """Logarithms of probabilities of which a sequence that has ended has that of the end token only."""
        only_end = np.full(self.vocab_size, _IMPOSSIBLE, "float32")
        only_end[self.end_token] = 0.0
        ended = expand(unsqueeze(cast(finished, probs.dtype), [2]), [1, 1, self.vocab_size])
        return masked(elementwise_mul(ended, assign(only_end)), probs, cast(finished, probs.dtype))

    def _gather(self, x: Any, indices: Any, batch_size: Any) -> Any:
        """The beams (or scores) of these indices [batch, beams], of x [batch, …]."""
        rows = unsqueeze(numbers(0, cast(batch_size, "int64"), 1, "int64"), [1])
        return gather_nd(x, stack([expand(rows, [1, self.beam_size]), indices], 2))

    @face
    def _beam_search_step(self, time: Any, logits: Any, next_cell_states: Any, beam_state: Any
                          ) -> tuple[_Output, _State]:
        """What follows of logits [batch, beams, vocabulary]."""
        self.vocab_size = logits.shape[-1]
        size = fill_constant([1], "int64", self.vocab_size)
        probs = self._mask_probs(log(softmax(logits)), beam_state.finished)
        total = elementwise_add(probs, beam_state.log_probs, axis=0)
        best, places = topk(reshape(total, [-1, self.beam_size * self.vocab_size]), self.beam_size)
        beams, tokens = elementwise_floordiv(places, size), elementwise_mod(places, size)

        def taken(x: Any) -> Any:
            return self._gather(x, beams, self.batch_size)

        finished = taken(beam_state.finished)
        lengths = elementwise_add(taken(beam_state.lengths), cast(logical_not(finished), "int64"))
        finished = logical_or(finished, equal(tokens, fill_constant([1], "int64", self.end_token)))
        state = _State(nest.map_structure(taken, next_cell_states), best, finished, lengths)
        return _Output(best, tokens, beams), state

    @face
    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        """One step of the cell for all beams, and the beams that are likeliest then."""
        inputs = nest.map_structure(self._merge_batch_beams, inputs)
        cell_states = nest.map_structure(self._merge_batch_beams, states.cell_states)
        outputs, cell_states = self.cell(inputs, cell_states, **kwargs)
        outputs = nest.map_structure(self._split_batch_beams, outputs)
        cell_states = nest.map_structure(self._split_batch_beams, cell_states)
        scores = outputs if self.output_fn is None else self.output_fn(outputs)
        output, state = self._beam_search_step(time, scores, cell_states, states)
        return output, state, self._embedded(output.predicted_ids), state.finished

    @face
    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The ids of whole sequences, [steps, batch, beams], the likeliest first; and the states."""
        return gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """True: the beams change places."""
        return True


@face
def dynamic_decode(decoder: Any, inits: Any = None, max_step_num: int | None = None, output_time_major: bool = False,
                   impute_finished: bool = False, is_test: bool = False, return_length: bool = False,
                   **kwargs: Any) -> Any:
    """Calls `decoder.step` till all sequences have ended, or steps 0 to `max_step_num` were taken.

    The result is what `decoder.finalize` makes of the outputs, [batch, steps, …] (steps first with
    `output_time_major`), the final states, and with `return_length` the lengths of the sequences. With
    `impute_finished` the states of a sequence that has ended stay as they are. Other keyword arguments go to
    `decoder.step`.
    """
    inputs, states, finished = decoder.initialize(inits)
    time = fill_constant([1], "int64", 0)
    going = logical_not(reduce_all(finished))
    last = None if max_step_num is None else fill_constant([1], "int64", max_step_num)
    lengths = cast(zeros_like(finished), "int64")
    finished, going = assign(finished), assign(going)  # which the loop overwrites
    of_inputs, of_states = (nest.map_structure(lambda x: array_write(x, time), each) for each in (inputs, states))
    loop = While(going, is_test)
    with loop.block():
        taken, before = (nest.map_structure(lambda array: array_read(array, time), each)
                         for each in (of_inputs, of_states))
        outputs, new, following, ended = decoder.step(time, taken, before, **kwargs)
        if impute_finished:
            unfinished = cast(logical_not(finished), "float32")
            new = nest.map_structure(lambda old, new: masked(new, old, cast(unfinished, new.dtype)), before, new)
        of_outputs = nest.map_structure(_collected, outputs)
        for array, output in zip(nest.leaves(of_outputs), nest.leaves(outputs), strict=True):
            array_write(output, time, array)
        longer = elementwise_add(lengths, cast(logical_not(finished), "int64"))
        ended = logical_or(ended, finished)
        increment(time)
        for arrays, values in ((of_inputs, following), (of_states, new)):
            for array, value in zip(nest.leaves(arrays), nest.leaves(values), strict=True):
                array_write(value, time, array)
        assign(ended, finished)
        assign(longer, lengths)
        unended = logical_not(reduce_all(finished))
        if last is None:
            assign(unended, going)
        else:
            logical_and(unended, less_equal(time, last), out=going)
    joined = nest.map_structure(lambda array: tensor_array_to_tensor(array, 0, use_stack=True)[0], of_outputs)
    final = nest.map_structure(lambda array: array_read(array, time), of_states)
    joined, final = decoder.finalize(joined, final, lengths)
    if not output_time_major:
        joined = nest.map_structure(steps_first, joined)
    return (joined, final, lengths) if return_length else (joined, final)


def _collected(output: Any) -> Any:
    """A list, before the loop, for what each step gives."""
    with enclosing_block():
        return create_array(output.dtype)


__all__ = ["BeamSearchDecoder", "Decoder", "dynamic_decode"]
