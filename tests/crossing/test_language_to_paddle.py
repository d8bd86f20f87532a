"""Control flow and lists that proa writes, PaddlePaddle 2.6.2 runs: every case of tests/jit/language.

Layers are also run by the predictor, whose passes rewrite the Program (one without parameters it does not load).
Tolerances as in test_from_paddle.py.
"""

import sys
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing

sys.path.insert(0, str(Path(__file__).parent.parent / "jit" / "language"))

from outcomes_of_cases import CASES, is_layer, run, specs, target

#: What PaddlePaddle's run of a loaded Program does not do: a buffer that it changes is not kept from call to call.
CHANGES_STATE = ("BufferUpdated",)
#: What PaddlePaddle's predictor refuses of its own files too: its constant folding runs a `conditional_block` that
#: depends on parameters alone, and has no scope for it.
DECIDED_BY_PARAMETERS = ("PropertiesOfTensors", "PropertyOverTensor")
WITHOUT_PARAMETERS = ("AttributeHistory",)

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore:.*None in some runs"),
              pytest.mark.filterwarnings("ignore:.*after one branch and")]  # what they are warned of


def arrays_of(argument):
    array = np.array(argument)
    return array.astype("float32" if array.dtype.kind == "f" else "int64")


def kinds(case):
    loads = is_layer(case) and repr(case) not in (*DECIDED_BY_PARAMETERS, *WITHOUT_PARAMETERS)
    return ("model", "predictor") if loads else ("model",)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The oracle's findings, and what proa expects."""
    if missing():
        pytest.skip(missing())
    oracle, expected = Oracle(tmp_path_factory.mktemp("language")), {}
    for name, case in CASES.items():
        inputs = [[arrays_of(a) for a in arguments] for arguments in case.argument_sets]
        made = paddle.jit.to_static(target(case), input_spec=specs(case), full_graph=True)
        if is_layer(case):
            made.eval()
        for kind in kinds(case):
            paddle.jit.save(made, oracle.add(kind, f"{kind}_{name}", inputs), input_spec=specs(case))
        expected[name] = {f"{n}.{k.removeprefix('value.')}": r for n, arguments in enumerate(case.argument_sets)
                          for k, r in run(made, arguments, numbers=False).items() if k.startswith("value")}
    oracle.ask()
    return oracle, expected


@pytest.mark.parametrize("name, kind", [(n, k) for n, c in CASES.items() for k in kinds(c) if n not in CHANGES_STATE])
def test_gives_the_same(written, name, kind):
    oracle, expected = written
    check(oracle.found(f"{kind}_{name}"), expected[name], rtol=1e-5, atol=1e-5)
