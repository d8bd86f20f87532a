"""What operators take and give, as PaddlePaddle tells it of its own: messages `OpProto`, made of the declarations.

Code that appends operators by their types asks for them, tests of operators above all.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

from ...ops.core.decomposition import Decomposition, all_decompositions, find_decomposition
from ...ops.core.operator import Operator, all_operators, find
from ...ops.core.signature import Slot
from ..format import attributes as at
from ..format import framework_pb2 as pb
from .program_codec import annotated, annotated_types

_OF_GRADIENTS = {  # results that a gradient reads and nobody else, which a caller need not name
    "batch_norm": "SavedMean SavedVariance", "data_norm": "Means Scales", "dropout": "Mask", "dropout_nd": "Mask",
    "einsum": "InnerCache XShape", "graph_send_recv": "Dst_count", "graph_send_ue_recv": "Dst_count",
    "graph_khop_sampler": "Out_Eids",
    "group_norm": "Mean Variance", "gru": "BatchGate BatchResetHiddenPrev BatchHidden",
    "gru_unit": "Gate ResetHiddenPrev", "hierarchical_sigmoid": "PreOut W_Out", "huber_loss": "Residual",
    "instance_norm": "SavedMean SavedVariance", "layer_norm": "Mean Variance",
    "linear_chain_crf": "Alpha EmissionExps TransitionExps", "lstm": "BatchGate BatchCellPreAct",
    "modified_huber_loss": "IntermediateVal", "multiclass_nms2": "Index", "nanmedian": "MedianIndex",
    "nce": "SampleLogits SampleLabels", "norm": "Norm", "pyramid_hash": "X_Temp_Out", "rnn": "Reserve",
    "roi_pool": "Argmax", "rrelu": "Noise", "segment_pool": "SummedIds", "sequence_pool": "MaxIndex",
    "warpctc": "WarpCTCGrad", "warprnnt": "warprnntgrad", "yolov3_loss": "ObjectnessMask GTMatchMask",
}
_NEED_NOT_BE_NAMED = {  # results that are of use to some callers only
    "distribute_fpn_proposals": "MultiLevelRoIsNum", "fake_quantize_dequantize_moving_average_abs_max":
    "OutState OutAccum", "generate_proposals_v2": "RpnRoisNum", "lamb": "Beta1PowOut Beta2PowOut",
    "lstsq": "Residuals", "matrix_nms": "RoisNum", "moving_average_abs_max_scale": "Out OutState OutAccum",
    "multiclass_nms3": "NmsRoisNum", "positive_negative_pair": "NeutralPair", "rnn": "DropoutState",
    "tdm_sampler": "Labels", "unique": "Indices Counts", "unique_consecutive": "Index Counts",
    "beam_search": "parent_idx",
}
_OF_EVERY_OPERATOR = {"op_role": at.INT, "op_role_var": at.STRINGS, "op_namescope": at.STRING,
                      "op_callstack": at.STRINGS, "op_device": at.STRING, "with_quant_attr": at.BOOLEAN}


def proto_of(type: str) -> pb.OpProto:
    """The message of an operator; NotImplementedError for a type that is not known."""
    return _message(find_decomposition(type) or find(type))


def all_protos() -> list[pb.OpProto]:
    """Those of all operators that stand in files, by type."""
    declared: list[Any] = [op for op in all_operators() if not op.only_here]
    return [_message(op) for op in sorted([*declared, *all_decompositions()], key=lambda op: op.type)]


@functools.cache
def _message(op: Operator | Decomposition) -> pb.OpProto:
    message = pb.OpProto(type=op.type, comment="")
    unread = _OF_GRADIENTS.get(op.type, "").split()
    _add_slots(message.inputs, op.inputs)
    _add_slots(message.outputs, op.outputs, unread, _NEED_NOT_BE_NAMED.get(op.type, "").split())
    for slot in op.inputs:
        if slot.is_attribute:
            message.attrs.add(name=slot.name, type=at.INTS if slot.many else at.INT, comment="", support_tensor=True)
    for name, kind in _attribute_types(op).items():
        message.attrs.add(name=name, type=kind, comment="")
    for name, kind in _OF_EVERY_OPERATOR.items():
        message.attrs.add(name=name, type=kind, comment="", extra=True)
    return message


def _add_slots(messages: Any, slots: Iterable[Slot], unread: Iterable[str] = (), unneeded: Iterable[str] = ()) -> None:
    for slot in slots:
        if not slot.offsets_of and not slot.is_attribute:  # files have no slots for these
            messages.add(name=slot.name, comment="", duplicable=slot.many,
                         dispensable=slot.optional or slot.name in unneeded,
                         intermediate=slot.file_only or slot.name in unread)


def _attribute_types(op: Operator | Decomposition) -> dict[str, int]:
    if isinstance(op, Decomposition):
        named = inspect.signature(op.function, eval_str=True).parameters
        return {name: at.SCALAR if kind is None else kind
                for name, (kind, _) in ((name, annotated(named[name].annotation)) for name in sorted(op.attributes))}
    return {name: at.SCALAR if kind is None else kind for name, (kind, _) in annotated_types(op).items()}


def attribute_type(type: str, name: str) -> int:
    """The number of an attribute's type; ValueError for an attribute that the operator does not have."""
    for attr in proto_of(type).attrs:
        if attr.name == name:
            return attr.type
    raise ValueError(f"The operator {type!r} has no attribute {name!r}. It has: "
                     f"{', '.join(attr.name for attr in proto_of(type).attrs)}.")
