"""What `proa info` prints: versions, devices, threads."""

from __future__ import annotations

import importlib.metadata
import os
import platform

import numpy as np

from .. import backend
from ..version import full_version
from . import paddle_version


def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def describe() -> str:
    """A table of what this installation is made of."""
    rows = {
        "proa": f"{full_version}, offering the API of Paddle {paddle_version.full_version}",
        "python": f"{platform.python_version()} on {platform.platform()}",
        "numpy": np.__version__,
        "protobuf": _installed("protobuf"),
        "gast": _installed("gast"),
        "ml_dtypes (bfloat16)": _installed("ml_dtypes"),
        "cuda devices": str(backend.cuda_device_count()),
        "cpu cores": str(os.cpu_count()),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "not set"),
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())
