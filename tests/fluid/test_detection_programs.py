"""Programs of detection beside PaddlePaddle 1.8.5: their operators, the names of their variables, and results."""

import json

import detection_programs
import numpy as np
import proa.fluid as fluid
import pytest
from fluid_calls import FOLDER

ANSWERS = np.load(FOLDER / "detection_programs.npz")
INDEX = json.loads(str(ANSWERS["index"]))


@pytest.mark.parametrize("build", detection_programs.CASES, ids=lambda build: build.__name__)
def test_as_in_paddle(build):
    ops, results, lods = detection_programs.run(fluid, build)
    told = INDEX[build.__name__]
    forward = ops[:len(told["ops"])]
    assert [op[0] for op in forward] == [op[0] for op in told["ops"]]
    for (type, inputs, outputs), (_, wanted_inputs, wanted_outputs) in zip(forward, told["ops"]):
        for found, wanted in ((inputs, wanted_inputs), (outputs, wanted_outputs)):
            shown = {slot: names for slot, names in wanted.items()  # results of Python's operators are tmp_0, ...
                     if names and found.get(slot) and not names[0].startswith("tmp_")}
            assert {slot: found[slot] for slot in shown} == shown, type
    for number, (found, lod) in enumerate(zip(results, lods)):
        wanted = ANSWERS[f"{build.__name__}/{number}"]
        assert lod == told["lods"][number], number
        assert found.shape == wanted.shape, number
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=str(number))


def test_a_measure_of_all_batches():
    found = np.array(detection_programs.measured(fluid))
    np.testing.assert_allclose(found, ANSWERS["measured"], rtol=1e-5)
    assert found[0, 0] == found[0, 1] and found[1, 0] != found[1, 1] and found[3, 0] == found[3, 1]


@pytest.mark.parametrize("code, axis, first", [("decode_center_size", 1, "prior"), ("decode_center_size", 0, "target"),
                                               ("encode_center_size", 1, "target")])
def test_boxes_decoded_by_rows_are_sequences_as_the_prior_boxes_are(code, axis, first):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        prior = fluid.data("prior", [None, 4], lod_level=int(first == "prior"))
        target = fluid.data("target", [None, 4] if code[0] == "e" else [None, 4, 4], lod_level=int(first == "target"))
        coded = fluid.layers.box_coder(prior, [0.1, 0.1, 0.2, 0.2], target, code, axis=axis)
        assert coded.lod_level == 1
        boxes = detection_programs.boxes(1, 4)
        feed = {"prior": boxes, "target": boxes if code[0] == "e" else np.ones((4, 4, 4), "float32")}
        feed[first] = fluid.create_lod_tensor(feed[first], [[1, 3]], fluid.CPUPlace())
        found, = fluid.Executor(fluid.CPUPlace()).run(feed=feed, fetch_list=[coded], return_numpy=False)
        assert found.lod() == [[0, 1, 4]]
