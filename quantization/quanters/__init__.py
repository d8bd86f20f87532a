"""`paddle.quantization.quanters`: what shows in training what whole numbers will show."""

from .abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ["FakeQuanterWithAbsMaxObserver"]
