"""What declarations say of operators against what their kernels do, on every call that records lead to.

Each call is repeated with its arrays laid out in memory in several ways, by the plain kernel and by those of engines:
which results share memory with which inputs, which inputs change, what another seed changes, whether elements are only
moved, what is printed. A declared fact that is never seen is as wrong as one that is not declared.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import every_size
import kernel_calls
import kernel_scenarios
import numpy as np
import proa as paddle
import pytest
from proa.ops.core.operator import Operator, all_operators, find, operator
from proa.ops.program.tensor_arrays import ArrayValue
from records import all_records

#: Operators that no call of a kernel shows, by why.
UNSEEN = {
    "what trainers ask of parameter servers, tests/distributed/ps": {
        "checkpoint_notify", "distributed_lookup_table", "fetch_barrier", "geo_sgd", "listen_and_serv", "prefetch",
        "recv", "send", "send_barrier"},
    "what reads and writes files, tests/static/files/test_value_files.py": {
        "load", "load_combine", "save", "save_combine"},
    "exchanges between processes, and what is put between them, tests/distributed": {
        op.type for op in all_operators() if "communicates" in op.effects and "ring_id" in op.attributes} | {
        "allreduce", "broadcast", "gen_nccl_id",
        "batch_gradient_by_sums", "batch_gradient_sums", "batch_moments", "batch_norm_by_moments", "c_sync_calc_stream",
        "c_wait_compute", "coalesce_tensor", "coalesced_parts", "coalesced_whole", "depend"},
    "control flow: it has no kernel": {"while", "conditional_block", "recurrent", "rnn_memory_helper"},
    "in place of others in compiled plans, tests/static/compiler": {"channel_gate", "fused_attention"},
    "steps of a search in lists, tests/fluid/test_beam_search.py": {"beam_search_decode"},
    "lists by rank tables, tests/fluid": {
        "array_to_lod_tensor", "lod_tensor_to_array", "rank_gradient_array", "rank_gradient_rows"},
    "updates that take more: tests/optimizer/test_given_tensors.py": {
        f"{rule}_of_given" for rule in (
            "sgd", "momentum", "adagrad", "adadelta", "adamax", "rmsprop", "adam", "adamw", "lamb")},
    "updates of parameters, tests/fluid/test_optimizers.py": {
        "decayed_adagrad", "dpsgd", "ftrl", "lars_momentum", "proximal_adagrad", "proximal_gd"},
    "parts of lists, tests/static": {"array_slice", "array_shifted"},
    "it stands in Programs for the gradient of what PyLayers do; a run leaves it out": {"custom_gradient"},
}

#: What a declaration says and no call shows, by why.
UNSHOWN = {
    "what user code gives back is not known": {"py_func"},
    "offsets of items that are sequences, tests/fluid/test_control_flow.py": {"read_from_array", "write_to_array"},
}

#: Operators that declare to refuse values, and to which none is given that they refuse, by why.
NOT_TRIED = {
    "their axes are in a list": {"reduce_max_of_fed", "reduce_mean_of_fed", "reduce_min_of_fed", "reduce_prod_of_fed",
                                 "reduce_sum_of_fed"},
    "its numbers are in lists, tests/fluid/test_row_numbers.py": {"merge_ids"},
}

#: Operators that refuse values and do not declare it, by why.
OF_OPTIONS = {
    "sizes that a tensor gives: the result's are not known then, which counts as well": {
        "affine_grid", "bilinear_interp_v2", "linspace", "logspace", "range", "repeat_interleave", "reshape2",
        "sequence_mask", "sum_repeats", "top_k_v2"},
    "only with lengths, which are optional": {"rnn"},
}


@dataclass
class Seen:
    """What the calls of one operator showed, with a call that showed it."""

    calls: list[kernel_calls.Call] = field(default_factory=list)
    shares: dict[str, Any] = field(default_factory=dict)
    changed: dict[str, Any] = field(default_factory=dict)
    differs: Any = None
    computed: Any = None
    printed: Any = None


@pytest.fixture(scope="module")
def seen() -> dict[str, Seen]:
    return dict(observe())


def observe() -> dict[str, Seen]:
    """What all calls show, by the types of operators."""
    found: dict[str, Seen] = defaultdict(Seen)
    scenarios = [(str(record), kernel_calls.of_record(record)) for record in all_records()]
    for call in kernel_calls.collect([*scenarios, *kernel_scenarios.SCENARIOS]):
        found[call.op.type].calls.append(call)
    with every_size.engines_take_every_size(), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in found.values():
            for call in one.calls:
                for layout in kernel_calls.LAYOUTS:
                    for by_engine in (False, True):
                        _look(one, call, layout, by_engine)
                _look_again(one, call)
    return found


def _look(seen: Seen, call: kernel_calls.Call, layout: str, by_engine: bool) -> None:
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            inputs, results = kernel_calls.run(call, layout, by_engine)
    except kernel_calls.REFUSALS:
        return
    where = f"{call}, {layout}, {'an engine' if by_engine else 'the plain kernel'}"
    for pair in kernel_calls.sharing(inputs, results):
        seen.shares.setdefault(kernel_calls.named(call.op, pair), where)
    for slot, now, before in zip(call.op.inputs, inputs, call.inputs, strict=True):
        if not kernel_calls.equal(now, before):
            seen.changed.setdefault(slot.name, where)
    if output.getvalue():
        seen.printed = where
    if call.op.moves and seen.computed is None and not _only_moved(call, results):
        seen.computed = where


def _look_again(seen: Seen, call: kernel_calls.Call) -> None:
    """Two runs with other numbers at random, where the attributes do not give their seed."""
    found, unseeded = [], {"seed": 0, "fix_seed": False}
    attrs = {name: unseeded.get(name, value) for name, value in call.attrs.items()}
    call = kernel_calls.Call(call.op, call.inputs, attrs, call.label)
    for seed in (1, 2):
        paddle.seed(seed)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found.append(kernel_calls.run(call, "C", True)[1])
        except kernel_calls.REFUSALS:
            return
    if not kernel_calls.close(list(found[0]), list(found[1])):  # NumPy 1 rounds complex products by where they lie
        seen.differs = str(call)


def _only_moved(call: kernel_calls.Call, results: Any) -> bool:
    """Whether each element of the results is one of the inputs', 0, or a number among the attributes.

    Offsets aside: where sequences move, others begin.
    """
    numbers = [n for value in call.attrs.values() for n in (value if isinstance(value, (list, tuple)) else (value,))
               if isinstance(n, (int, float, np.number))]
    given = [a for x in call.inputs for a in kernel_calls.arrays_in(x)]
    dtypes = {a.dtype for a in given}
    moved = [r for r, slot in zip(results, call.op.results, strict=True) if not slot.offsets_of]
    for array in (a for r in moved for a in kernel_calls.arrays_in(r)):
        if array.dtype not in dtypes:
            if array.dtype.kind not in "iu":  # the sizes of the parts of a list, say
                return False
            continue
        known = [a.reshape(-1) for a in given if a.dtype == array.dtype]
        pool = np.concatenate([*known, np.array([0.0, *numbers], "float64").astype(array.dtype)])
        flat = array.reshape(-1)
        if not (np.isin(flat, pool) | (flat != flat)).all():
            return False
    return True


def _excused(reasons: dict[str, set[str]]) -> set[str]:
    return set().union(*reasons.values())


def _alias_pairs(op: Operator) -> set[str]:
    return {f"{op.results[i].name}~{op.inputs[j].name}" for i, j in op.aliases}


TYPES = [op.type for op in all_operators()]


def test_every_operator_is_seen(seen):
    assert set(TYPES) - set(seen) == _excused(UNSEEN) & set(TYPES)


def _views(op: Operator) -> set[str]:
    return {kernel_calls.named(op, pair) for pair in op.views}


def test_views_are_declared(seen):
    found = {(type, pair): call for type, one in seen.items() for pair, call in one.shares.items()
             if pair not in _views(find(type)) | _alias_pairs(find(type))}
    assert not found, f"results that share memory with an input, and are not declared as views of it: {found}"


def test_declared_views_are_seen(seen):
    found = {type: _views(find(type)) - set(one.shares) for type, one in seen.items()}
    assert {type for type, pairs in found.items() if pairs} == _excused(UNSHOWN), "views that no call gives"


def test_what_is_written_is_declared(seen):
    written = {type: {find(type).inputs[n].name for n in find(type).writes} for type in seen}
    found = {(type, name): call for type, one in seen.items() for name, call in one.changed.items()
             if name not in written[type]}
    assert not found, f"inputs that a kernel changes, and that are not declared as written (:=): {found}"
    idle = {type: written[type] - set(one.changed) for type, one in seen.items()}
    assert not any(idle.values()), f"inputs that are declared as written (:=), and that no call writes: {idle}"


def test_random_operators_are_declared(seen):
    found = {type: one.differs for type, one in seen.items()
             if find(type).random != (one.differs is not None) and not find(type).effects & {"calls", "reads"}}
    assert not found, f"operators that differ with the seed, and are not declared so; None: the reverse: {found}"


def test_what_is_declared_to_move_computes_nothing(seen):
    found = {type: one.computed for type, one in seen.items() if one.computed}
    assert not found, f"operators that move, and give what is no element of an input: {found}"


def test_what_prints_is_declared(seen):
    assert {type for type, one in seen.items() if one.printed} == {
        op.type for op in all_operators() if "prints" in op.effects}


def _of_other_values(call: kernel_calls.Call) -> list[kernel_calls.Call]:
    """The call with other values, one input at a time: indices out of range, zeros, no numbers."""
    found = []
    for n, x in enumerate(call.inputs):
        if call.op.inputs[n].offsets_of and x:  # one that does not end with the number of rows
            inputs = (*call.inputs[:n], [*x[:-1], np.append(x[-1][:-1], 61)], *call.inputs[n + 1:])
            found.append(kernel_calls.Call(call.op, inputs, call.attrs, f"{call.label}, other offsets"))
        if isinstance(x, np.ndarray) and x.size and x.dtype.kind in "iufc":
            for value in (61, -61, 0) if x.dtype.kind in "iu" else (0, np.nan, -1.0, 2.5):
                if x.dtype.kind != "u" or value >= 0:
                    inputs = (*call.inputs[:n], np.full_like(x, value), *call.inputs[n + 1:])
                    label = f"{call.label}, {call.op.inputs[n].name} full of {value}"
                    found.append(kernel_calls.Call(call.op, inputs, call.attrs, label))
    return found


@contextlib.contextmanager
def _quietly():
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _refused(call: kernel_calls.Call) -> bool:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            kernel_calls.run(call, "C", False)
    except kernel_calls.REFUSALS:
        return True
    return False


def test_what_refuses_values_is_declared(seen):
    refusing: dict[str, str] = {}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for type, one in seen.items():
            calls = (call for call in one.calls if not _refused(call))
            found = next((other for call in calls for other in _of_other_values(call) if _refused(other)), None)
            if found is not None:
                refusing[type] = str(found)
    undeclared = {type: call for type, call in refusing.items() if find(type).fails != "values"}
    assert set(undeclared) == _excused(OF_OPTIONS), f"operators that refuse values: fails=\"values\" {undeclared}"
    idle = {type for type in seen if find(type).fails == "values"} - set(refusing) - _excused(NOT_TRIED)
    assert not idle, f"operators that declare to refuse values, and take all that were tried: {idle}"


def test_no_result_is_an_input(seen):
    """An operator that gives an input back gives a view of it: two values never share an array object."""
    found = {}
    for type, one in seen.items():
        for call in one.calls if not find(type).lists else ():  # lists hold what they are given
            for by_engine in (False, True):
                try:
                    with _quietly():
                        inputs, results = kernel_calls.run(call, "C", by_engine)
                except kernel_calls.REFUSALS:
                    continue
                given = {id(a) for x in inputs for a in kernel_calls.arrays_in(x)}
                aliased = {i for i, _ in call.op.aliases}
                plain = [a for i, r in enumerate(results) if i not in aliased for a in kernel_calls.arrays_in(r)]
                if not given.isdisjoint(map(id, plain)) or len({id(a) for a in plain}) < len(plain):
                    found[type] = f"{call}, {'an engine' if by_engine else 'the plain kernel'}"
    assert not found, f"operators that give the array object of an input, or one array twice: {found}"


def _results_sharing(results: Any) -> bool:
    arrays = [a for r in results for a in kernel_calls.arrays_in(r)]
    return any(np.shares_memory(a, b) for n, a in enumerate(arrays) for b in arrays[:n] if a.size and b.size)


def test_results_that_share_memory_with_each_other(seen):
    found = set()
    for type, one in seen.items():
        for call in one.calls:
            try:
                with _quietly():
                    results = kernel_calls.run(call, "C", True)[1]
            except kernel_calls.REFUSALS:
                continue
            if _results_sharing(results):
                found.add(type)
    assert not found, f"operators whose results overlap in memory: a change of one would change the other: {found}"


def test_costs_are_counts(seen):
    for one in seen.values():
        for call in one.calls[:20]:
            _check_cost(call)


def _check_cost(call: kernel_calls.Call) -> None:
    try:
        with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = kernel_calls.run(call, "C", False)[1]
    except kernel_calls.REFUSALS:
        return
    if any(isinstance(x, ArrayValue) for x in (*call.inputs, *results)):
        return
    operations = call.op.cost(_shapes(call.inputs), _shapes(results), call.attrs)
    assert isinstance(operations, int) and operations >= 0, call
    assert not call.op.moves or operations == 0, call


def _shapes(values: Any) -> list:
    return [_shapes(v) if isinstance(v, (list, tuple)) else None if v is None else np.shape(v) for v in values]


def test_a_merged_form_takes_what_the_one_that_it_merges_takes():
    for op in all_operators():
        if op.merges is not None:
            assert {s.name for s in op.merges.inputs} <= {s.name for s in op.inputs if s.many}
            assert [s.name for s in op.merges.results] == [s.name for s in op.results][:len(op.merges.results)]


def test_a_declaration_is_never_changed():
    with pytest.raises(AttributeError, match=r"<operator exp>\.moves: a declaration is not changed"):
        find("exp").moves = True


@pytest.mark.parametrize(("signature", "facts", "says"), [
    ("X -> Out~Y", {}, "names 'Y', which is no input"),
    ("X -> Out:=", {}, "Not a slot"),
    ("X -> Out", {"effects": "loud"}, r"effects\): \['loud'\] are none of"),
    ("X -> Out", {"precision": "grey"}, r"precision\): must be one of"),
    ("X -> Out", {"lod": "keep"}, r"lod\): must be one of"),
    ("X -> Out", {"fails": "often"}, r"fails\): must be one of"),
])
def test_a_declaration_that_means_nothing_is_refused(signature, facts, says):
    with pytest.raises(ValueError, match=says):
        operator("never_declared", signature, kernel=lambda xp, x: x, infer=lambda x: x, **facts)
