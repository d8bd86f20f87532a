"""`paddle._legacy_C_ops`: operators called by their types, as code does that defines layers of its own.

`_legacy_C_ops.scale(x, "scale", 2.0)` applies the operator `scale`: the inputs slot by slot (None for one that is
absent, a list for one that is repeated), how many results each repeated output has (`unbind(x, 3, "axis", 0)`; passed
over, as the operator knows), what results are written to where PaddlePaddle's function takes that (a parameter and its
moments, running means), then names and values of attributes. Attributes that only say how to compute (`use_cudnn`)
are passed over; TypeError for others that the operator does not have. Inputs and results stand in the order of
PaddlePaddle's own descriptions of operators, without offsets (LoD); None stands for a result that files alone have.
`scale_(x, "scale", 2.0)` gives its first input the result.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .dygraph.guards import no_grad
from .ops.core.hints import without_hints
from .ops.core.operator import Operator, find, is_declared
from .ops.core.signature import Slot
from .ops.core.trace import apply
from .static.ir.append_op import attributes_of_code

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


#: Which update several parameters at once there: attributes that are lists have an item for each.
_OF_SEVERAL = {"lars_momentum"}


def __getattr__(name: str) -> Any:
    plain = name.removesuffix("_")
    if not name.startswith("__") and is_declared(name):
        return functools.partial(_applied, find(name))
    if not name.startswith("__") and is_declared(plain):
        return functools.partial(_in_place, find(plain))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}: there is no operator of this type.")


def _in_place(op: Operator, x: Any, *arguments: Any) -> Any:
    """Applies the operator; the first input takes its first result."""
    results = _applied(op, x, *arguments)
    if isinstance(results, tuple):
        return x._rebind(results[0]), *results[1:]
    return x._rebind(results)


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
    inputs, targets, master = _divided(op, names, inputs)
    if targets is None or len(pairs) % 2:
        raise TypeError(f"_legacy_C_ops.{op.type}: takes the inputs {names}, perhaps what results are written to, then "
                        f"names and values of attributes. Received {count} tensors and {len(pairs)} further arguments.")
    given = _apart(op, dict(zip(names, inputs, strict=False)), targets)
    named = attributes_of_code(op, dict(zip(pairs[::2], pairs[1::2], strict=True)))
    attributes = without_hints(op, named, f"_legacy_C_ops.{op.type}")
    if op.type in _OF_SEVERAL and isinstance(given["Param"], (list, tuple)):
        return _each_stepped(op, given, attributes, targets)
    if "Param" in names:
        return _stepped(op, given, attributes, targets, master)
    by_name = _results(op, apply(op, *(given.get(slot.name) for slot in op.inputs), **attributes))
    for name, target in targets.items():
        by_name[name] = _written(target, by_name[name])
    wanted = tuple(by_name[name] for name in _names(op.outputs, _OUTPUTS.get(op.type)))
    return wanted if len(wanted) > 1 else wanted[0]


def _divided(op: Operator, names: list[str], given: list[Any]) -> tuple[list[Any], dict[str, Any] | None, list[Any]]:
    """The inputs; behind them by output what the results are written to, None where their number fits nothing; and the
    parameter's float32 copy, which optimizers' operators take behind the inputs, and again behind the outputs.

    Results are written to all outputs, or to those that are new values of inputs.
    """
    inputs, others = given[:len(names)], given[len(names):]
    written = [slot.name for slot in op.outputs if slot.alias]
    every = _names(op.outputs, _OUTPUTS.get(op.type))
    if "Param" in names and len(others) in (1, len(written) + 2) and len(others) != len(written):
        master, others = others[:1], others[1:len(written) + 1]
    else:
        master = []
    targets = next((t for t in ([], written, every) if len(t) == len(others)), None)
    return inputs, None if targets is None else dict(zip(targets, others, strict=True)), master


def _apart(op: Operator, given: dict[str, Any], targets: dict[str, Any]) -> dict[str, Any]:
    """The inputs, copied where a result that is written into an input's memory is to go elsewhere."""
    for slot in op.outputs:
        target = targets.get(slot.name)
        if slot.alias is None:
            continue
        held = given.get(slot.alias)
        if slot.writes and target is not None and hasattr(held, "clone") and target is not held:
            given[slot.alias] = held.clone()  # type: ignore[union-attr]
    return given


def _results(op: Operator, results: Any) -> dict[str, Any]:
    """What the operator has computed, by output."""
    computed = iter(results if len(op.results) > 1 else (results,))
    return {slot.name: None if slot.file_only else next(computed) for slot in op.outputs}


def _written(target: Any, result: Any) -> Any:
    """Gives a result to the tensor that it is to be written to, or each of several."""
    if isinstance(result, (list, tuple)):
        return [_written(t, r) for t, r in zip(target, result, strict=True)]
    if target is None or target is result:
        return result
    return target._rebind(result) if target.size else target._assigned(result)  # what is empty takes any shape


def _each_stepped(op: Operator, given: dict[str, Any], attributes: dict[str, Any], targets: dict[str, Any]) -> Any:
    """What `_stepped` gives for each of several parameters, a list an output."""
    results = []
    for n in range(len(given["Param"])):
        inputs, wanted = ({name: values[n] for name, values in slots.items()} for slots in (given, targets))
        own = {name: value[n] if isinstance(value, (list, tuple)) else value for name, value in attributes.items()}
        results.append(_stepped(op, _apart(op, inputs, wanted), own, wanted, []))
    return tuple(map(list, zip(*results, strict=True)))


def _stepped(op: Operator, given: dict[str, Any], attributes: dict[str, Any], targets: dict[str, Any],
             master: list[Any]) -> Any:
    """What an optimizer's operator gives: it updates the parameter, or its float32 copy and then rounds into it."""
    parameter, copy = given["Param"], master[0] if master else None
    with no_grad():
        if copy is not None:
            given = given | {"Param": copy, "Grad": given["Grad"].astype(copy.dtype)}
        by_name = _results(op, apply(op, *(given.get(slot.name) for slot in op.inputs), **attributes))
        if copy is not None:
            by_name["ParamOut"] = parameter.set_value(copy.astype(parameter.dtype)) or parameter
        for name, target in targets.items():
            by_name[name] = _written(target, by_name[name])
    wanted = (*(by_name[slot.name] for slot in op.outputs if slot.alias), *master)
    return wanted if len(wanted) > 1 else wanted[0]
