"""The layer that measures detections: detection_map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..layer_helper import LayerHelper
from ..mode import face


@face
def detection_map(detect_res: Any, label: Any, class_num: int, background_label: int = 0,
                  overlap_threshold: float = 0.3, evaluate_difficult: bool = True, has_state: Any = None,
                  input_states: Sequence[Any] | None = None, out_states: Sequence[Any] | None = None,
                  ap_version: str = "integral") -> Any:
    """The mean average precision of detections, [1].

    `detect_res` [M, 6]: label, score and a box; `label` [N, 6]: label, whether it is difficult, and a box, or [N, 5]
    without the second; both with a LoD that divides them among images. `input_states`, which counts where `has_state`
    is not 0, and `out_states`: what was counted before, and is counted with this batch. All classes count, the
    background too, as in 1.8.5: `background_label` changes nothing.
    """
    names = ("AccumPosCount", "AccumTruePos", "AccumFalsePos")
    states = (None, None, None) if input_states is None else tuple(input_states)
    found = LayerHelper("detection_map").apply(
        "detection_map", detect_res, label, has_state, *states, out=dict(zip(names, out_states or (), strict=False)),
        class_num=class_num, overlap_threshold=overlap_threshold, evaluate_difficult=evaluate_difficult,
        ap_type=ap_version)
    return found[0]


__all__ = ["detection_map"]
