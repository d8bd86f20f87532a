"""Functions of blobs run as global functions on arrays."""

import inspect

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp


def run_in_job(function, *arrays, results=tp.Numpy):
    """What a job that is this function gives for arrays, its placeholders being of their shapes and dtypes."""
    def job(*blobs):
        return function(*blobs)

    job.__signature__ = inspect.Signature(
        [inspect.Parameter(f"x{n}", inspect.Parameter.POSITIONAL_OR_KEYWORD,
                           annotation=tp.Numpy.Placeholder(array.shape, str(array.dtype)))
         for n, array in enumerate(map(np.asarray, arrays))], return_annotation=results)
    return flow.global_function()(job)(*arrays)
