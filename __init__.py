"""proa: Paddle's API on NumPy and CuPy. `import proa as paddle`.

The public names stand below as imports, where readers and checkers find them; each is loaded when it is first touched.
"""

from typing import TYPE_CHECKING

from .core.blas_waiting import shorten
from .core.lazy import attach, provide, stand_at
from .core.tracebacks import begin_with_ipython
from .version import full_version as __version__

shorten()
provide("default trace", by="proa.dygraph.eager")
provide("staging", by="proa.jit.convert.functions")
provide("operators", by="proa.ops.catalogue")
provide("helpers of layers", by="proa.static.building.layer_helper")
provide("paddle.base.core", by="proa.base.core")
provide("paddle.base.framework", by="proa.base.framework")
provide("DLPack", by="proa.utils.dlpack")
provide("predictors of 1.x", by="proa.fluid.inference_api")
provide("functions below the public ones", by="proa._C_ops")
provide("lists of Programs", by="proa.static.building.tensor_arrays")
provide("traces of Programs", by="proa.static.building.mode")
provide("models of Programs", by="proa.hapi.program_model")
provide("parameter servers", by="proa.fluid.incubate.fleet.parameter_server.for_fleet")
begin_with_ipython()
# at the root they would hide modules of these names from whoever runs a file there
stand_at(__name__, signal="utils.signal", sysconfig="utils.sysconfig", onnx="interchange.onnx")

if TYPE_CHECKING:
    from . import (
        _C_ops,
        _legacy_C_ops,
        amp,
        audio,
        autograd,
        base,
        callbacks,
        common_ops_import,
        compat,
        dataset,
        device,
        distributed,
        distribution,
        fft,
        framework,
        geometric,
        hapi,
        hub,
        incubate,
        inference,
        interchange,
        io,
        jit,
        linalg,
        metric,
        nn,
        optimizer,
        pir,
        pir_utils,
        profiler,
        quantization,
        reader,
        regularizer,
        sparse,
        static,
        tensor,
        text,
        utils,
        vision,
    )
    from .backend.threads import get_num_threads, set_num_threads
    from .core.dtype import DType as dtype
    from .core.dtype import (
        bfloat16,
        complex64,
        complex128,
        float8_e4m3fn,
        float8_e5m2,
        float16,
        float32,
        float64,
        get_default_dtype,
        int8,
        int16,
        int32,
        int64,
        set_default_dtype,
        uint8,
    )
    from .core.dtype import bool_ as bool
    from .core.flags import get_flags, set_flags
    from .core.param_attr import ParamAttr
    from .core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
    from .core.random import get_rng_state, seed, set_rng_state
    from .device import (
        CustomPlace,
        IPUPlace,
        XPUPlace,
        get_cudnn_version,
        get_device,
        is_compiled_with_cinn,
        is_compiled_with_cuda,
        is_compiled_with_custom_device,
        is_compiled_with_distribute,
        is_compiled_with_ipu,
        is_compiled_with_rocm,
        is_compiled_with_xpu,
        set_device,
    )
    from .distributed.parallel import DataParallel
    from .dygraph.engine import grad
    from .dygraph.guards import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
    from .dygraph.lazy import LazyGuard
    from .dygraph.printing import set_printoptions
    from .dygraph.tensor import Tensor
    from .framework import disable_signal_handler
    from .framework.async_io import async_save, clear_async_save_task_queue
    from .framework.io import load, save
    from .framework.random import get_cuda_rng_state, set_cuda_rng_state
    from .hapi.flops import flops
    from .hapi.model import Model
    from .hapi.summary import summary
    from .interchange import onnx
    from .io import DataLoader
    from .io.batch_sampler import batch
    from .ops.array.assign import clone, increment, rank, shape, tolist
    from .ops.array.concat_split import broadcast_tensors, chunk, concat, hstack, split, stack, unbind, unstack, vstack
    from .ops.array.creation import (
        arange,
        assign,
        empty_like,
        eye,
        full_like,
        linspace,
        logspace,
        meshgrid,
        ones_like,
        to_tensor,
        zeros_like,
    )
    from .ops.array.diagonal import cross, diag, diag_embed, diagflat, diagonal, kron, trace
    from .ops.array.expand import broadcast_shape, broadcast_to, expand, expand_as, tile
    from .ops.array.fill import diagonal_scatter
    from .ops.array.full import empty, full, ones, zeros
    from .ops.array.full import is_value as is_tensor
    from .ops.array.gather import (
        gather,
        gather_nd,
        index_add,
        index_select,
        scatter,
        scatter_nd,
        scatter_nd_add,
    )
    from .ops.array.rearrange import (
        as_complex,
        as_real,
        complex,
        flip,
        imag,
        real,
        repeat_interleave,
        reverse,
        roll,
        rot90,
    )
    from .ops.array.reshape import (
        flatten,
        moveaxis,
        reshape,
        squeeze,
        swapaxes,
        t,
        transpose,
        unsqueeze,
        view,
    )
    from .ops.array.slices import slice_ as slice
    from .ops.array.slices import strided_slice
    from .ops.array.sorting import (
        argsort,
        bincount,
        bucketize,
        histogram,
        kthvalue,
        mode,
        searchsorted,
        sort,
        topk,
        unique,
        unique_consecutive,
    )
    from .ops.array.take import (
        combinations,
        crop,
        index_fill,
        multiplex,
        select_scatter,
        shard_index,
        take,
        tril_indices,
        triu_indices,
    )
    from .ops.array.take_along_axis import index_sample, put_along_axis, take_along_axis
    from .ops.array.triangles import tril, triu
    from .ops.array.unflatten import (
        as_strided,
        atleast_1d,
        atleast_2d,
        atleast_3d,
        unflatten,
        unfold,
        view_as,
        vsplit,
    )
    from .ops.array.where import index_put, masked_fill, masked_select, nonzero, where
    from .ops.in_place import (
        abs_,
        acos_,
        acosh_,
        addmm_,
        asin_,
        asinh_,
        atan_,
        atanh_,
        bitwise_and_,
        bitwise_not_,
        bitwise_or_,
        bitwise_xor_,
        cast_,
        cauchy_,
        cos_,
        cosh_,
        cumprod_,
        cumsum_,
        digamma_,
        divide_,
        equal_,
        erf_,
        expm1_,
        floor_divide_,
        floor_mod_,
        frac_,
        gcd_,
        geometric_,
        greater_equal_,
        greater_than_,
        hypot_,
        i0_,
        index_add_,
        index_fill_,
        index_put_,
        lcm_,
        ldexp_,
        less_equal_,
        less_than_,
        lgamma_,
        log1p_,
        log2_,
        log10_,
        log_,
        logical_and_,
        logical_not_,
        logical_or_,
        logical_xor_,
        logit_,
        masked_fill_,
        mod_,
        multigammaln_,
        multiply_,
        nan_to_num_,
        neg_,
        normal_,
        not_equal_,
        polygamma_,
        pow_,
        remainder_,
        renorm_,
        reshape_,
        scatter_,
        sin_,
        sinh_,
        square_,
        squeeze_,
        t_,
        tan_,
        tanh_,
        transpose_,
        tril_,
        triu_,
        trunc_,
        unsqueeze_,
        where_,
    )
    from .ops.linalg.distances import cdist, renorm
    from .ops.linalg.eigen import eigvalsh
    from .ops.linalg.einsum import einsum
    from .ops.linalg.matrix_product import matmul, mm
    from .ops.linalg.products import addmm, bmm, dot, inner, mv, outer, tensordot
    from .ops.linalg.solving import inverse
    from .ops.linalg.triangular import cholesky
    from .ops.math.add_n import add_n
    from .ops.math.allclose import allclose, equal_all, is_empty, isclose
    from .ops.math.bessel import i0, i0e, i1, i1e
    from .ops.math.binary import (
        atan2,
        fmax,
        fmin,
        gcd,
        heaviside,
        hypot,
        lcm,
        ldexp,
        lerp,
        logaddexp,
        nextafter,
    )
    from .ops.math.casting import cast
    from .ops.math.clip import clip
    from .ops.math.comparison import (
        bitwise_and,
        bitwise_or,
        bitwise_xor,
        equal,
        greater_equal,
        greater_than,
        less_equal,
        less_than,
        logical_and,
        logical_or,
        logical_xor,
        not_equal,
    )
    from .ops.math.cumulative import cummax, cummin, cumprod, cumsum, logcumsumexp
    from .ops.math.differences import cumulative_trapezoid, diff, trapezoid, vander
    from .ops.math.elementwise import (
        add,
        divide,
        floor_divide,
        floor_mod,
        maximum,
        minimum,
        mod,
        multiply,
        neg,
        pow,
        remainder,
        scale,
        subtract,
    )
    from .ops.math.extreme_positions import argmax, argmin
    from .ops.math.gamma import digamma, lgamma, multigammaln, polygamma
    from .ops.math.inverse_functions import erfinv, logit
    from .ops.math.nan_statistics import nanmedian, nanquantile
    from .ops.math.numbers import (
        angle,
        conj,
        deg2rad,
        finfo,
        frexp,
        iinfo,
        is_complex,
        is_floating_point,
        is_integer,
        nan_to_num,
        polar,
        rad2deg,
        sgn,
    )
    from .ops.math.reduce import (
        all,
        amax,
        amin,
        any,
        count_nonzero,
        max,
        mean,
        min,
        numel,
        prod,
        sum,
    )
    from .ops.math.statistics import dist, logsumexp, median, nanmean, nansum, norm, quantile, std, var
    from .ops.math.unary import (
        abs,
        acos,
        acosh,
        asin,
        asinh,
        atan,
        atanh,
        bitwise_not,
        ceil,
        cos,
        cosh,
        erf,
        exp,
        expm1,
        floor,
        frac,
        isfinite,
        isinf,
        isnan,
        log,
        log1p,
        log2,
        log10,
        logical_not,
        reciprocal,
        round,
        rsqrt,
        sign,
        sin,
        sinh,
        sqrt,
        square,
        stanh,
        tan,
        tanh,
        trunc,
    )
    from .ops.random.sampling import (
        bernoulli,
        multinomial,
        normal,
        poisson,
        rand,
        randint,
        randint_like,
        randn,
        randperm,
        standard_normal,
        uniform,
    )
    from .static.building.argument_checks import check_shape
    from .static.building.data import create_parameter
    from .static.building.mode import disable_static, enable_static, in_dynamic_mode
    from .utils import signal, sysconfig
else:
    __getattr__, __dir__ = attach(__name__)
