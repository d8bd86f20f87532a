"""PaddlePaddle 3's `.json` Programs: read, run, trained further, written as `.pdmodel`, or refused.

The models of tests/fixtures/static/pir and what PaddlePaddle 3.3.1 answers to them; and the call of each record of
tests/ops as it translates it.
"""

import copy
import gzip
import json
import random
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.core.files import CorruptFileError
from proa.ops.core.decomposition import find_decomposition
from proa.ops.core.operator import find
from proa.static import Executor
from proa.static.files.inference_model import program_desc
from proa.static.files.pir.operators import correspondences
from proa.static.ir.frame import feed_names, fetch_names
from proa.static.ir.shape_inference import infer_again
from proa.static.program import from_desc

FIXTURES = Path(__file__).parents[2] / "fixtures/static/pir"
MODELS = sorted(path.stem for path in FIXTURES.glob("*.npz"))


def answers(name):
    """The inputs, and what PaddlePaddle 3 gives."""
    with np.load(FIXTURES / f"{name}.npz") as arrays:
        found = dict(arrays)
    return ([found[f"in{n}"] for n in range(len(found)) if f"in{n}" in found],
            [found[f"out{n}"] for n in range(len(found)) if f"out{n}" in found])


def same(results, expected):
    assert len(results) == len(expected)
    for here, there in zip(results, expected, strict=True):
        here = np.asarray(here)
        assert (here.dtype, here.shape) == (there.dtype, there.shape)
        np.testing.assert_allclose(here, there, 1e-5, 1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_a_predictor_gives_what_paddle_3_gives(name):
    inputs, expected = answers(name)
    predictor = inference.create_predictor(
        inference.Config(str(FIXTURES / f"{name}.json"), str(FIXTURES / f"{name}.pdiparams")))
    for handle, array in zip(predictor.get_input_names(), inputs, strict=True):
        predictor.get_input_handle(handle).copy_from_cpu(array)
    predictor.run()
    assert predictor.get_output_names()[0] == "fetch_name_0"
    same([predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()], expected)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_loaded_and_saved_as_pdmodel(name, tmp_path):
    inputs, expected = answers(name)
    layer = paddle.jit.load(str(FIXTURES / name))
    same(_results(layer, inputs), expected)
    paddle.jit.save(layer, str(tmp_path / name))
    same(_results(paddle.jit.load(str(tmp_path / name)), inputs), expected)


def _results(layer, inputs):
    found = layer(*map(paddle.to_tensor, inputs))
    return [value.numpy() for value in (found if isinstance(found, (list, tuple)) else [found])]


@pytest.mark.parametrize("name", MODELS)
def test_attributes_that_the_file_leaves_out_are_as_declared(name):
    path = FIXTURES / f"{name}.json"
    for block in program_desc(path.read_bytes(), str(path)).blocks:
        for op in block.ops:
            there = {attr.name for attr in op.attrs} | {slot.parameter for slot in op.inputs}
            needed = {"reduce_max": {"in_dtype", "out_dtype"}, "reduce_mean": {"in_dtype", "out_dtype"},
                      "fill_constant": {"str_value"}}.get(op.type, set())
            assert needed <= there, op.type


def test_an_inference_model_is_loaded():
    inputs, expected = answers("images")
    executor = Executor()
    program, feeds, fetches = paddle.static.load_inference_model(str(FIXTURES / "images"), executor)
    same(executor.run(program, feed=dict(zip(feeds, inputs, strict=True)), fetch_list=fetches), expected)


def test_a_folder_with_a_json_program_is_a_model(tmp_path):
    for suffix in (".json", ".pdiparams"):
        shutil.copy(FIXTURES / f"linear{suffix}", tmp_path / f"inference{suffix}")
    (tmp_path / "config.json").write_text("{}")
    predictor = inference.create_predictor(inference.Config(str(tmp_path)))
    assert predictor.get_input_names() == ["x"]


def test_paddle_load_reads_program_and_parameters():
    assert paddle.load(str(FIXTURES / "linear.json")).global_block().ops[0].type == "feed"
    assert sorted(paddle.load(str(FIXTURES / "linear"))) == ["linear_0.b_0", "linear_0.w_0", "linear_1.b_0",
                                                             "linear_1.w_0"]


@pytest.mark.parametrize("name", ["images", "recurrent", "transformer", "language"])
def test_a_loaded_model_is_trained_further(name):
    inputs, expected = answers(name)
    paddle.seed(0)
    layer = paddle.jit.load(str(FIXTURES / name))
    layer.train()
    optimizer = paddle.optimizer.Adam(0.01, parameters=layer.parameters())
    losses = []
    for _ in range(6):
        found = layer(*map(paddle.to_tensor, inputs))
        found = found[0] if isinstance(found, list) else found
        loss = paddle.nn.functional.mse_loss(found, paddle.to_tensor(np.zeros_like(expected[0])))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0]
    if name == "images":
        assert any(op.type == "batch_norm" for op in layer.program().global_block().ops)
        before, after = paddle.load(str(FIXTURES / name)), {p.name: p for p in layer.buffers()}
        assert len(after) == 4 and len(before) == 4 + len(layer.parameters())


def test_other_sizes_than_the_files_are_taken():
    layer = paddle.jit.load(str(FIXTURES / "recurrent"))
    assert layer(paddle.zeros([3, 5], "int64"))[0].shape == [3, 3]


@pytest.mark.slow
def test_every_operator_is_translated_as_paddle_3_has_it():
    sys.path.insert(0, str(FIXTURES.parents[2] / "crossing"))
    from operator_files import RECORDS, run_here, written

    programs = json.loads(gzip.decompress((FIXTURES / "operators.json.gz").read_bytes()))
    unlike = set()
    for name in programs.keys() & RECORDS.keys():
        record = RECORDS[name]
        inputs = {f"input{n}": array for n, array in enumerate(record.inputs)}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = run_here(written(record, record.inputs), inputs)
            try:
                program = from_desc(program_desc(json.dumps(programs[name]).encode(), name), name)
            except (NotImplementedError, CorruptFileError):
                unlike.add(name)
                continue
            found = Executor().run(program, feed=inputs, fetch_list=fetch_names(program))
        if len(found) != len(expected) or not all(a.shape == b.shape and np.allclose(a, b, 1e-4, 1e-5, equal_nan=True)
                                                  for a, b in zip(found, expected, strict=True)):
            unlike.add(name)
    assert unlike == UNLIKE


CALLS = json.loads(gzip.decompress((FIXTURES / "calls.json.gz").read_bytes()))


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_paddle_3_gives(name):
    call = CALLS[name]
    inputs, expected = ([np.array(values, dtype).reshape(shape) for values, dtype, shape in call[side]]
                        for side in ("inputs", "answers"))
    program = from_desc(program_desc(call["program"].encode(), name), name)
    found = Executor().run(program, feed=dict(zip(feed_names(program), inputs, strict=True)),
                           fetch_list=fetch_names(program))
    same(found, expected)


def test_numbers_of_boxes_are_integers_where_shapes_are_inferred_again():
    """PaddlePaddle 3 declares them as floats."""
    program = from_desc(program_desc(CALLS["generate_proposals"]["program"].encode(), "it"), "it")
    infer_again(program, {})
    assert program.global_block().var(fetch_names(program)[1]).dtype == paddle.int32


#: What belongs to training, what has no operator here, and where PaddlePaddle 3 itself changes what the file says.
UNLIKE = {
    "check_finite_and_unscale", "check_finite_and_unscale-infinite", "decode_jpeg", "decode_jpeg-gray", "warprnnt",
    "update_loss_scaling-False-0-0", "update_loss_scaling-False-0-1", "update_loss_scaling-False-1-0",
    "update_loss_scaling-True-0-0", "update_loss_scaling-True-0-1", "update_loss_scaling-True-1-0",
    "graph_send_recv-size from a tensor", "swish-beta", "where-nan_to_num",
}


def test_the_table_names_declared_operators_slots_and_attributes():
    for name, entry in correspondences().items():
        operator = find_decomposition(entry.type) or find(entry.type)
        slots = {slot.name for slot in (*operator.inputs, *operator.outputs)}
        listed = {operand.slot for operand in entry.operands} | {operand.listed for operand in entry.operands}
        assert listed - slots - {""} <= {"DropoutState", "InAccum", "InState"}, (name, listed - slots)
        named = {*entry.renamed.values(), *entry.fixed, *(o.attribute for o in entry.operands if not o.slot)} - {""}
        assert named <= set(operator.attributes), (name, named - set(operator.attributes))


# what is refused --------------------------------------------------------------------------------------------------


def changed(change, name="linear"):
    """A file's text, after a change of what it says."""
    found = json.loads((FIXTURES / f"{name}.json").read_text())
    ops = found["program"]["regions"][0]["blocks"][0]["ops"]
    change(found, ops)
    return json.dumps(found).encode()


def _of(ops, name):
    return next(op for op in ops if op["#"] == name)


REFUSED = {
    "another file": (lambda f, ops: f["base_code"].update(magic="other"), "its magic is 'other'"),
    "a later version": (lambda f, ops: f["base_code"].update(version=99), "version 99"),
    "no version": (lambda f, ops: f["base_code"].pop("version"), "'version' is missing"),
    "no program": (lambda f, ops: f.pop("program"), "'program' is missing"),
    "two regions": (lambda f, ops: f["program"]["regions"].append({}), "there should be one"),
    "operations that are none": (lambda f, ops: ops.append(5), "'#' is missing"),
    "a value that is not made": (lambda f, ops: _of(ops, "1.relu")["I"][0].update({"%": 999}), "has not been made"),
    "a value made twice": (lambda f, ops: _of(ops, "1.relu")["O"][0].update({"%": 5}), "made twice"),
    "too many operands": (lambda f, ops: _of(ops, "1.relu").update(I=[{"%": 5}] * 3), "3 operands"),
    "too few operands": (lambda f, ops: _of(ops, "1.add").update(I=[]), "needs one value as X"),
    "an unknown attribute": (lambda f, ops: _of(ops, "1.relu")["A"].append(
        {"N": "odd", "AT": {"#": "0.a_bool", "D": True}}), "attribute 'odd' is not known"),
    "an attribute of another type": (lambda f, ops: _of(ops, "1.matmul")["A"][0]["AT"].update(
        {"#": "0.a_str", "D": "yes"}), "should be of type BOOLEAN"),
    "an attribute that is no number": (lambda f, ops: _of(ops, "1.matmul")["A"][0]["AT"].update(D=7), "neither true"),
    "an unknown kind": (lambda f, ops: _of(ops, "1.matmul")["A"][0]["AT"].update({"#": "0.a_odd"}), "'a_odd'"),
    "an unknown element type": (lambda f, ops: ops[0]["O"]["TT"]["D"][0].update({"#": "0.t_odd"}), "'t_odd'"),
    "a shape that cannot be": (lambda f, ops: ops[0]["O"]["TT"]["D"].__setitem__(1, [1 << 70]), "cannot be"),
    "a parameter without a name": (lambda f, ops: ops[0].update(A=[0, 1, 1, ""]), "it has no name"),
    "two parameters of one name": (lambda f, ops: ops[1].update(A=ops[0]["A"]), "already"),
    "no columns": (lambda f, ops: _of(ops, "1.fetch").update(A=[]), "a fetch has a name"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_with_its_place(what):
    change, said = REFUSED[what]
    with pytest.raises(CorruptFileError, match=said) as caught:
        from_desc(program_desc(changed(change), "a.json"), "a.json")
    assert caught.value.file == "a.json" and caught.value.place


def test_unknown_operators_are_named():
    def change(found, ops):
        _of(ops, "1.relu")["#"] = "1.their_own"
        _of(ops, "1.matmul")["#"] = "3.mine"

    with pytest.raises(NotImplementedError, match=r"not known here: custom_op.mine, pd_op.their_own\."):
        program_desc(changed(change), "a.json")


def test_constants_cannot_ask_for_all_memory():
    def change(found, ops):
        for attribute in _of(ops, "1.full_int_array")["A"]:
            if attribute["N"] == "value":
                attribute["AT"]["D"] = "x"

    with pytest.raises(CorruptFileError, match="a list of values"):
        program_desc(changed(change, "images"), "a.json")

    def grow(found, ops):
        _of(ops, "1.full")["A"][0]["AT"]["D"] = [1 << 20, 1 << 20]

    with pytest.raises(CorruptFileError, match=r"a constant of shape \[1048576, 1048576\] cannot be"):
        program_desc(changed(grow, "flow"), "a.json")


@pytest.mark.parametrize("text", [b"{", b'{"base_code"', b"{}", b'{"base_code":{"magic":"pir","version":NaN}}',
                                  b"{" + b'"a":{' * 100000, b'{"\xff":1}'])
def test_damaged_text_is_refused(text):
    with pytest.raises(CorruptFileError):
        program_desc(text, "a.json")


def _parts(value, path=()):
    """The paths to all that a text holds."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from _parts(item, (*path, key))


@pytest.mark.parametrize("name", ["linear", "flow", "boxes", "recurrent"])
def test_files_whose_meaning_is_changed_are_refused_or_read(name):
    """Each of some changes is an error in words, or a Program."""
    draw = random.Random(name)
    original = json.loads((FIXTURES / f"{name}.json").read_text())
    paths = list(_parts(original))
    odd = [None, True, -1, 0, 1 << 70, 1.5, "", "1.add", [], {}, [[]], {"#": "0.a_array", "D": []}]
    for _ in range(40):
        found = copy.deepcopy(original)
        for path in draw.sample(paths, draw.choice([1, 1, 2])):
            holder = found
            try:
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] = copy.deepcopy(draw.choice(odd))
            except (KeyError, IndexError, TypeError):
                continue  # the first change took it away
        try:
            from_desc(program_desc(json.dumps(found).encode(), "a.json"), "a.json")
        except (CorruptFileError, NotImplementedError) as error:
            assert "a.json" in str(error)
