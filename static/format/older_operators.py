"""Operators of files of other releases, brought to what they are in PaddlePaddle 2.6.2, or refused.

A file says in its `op_version_map` of which version its operators are; one that is not listed has version 0. A change
stands below once, and is made to what is of an older version. An attribute that a file does not have means what
PaddlePaddle takes then, which a declaration may not say: `ABSENT` does. A result that is an input as it was is left out
(`HANDED_ON`). What releases after 2.6.2 have added can be passed over as long as it asks for nothing (`LATER`). What
passes of an engine have fused into an operator gives it another name (`FUSED_FORMS`), under which it is taken apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ...core.dtype import float32
from ...ops.core.decomposition import find_decomposition
from ...ops.core.operator import find
from . import messages as pb
from .attributes import FLOAT, STRING, attr_value, python_to_attr
from .versions import OP_VERSIONS

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Change:
    """What became of an operator at a version: attributes with other names, numbers that are texts since, and what
    attributes that it has no names for mean in older files (`implied`)."""

    def __init__(self, operator: str, version: int, renamed: Mapping[str, str] = _NOTHING,
                 texts: tuple[str, ...] = (), implied: Mapping[str, Any] = _NOTHING):
        self.operator, self.version = operator, version
        self.renamed, self.texts, self.implied = renamed, texts, implied

    def make_of_code(self, attrs: dict[str, Any]) -> None:
        """Makes the change to attributes as code gives them; a new name that is given too has the say."""
        for old, new in self.renamed.items():
            if old in attrs:
                value = attrs.pop(old)
                attrs.setdefault(new, value)
        for name in self.texts:
            if isinstance(attrs.get(name), (int, float)):
                attrs[name] = str(np.float32(attrs[name]))

    def make(self, op: pb.OpDesc) -> None:
        """Makes the change."""
        given = {attr.name for attr in op.attrs}
        for attr in op.attrs:
            new = self.renamed.get(attr.name, attr.name)
            if new not in given:
                attr.name = new
            if attr.name in self.texts and attr.type == FLOAT:
                shortest = str(np.float32(attr.f))  # the number that was written down, and not its 64 bits
                attr.ClearField("f")
                attr.type, attr.s = STRING, shortest
        for name, value in self.implied.items():
            if name not in given:
                python_to_attr(op.attrs.add(), name, value, None)


CHANGES = (
    Change("flip", 1, {"dims": "axis"}),
    Change("lamb", 1, implied={"correct_moments": False, "always_adapt": True}),
    Change("roll", 1, {"dims": "axis"}),
    Change("trace", 1, {"dim1": "axis1", "dim2": "axis2"}),
    Change("allclose", 2, texts=("rtol", "atol")),
)

#: operator: attributes that mean this where a file does not have them, or code that applies an operator by its type.
ABSENT: dict[str, dict[str, Any]] = {
    "auc": {"num_thresholds": 8191},
    "average_accumulates": {"max_average_window": 2**63 - 1},
    "data_norm": {"epsilon": 1e-4},
    "dpsgd": {"clip": 10.0, "batch_size": 16.0, "sigma": 1.0},
    "eye": {"dtype": float32.number},
    "fill_any_like": {"value": 0.0},
    "fill_constant": {"dtype": float32.number, "shape": [], "value": 0.0},
    "fill_constant_batch_size_like": {"dtype": float32.number, "value": 0.0},
    "frobenius_norm": {"dim": [0]},
    "kldiv_loss": {"reduction": "mean"},
    "linspace": {"dtype": float32.number},
    "reduce_all": {"dim": [0]},
    "reduce_any": {"dim": [0]},
    "reduce_max": {"dim": [0]},
    "reduce_mean": {"dim": [0]},
    "reduce_min": {"dim": [0]},
    "reduce_prod": {"dim": [0]},
    "reduce_sum": {"dim": [0]},
    "tril_triu": {"lower": False},
    "unique": {"is_sorted": False},
}

#: operator: attributes of later releases, of which only what is false, 0 or empty can be computed here.
LATER: dict[str, tuple[str, ...]] = {
    "cumprod": ("exclusive", "reverse"),
    "histogram": ("density",),
    "kldiv_loss": ("log_target",),
    "max_pool2d_with_index": ("ceil_mode",),
    "max_pool3d_with_index": ("ceil_mode",),
    "round": ("decimals",),
    "thresholded_relu": ("value",),
}

#: operator: results of files that are an input as it was, which nothing here has to give.
HANDED_ON: dict[str, str] = {"hierarchical_sigmoid": "W_Out"}

#: What an engine's passes write into operators that they have fused with others: attributes, and inputs.
FUSED = frozenset((
    "fuse_activation", "fuse_relu", "fuse_brelu", "fuse_residual_connection", "fuse_with_relu", "activation_type",
    "fused_reshape_X", "fused_reshape_Y", "fused_reshape_Out", "fused_transpose_X", "fused_transpose_Y",
    "fused_transpose_Out", "fused_squeeze2_axes", "fused_unsqueeze2_axes", "fused_reshape2_shape"))
FUSED_INPUTS = frozenset(("Bias", "ResidualData"))

#: operator: what it is taken apart as where something has been fused to it, with the attributes of other names there.
FUSED_FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "batch_norm": ("fused_batch_norm", {}),
    "conv2d": ("conv2d_fusion", {}),
    "conv2d_transpose": ("conv2d_transpose_fusion", {}),
    "conv3d": ("conv3d_fusion", {}),
    "conv3d_transpose": ("conv3d_transpose_fusion", {}),
    "depthwise_conv2d": ("conv2d_fusion", {}),
    "depthwise_conv2d_transpose": ("depthwise_conv2d_transpose_fusion", {}),
    "elementwise_add": ("fused_elementwise_add", {}),
    "elementwise_div": ("fused_elementwise_div", {}),
    "elementwise_mul": ("fused_elementwise_mul", {}),
    "elementwise_sub": ("fused_elementwise_sub", {}),
    "matmul": ("fused_matmul", {"transpose_X": "trans_x", "transpose_Y": "trans_y", "alpha": "matmul_alpha"}),
    "matmul_v2": ("fused_matmul", {"alpha": "matmul_alpha"}),
    "softplus": ("fused_softplus", {}),
    "transpose2": ("fused_transpose", {}),
}

#: Operators that are such a form always.
ALWAYS_FUSED = {"fused_conv2d": "conv2d_fusion", "fused_conv2d_add_act": "conv2d_fusion",
                "fused_conv3d": "conv3d_fusion"}

_CHANGES: dict[str, list[Change]] = {}
for _change in CHANGES:
    _CHANGES.setdefault(_change.operator, []).append(_change)


def bring_up_to_date(desc: pb.ProgramDesc, source: str) -> None:
    """Changes the operators of a message that are older; NotImplementedError for what later releases ask for.

    `source` is what errors call the file.
    """
    versions = {pair.op_name: pair.op_version.version for pair in desc.op_version_map.pair}
    for block in desc.blocks:
        for op in block.ops:
            _update(op, versions.get(op.type, 0), source)


def of_code(type: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by which code applies an operator, as they are in PaddlePaddle 2.6.2: older names are taken."""
    found = dict(given)
    for change in _CHANGES.get(type, ()):
        change.make_of_code(found)
    return {**ABSENT.get(type, {}), **found}


def _update(op: pb.OpDesc, version: int, source: str) -> None:
    _into_fused_form(op, source)
    for change in _CHANGES.get(op.type, ()):
        if version < change.version:
            change.make(op)
    if op.type in ABSENT:
        given = {attr.name for attr in op.attrs}
        for name, value in ABSENT[op.type].items():
            if name not in given:
                python_to_attr(op.attrs.add(), name, value, None)
    if op.type in HANDED_ON:
        kept = [each for each in op.outputs if each.parameter != HANDED_ON[op.type]]
        del op.outputs[:]
        op.outputs.extend(kept)
    if op.type in LATER and version > OP_VERSIONS.get(op.type, 0):
        _refuse_later(op, LATER[op.type], source)


def _into_fused_form(op: pb.OpDesc, source: str) -> None:
    """Calls what an engine has fused with others what it is taken apart as; NotImplementedError for the unknown."""
    op.type = ALWAYS_FUSED.get(op.type, op.type)
    fused: set[str] = set()
    if not FUSED.isdisjoint([attr.name for attr in op.attrs]):
        fused.update(attr.name for attr in op.attrs if attr.name in FUSED and attr_value(attr))
    if op.type in FUSED_FORMS:
        own = {slot.name for slot in find(op.type).inputs}
        fused |= {slot.parameter for slot in op.inputs if slot.parameter in FUSED_INPUTS - own and slot.arguments}
    if not fused:
        return
    op.type, renamed = FUSED_FORMS.get(op.type, (op.type, {}))
    for attr in op.attrs:
        attr.name = renamed.get(attr.name, attr.name)
    known = find_decomposition(op.type)
    if known is not None:  # whether there is a residual connection the input says as well
        fused -= {*known.attributes, *(slot.name for slot in known.inputs), "fuse_residual_connection"}
    if fused:
        raise NotImplementedError(f"{source}: the operator {op.type} has been fused with others for an engine "
                                  f"({', '.join(sorted(fused))}). Load the model as it was before it was optimized.")


def _refuse_later(op: pb.OpDesc, names: Iterable[str], source: str) -> None:
    asked = {attr.name: attr_value(attr) for attr in op.attrs if attr.name in names and attr_value(attr)}
    if asked:
        raise NotImplementedError(f"{source}: the operator {op.type} is of a release after PaddlePaddle 2.6.2, and "
                                  f"asks for {asked}, which is not known here.")
