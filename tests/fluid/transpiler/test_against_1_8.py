"""Programs and losses of trainers and servers are those of PaddlePaddle 1.8.5."""

import json
import sys
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from cluster import Cluster

FIXTURES = Path(__file__).parents[2] / "fixtures/fluid"
sys.path.insert(0, str(FIXTURES))

from parameter_server_cases import ENDPOINTS, cases, described, rows  # noqa: E402 - from the folder above

EXPECTED = json.loads((FIXTURES / "parameter_servers.json").read_text())
CASES = cases(fluid)
SENDER = ("send", "trainer_id")


def plain(value):
    return json.loads(json.dumps(value))


def in_order(exchanges):
    """Without who sends, which is 0 there: a gradient's name tells it."""
    told = [(type, inputs, outputs, {key: value for key, value in attributes.items() if (type, key) != SENDER})
            for type, inputs, outputs, attributes in exchanges]
    return sorted(told, key=lambda each: json.dumps(each, sort_keys=True))


@pytest.mark.parametrize("name", [name for name in CASES if name != "rmsprop"])  # there it has a MeanGrad without use
def test_programs(name):
    expected, found = EXPECTED["programs"][name], plain(described(fluid, CASES[name]))
    for mine, theirs in zip(found["trainer"], expected["trainer"], strict=True):
        assert in_order(mine) == in_order(theirs)
    for endpoint in ENDPOINTS:
        (served, begun), (wanted, begins) = found[endpoint], expected[endpoint]
        assert served == wanted
        assert begun == begins


@pytest.mark.parametrize("name", CASES)
def test_losses(name):
    feeds = [rows(number) for number in range(2)]
    inputs = ("words", "y") if name.startswith("sparse") else ("x", "y")
    cluster = Cluster(CASES[name]).run([[{key: feed[key] for key in inputs} for feed in each] for each in feeds])
    np.testing.assert_allclose(cluster.results, EXPECTED["losses"][name], rtol=2e-5)
