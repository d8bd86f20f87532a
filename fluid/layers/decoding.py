"""Layers that decode and compare sequences: ctc_greedy_decoder, warpctc, edit_distance, beam_search and its decode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..layer_helper import LayerHelper
from ..mode import face
from .lookup import topk
from .manipulation import squeeze


@face
def ctc_greedy_decoder(input: Any, blank: int, input_length: Any = None, padding_value: int = 0,
                       name: str | None = None) -> Any:
    """The likeliest labels of each step of `input` [rows, classes + 1], repetitions and blanks left out: [labels, 1].

    Sequences have a LoD; or they are padded, [N, size, classes + 1], with `input_length` [N, 1]: then (labels
    [N, size], behind which `padding_value` stands, their numbers [N, 1]). Where nothing is left, -1 alone is given.
    """
    helper, best = LayerHelper("ctc_greedy_decoder", name=name), topk(input, 1)[1]
    if input_length is None:
        return helper.apply("ctc_align", best, None, None, blank=blank, merge_repeated=True)[0]
    found = helper.apply("ctc_align", squeeze(best, [2]), None, input_length, blank=blank, merge_repeated=True,
                         padding_value=padding_value)
    return found[0], found[1]


@face
def warpctc(input: Any, label: Any, blank: int = 0, norm_by_times: bool = False, input_length: Any = None,
            label_length: Any = None) -> Any:
    """-log of the probability that softmax(input) reads as the labels, repeats merged and blanks dropped: [N, 1].

    `input` [rows, classes + 1] and `label` [labels, 1] are sequences (LoD); or, with both lengths [N], padded:
    [steps, N, classes + 1] and [N, labels]. `norm_by_times` divides the gradients by the numbers of steps.
    """
    helper = LayerHelper("warpctc")
    if (input_length is None) != (label_length is None):
        input_length = label_length = None
    return helper.apply("warpctc", input, label, input_length, label_length, None, None, blank=blank,
                        norm_by_times=norm_by_times)[0]


@face
def edit_distance(input: Any, label: Any, normalized: bool = True, ignored_tokens: Sequence[int] | None = None,
                  input_length: Any = None, label_length: Any = None) -> tuple[Any, Any]:
    """How many changes make each sequence of `input` that of `label`, [N, 1], and the number of sequences [1].

    `normalized` divides by the label's length; `ignored_tokens` are taken out of both first. Sequences have a LoD, or
    are padded with lengths [N].
    """
    helper = LayerHelper("edit_distance")
    if ignored_tokens:
        input, label = (helper.apply("sequence_erase", value, None, tokens=list(ignored_tokens))[0]
                        for value in (input, label))
    found = helper.apply("edit_distance", input, label, None, None, input_length, label_length, normalized=normalized)
    return found[0], found[1]


@face
def beam_search(pre_ids: Any, pre_scores: Any, ids: Any, scores: Any, beam_size: int, end_id: int, level: int = 0,
                is_accumulated: bool = True, name: str | None = None, return_parent_idx: bool = False) -> Any:
    """One step of a beam search: (words, their scores), [M, 1] each, of the best `beam_size` sentences of each source.

    `pre_ids` and `pre_scores` [rows, 1] are the step before; `scores` [rows, K] of the words `ids` [rows, K] (of all
    words, where that is None) are sums of logarithms, or, unless `is_accumulated`, this step's probabilities. The LoD
    of the scores says which rows are of one source; that of the results says which row each goes on from, as the third
    result with `return_parent_idx` does. A sentence that has ended goes on with `end_id` alone; a source whose
    sentences all have ended has no more rows.
    """
    helper = LayerHelper("beam_search", name=name)
    found = helper.apply("beam_search", pre_ids, pre_scores, ids, scores, None,
                         first=("selected_scores", "selected_ids", "parent_idx"), level=level, beam_size=beam_size,
                         end_id=end_id, is_accumulated=is_accumulated)
    return tuple(found[:3 if return_parent_idx else 2])


@face
def beam_search_decode(ids: Any, scores: Any, beam_size: int, end_id: int, name: str | None = None) -> tuple[Any, Any]:
    """The words of the sentences that steps of `beam_search` found, and their scores: [words] each.

    `ids` and `scores` are arrays with a step's results each. The LoD says which sentences are of one source, the best
    first, and which words of one sentence.
    """
    found = LayerHelper("beam_search_decode", name=name).apply(
        "beam_search_decode", ids, scores, None, beam_size=beam_size, end_id=end_id)
    return found[0], found[1]


__all__ = ["beam_search", "beam_search_decode", "ctc_greedy_decoder", "edit_distance", "warpctc"]
