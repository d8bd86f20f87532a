"""Mixed precision: products in 16 bits, sums and losses in 32, and losses scaled so that gradients do not vanish."""

from . import debugging
from .amp_lists import black_list, white_list
from .auto_cast import amp_decorate, amp_guard, auto_cast, decorate, is_bfloat16_supported, is_float16_supported
from .grad_scaler import AmpScaler, GradScaler, OptimizerState

__all__ = ["GradScaler", "auto_cast", "decorate", "is_bfloat16_supported", "is_float16_supported"]
