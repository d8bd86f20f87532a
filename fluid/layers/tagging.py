"""Layers for tags of sequences: linear_chain_crf, crf_decoding, chunk_eval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.param_attr import to_param_attr
from ..layer_helper import LayerHelper
from ..mode import face


@face
def linear_chain_crf(input: Any, label: Any, param_attr: Any = None, length: Any = None) -> Any:
    """-log of the probability of the tags `label`: [sequences, 1].

    `input` [rows, tags] scores the tags of sequences (LoD); with `length` [N, 1] it is padded, [N, size, tags]. The
    parameter [tags + 2, tags] holds the scores of a start, of an end, and of each tag behind each other.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     scores = fluid.data("scores", [None, 5], lod_level=1)
    ...     tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
    ...     cost = fluid.layers.linear_chain_crf(scores, tags, fluid.ParamAttr(name="crfw"))
    ...     best = fluid.layers.crf_decoding(scores, fluid.ParamAttr(name="crfw"))
    >>> cost.shape, best.lod_level
    ((-1, 1), 1)
    """
    helper = LayerHelper("linear_chain_crf")
    tags = input.shape[1 if length is None else 2]
    transition = helper.parameter(param_attr, [tags + 2, tags], input.dtype)
    return helper.apply("linear_chain_crf", input, transition, label, None, length,
                        first=("Alpha", "EmissionExps", "TransitionExps"))[0]


@face
def crf_decoding(input: Any, param_attr: Any, label: Any = None, length: Any = None) -> Any:
    """The best tags by the parameter of `linear_chain_crf` that `param_attr` names: [rows, 1], or [N, size] if padded.

    With `label`, 1 where the best tag is the label and 0 elsewhere.
    """
    helper, attr = LayerHelper("crf_decoding"), to_param_attr(param_attr)
    if attr is None or attr.name is None:
        raise ValueError("crf_decoding(param_attr): must name the parameter of linear_chain_crf, as "
                         "ParamAttr(name='crfw') does for both.")
    return helper.apply("crf_decoding", input, helper.get_parameter(attr.name), label, None, length)


@face
def chunk_eval(input: Any, label: Any, chunk_scheme: str, num_chunk_types: int,
               excluded_chunk_types: Sequence[int] | None = None, seq_length: Any = None) -> tuple[Any, ...]:
    """Precision, recall, F1; how many chunks `input` has, how many `label`, and how many are right.

    Tags are type * positions + position; `chunk_scheme` is "IOB", "IOE", "IOBES" or "plain". Sequences have a LoD, or
    are padded with `seq_length`.
    """
    return LayerHelper("chunk_eval").apply(
        "chunk_eval", input, label, None, seq_length, num_chunk_types=num_chunk_types, chunk_scheme=chunk_scheme,
        excluded_chunk_types=list(excluded_chunk_types or []))


__all__ = ["chunk_eval", "crf_decoding", "linear_chain_crf"]
