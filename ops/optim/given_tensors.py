"""Updates that take more than `rules.py` and `adaptive_rules.py` do, as PaddlePaddle's own training Programs give it.

A float32 copy of a parameter of 16 bits (`MasterParam`), numbers as tensors (`Beta1Tensor`), and whether there is
nothing to do (`SkipUpdate`). Each stands in files for the update that it adds these to.
"""

from __future__ import annotations

import inspect
from typing import Any

from ..core.operator import Operator, operator
from .adaptive_rules import adadelta_op, adagrad_op, adamax_op, lamb_op, rmsprop_op
from .rules import adam_op, adamw_op, momentum_op, sgd_op

_NUMBERS = {"Beta1Tensor": "beta1", "Beta2Tensor": "beta2", "EpsilonTensor": "epsilon"}
_OF_ADAM = ("SkipUpdate", *_NUMBERS)


def _with_more(rule: Operator, *more: str) -> Operator:
    """The operator that takes a MasterParam and `more` beside what `rule` takes."""
    own, names = len(rule.inputs), ("MasterParam", *more)
    gradient = [slot.name for slot in rule.inputs].index("Grad")
    kept = [given for _, given in rule.aliases]

    def kernel(xp: Any, *inputs: Any, **attrs: Any) -> tuple:
        given = dict(zip(names, inputs[own:], strict=False))
        master, skips = given.get("MasterParam"), given.get("SkipUpdate")
        if skips is not None and bool(skips.reshape(())):
            return (*[inputs[place] for place in kept], master)
        for slot, attribute in _NUMBERS.items():
            if given.get(slot) is not None:
                attrs[attribute] = float(given[slot].reshape(()))
        taken = [xp.array(x) if place in kept and x is not None else x for place, x in enumerate(inputs[:own])]
        param = taken[0]
        if master is not None:
            taken[0], taken[gradient] = xp.array(master), taken[gradient].astype(master.dtype)
        made = rule.kernel_for(xp)(xp, *taken, **attrs)
        moved, *states = made if isinstance(made, tuple) else (made,)
        return (moved if master is None else moved.astype(param.dtype), *states, None if master is None else moved)

    def infer(*specs: Any, **attrs: Any) -> tuple:
        return (*rule.infer_specs(specs[:own], attrs), specs[own])

    slots = ", ".join(slot.name + "?" * slot.optional for slot in rule.inputs)
    results = ", ".join(f"{slot.name}{'?' * slot.optional}={slot.alias}" for slot in rule.outputs)
    taken = inspect.signature(kernel).parameters
    kernel.__kwdefaults__ = rule.defaults
    kernel.__signature__ = inspect.Signature([taken["xp"], taken["inputs"], *rule.attributes.values()])  # type: ignore
    return operator(
        f"{rule.type}_of_given", f"{slots}, {', '.join(f'{name}?' for name in names)} -> {results}, "
        "MasterParamOut?=MasterParam", kernel=kernel, infer=infer, precision="keep", stands_for=rule,
        unsaid=rule.unsaid)


sgd_of_given_op = _with_more(sgd_op)
momentum_of_given_op = _with_more(momentum_op)
adagrad_of_given_op = _with_more(adagrad_op)
adadelta_of_given_op = _with_more(adadelta_op)
adamax_of_given_op = _with_more(adamax_op)
rmsprop_of_given_op = _with_more(rmsprop_op)
adam_of_given_op = _with_more(adam_op, *_OF_ADAM)
adamw_of_given_op = _with_more(adamw_op, *_OF_ADAM)
lamb_of_given_op = _with_more(lamb_op, "SkipUpdate")
