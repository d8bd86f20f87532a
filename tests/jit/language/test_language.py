"""Every construct that `to_static` converts: eagerly, converted, in training, saved and loaded, and as PaddlePaddle.

The cases are functions as people write them, in written_*.py. oracle.npz (make_oracle.py) holds what PaddlePaddle 2.6.2
comes to without conversion; its own conversion of many of them fails or comes to something else.
"""

import sys
from pathlib import Path

import numpy as np
import proa as paddle
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from outcomes_of_cases import CASES, attempt, is_layer, run, specs, target

CLOSE = {"rtol": 1e-4, "atol": 1e-5}
#: Files do not say where gradients were off: as in PaddlePaddle, they flow in a loaded model.
WITHOUT_GRADIENTS_INSIDE = ("only_some_paths_of_a_with_return", "with_statement", "NoGradInside",
                            "numbers_have_no_gradient")
pytestmark = [pytest.mark.filterwarnings("ignore:.*is None in some runs"),
              pytest.mark.filterwarnings("ignore:.*after one branch and")]  # what they are warned of, elsewhere
every_case = pytest.mark.parametrize("name", CASES)


@pytest.fixture(scope="module")
def oracle():
    return dict(np.load(Path(__file__).parent / "oracle.npz"))


def check(found, wanted):
    assert found.keys() == wanted.keys()
    for key, array in wanted.items():
        assert np.size(found[key]) == np.size(array), key
        np.testing.assert_allclose(np.reshape(found[key], np.shape(array)), array, **CLOSE, err_msg=key)


def _converted(made, input_spec=None):
    return paddle.jit.to_static(made, input_spec=input_spec, full_graph=True)


@every_case
def test_without_conversion_as_the_oracle(name, oracle):
    wanted = {k[len(name) + 1:]: v for k, v in oracle.items() if k.startswith(name + ".")}
    if not wanted:
        pytest.skip("PaddlePaddle 2.6.2 cannot run it")
    found = attempt(CASES[name], lambda made: made)
    check(found, {k: v for k, v in wanted.items() if k in found or "buffer" not in k})  # there, Tensors in attributes


@every_case
def test_converted(name):
    case = CASES[name]
    check(attempt(case, _converted), attempt(case, lambda made: made))


@every_case
def test_converted_for_unknown_sizes(name):
    case = CASES[name]
    found = attempt(case, lambda made: _converted(made, specs(case)))
    check(found, attempt(case, lambda made: made))


@every_case
def test_saved_and_loaded(name, tmp_path):
    case, prefix = CASES[name], str(tmp_path / "saved")
    paddle.jit.save(_converted(target(case)), prefix, input_spec=specs(case))
    made = _converted(target(case), specs(case))
    if is_layer(case):
        made.eval()
    loaded = paddle.jit.load(prefix)
    for arguments in case.argument_sets:
        found, wanted = run(loaded, arguments, numbers=False), run(made, arguments, numbers=False)
        kinds = ["value", "gradient.0" if is_layer(case) else "gradient"]
        if name in WITHOUT_GRADIENTS_INSIDE:
            del kinds[1]
        check(*({k: v for k, v in kept.items() if k.startswith(tuple(kinds))} for kept in (found, wanted)))
