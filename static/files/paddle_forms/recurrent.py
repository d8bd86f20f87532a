"""Gradients of recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.core.trace import current_trace
from ...ir.operation import Operation
from .registry import form


@form("rnn_grad", "Input, PreState*, WeightList*, SequenceLength?, Out, Reserve, DropoutState?, OutGrad, StateGrad* -> "
                  "InputGrad, PreStateGrad*, WeightListGrad*")
def _recurrent(x: Any, states: Sequence[Any], weights: Sequence[Any], lengths: Any, out: Any, reserve: Any, keep: Any,
               g: Any, state_gradients: Sequence[Any], *, wants_input: bool = True, **sizes: Any) -> Any:
    block = current_trace().block
    source = next((op for op in block.ops if op.type == "rnn" and op.output("Reserve") == [reserve.name]), None)
    if source is None or keep is None:
        raise NotImplementedError("the layer stands elsewhere")
    if lengths is not None and sizes.get("is_bidirec"):
        raise NotImplementedError("PaddlePaddle's are no slopes then")
    _keep_steps(source)

    def made(likes: Sequence[Any]) -> list[Any]:
        return [block.new_var(None, tuple(like.shape), like.dtype, stop_gradient=g.stop_gradient) for like in likes]

    found = made([x]), made(states), made(weights)
    given = {"Input": [x], "PreState": states, "WeightList": weights, "SequenceLength": [lengths], "Out": [out],
             "Reserve": [reserve], "DropoutState": [keep], "Out@GRAD": [g], "State@GRAD": state_gradients}
    block.append("rnn_grad", {slot: [v.name for v in values if v is not None] for slot, values in given.items()},
                 {f"{slot}@GRAD": [v.name for v in values] for slot, values in zip(
                     ("Input", "PreState", "WeightList"), found, strict=True)}, dict(source.attrs))
    return found[0][0], found[1], found[2]


def _keep_steps(op: Operation) -> None:
    """Lets a layer keep what its gradient reads, which PaddlePaddle's keeps in training alone."""
    if op.attrs.get("is_test") and op.attrs.get("dropout_prob") and op.attrs.get("num_layers", 1) > 1:
        raise NotImplementedError("a layer that keeps its steps drops elements too")
    op.attrs["is_test"] = False
