"""`paddle._legacy_C_ops`: operators called by their types, as code does that defines layers of its own.

`_legacy_C_ops.scale(x, "scale", 2.0)` applies the operator `scale`: the inputs slot by slot (None for one that is
absent, a list for one that is repeated), how many results each repeated output has (`unbind(x, 3, "axis", 0)`; passed
over, as the operator knows), then names and values of attributes. Attributes that only say how to compute (`use_cudnn`)
are passed over; TypeError for others that the operator does not have. Inputs and results stand in the order of
PaddlePaddle's own descriptions of operators, without offsets (LoD); None stands for a result that files alone have.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .ops.core.hints import without_hints
from .ops.core.operator import Operator, find, is_declared
from .ops.core.signature import Slot
from .ops.core.trace import apply

# Where PaddlePaddle describes slots in another order than the declaration here has.
_INPUTS = {
    "deformable_conv": "Input Offset Filter Mask",
    "fused_embedding_seq_pool": "W Ids",
    "graph_khop_sampler": "Row Eids Col_Ptr X",
    "lookup_table": "W Ids",
    "nce": "Input Label Weight Bias SampleWeight CustomDistProbs CustomDistAlias CustomDistAliasProbs",
}
_OUTPUTS = {
    "cross_entropy2": "Y XShape MatchX",
    "deformable_psroi_pooling": "TopCount Output",
    "detection_map": "AccumPosCount AccumTruePos AccumFalsePos MAP",
    "distribute_fpn_proposals": "MultiFpnRois RestoreIndex MultiLevelRoIsNum",
    "edit_distance": "SequenceNum Out",
    "gru": "BatchGate BatchResetHiddenPrev BatchHidden Hidden",
    "gru_unit": "Gate ResetHiddenPrev Hidden",
    "gumbel_softmax": "Out",
    "linear_chain_crf": "Alpha EmissionExps TransitionExps LogLikelihood",
    "norm": "Out Norm",
    "retinanet_target_assign": "LocationIndex ScoreIndex TargetBBox TargetLabel BBoxInsideWeight ForegroundNumber",
    "rpn_target_assign": "LocationIndex ScoreIndex TargetBBox TargetLabel BBoxInsideWeight",
}


def __getattr__(name: str) -> Any:
    if name.startswith("__") or not is_declared(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: there is no operator of this type.")
    return functools.partial(_applied, find(name))


def _names(slots: Sequence[Slot], there: str | None) -> list[str]:
    """The slots of one side, in the order in which PaddlePaddle's function has them."""
    return there.split() if there else [slot.name for slot in slots if not slot.offsets_of]


def _applied(op: Operator, *arguments: Any) -> Any:
    count = next((n for n, argument in enumerate(arguments) if isinstance(argument, str)), len(arguments))
    inputs, pairs = list(arguments[:count]), arguments[count:]
    for slot in op.outputs:  # how many results a repeated one has
        if slot.many and not slot.offsets_of and inputs and type(inputs[-1]) is int:
            inputs.pop()
    names = _names(op.inputs, _INPUTS.get(op.type))
    if len(inputs) > len(names) or len(pairs) % 2:
        raise TypeError(f"_legacy_C_ops.{op.type}: takes the inputs {names}, then names and values of attributes. "
                        f"Received {len(inputs)} inputs and {len(pairs)} further arguments.")
    given = dict(zip(names, inputs, strict=False))
    attributes = dict(zip(pairs[::2], pairs[1::2], strict=True))
    results = apply(op, *(given.get(slot.name) for slot in op.inputs),
                    **without_hints(op, attributes, f"_legacy_C_ops.{op.type}"))
    computed = iter(results if len(op.results) > 1 else (results,))
    by_name = {slot.name: None if slot.file_only else next(computed) for slot in op.outputs}
    wanted = tuple(by_name[name] for name in _names(op.outputs, _OUTPUTS.get(op.type)))
    return wanted if len(wanted) > 1 else wanted[0]
