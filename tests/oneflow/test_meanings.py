"""Names that mean one thing in a global function and another outside."""

import numpy as np
from job_runs import run_in_job
from proa.oneflow.meanings import in_jobs


def test_a_name_is_the_older_function_while_a_global_function_is_traced():
    def older(x):
        """Twice x."""
        return x * 2.0

    def later(x):
        """x, and one more."""
        return x + 1.0

    function = in_jobs(older, later)
    three = np.array([3], "float32")
    assert function(three).tolist() == [4] and run_in_job(function, three).tolist() == [6]
    assert function.__doc__ == "x, and one more.\n\nIn a global function: Twice x."
