"""Lets engines take arrays of every size: records are small."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from proa.backend import kernels
from proa.backend.engines import generation
from proa.ops.core.operator import all_operators


@contextlib.contextmanager
def engines_take_every_size() -> Iterator[None]:
    """Within the block an engine is asked whatever the size of the arrays."""
    with pytest.MonkeyPatch.context() as patch:
        for op in all_operators():
            for kernel in op.kernels.declared:
                patch.setattr(kernel, "least", min(kernel.least, 1))
        patch.setattr(importlib.import_module("proa.backend.onednn.matmul"), "LARGE", 0)
        patch.setattr(importlib.import_module("proa.backend.recurrent.loop_engine"), "_LEAST", 0)
        for module in pkgutil.iter_modules(kernels.__path__):
            found = importlib.import_module(f"{kernels.__name__}.{module.name}")
            for name in [n for n in vars(found) if n.startswith("_LEAST")]:
                patch.setattr(found, name, 0)
        generation.changed()
        yield
    generation.changed()
