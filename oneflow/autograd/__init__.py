"""`flow.autograd`: gradients, and whether they are recorded."""

from .function import Function
from .gradients import backward, grad
from .modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
