"""Paths within OneFlow from which published scripts take the names of a job's variables."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import proa
import pytest

SCRIPT = textwrap.dedent("""
    import numpy as np
    import oneflow as flow
    import oneflow.typing as tp
    import {library} as library
    import {context} as session_ctx

    def biases():
        job_name = library.JobBuildAndInferCtx_GetCurrentJobName()
        names = list(session_ctx.GetDefaultSession().job_name2var_name2var_blob_[job_name].keys())
        return [name for name in names if name.endswith("bias")]

    @flow.global_function(type="train")
    def job(x: tp.Numpy.Placeholder((4, 3))) -> tp.Numpy:
        loss: library.BlobDesc = flow.layers.dense(x, 2, name="dense")
        flow.optimizer.SGD(flow.optimizer.PiecewiseConstantScheduler([], [0.1]), variables=biases).minimize(loss)
        return loss

    for _ in range(2):
        print(job(np.ones((4, 3), "float32")).mean())
    print(*flow.get_all_variables())
""")


@pytest.mark.parametrize(("library", "context"), [
    ("oneflow_api", "oneflow.python.framework.session_context"),
    ("oneflow._oneflow_internal", "oneflow.compatible.single_client.framework.session_context"),
])
def test_names_of_a_job_s_variables(tmp_path, library, context):
    (tmp_path / "train.py").write_text(SCRIPT.format(library=library, context=context))
    root = os.path.dirname(os.path.dirname(os.path.abspath(proa.__file__)))
    done = subprocess.run([sys.executable, "-m", "proa", "run", "train.py"], cwd=tmp_path, text=True, timeout=120,
                          capture_output=True, env={**os.environ, "PYTHONPATH": root}, check=True)
    assert done.stdout.splitlines() == ["0.0", "-0.05", "dense-weight dense-bias System-Train-TrainStep-job "
                                        "dense-bias-momentum"]


def test_activations_of_the_first_version():
    """`flow.keras.activations`, by which OneFlow 0.1's networks are written; a loss of one element is a number."""
    import proa.oneflow as flow
    import proa.oneflow.typing as tp

    flow.clear_default_session()

    @flow.global_function(type="predict")
    def job(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
        found = flow.keras.activations.relu(x) + flow.keras.activations.tanh(x) + flow.keras.activations.sigmoid(x)
        return flow.math.reduce_sum(found + flow.keras.activations.gelu(x), axis=[0], keepdims=True)

    x = np.array([-1.0, 2.0], "float32")
    wanted = np.maximum(x, 0) + np.tanh(x) + 1 / (1 + np.exp(-x)) + [-0.1586553, 1.9544997]
    found = job(x)
    assert found.shape == (1,)
    assert float(found) == pytest.approx(wanted.sum(), rel=1e-5) and f"{float(found):.1f}" == f"{wanted.sum():.1f}"
