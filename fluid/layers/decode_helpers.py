"""What a decoder takes as its next inputs: DecodeHelper, TrainingHelper, GreedyEmbeddingHelper, SampleEmbeddingHelper.

BasicDecoder decodes by one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...core import nest
from ..mode import face
from .activation import softmax
from .comparison import equal, less_equal
from .decoders import Decoder
from .elementwise import elementwise_add, elementwise_div
from .manipulation import pad, slice, squeeze
from .random import sampling_id
from .tensor import argmax, cast, fill_constant


class DecodeHelper:
    """Base of helpers: what is sampled of a step's outputs, and what follows of that."""

    def initialize(self) -> tuple[Any, Any]:
        """The first inputs, and which sequences have ended."""
        raise NotImplementedError(f"{type(self).__name__} must define initialize().")

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """The ids that are taken of a step's outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define sample(time, outputs, states).")

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> tuple[Any, Any, Any]:
        """Which sequences have ended, the next inputs and the next states."""
        raise NotImplementedError(f"{type(self).__name__} must define next_inputs(time, outputs, states, sample_ids).")


class TrainingHelper(DecodeHelper):
    """The inputs of a step are those of a sequence that is given, [batch, steps, …], or steps first."""

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False):
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major
        self.axis = 0 if time_major else 1
        self.inputs_ = nest.map_structure(self._padded, inputs)  # behind the last step too

    @face
    def _padded(self, x: Any) -> Any:
        sizes = [0] * 2 * len(x.shape)
        sizes[2 * self.axis + 1] = 1
        return pad(x, sizes)

    @face
    def initialize(self) -> tuple[Any, Any]:
        """The inputs of the first step."""
        ended = equal(self.sequence_length, fill_constant([1], self.sequence_length.dtype, 0))
        first = nest.map_structure(lambda x: squeeze(slice(x, [self.axis], [0], [1]), [self.axis]), self.inputs)
        return first, ended

    @face
    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """The likeliest ids."""
        return argmax(outputs, -1)

    @face
    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> tuple[Any, Any, Any]:
        """The inputs of the next step; sequences end behind their lengths."""
        time = elementwise_add(cast(time, "int32"), fill_constant([1], "int32", 1))
        behind = elementwise_add(time, fill_constant([1], "int32", 1))
        ended = less_equal(cast(self.sequence_length, "int32"), time)
        following = nest.map_structure(lambda x: squeeze(slice(x, [self.axis], [time], [behind]), [self.axis]),
                                       self.inputs_)
        return ended, following, states


class GreedyEmbeddingHelper(DecodeHelper):
    """The inputs of a step are what `embedding_fn` makes of the likeliest ids of the step before.

    `start_tokens`: the ids that sequences begin with, [batch]; they end with `end_token`.
    """

    def __init__(self, embedding_fn: Callable[..., Any], start_tokens: Any, end_token: int):
        self.embedding_fn, self.start_tokens = embedding_fn, start_tokens
        self.end_token = self._token(end_token)
        self.start_inputs = embedding_fn(start_tokens)

    @face
    def _token(self, end_token: int) -> Any:
        return fill_constant([1], "int64", end_token)

    @face
    def initialize(self) -> tuple[Any, Any]:
        """The inputs of the first tokens, and that none has ended."""
        return self.start_inputs, equal(self.start_tokens, elementwise_add(self.start_tokens, self._token(1)))

    @face
    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """The likeliest ids."""
        return argmax(outputs, -1)

    @face
    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> tuple[Any, Any, Any]:
        """The inputs of the ids; sequences end with the end token."""
        return equal(sample_ids, self.end_token), self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """As GreedyEmbeddingHelper with ids that are drawn by their probabilities, softmax(outputs / temperature)."""

    def __init__(self, embedding_fn: Callable[..., Any], start_tokens: Any, end_token: int,
                 softmax_temperature: float | None = None, seed: int | None = None):
        super().__init__(embedding_fn, start_tokens, end_token)
        self.softmax_temperature, self.seed = softmax_temperature, seed

    @face
    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """Ids that are drawn."""
        if self.softmax_temperature is not None:
            outputs = elementwise_div(outputs, fill_constant([1], outputs.dtype, self.softmax_temperature))
        return cast(sampling_id(softmax(outputs), seed=self.seed or 0), "int64")


class _Output(NamedTuple):
    """What a step of a BasicDecoder gives."""

    cell_outputs: Any
    sample_ids: Any


class BasicDecoder(Decoder):
    """Decodes with a cell, whose inputs a helper says; `output_fn` is applied to its outputs."""

    OutputWrapper = _Output

    def __init__(self, cell: Any, helper: Any, output_fn: Callable[..., Any] | None = None):
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states: Any) -> tuple[Any, Any, Any]:
        """The helper's first inputs, the states, and which sequences have ended."""
        inputs, ended = self.helper.initialize()
        return inputs, initial_cell_states, ended

    @face
    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        """One step of the cell."""
        outputs, states = self.cell(inputs, states, **kwargs)
        outputs = outputs if self.output_fn is None else self.output_fn(outputs)
        ids = self.helper.sample(time=time, outputs=outputs, states=states)
        ids.stop_gradient = True
        ended, following, states = self.helper.next_inputs(time=time, outputs=outputs, states=states, sample_ids=ids)
        return _Output(outputs, ids), states, following, ended


__all__ = ["BasicDecoder", "DecodeHelper", "GreedyEmbeddingHelper", "SampleEmbeddingHelper", "TrainingHelper"]
