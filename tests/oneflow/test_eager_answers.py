"""The eager API against OneFlow 0.9's answers: functions with gradients, modules, optimizers, schedules."""

import pathlib

import eager_cases
import numpy as np
import proa.oneflow as flow
import pytest

FIXTURE = pathlib.Path(__file__).parent.parent / "fixtures/oneflow/eager.npz"


@pytest.fixture(scope="module")
def answers():
    with np.load(FIXTURE) as held:
        return {name.replace("|", "/"): held[name] for name in held.files}


@pytest.fixture(scope="module")
def results():
    return eager_cases.results(flow)


def test_every_case_runs(results):
    assert results[1] == {}


CASES = [f"{kind}/{name}" for kind, table in (
    ("call", eager_cases.CALLS), ("module", eager_cases.MODULES), ("rule", eager_cases.RULES),
    ("schedule", eager_cases.SCHEDULES)) for name in table]


@pytest.mark.parametrize("case", CASES)
def test_answers_are_oneflows(case, answers, results):
    wanted = {name: value for name, value in answers.items() if name.rpartition("/")[0] == case}
    found = {name: value for name, value in results[0].items() if name.rpartition("/")[0] == case}
    assert wanted and wanted.keys() == found.keys()
    for name, value in wanted.items():
        assert found[name].shape == value.shape and found[name].dtype == value.dtype, name
        np.testing.assert_allclose(found[name], value, rtol=2e-4, atol=2e-5, err_msg=name)
