"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.oneflow`."""

from ..core.dtype import bfloat16, complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8
from ..core.dtype import bool_ as bool
from .dtypes import char, convert_oneflow_dtype_to_numpy_dtype, double, dtype, half, long
from .dtypes import float_ as float
from .dtypes import int_ as int
from . import advanced, config, distribute, env, job, losses, optimizer, scope, typing, unittest
from .distribute import cast_to_current_logical_view, hierarchical_parallel_cast, parallel_cast
from .env import current_machine_id, current_resource, eager_execution_enabled, enable_eager_execution
from .job.arguments import FixedTensorDef, MirroredTensorDef
from .job.function_config import FunctionConfig
from .job.function_config import FunctionConfig as ExecutionConfig
from .job.function_config import FunctionConfig as function_config
from .job.global_function import current_global_function_desc, global_function
from .job.placement import Placement as device_prior_placement
from .job.placement import Placement as fixed_placement
from .job.placement import current_scope
from .job.session import clear_default_session, sync_default_session
from .job.watch import watch, watch_diff
from .scope import namespace as name_scope
from .user_op import user_op_builder
from .variables import get_variable
from . import deprecated, distributed, experimental, image, initializers, keras, linalg, math, random, regularizers, sbp, special, system, util
from .array.choosing import assign
from .array.creation import constant, constant_like, constant_scalar, elem_cnt, one_hot, range
from .array.gathering import dim_gather, tensor_scatter_nd_add
from .array.padding import constant_pad2d, pad_grad, reflection_pad2d, replication_pad2d, same_padding, zero_pad2d
from .array.shapes import amp_white_identity, cast_to_static_shape, dynamic_reshape, expand_dims, identity, identity_n, reshape_like
from .array.slices import reverse, slice_v2, sync_dynamic_resize
from .array.stacking import broadcast_to_compatible_with
from .initializers import constant_initializer, empty_initializer, glorot_normal_initializer, glorot_uniform_initializer, kaiming_initializer, ones_initializer, random_normal_initializer, random_uniform_initializer, truncated_normal, truncated_normal_initializer, variance_scaling_initializer, xavier_normal_initializer, xavier_uniform_initializer, zeros_initializer
from .math.counting import count_not_finite, multi_count_not_finite
from .math.limits import clip_by_value
from .math.limits import clip_by_value as clip_by_scalar
from .math.segments import unsorted_batch_segment_sum, unsorted_segment_sum, unsorted_segment_sum_like
from . import layers, nn
from .layers.ordinal_encoder import categorical_ordinal_encode
from .nn.ctc import ctc_loss
from .nn.loss import combined_margin_loss, smooth_l1_loss
from ..backend.threads import set_num_threads
from ..ops.math.numbers import finfo, iinfo
from . import autograd, cuda, optim, utils
from .autograd.modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from .autograd.modes import enable_grad as grad_enable
from .default_types import get_default_dtype, set_default_dtype
from .devices import device
from .eager import Tensor, abs, acos, acosh, add, addcdiv, addcmul, addmm, all, allclose, amax, amin, any, arange, arccos, arccosh, arcsin, arcsinh, arctan, arctanh, argmax, argmin, as_strided, as_tensor, asin, asinh, atan, atan2, atanh, atleast_1d, atleast_2d, atleast_3d, baddbmm, batch_gather, batch_matmul, bernoulli, bincount, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, bmm, broadcast_shapes, broadcast_tensors, broadcast_to, cat, cdist, ceil, chunk, clamp_max, clamp_min, clone, column_stack, conj, cos, cosh, cosine_similarity, cross, cumprod, cumsum, det, diagonal, digamma, div, divide, dot, dstack, einsum, empty, empty_like, eq, equal, erf, erfc, erfinv, exp, exp2, expm1, eye, flip, floor, floor_divide, fmod, frac, from_numpy, full, full_like, ge, gelu, greater, greater_equal, gt, hann_window, hsplit, hstack, imag, index_add, index_select, inverse, is_floating_point, is_nonzero, is_tensor, isclose, isfinite, isinf, isnan, le, lerp, less, less_equal, lgamma, linspace, log, log1p, log2, log10, log_softmax, logaddexp, logical_and, logical_not, logical_or, logical_xor, logspace, logsumexp, lt, masked_select, max, maximum, mean, median, meshgrid, min, minimum, mish, mm, mode, movedim, mul, multinomial, multiply, mv, nansum, narrow, ne, neg, negative, norm, normal, not_equal, numel, permute, polygamma, pow, prod, quantile, quick_gelu, rand, rand_like, randint, randint_like, randn, randn_like, randperm, real, reciprocal, relu, remainder, repeat, repeat_interleave, roll, round, row_stack, rsqrt, scatter, scatter_add, searchsorted, select, selu, sigmoid, sign, silu, sin, sinh, softmax, softplus, softshrink, softsign, split, sqrt, square, std, sub, subtract, sum, swapaxes, swapdims, t, tan, tanh, tensor, tensor_split, tensordot, threshold, tile, topk, trace, tril, triu, true_divide, trunc, unbind, unfold, unique, unsqueeze, var, view, vsplit, vstack
from .global_tensors import placement
from .nn.functional import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, deform_conv2d
from .printing import set_printoptions
from .random_state import Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .saving import load, save
from .size import Size
from .tensor_types import BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor
from .two_forms import argsort, argwhere, broadcast_like, cast, clamp, clip, concat, diag, expand, flatten, gather, gather_nd, in_top_k, masked_fill, matmul, nonzero, ones, ones_like, pad, reshape, scatter_nd, slice, slice_update, sort, squeeze, stack, tensor_scatter_nd_update, transpose, where, zeros, zeros_like
from . import checkpoint, data, snapshot, train
from .checkpoint import load_variables
from .variable_values import get_all_variables

__all__ = ['BoolTensor', 'ByteTensor', 'CharTensor', 'DoubleTensor', 'ExecutionConfig', 'FixedTensorDef', 'FloatTensor', 'FunctionConfig', 'Generator', 'HalfTensor', 'IntTensor', 'LongTensor', 'MirroredTensorDef', 'Size', 'Tensor', 'abs', 'acos', 'acosh', 'adaptive_avg_pool1d', 'adaptive_avg_pool2d', 'adaptive_avg_pool3d', 'add', 'addcdiv', 'addcmul', 'addmm', 'advanced', 'all', 'allclose', 'amax', 'amin', 'amp_white_identity', 'any', 'arange', 'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctanh', 'argmax', 'argmin', 'argsort', 'argwhere', 'as_strided', 'as_tensor', 'asin', 'asinh', 'assign', 'atan', 'atan2', 'atanh', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'autograd', 'baddbmm', 'batch_gather', 'batch_matmul', 'bernoulli', 'bfloat16', 'bincount', 'bitwise_and', 'bitwise_not', 'bitwise_or', 'bitwise_xor', 'bmm', 'bool', 'broadcast_like', 'broadcast_shapes', 'broadcast_tensors', 'broadcast_to', 'broadcast_to_compatible_with', 'cast', 'cast_to_current_logical_view', 'cast_to_static_shape', 'cat', 'categorical_ordinal_encode', 'cdist', 'ceil', 'char', 'checkpoint', 'chunk', 'clamp', 'clamp_max', 'clamp_min', 'clear_default_session', 'clip', 'clip_by_scalar', 'clip_by_value', 'clone', 'column_stack', 'combined_margin_loss', 'complex128', 'complex64', 'concat', 'config', 'conj', 'constant', 'constant_initializer', 'constant_like', 'constant_pad2d', 'constant_scalar', 'convert_oneflow_dtype_to_numpy_dtype', 'cos', 'cosh', 'cosine_similarity', 'count_not_finite', 'cross', 'ctc_loss', 'cuda', 'cumprod', 'cumsum', 'current_global_function_desc', 'current_machine_id', 'current_resource', 'current_scope', 'data', 'deform_conv2d', 'deprecated', 'det', 'device', 'device_prior_placement', 'diag', 'diagonal', 'digamma', 'dim_gather', 'distribute', 'distributed', 'div', 'divide', 'dot', 'double', 'dstack', 'dtype', 'dynamic_reshape', 'eager_execution_enabled', 'einsum', 'elem_cnt', 'empty', 'empty_initializer', 'empty_like', 'enable_eager_execution', 'enable_grad', 'env', 'eq', 'equal', 'erf', 'erfc', 'erfinv', 'exp', 'exp2', 'expand', 'expand_dims', 'experimental', 'expm1', 'eye', 'finfo', 'fixed_placement', 'flatten', 'flip', 'float', 'float16', 'float32', 'float64', 'floor', 'floor_divide', 'fmod', 'frac', 'from_numpy', 'full', 'full_like', 'function_config', 'gather', 'gather_nd', 'ge', 'gelu', 'get_all_variables', 'get_default_dtype', 'get_rng_state', 'get_variable', 'global_function', 'glorot_normal_initializer', 'glorot_uniform_initializer', 'grad_enable', 'greater', 'greater_equal', 'gt', 'half', 'hann_window', 'hierarchical_parallel_cast', 'hsplit', 'hstack', 'identity', 'identity_n', 'iinfo', 'imag', 'image', 'in_top_k', 'index_add', 'index_select', 'inference_mode', 'initial_seed', 'initializers', 'int', 'int16', 'int32', 'int64', 'int8', 'inverse', 'is_floating_point', 'is_grad_enabled', 'is_nonzero', 'is_tensor', 'isclose', 'isfinite', 'isinf', 'isnan', 'job', 'kaiming_initializer', 'keras', 'layers', 'le', 'lerp', 'less', 'less_equal', 'lgamma', 'linalg', 'linspace', 'load', 'load_variables', 'log', 'log10', 'log1p', 'log2', 'log_softmax', 'logaddexp', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'logspace', 'logsumexp', 'long', 'losses', 'lt', 'manual_seed', 'masked_fill', 'masked_select', 'math', 'matmul', 'max', 'maximum', 'mean', 'median', 'meshgrid', 'min', 'minimum', 'mish', 'mm', 'mode', 'movedim', 'mul', 'multi_count_not_finite', 'multinomial', 'multiply', 'mv', 'name_scope', 'nansum', 'narrow', 'ne', 'neg', 'negative', 'nn', 'no_grad', 'nonzero', 'norm', 'normal', 'not_equal', 'numel', 'one_hot', 'ones', 'ones_initializer', 'ones_like', 'optim', 'optimizer', 'pad', 'pad_grad', 'parallel_cast', 'permute', 'placement', 'polygamma', 'pow', 'prod', 'quantile', 'quick_gelu', 'rand', 'rand_like', 'randint', 'randint_like', 'randn', 'randn_like', 'random', 'random_normal_initializer', 'random_uniform_initializer', 'randperm', 'range', 'real', 'reciprocal', 'reflection_pad2d', 'regularizers', 'relu', 'remainder', 'repeat', 'repeat_interleave', 'replication_pad2d', 'reshape', 'reshape_like', 'reverse', 'roll', 'round', 'row_stack', 'rsqrt', 'same_padding', 'save', 'sbp', 'scatter', 'scatter_add', 'scatter_nd', 'scope', 'searchsorted', 'seed', 'select', 'selu', 'set_default_dtype', 'set_grad_enabled', 'set_num_threads', 'set_printoptions', 'set_rng_state', 'sigmoid', 'sign', 'silu', 'sin', 'sinh', 'slice', 'slice_update', 'slice_v2', 'smooth_l1_loss', 'snapshot', 'softmax', 'softplus', 'softshrink', 'softsign', 'sort', 'special', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'std', 'sub', 'subtract', 'sum', 'swapaxes', 'swapdims', 'sync_default_session', 'sync_dynamic_resize', 'system', 't', 'tan', 'tanh', 'tensor', 'tensor_scatter_nd_add', 'tensor_scatter_nd_update', 'tensor_split', 'tensordot', 'threshold', 'tile', 'topk', 'trace', 'train', 'transpose', 'tril', 'triu', 'true_divide', 'trunc', 'truncated_normal', 'truncated_normal_initializer', 'typing', 'uint8', 'unbind', 'unfold', 'unique', 'unittest', 'unsorted_batch_segment_sum', 'unsorted_segment_sum', 'unsorted_segment_sum_like', 'unsqueeze', 'user_op_builder', 'util', 'utils', 'var', 'variance_scaling_initializer', 'view', 'vsplit', 'vstack', 'watch', 'watch_diff', 'where', 'xavier_normal_initializer', 'xavier_uniform_initializer', 'zero_pad2d', 'zeros', 'zeros_initializer', 'zeros_like']

__version__: str
