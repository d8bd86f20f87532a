"""`fluid.compiler`: Programs for an Executor, and what is said about how they run."""

from ..core.lazy import listed
from ..static.run.compiled_program import CompiledProgram
from ..static.run.strategies import BuildStrategy, ExecutionStrategy
from .later_names import later

__all__ = ["BuildStrategy", "CompiledProgram", "ExecutionStrategy"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)
