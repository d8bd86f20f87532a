"""The older way of quantizing networks that run eagerly, at the path before `paddle.quantization`."""

from ......core.lazy import stand_at
from ......quantization.imperative import (
    ImperativePTQ,
    ImperativeQuantAware,
    PTQConfig,
    PTQRegistry,
    default_ptq_config,
    fuse_utils,
    ptq,
    ptq_config,
    ptq_quantizer,
    ptq_registry,
    qat,
    utils,
)

__all__ = [
    "ImperativePTQ", "ImperativeQuantAware", "PTQConfig", "PTQRegistry", "default_ptq_config", "fuse_utils", "ptq",
    "ptq_config", "ptq_quantizer", "ptq_registry", "qat", "utils",
]

stand_at(__name__, **{name: f"......quantization.imperative.{name}" for name in (
    "fuse_utils", "ptq", "ptq_config", "ptq_quantizer", "ptq_registry", "qat", "utils")})
