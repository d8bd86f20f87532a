"""Attributes that say how to compute and change no result: what code that applies operators by their types may add.

It knows names and declarations, nothing of values. An attribute that is neither the operator's nor such a hint is an
error, so that a misspelled name does not silently leave a default in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .operator import Operator

HINTS = frozenset((
    "op_role", "op_role_var", "op_namescope", "op_callstack", "op_device", "with_quant_attr",  # of every operator
    "use_cudnn", "use_mkldnn", "use_onednn", "mkldnn_data_type", "use_quantizer", "workspace_size_MB",
    "exhaustive_search", "use_addto", "fuse_relu_before_depthwise_conv", "fuse_with_relu", "force_fp32_output",
    "Scale_in", "Scale_out", "Scale_in_eltwise", "Scale_weights", "Scale_x", "Scale_y", "scale_x", "scale_y",
    "scale_out",
    "multi_precision",  # a MasterParam is given or not
    "force_cpu", "place_type", "min_row_size_to_use_multithread",
))


def without_hints(op: Operator, attributes: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The attributes that the operator has; TypeError for a name that is neither one of those nor a hint."""
    unknown = sorted(attributes.keys() - op.attributes.keys() - HINTS)
    if unknown:
        raise TypeError(f"{where}: the operator {op.type} has the attributes {sorted(op.attributes)}. "
                        f"Received {unknown}.")
    return {name: value for name, value in attributes.items() if name in op.attributes}
