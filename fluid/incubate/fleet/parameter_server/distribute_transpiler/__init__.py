"""`fleet` of parameter servers, made by the transpiler: workers compute gradients, servers keep the parameters."""

from .distributed_transpiler import DistributedTranspiler, TranspilerOptimizer, fleet

__all__ = ["DistributedTranspiler", "TranspilerOptimizer", "fleet"]
