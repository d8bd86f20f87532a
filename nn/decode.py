"""Decoding step by step till every sequence has ended: Decoder, BeamSearchDecoder, dynamic_decode.

`jit.to_static` converts this module as it converts its users' code, so that the loop can become a loop of a Program:
what is here is plain Python over Tensors, with one `while`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core import nest
from ..core.dtype import get_default_dtype
from ..ops.array.concat_split import stack
from ..ops.array.creation import arange, to_tensor, zeros_like
from ..ops.array.full import full
from ..ops.array.gather import gather
from ..ops.array.reshape import expand, reshape, tile, transpose, unsqueeze
from ..ops.array.reshape import shape as shape_of
from ..ops.array.sorting import topk
from ..ops.array.where import where
from ..ops.core.trace import current_trace
from ..ops.math.casting import cast
from ..ops.math.comparison import equal, less_equal, logical_and, logical_or
from ..ops.math.elementwise import floor_divide, remainder
from ..ops.math.reduce import all
from ..ops.math.unary import logical_not
from ..ops.sequence.masks import gather_tree
from .functional import log_softmax

_IMPOSSIBLE = -1e9  # the logarithm of a probability of 0


class Decoder:
    """Base of decoders, which say what one step of `dynamic_decode` does.

    `initialize(inits)` gives the first inputs, the first states, and which sequences have ended, a bool tensor;
    `step(time, inputs, states, **kwargs)` gives outputs, states, the next inputs and which sequences have ended; and
    `finalize(outputs, final_states, sequence_lengths)` the result. Inputs, outputs and states may be nested.
    """

    def initialize(self, inits: Any) -> tuple[Any, Any, Any]:
        """The first inputs and states, and which sequences have ended."""
        raise NotImplementedError(f"{type(self).__name__} must define initialize(inits).")

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        """The outputs, the next states and inputs, and which sequences have ended."""
        raise NotImplementedError(f"{type(self).__name__} must define step(time, inputs, states).")

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The result, from the outputs of all steps, [steps, batch, ...] each: they themselves unless defined."""
        return outputs, final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Whether what `step` gives last is all there is to know of which sequences have ended; False: they stay so."""
        return False


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


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_size` likeliest sequences at each step of a cell, such as an RNN's or one of one's own.

    `cell(inputs, states)` gives outputs and states; `output_fn` makes scores [..., vocabulary] of the outputs, and
    `embedding_fn` inputs of integers. Sequences begin with `start_token` and end with `end_token`. Batch and beams
    are one dimension for the cell; whatever else it takes for each sequence, `tile_beam_merge_with_batch` repeats.

    A subclass may use `_merge_batch_beams`, `_split_batch_beams`, `_beam_search_step` and, once a search has begun,
    `batch_size`.

    >>> import proa as paddle
    >>> cell = paddle.nn.GRUCell(4, 4)
    >>> decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, 2, paddle.nn.Embedding(5, 4), paddle.nn.Linear(4, 5))
    >>> ids, states = paddle.nn.dynamic_decode(decoder, cell.get_initial_states(paddle.ones([3, 4])), max_step_num=6)
    >>> ids.shape[0], ids.shape[2]
    (3, 2)
    """

    OutputWrapper, StateWrapper = _Output, _State

    def __init__(self, cell: Any, start_token: int, end_token: int, beam_size: int,
                 embedding_fn: Callable[..., Any] | None = None, output_fn: Callable[..., Any] | None = None):
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """x [batch, ...] as [batch * beam_size, ...], each item repeated `beam_size` times."""
        rest = list(x.shape[1:])
        return reshape(tile(unsqueeze(x, 1), [1, beam_size, *(1 for _ in rest)]), [-1, *rest])

    def _split_batch_beams(self, x: Any) -> Any:
        return reshape(x, [-1, self.beam_size, *x.shape[1:]])

    def _merge_batch_beams(self, x: Any) -> Any:
        return reshape(x, [-1, *x.shape[2:]])

    def _expand_to_beam_size(self, x: Any) -> Any:
        return tile(unsqueeze(x, 1), [1, self.beam_size, *(1 for _ in x.shape[1:])])

    def _embedded(self, ids: Any) -> Any:
        return ids if self.embedding_fn is None else self.embedding_fn(ids)

    def initialize(self, initial_cell_states: Any) -> tuple[Any, Any, Any]:
        """The inputs of the start token, the state of which only the first beam is likely, and that none has ended."""
        cell_states = nest.map_structure(self._expand_to_beam_size, initial_cell_states)
        reference = next(nest.leaves(cell_states))
        self.batch_size = shape_of(reference)[0]
        size = [self.batch_size, self.beam_size]
        first = to_tensor([[0.0] + [_IMPOSSIBLE] * (self.beam_size - 1)], get_default_dtype())
        finished = full(size, False, "bool")
        state = _State(cell_states, expand(first, size), finished, full(size, 0, "int64"))
        return self._embedded(full(size, self.start_token, "int64")), state, finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        """One step of the cell for all beams, and the beams that are likeliest then."""
        inputs = nest.map_structure(self._merge_batch_beams, inputs)
        cell_states = nest.map_structure(self._merge_batch_beams, states.cell_states)
        outputs, cell_states = self.cell(inputs, cell_states, **kwargs)
        outputs = nest.map_structure(self._split_batch_beams, outputs)
        scores = outputs if self.output_fn is None else self.output_fn(outputs)
        cell_states = nest.map_structure(self._split_batch_beams, cell_states)
        output, state = self._beam_search_step(time, scores, cell_states, states)
        return output, state, self._embedded(output.predicted_ids), state.finished

    def _beam_search_step(self, time: Any, logits: Any, next_cell_states: Any, beam_state: Any
                          ) -> tuple[_Output, _State]:
        """What follows of logits [batch, beams, vocabulary]: a beam that has ended goes on with the end token only."""
        size = logits.shape[-1]
        dtype = beam_state.log_probs.dtype
        if 0 <= size <= self.end_token:
            raise IndexError(f"BeamSearchDecoder(end_token): must be a token of the vocabulary, whose size is {size}: "
                             f"no sequence would end. Received {self.end_token}.")
        only_end = to_tensor([0.0 if n == self.end_token else _IMPOSSIBLE for n in range(size)], dtype)
        step = cast(log_softmax(logits), dtype)
        ended = logical_or(unsqueeze(beam_state.finished, -1), zeros_like(step, "bool"))  # of step's shape
        step = where(ended, zeros_like(step) + only_end, step)
        total = reshape(step + unsqueeze(beam_state.log_probs, -1), [-1, self.beam_size * size])
        best, places = topk(total, self.beam_size)
        beams, tokens = floor_divide(places, size), remainder(places, size)
        rows = arange(0, shape_of(beams)[0], 1, "int64") * self.beam_size
        chosen = reshape(beams + unsqueeze(rows, 1), [-1])

        def taken(x: Any) -> Any:
            return self._split_batch_beams(gather(self._merge_batch_beams(x), chosen))

        finished = cast(taken(cast(beam_state.finished, "int64")), "bool")  # Paddle's gather takes no bools
        lengths = taken(beam_state.lengths) + cast(logical_not(finished), "int64")
        finished = logical_or(finished, equal(tokens, self.end_token))
        cell_states = nest.map_structure(taken, next_cell_states)
        return _Output(best, tokens, beams), _State(cell_states, best, finished, lengths)

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The ids of whole sequences, [steps, batch, beams], the likeliest first; and the states."""
        return gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """True: the beams change places."""
        return True


def dynamic_decode(decoder: Any, inits: Any = None, max_step_num: int | None = None, output_time_major: bool = False,
                   impute_finished: bool = False, is_test: bool = False, return_length: bool = False,
                   **kwargs: Any) -> tuple[Any, ...]:
    """Calls `decoder.step` till all sequences have ended, or steps 0 to `max_step_num` were taken.

    The result is what `decoder.finalize` makes of the outputs, [batch, steps, ...] (steps first with
    `output_time_major`), the final states, and with `return_length` the lengths of the sequences. With
    `impute_finished` the states of a sequence that has ended stay as they are, for a decoder that does not keep track
    itself. Other keyword arguments go to `decoder.step`. `is_test` is passed over. In a Program the loop is one of its
    operations.

    >>> import proa as paddle
    >>> class Countdown(paddle.nn.decode.Decoder):
    ...     def initialize(self, inits):
    ...         return inits, inits, inits <= 0
    ...     def step(self, time, inputs, states):
    ...         return states, states - 1, inputs, states <= 1
    >>> paddle.nn.dynamic_decode(Countdown(), paddle.to_tensor([3, 1]))[0].tolist()
    [[3, 2, 1], [1, 0, -1]]
    """
    return current_trace().staged(_decode)(decoder, inits, max_step_num, output_time_major, impute_finished,
                                           return_length, kwargs)


def _decode(decoder: Any, inits: Any, max_step_num: int | None, output_time_major: bool, impute_finished: bool,
            return_length: bool, kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The loop of `dynamic_decode`."""
    inputs, states, finished = decoder.initialize(inits)
    lengths = cast(finished, "int64") * 0
    time = full([1], 0, "int64")
    outputs, inputs, states, finished, lengths = _step(decoder, time, inputs, states, finished, lengths,
                                                       impute_finished, kwargs)
    steps = {n: [leaf] for n, leaf in enumerate(nest.flatten(outputs))}
    time = time + 1
    going = _goes_on(finished, time, max_step_num)
    while going:
        outputs, inputs, states, finished, lengths = _step(decoder, time, inputs, states, finished, lengths,
                                                           impute_finished, kwargs)
        for n, leaf in enumerate(nest.flatten(outputs)):
            steps[n].append(leaf)
        time = time + 1
        going = _goes_on(finished, time, max_step_num)
    joined = nest.pack(outputs, [stack(steps[n], 0) for n in range(len(steps))])
    joined, states = decoder.finalize(joined, states, lengths)
    if not output_time_major:
        joined = nest.map_structure(_batch_first, joined)
    return (joined, states, lengths) if return_length else (joined, states)


def _batch_first(x: Any) -> Any:
    return transpose(x, [1, 0, *range(2, len(x.shape))])


def _goes_on(finished: Any, time: Any, max_step_num: int | None) -> Any:
    """Whether there is another step to take: a bool tensor."""
    unfinished = logical_not(all(finished))
    if max_step_num is None:
        return unfinished
    return logical_and(unfinished, reshape(less_equal(time, max_step_num), []))


def _step(decoder: Any, time: Any, inputs: Any, states: Any, finished: Any, lengths: Any, impute_finished: bool,
          kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The outputs of a step, and the next inputs, states, ends and lengths."""
    outputs, following, inputs, ended = decoder.step(time, inputs, states, **kwargs)
    if decoder.tracks_own_finished:
        lengths = getattr(following, "lengths", lengths)
    else:
        ended = logical_or(ended, finished)
        lengths = lengths + cast(logical_not(ended), "int64")
        if impute_finished:
            following = nest.map_structure(lambda old, new: _unless_ended(ended, old, new), states, following)
    return outputs, inputs, following, ended, lengths


def _unless_ended(ended: Any, old: Any, new: Any) -> Any:
    return where(reshape(ended, [-1, *(1 for _ in new.shape[1:])]), old, new)
