"""Programs of training that PaddlePaddle 1.8.5 wrote, its operators of gradients among them, train here as there."""

from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest

with np.load(Path(__file__).parents[1] / "fixtures" / "fluid" / "training_programs.npz") as stored:
    ARRAYS = {key.replace("|", "/"): stored[key] for key in stored.files}


def below(prefix):
    return {key[len(prefix):]: value for key, value in ARRAYS.items() if key.startswith(prefix)}


@pytest.mark.parametrize("name", ["mlp", "images", "words"])
def test_losses(name):
    program = fluid.Program.parse_from_string(ARRAYS[f"{name}/program"].tobytes())
    types = [op.type for op in program.global_block().ops]
    assert any(type.endswith("_grad") for type in types)
    feed = below(f"{name}/feed/")
    for key, offsets in below(f"{name}/offsets/").items():
        feed[key] = fluid.create_lod_tensor(feed[key], [np.diff(offsets).tolist()], fluid.CPUPlace())
    exe, loss = fluid.Executor(fluid.CPUPlace()), str(ARRAYS[f"{name}/loss"])
    with fluid.scope_guard(fluid.Scope()):
        for key, value in below(f"{name}/value/").items():
            fluid.global_scope().var(key).get_tensor().set(value, fluid.CPUPlace())
        losses = [exe.run(program, feed=feed, fetch_list=[loss])[0] for _ in range(4)]
        weight = next(v.name for v in program.list_vars() if v.name.endswith(".w_0"))
        (gradient,) = exe.run(program, feed=feed, fetch_list=[f"{weight}@GRAD"])
    np.testing.assert_allclose(losses, ARRAYS[f"{name}/losses"], 2e-6)
    assert gradient.shape == ARRAYS[f"{name}/value/{weight}"].shape
    assert [op.type for op in program.global_block().ops] == types  # the Program itself stays what it is


def test_a_gradient_without_a_rule_is_refused():
    program = fluid.Program.parse_from_string(ARRAYS["mlp/program"].tobytes())
    for op in program.global_block().ops:
        if op.type == "tanh_grad":
            op.type = "no_such_grad"
    with pytest.raises(NotImplementedError, match=r"no_such_grad: an operator of a gradient, as PaddlePaddle writes"):
        fluid.Executor().run(program, feed=below("mlp/feed/"), fetch_list=["fc_0.w_0@GRAD"])
