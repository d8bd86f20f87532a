"""`flow.nn.utils`: gradients that are clipped, weights that are normalized, parameters as one vector."""

from . import rnn
from .clip_grad import clip_grad_norm_, clip_grad_value_
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .weight_norm import remove_weight_norm, weight_norm
