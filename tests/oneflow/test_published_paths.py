"""Paths within OneFlow from which published scripts take the names of a job's variables."""

import os
import subprocess
import sys
import textwrap

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
