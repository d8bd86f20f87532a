"""Operations that the table of `operators.py` has: operands and results in slots, constants as attributes."""

from __future__ import annotations

import math
from typing import Any

from ....core.dtype import DType, convert_dtype
from ....ops.core.decomposition import Decomposition, find_decomposition
from ....ops.core.operator import Operator, find, is_declared, with_fed_inputs
from .json_file import TensorType
from .operators import Correspondence, Operand, correspondences
from .values import Translation

_FACTS = frozenset(("struct_name", "op_callstack", "place", "op_role", "op_role_var", "op_namescope", "op_device",
                    "use_cudnn", "use_mkldnn", "mkldnn_data_type", "with_quant_attr", "event_name",
                    "execution_stream", "stop_gradient", "persistable", "kernel_name", "name"))


def plain(name: str) -> str:
    """The name that the table has for an operator; the name as it is where it has none."""
    dialect, _, rest = name.partition(".")
    known = correspondences()
    if dialect == "pd_op":
        found = next((key for key in (rest, rest.removesuffix("_")) if key in known), None)
        if found is not None and (is_declared(known[found].type) or find_decomposition(known[found].type)):
            return found
    return name


def translate(t: Translation, name: str = "") -> None:
    """An operation that the table has, by its own name or another one."""
    entry = correspondences()[name or plain(t.op.name)]
    type, attrs = entry.type, _attributes(t, entry)
    if len(t.op.operands) > len(entry.operands):
        t.fail(f"it has {len(t.op.operands)} operands, and should have {len(entry.operands)} at most")
    if len(t.op.results) > len(entry.results):
        t.fail(f"it has {len(t.op.results)} results, and should have {len(entry.results)} at most")
    inputs: dict[str, list[str]] = {}
    for index, place in enumerate(entry.operands):
        _take(t, index, place, inputs, attrs)
    made_of = find_decomposition(type)
    operator: Operator | Decomposition = made_of or find(type)
    fed = [name for name in inputs if name not in {slot.name for slot in operator.inputs}]
    if fed:
        try:
            operator = with_fed_inputs(type, fed)
            type = operator.type
        except (TypeError, ValueError) as error:
            t.fail(f"{', '.join(fed)}: {error}")
    outputs = {slot: t.declare(index) for index, slot in enumerate(entry.results)
               if slot and index < len(t.op.results)}
    known = {slot.name for slot in operator.outputs}
    outputs = {slot: names for slot, names in outputs.items() if slot in known and names}
    if made_of is None:
        _share(t, type, inputs, outputs)
        _complete(t, type, attrs, inputs, outputs)
    t.append(type, inputs, outputs, attrs)


def _attributes(t: Translation, entry: Correspondence) -> dict[str, Any]:
    """The attributes of the operation in hand, by the names that they have here."""
    known, attrs = (find_decomposition(entry.type) or find(entry.type)).attributes, dict(entry.fixed)
    for name, value in t.op.attributes.items():
        ours = entry.renamed.get(name, name)
        if name in entry.zero:
            if value not in (False, 0, 0.0, None, []):
                raise NotImplementedError(f"{t.source}: {t.op.place}: {name}={value!r} cannot be computed "
                                          "here.")
        elif ours in known and ours not in entry.fixed:
            if not (isinstance(value, list) and any(isinstance(item, (list, DType)) for item in value)):
                attrs[ours] = value
            else:
                t.fail(f"the attribute {name!r} is a list of lists")
        elif name not in entry.ignored and name not in _FACTS:
            t.fail(f"the attribute {name!r} is not known here")
    return attrs


def _take(t: Translation, index: int, place: Operand, inputs: dict[str, list[str]], attrs: dict[str, Any]) -> None:
    """Puts an operand in its place."""
    number = t.operand(index)
    if not number:
        return
    constant = t.constants.get(number)
    if place.attribute and constant is not None:
        attrs[place.attribute] = constant.numbers()
    elif place.attribute:
        names = t.values(number)
        lists = isinstance(t.names[number], list) and not _is_vector(t, names)
        if place.listed and not place.slot and number in t.stacked:
            names, lists = t.stacked[number], True
        slot = place.listed if lists else place.slot
        inputs[slot or place.attribute] = _as_read(t, place, names)
        known = find(correspondences()[plain(t.op.name)].type).attributes
        if place.slot and place.attribute in known and known[place.attribute].default is known[
                place.attribute].empty:
            attrs[place.attribute] = [-1] * len(attrs.get("axes", [0]))
            if "infer_flags" in known:
                attrs["infer_flags"] = [-1] * len(attrs.get("axes", [0]))
        elif not place.slot and lists:
            attrs[place.attribute] = [-1] * len(names)  # as many as PaddlePaddle 2.6.2 counts results by
    elif place.slot:
        inputs[place.slot] = _as_read(t, place, t.values(number))


def _as_read(t: Translation, place: Operand, names: list[str]) -> list[str]:
    """The values in the dtype that their slot has."""
    if not place.dtype:
        return list(names)
    dtype, found = convert_dtype(place.dtype), []
    for name in names:
        given = t.block.var(name)
        if given._dtype is not dtype:
            made = t.variable(t.fresh(f"{name}.{place.dtype}"), TensorType("tensor", dtype, given.shape), True)
            t.cast(name, made)
            name = made
        found.append(name)
    return found


def _is_vector(t: Translation, names: list[str]) -> bool:
    """Whether a list of values is one vector of several numbers."""
    return len(names) == 1 and math.prod(t.block.var(names[0]).shape) != 1


def _share(t: Translation, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]]) -> None:
    """Results that are an input with a new value have the input's variable."""
    operator = find(type)
    for result, given in operator.aliases:
        made, of = operator.results[result].name, operator.inputs[given].name
        if made in outputs and inputs.get(of):
            for name in outputs[made]:
                del t.block.vars[name]
            for number, names in t.names.items():
                if names in (outputs[made], outputs[made][0]):
                    t.names[number] = inputs[of] if isinstance(names, list) else inputs[of][0]
                    t.fetches.pop(number, None)
            outputs[made] = list(inputs[of])


def _complete(t: Translation, type: str, attrs: dict[str, Any], inputs: dict[str, list[str]],
             outputs: dict[str, list[str]]) -> None:
    """What PaddlePaddle 3 tells by types, or not at all, and attributes say here."""
    known = find(type).attributes
    if "infer_flags" in known and "axes" in attrs:
        attrs.setdefault("infer_flags", [1] * len(attrs["axes"]))
    if {"reduce_all", "dim"} <= known.keys() and "dim" not in inputs and not attrs.get("reduce_all"):
        attrs["reduce_all"] = not attrs.get("dim")
    if "in_dtype" in known and inputs.get("X") and outputs.get("Out"):
        given, made = (t.block.var(names[0])._dtype for names in (inputs["X"], outputs["Out"]))
        if given is not made or attrs.get("out_dtype") is not None:
            attrs["in_dtype"], attrs["out_dtype"] = given, made
    for name, parameter in known.items():  # other readers of what is written of it want them all
        if parameter.default not in (None, parameter.empty) and name not in inputs:
            value = parameter.default
            attrs.setdefault(name, list(value) if isinstance(value, tuple) else value)
