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
    # Functions of arrays, initializers. Those that eager tensors know with other arguments are in `two_forms.py`
    from . import (
        deprecated,
        distributed,
        experimental,
        image,
        initializers,
        keras,
        linalg,
        math,
        random,
        regularizers,
        sbp,
        special,
        system,
        util,
    )
    from .array.choosing import assign
    from .array.creation import constant, constant_like, constant_scalar, elem_cnt, one_hot, range
    from .array.gathering import dim_gather, tensor_scatter_nd_add
    from .array.padding import constant_pad2d, pad_grad, reflection_pad2d, replication_pad2d, same_padding, zero_pad2d
    from .array.shapes import (
        amp_white_identity,
        cast_to_static_shape,
        dynamic_reshape,
        expand_dims,
        identity,
        identity_n,
        reshape_like,
    )
    from .array.slices import reverse, slice_v2, sync_dynamic_resize
    from .array.stacking import broadcast_to_compatible_with
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
    from .math.counting import count_not_finite, multi_count_not_finite
    from .math.limits import clip_by_value
    from .math.limits import clip_by_value as clip_by_scalar
    from .math.segments import unsorted_batch_segment_sum, unsorted_segment_sum, unsorted_segment_sum_like

    # isort: split
    # Functions of values, and layers
    from . import layers, nn
    from .layers.ordinal_encoder import categorical_ordinal_encode
    from .nn.ctc import ctc_loss
    from .nn.loss import combined_margin_loss, smooth_l1_loss

    # isort: split
    # Eager tensors, modules, optimizers
    from ..backend.threads import set_num_threads
    from ..ops.math.numbers import finfo, iinfo
    from . import _C, autograd, cuda, optim, utils
    from .autograd.modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
    from .autograd.modes import enable_grad as grad_enable
    from .default_types import get_default_dtype, set_default_dtype
    from .devices import device
    from .eager import (
        Tensor,
        abs,
        acos,
        acosh,
        add,
        addcdiv,
        addcmul,
        addmm,
        all,
        allclose,
        amax,
        amin,
        any,
        arange,
        arccos,
        arccosh,
        arcsin,
        arcsinh,
        arctan,
        arctanh,
        argmax,
        argmin,
        as_strided,
        as_tensor,
        asin,
        asinh,
        atan,
        atan2,
        atanh,
        atleast_1d,
        atleast_2d,
        atleast_3d,
        baddbmm,
        batch_gather,
        batch_matmul,
        bernoulli,
        bincount,
        bitwise_and,
        bitwise_not,
        bitwise_or,
        bitwise_xor,
        bmm,
        broadcast_shapes,
        broadcast_tensors,
        broadcast_to,
        cat,
        cdist,
        ceil,
        chunk,
        clamp_max,
        clamp_min,
        clone,
        column_stack,
        conj,
        cos,
        cosh,
        cosine_similarity,
        cross,
        cumprod,
        cumsum,
        det,
        diagonal,
        digamma,
        div,
        divide,
        dot,
        dstack,
        einsum,
        empty,
        empty_like,
        eq,
        equal,
        erf,
        erfc,
        erfinv,
        exp,
        exp2,
        expm1,
        eye,
        flip,
        floor,
        floor_divide,
        fmod,
        frac,
        from_numpy,
        full,
        full_like,
        ge,
        gelu,
        greater,
        greater_equal,
        gt,
        hann_window,
        hsplit,
        hstack,
        imag,
        index_add,
        index_select,
        inverse,
        is_floating_point,
        is_nonzero,
        is_tensor,
        isclose,
        isfinite,
        isinf,
        isnan,
        le,
        lerp,
        less,
        less_equal,
        lgamma,
        linspace,
        log,
        log1p,
        log2,
        log10,
        log_softmax,
        logaddexp,
        logical_and,
        logical_not,
        logical_or,
        logical_xor,
        logspace,
        logsumexp,
        lt,
        masked_select,
        max,
        maximum,
        mean,
        median,
        meshgrid,
        min,
        minimum,
        mish,
        mm,
        mode,
        movedim,
        mul,
        multinomial,
        multiply,
        mv,
        nansum,
        narrow,
        ne,
        neg,
        negative,
        norm,
        normal,
        not_equal,
        numel,
        permute,
        polygamma,
        pow,
        prod,
        quantile,
        quick_gelu,
        rand,
        rand_like,
        randint,
        randint_like,
        randn,
        randn_like,
        randperm,
        real,
        reciprocal,
        relu,
        remainder,
        repeat,
        repeat_interleave,
        roll,
        round,
        row_stack,
        rsqrt,
        scatter,
        scatter_add,
        searchsorted,
        select,
        selu,
        sigmoid,
        sign,
        silu,
        sin,
        sinh,
        softmax,
        softplus,
        softshrink,
        softsign,
        split,
        sqrt,
        square,
        std,
        sub,
        subtract,
        sum,
        swapaxes,
        swapdims,
        t,
        tan,
        tanh,
        tensor,
        tensor_split,
        tensordot,
        threshold,
        tile,
        topk,
        trace,
        tril,
        triu,
        true_divide,
        trunc,
        unbind,
        unfold,
        unique,
        unsqueeze,
        var,
        view,
        vsplit,
        vstack,
    )
    from .global_tensors import placement
    from .nn.functional import (
        adaptive_avg_pool1d,
        adaptive_avg_pool2d,
        adaptive_avg_pool3d,
        deform_conv2d,
    )
    from .printing import set_printoptions
    from .random_state import Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
    from .saving import load, save
    from .size import Size
    from .tensor_types import (
        BoolTensor,
        ByteTensor,
        CharTensor,
        DoubleTensor,
        FloatTensor,
        HalfTensor,
        IntTensor,
        LongTensor,
    )
    from .two_forms import (
        argsort,
        argwhere,
        broadcast_like,
        cast,
        clamp,
        clip,
        concat,
        diag,
        expand,
        flatten,
        gather,
        gather_nd,
        in_top_k,
        masked_fill,
        matmul,
        nonzero,
        ones,
        ones_like,
        pad,
        reshape,
        scatter_nd,
        slice,
        slice_update,
        sort,
        squeeze,
        stack,
        tensor_scatter_nd_update,
        transpose,
        where,
        zeros,
        zeros_like,
    )

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
