"""Updates as PaddlePaddle's training Programs may hold them: numbers as tensors, updates to skip, float32 copies."""

import numpy as np
import proa as paddle
import pytest
from proa.base.framework import OpProtoHolder

RNG = np.random.default_rng(0)
STATES = {
    "sgd": (), "momentum": ("Velocity",), "adagrad": ("Moment",), "adadelta": ("AvgSquaredGrad", "AvgSquaredUpdate"),
    "adamax": ("Moment", "InfNorm"), "rmsprop": ("MeanSquare", "Moment"), "adam": ("Moment1", "Moment2"),
    "adamw": ("Moment1", "Moment2"), "lamb": ("Moment1", "Moment2")}
POWERS = {"adamax": ("Beta1Pow",), **dict.fromkeys(("adam", "adamw", "lamb"), ("Beta1Pow", "Beta2Pow"))}
REQUIRED = {"momentum": {"mu": 0.9}}


def given_to(rule):
    values = {name: RNG.uniform(0.1, 1, (3, 2)).astype("float32") for name in ("Param", "Grad", *STATES[rule])}
    return values | {name: np.float32([0.9]) for name in POWERS.get(rule, ())} | {"LearningRate": np.float32([0.1])}


def program_of(rule, given, attrs):
    program = paddle.static.Program()
    block = program.global_block()
    for name, array in given.items():
        block.create_var(name=name, shape=array.shape, dtype=array.dtype.name)
    results = [slot.name for slot in OpProtoHolder.instance().get_op_proto(rule).outputs
               if slot.name.removesuffix("Out") in given]
    for name in results:
        block.create_var(name=name)
    block.append_op(rule, {name: name for name in given}, {name: name for name in results},
                    {**REQUIRED.get(rule, {}), **attrs})
    return program, results


def run(rule, given, attrs=None):
    """The results by slot, in a Program and in the Program that its bytes hold."""
    program, results = program_of(rule, given, attrs or {})
    read = paddle.static.Program.parse_from_string(program.desc.serialize_to_string())
    first, again = (dict(zip(results, paddle.static.Executor().run(one, feed=given, fetch_list=results), strict=True))
                    for one in (program, read))
    for name in results:
        np.testing.assert_array_equal(first[name], again[name])
    return first


@pytest.mark.parametrize("rule", ["adam", "adamw"])
def test_numbers_as_tensors(rule):
    given = given_to(rule)
    numbers = {"beta1": 0.7, "beta2": 0.8, "epsilon": 0.3}
    tensors = {f"{name.capitalize()}Tensor": np.float32([value]) for name, value in numbers.items()}
    found, expected = run(rule, given | tensors), run(rule, given, numbers)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-6)


@pytest.mark.parametrize("rule", ["adam", "adamw", "lamb"])
def test_an_update_is_skipped(rule):
    given, attrs = given_to(rule), {"weight_decay": 0.01} if rule == "lamb" else {}
    still = run(rule, given | {"SkipUpdate": np.array([True])}, attrs)
    for name, value in still.items():
        np.testing.assert_array_equal(value, given[name.removesuffix("Out")])
    found, expected = run(rule, given | {"SkipUpdate": np.array([False])}, attrs), run(rule, given, attrs)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


@pytest.mark.parametrize("rule", STATES)
def test_a_float32_copy_is_updated(rule):
    given, attrs = given_to(rule), {"multi_precision": True}
    half = {name: given[name].astype("float16") for name in ("Param", "Grad")}
    found = run(rule, given | half | {"MasterParam": given["Param"]}, attrs)
    expected = run(rule, given | {"Grad": half["Grad"].astype("float32")}, attrs)
    np.testing.assert_array_equal(found.pop("MasterParamOut"), expected["ParamOut"])
    np.testing.assert_array_equal(found.pop("ParamOut"), expected.pop("ParamOut").astype("float16"))
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name])


def test_tensors_are_updated_so_too():
    given = given_to("adam")
    expected = run("adam", given, {"beta1": 0.7})
    with paddle.base.dygraph.base.guard(paddle.CPUPlace()):
        block = paddle.base.default_main_program().global_block()
        out = {name: [block.create_var(dtype="float32", persistable=False)] for name in expected}
        inputs = {name: [paddle.to_tensor(array)] for name, array in given.items()}
        block.append_op("adam", inputs | {"Beta1Tensor": [paddle.to_tensor([0.7])]}, out)
    np.testing.assert_allclose(out["ParamOut"][0].numpy(), expected["ParamOut"], rtol=1e-6)


def test_what_they_take_is_told():
    proto = OpProtoHolder.instance().get_op_proto("adam")
    taken = {slot.name: slot.dispensable for slot in proto.inputs}
    more = ("MasterParam", "SkipUpdate", "Beta1Tensor", "Beta2Tensor", "EpsilonTensor")
    assert all(taken[name] for name in more) and "MasterParamOut" in {slot.name for slot in proto.outputs}
    assert "adam_of_given" not in OpProtoHolder.instance().op_proto_map
    told = OpProtoHolder.instance().get_op_proto("reduce_sum").attrs
    assert [attr.name for attr in told if attr.support_tensor] == ["dim"]


@pytest.mark.parametrize("stops", [True, False])
def test_the_scale_of_a_loss_stays_where_a_tensor_says_so(stops):
    given = {"x": np.float32([1, 2]), "found": np.array([True]), "scale": np.float32([8]),
             "good": np.int32([1]), "bad": np.int32([1]), "stop": np.array([stops])}
    program = paddle.static.Program()
    block = program.global_block()
    for name, array in given.items():
        block.create_var(name=name, shape=array.shape, dtype=array.dtype.name)
    for name in ("y", "scale_out", "good_out", "bad_out"):
        block.create_var(name=name)
    block.append_op(
        "update_loss_scaling", {"X": ["x"], "FoundInfinite": "found", "PrevLossScaling": "scale", "InGoodSteps": "good",
                                "InBadSteps": "bad", "StopUpdate": "stop"},
        {"Out": ["y"], "LossScaling": "scale_out", "OutGoodSteps": "good_out", "OutBadSteps": "bad_out"},
        {"incr_every_n_steps": 2, "decr_every_n_nan_or_inf": 2, "incr_ratio": 2.0, "decr_ratio": 0.5})
    found = paddle.static.Executor().run(program, feed=given, fetch_list=["y", "scale_out", "good_out", "bad_out"])
    assert [each.tolist() for each in found] == ([[0, 0], [8], [1], [1]] if stops else [[0, 0], [4], [0], [0]])
