"""Sentences that beam_search_decode makes of a search's steps, against PaddlePaddle 1.8.5's; and what it refuses."""

import json

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at
from fluid_calls import FOLDER
from proa import static
from proa.static.building.tensor_arrays import create_array
from proa.static.run.lod_tensor import LoDTensor


@pytest.fixture
def steps():
    with np.load(FOLDER / "beam_search_decode.npz") as arrays:
        return dict(arrays)


@pytest.fixture(autouse=True)
def program():
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
        yield


def fed(values, name):
    tensor = LoDTensor(values[f"step/{name}"])
    tensor.set_lod([values[f"step_lod/{name}/{level}"].tolist() for level in range(2)])
    return tensor


def decoded(values, count, **attrs):
    ids, scores = create_array("int64", shape=[-1, 1]), create_array("float32", shape=[-1, 1])
    feed = {}
    for step in range(count):
        for name, array in ((f"ids{step}", ids), (f"scores{step}", scores)):
            feed[name] = fed(values, name)
            array.append(static.data(name, [None, 1], str(values[f"step/{name}"].dtype), lod_level=2))
    made = fluid.layers.beam_search_decode(ids, scores, **attrs)
    return static.Executor().run(feed=feed, fetch_list=list(made), return_numpy=False)


def test_sentences(steps):
    for name, found in zip(("ids", "scores"), decoded(steps, 5, beam_size=3, end_id=1), strict=True):
        np.testing.assert_array_equal(np.array(found), steps[f"out/{name}"])
        assert found.lod() == [steps[f"lod/{name}/{level}"].tolist() for level in range(2)]


def test_the_first_step_alone(steps):
    ids, _ = decoded(steps, 1, beam_size=3, end_id=1)
    assert np.array(ids).tolist() == [0, 0] and ids.lod() == [[0, 1, 2], [0, 1, 2]]


def test_what_is_no_list_is_refused():
    x = static.data("x", [None, 1], "int64", lod_level=2)
    with pytest.raises(TypeError, match="must be lists of a Program"):
        fluid.layers.beam_search_decode(x, x, 3, 1)


def test_scores_without_sequences_are_refused():
    words, scores = static.data("w", [None, 1], "int64"), fluid.layers.fill_constant([2, 1], "float32", 1.0)
    with pytest.raises(ValueError, match=r"beam_search\(scores\): must be sequences"):
        fluid.layers.beam_search(words, scores, None, scores, 2, 1)


def test_a_search_in_a_loop():
    found, wanted = module_at(FOLDER / "translation.py").translate(fluid), json.loads(
        (FOLDER / "translation.json").read_text())
    assert found["ids"] == wanted["ids"] and found["lods"] == wanted["lods"]
    np.testing.assert_allclose(found["scores"], wanted["scores"], rtol=1e-5, atol=1e-6)
