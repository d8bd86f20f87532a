"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.oneflow.autograd`."""

from .function import Function
from .gradients import backward, grad
from .modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled

__all__ = ['Function', 'backward', 'enable_grad', 'grad', 'inference_mode', 'is_grad_enabled', 'no_grad', 'set_grad_enabled']
