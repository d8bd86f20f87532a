"""`paddle.base.compiler`: Programs for an Executor, and what is said about how they run, by the path of older code."""

from ..static.run.compiled_program import CompiledProgram
from ..static.run.places import IpuCompiledProgram, IpuStrategy, cpu_places, cuda_places, xpu_places
from ..static.run.strategies import BuildStrategy, ExecutionStrategy

__all__ = ["BuildStrategy", "CompiledProgram", "ExecutionStrategy", "IpuCompiledProgram", "IpuStrategy", "cpu_places",
           "cuda_places", "xpu_places"]
