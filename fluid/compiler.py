"""`fluid.compiler`: Programs for an Executor, and what is said about how they run."""

from ..static.run.strategies import BuildStrategy, CompiledProgram, ExecutionStrategy

__all__ = ["BuildStrategy", "CompiledProgram", "ExecutionStrategy"]
