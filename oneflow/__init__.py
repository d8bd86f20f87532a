"""OneFlow: `import proa.oneflow as flow`, or `import oneflow as flow` under `python -m proa run`.

A face: it translates OneFlow's names, arguments, shapes and defaults to the operators that are there, and computes
nothing of its own. `flow.global_function` makes jobs of functions (`job/`); their variables are `flow.get_variable`'s.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach
from .refused import explaining

if TYPE_CHECKING:
    # Element types
    from ..core.dtype import (
        bfloat16,
        complex64,
        complex128,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
    )
    from ..core.dtype import bool_ as bool
    from .dtypes import char, convert_oneflow_dtype_to_numpy_dtype, double, dtype, half, long
    from .dtypes import float_ as float
    from .dtypes import int_ as int

    # isort: split
    # Jobs and what is around them
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

    # isort: split
    # Functions of arrays, initializers. Those that eager tensors know with other arguments: `in_jobs` of `meanings.py`
    from . import deprecated, experimental, image, initializers, linalg, math, random, regularizers, system, util
    from .array.choosing import argsort, argwhere, assign, masked_fill, nonzero, sort, where
    from .array.creation import (
        cast,
        constant,
        constant_like,
        constant_scalar,
        diag,
        elem_cnt,
        one_hot,
        ones,
        ones_like,
        range,
        zeros,
        zeros_like,
    )
    from .array.gathering import (
        dim_gather,
        gather,
        gather_nd,
        scatter_nd,
        tensor_scatter_nd_add,
        tensor_scatter_nd_update,
    )
    from .array.padding import (
        constant_pad2d,
        pad,
        pad_grad,
        reflection_pad2d,
        replication_pad2d,
        same_padding,
        zero_pad2d,
    )
    from .array.shapes import (
        amp_white_identity,
        broadcast_like,
        cast_to_static_shape,
        dynamic_reshape,
        expand,
        expand_dims,
        flatten,
        identity,
        identity_n,
        reshape,
        reshape_like,
        squeeze,
        transpose,
    )
    from .array.slices import reverse, slice, slice_update, slice_v2, sync_dynamic_resize
    from .array.stacking import broadcast_to_compatible_with, concat, stack
    from .initializers import (
        constant_initializer,
        empty_initializer,
        glorot_normal_initializer,
        glorot_uniform_initializer,
        kaiming_initializer,
        ones_initializer,
        random_normal_initializer,
        random_uniform_initializer,
        truncated_normal,
        truncated_normal_initializer,
        variance_scaling_initializer,
        xavier_normal_initializer,
        xavier_uniform_initializer,
        zeros_initializer,
    )
    from .linalg import matmul
    from .math.counting import count_not_finite, in_top_k, multi_count_not_finite
    from .math.limits import clip_by_value
    from .math.limits import clip_by_value as clamp
    from .math.limits import clip_by_value as clip
    from .math.limits import clip_by_value as clip_by_scalar
    from .math.segments import unsorted_batch_segment_sum, unsorted_segment_sum, unsorted_segment_sum_like

    # isort: split
    # Functions of values, and layers
    from . import layers, nn
    from .layers.ordinal_encoder import categorical_ordinal_encode
    from .nn.ctc import ctc_loss
    from .nn.loss import combined_margin_loss, smooth_l1_loss

    # isort: split
    # Values of variables, and data
    from . import checkpoint, data, snapshot, train
    from .checkpoint import load_variables
    from .variable_values import get_all_variables
else:
    _load, __dir__ = attach(__name__)
    __getattr__ = explaining(__name__, _load)
    from .dtypes import dtypes  # at once: loading the module of that name would put it in the function's place

__version__ = "0.6.0"
