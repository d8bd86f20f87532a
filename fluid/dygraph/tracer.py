"""`fluid.dygraph.tracer`: what runs operators at once, by 1.x's name of it."""

from .varbase import FluidTrace as Tracer

__all__ = ["Tracer"]
