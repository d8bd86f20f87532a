"""PaddlePaddle 3's names of operators, and what they are in `.pdmodel` files: their slots and attributes.

A line has a signature in the words of a declaration, `Input, @starts|StartsTensor -> Out`: what the operands are, one
after the other, and the results. `@starts` is an attribute here whose value is an operand there; where that is no
constant it goes to the slot behind the bar, a list of values to the one behind a second bar; where there is none it
takes the attribute's place. `Num:int32`: what PaddlePaddle 2.6.2 reads of no other dtype is cast. `-`: an operand or
result that has no slot here. Behind it stand the operators of this signature: `name=type` where the type is another
one, and in brackets the attributes: `theirs=ours`; `-theirs`, which says nothing here; `!theirs`, of which only false,
0 or an empty list can be computed; `ours:=value`, which is always so. Other attributes have the names of the
declaration.

A name that ends in `_`, the form in place, is the operator without it.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from typing import Any

_TABLE = """
X -> Out: abs acos acosh angle as_complex as_real asin asinh assign atan atanh bernoulli bitwise_not ceil celu
    channel_shuffle cholesky conj cos cosh cumprod(!exclusive,!reverse) diag=diag_v2 digamma eigvals elu erf erfinv exp
    expm1 fft_c2c fft_c2r fft_r2c flatten=flatten_contiguous_range flip floor frame gelu hardshrink=hard_shrink
    hardsigmoid=hard_sigmoid hardswish=hard_swish hardtanh=brelu identity_loss imag increment(value=step) is_empty
    isfinite=isfinite_v2 isinf=isinf_v2 isnan=isnan_v2 leaky_relu(negative_slope=alpha) lgamma log log10 log1p log2
    log_softmax logcumsumexp logical_not logit logsigmoid logsumexp matrix_power matrix_rank maxout mean_all=mean
    memcpy_d2h=assign(-dst_place_type) memcpy_h2d=assign(-dst_place_type) mish(lambda=threshold) overlap_add p_norm
    pixel_shuffle pixel_unshuffle pool3d(kernel_size=ksize) pow(y=factor) real reciprocal relu relu6 reverse
    round(!decimals) rsqrt selu share_data shard_index sigmoid sign silu sin sinh softmax softplus
    softshrink(threshold=lambda) softsign sqrt square stanh swish tan tanh tanh_shrink temporal_shift
    thresholded_relu(!value) transpose=transpose2(perm=axis) tril=tril_triu(lower:=true) triu=tril_triu(lower:=false)
    trunc unbind all=reduce_all(axis=dim,keepdim=keep_dim) any=reduce_any(axis=dim,keepdim=keep_dim)
    amax=reduce_amax(axis=dim,keepdim=keep_dim) amin=reduce_amin(axis=dim,keepdim=keep_dim)
    cast(dtype=out_dtype) gammaln=lgamma poisson standard_gamma repeat_interleave(repeats=Repeats,axis=dim,-output_size)
    shuffle_channel
X, @num_samples -> Out: multinomial
X, - -> Out: histogram(!density)
X* -> Out: partial_concat partial_sum add_n=sum multi_dot broadcast_tensors meshgrid
X* -> Y: stack
X -> Out, OutIndex: array_to_tensor=tensor_array_to_tensor
X, I -> Out: array_read=read_from_array
X -> Out: array_length=lod_array_length
X -> Out, Indices: kthvalue mode
X -> Out, MedianIndex: nanmedian
X -> Out, Soft: gumbel_softmax
X -> Out, Noise: rrelu
X -> Y: fold unfold unstack
input -> out: view_dtype
x -> out: i0 i0e i1 i1e lp_pool2d(-exclusive,-pooling_type) polygamma
x -> out, indices: cummax cummin
x -> out, medianindex: median
x -> s: svdvals
input -> out: as_strided tensor_unfold view_shape
x, y -> out: bitwise_left_shift(-is_arithmetic) bitwise_right_shift copysign gammaincc swiglu trunc_divide
x, target -> out: reduce_as
x, mask, value -> out: masked_fill
input, x, y -> out: baddbmm
b, lu, pivots -> out: lu_solve
x -> out, mask: fractional_max_pool2d(-return_mask) fractional_max_pool3d(-return_mask)
- -> out: tril_indices triu_indices
Input -> Out: det=determinant diag_embed diagonal shape shape64=shape numel=size slogdet=slogdeterminant trace
Input -> Output: inverse
X, Y -> Out: add=elementwise_add bmm cholesky_solve complex=complex cross(axis=dim) divide=elementwise_div
    dot elementwise_pow equal equal_all expand_as=expand_as_v2(-target_shape) floor_divide=elementwise_floordiv
    fmax=elementwise_fmax fmin=elementwise_fmin greater_equal greater_than heaviside=elementwise_heaviside kron
    less_equal less_than logical_and logical_or logical_xor matmul=matmul_v2(transpose_x=trans_x,transpose_y=trans_y)
    maximum=elementwise_max minimum=elementwise_min multiply=elementwise_mul not_equal remainder=elementwise_mod solve
    subtract=elementwise_sub triangular_solve bitwise_and bitwise_or bitwise_xor
X1, X2 -> Out: atan2
X, @axis -> Out: argmax=arg_max argmin=arg_min cumsum
X*, @axis|AxisTensor -> Out: concat
X, @dim -> Out: max=reduce_max(keepdim=keep_dim) mean=reduce_mean(keepdim=keep_dim) min=reduce_min(keepdim=keep_dim)
    prod=reduce_prod(keepdim=keep_dim) sum=reduce_sum(keepdim=keep_dim,dtype=out_dtype)
    frobenius_norm(keepdim=keep_dim)
X, @shape|Shape|ShapeTensor -> Out: legacy_reshape=reshape reshape=reshape2
X, @shape|Shape|expand_shapes_tensor -> Out: expand=expand_v2
X, @repeat_times|RepeatTimes|repeat_times_tensor -> Out: tile
X, RepeatsTensor -> Out: repeat_interleave_with_tensor_index=repeat_interleave(axis=dim,-output_size)
X, @axes -> Out: squeeze=squeeze2
X, @axes|AxesTensor|AxesTensorList -> Out: unsqueeze=unsqueeze2
X, @shifts|ShiftsTensor -> Out: roll
X, @scale|ScaleTensor -> Out: scale
X, @min|Min, @max|Max -> Out: clip
X, @pad_value -> Out: pad
X, @paddings|Paddings -> Out: pad3d(pad_value=value)
X, @ksize -> Out: pool2d
X, @k|K -> Out, Indices: topk=top_k_v2
X, @depth|depth_tensor -> Out: one_hot=one_hot_v2
X, @value -> Out: full_like=fill_any_like
X, @sections||SectionsTensorList, @axis|AxisTensor -> Out: split
X, @axis|AxisTensor -> Out: split_with_num=split
X, Seed, @dropout_prob -> Out, Mask: dropout(mode=dropout_implementation)
X, @maxlen|MaxLenTensor:int32 -> Y: sequence_mask
X -> Out, Indices: argsort(-stable)
X -> Out, Mask: max_pool2d_with_index(kernel_size=ksize,!ceil_mode) max_pool3d_with_index(kernel_size=ksize,!ceil_mode)
X, OutSize:int32, SizeTensor*:int32, Scale -> Out: bicubic_interp=bicubic_interp_v2(data_format=data_layout)
    bilinear_interp=bilinear_interp_v2(data_format=data_layout) linear_interp=linear_interp_v2(data_format=data_layout)
    nearest_interp=nearest_interp_v2(data_format=data_layout)
    trilinear_interp=trilinear_interp_v2(data_format=data_layout)
Input, Filter -> Output: conv2d conv3d conv3d_transpose depthwise_conv2d
Input, Filter, @output_size -> Output: conv2d_transpose depthwise_conv2d_transpose
Input, Offset, Filter, Mask -> Output: deformable_conv
Input, Offset, Filter -> Output: deformable_conv_v1
Ids, W -> Out: embedding=lookup_table_v2(sparse=is_sparse)
X, Mean, Variance, Scale, Bias -> Y, MeanOut, VarianceOut, SavedMean, SavedVariance, -:
    batch_norm(data_format=data_layout)
X, Scale, Bias -> Y, Mean, Variance: layer_norm group_norm(data_format=data_layout)
X, Scale, Bias -> Y, SavedMean, SavedVariance: instance_norm
X, Alpha -> Out: prelu
X, Grid -> Output: grid_sample=grid_sampler
Theta, @output_shape|OutputShape -> Output: affine_grid
Input, @starts|StartsTensor|StartsTensorList, @ends|EndsTensor|EndsTensorList -> Out: slice
Input, @starts|StartsTensor|StartsTensorList, @ends|EndsTensor|EndsTensorList, @strides|StridesTensor|StridesTensorList
    -> Out: strided_slice
Input, @starts||StartsTensorList, @ends||EndsTensorList, @steps||StepsTensorList -> Out: set_value
Input, ValueTensor, @starts||StartsTensorList, @ends||EndsTensorList, @steps||StepsTensorList -> Out:
    set_value_with_tensor=set_value(values:=null)
X, Index, @axis|Axis -> Out: gather
X, Index -> Out: gather_nd index_sample index_select(axis=dim)
X, Ids, Updates -> Out: scatter
X, Index, Updates -> Out: scatter_nd_add
X, Index, AddValue -> Out: index_add
x, indices*, value -> out: index_put
Input, Index -> Result: take_along_axis(axis=Axis)
Input, Index, Value -> Result: put_along_axis(axis=Axis,reduce=Reduce,include_self=Include_self)
X, Mask -> Y: masked_select
Condition, X, Y -> Out: where
Condition -> Out: nonzero=where_index
X*, Ids -> Out: multiplex
X, Y -> Out: dist fill_diagonal_tensor
X -> Out: renorm fill_diagonal
X, @shape|Shape, @offsets|Offsets -> Out: crop=crop_tensor
X, Y, Weight -> Out: lerp
X, Y, Weight, Bias -> Out: bilinear=bilinear_tensor_product
Input, X, Y -> Out: addmm(beta=Beta,alpha=Alpha)
X, Vec -> Out: mv
x, y -> out: nextafter
Operands* -> Out, -, -: einsum
Input, Other, @rtol|Rtol, @atol|Atol -> Out: allclose isclose
SortedSequence, Values -> Out: searchsorted
X, Weights, @minlength -> Out: bincount
X -> Out, Indices, Index, Counts: unique(-is_sorted)
X -> Out, Index, Counts: unique_consecutive
X, - -> Out: assign_out=assign
X, TolTensor -> Out: matrix_rank_tol=matrix_rank
Start, Stop, Num:int32, Base -> Out: logspace
X -> Q, R: qr
X -> U, S, VH: svd
X -> Eigenvalues, Eigenvectors: eig eigh eigvalsh(uplo=UPLO)
X, Y, @rcond -> Solution, Residuals, Rank, SingularValues: lstsq
X -> Out, Pivots, Infos: lu(pivot=pivots)
X, Pivots -> Pmat, L, U: lu_unpack
Input, PreState*, WeightList*, SequenceLength, - -> Out, DropoutState, State*, Reserve: rnn
Input, HiddenPrev, Weight, Bias -> Gate, ResetHiddenPrev, Hidden: gru_unit
Logits, Label -> Softmax, Loss: cross_entropy_with_softmax=softmax_with_cross_entropy margin_cross_entropy
X, Label -> Out: bce_loss
X, Label, pos_weight -> Out: sigmoid_cross_entropy_with_logits
X, Label, Weight -> Out, Total_weight: nll_loss
X, Label, W, Bias, PathTable, PathCode -> Out, PreOut, -: hsigmoid_loss=hierarchical_sigmoid
Logits, Label, LogitsLength, LabelLength -> Loss, WarpCTCGrad: warpctc
X, Y -> Out, Residual: huber_loss
X, Target -> Loss: kldiv_loss(!log_target)
Predicted, Labels -> Loss: log_loss
X, PriorDist -> Out: label_smooth
Out, Indices, Label -> Accuracy, Correct, Total: accuracy
q, k, v, fixed_seed_offset, attn_mask -> out, softmax, softmax_lse, seed_offset: flash_attn(-return_softmax,-rng_name)
x, bias, residual, norm_weight, norm_bias -> out, residual_out, mean, variance:
    fused_bias_residual_layernorm(-quant_round_type,-quant_max_bound,-quant_min_bound)
x, bias, residual, norm_weight, norm_bias -> out, residual_out, inv_var:
    fused_rms_norm_quant=rms_norm(-quant_round_type,-quant_max_bound,-quant_min_bound)
    rms_norm(-quant_round_type,-quant_max_bound,-quant_min_bound)
X, Mask -> Out: fused_softmax_mask
X -> Out: fused_softmax_mask_upper_triangle
Ids, Parents -> Out: gather_tree
Input, Transition, Length -> Scores, Path: viterbi_decode
Weight, U, V -> Out: spectral_norm
Start, Stop, Num:int32 -> Out: linspace
@num_rows, @num_columns -> Out: eye
@shape|ShapeTensor|ShapeTensorList -> Out: gaussian=gaussian_random randint
@shape -> Out: truncated_gaussian_random
@shape|ShapeTensor|ShapeTensorList, @min, @max -> Out: uniform=uniform_random
@n -> Out: randperm
Input, Image -> Boxes, Variances: prior_box
Input -> Anchors, Variances: anchor_generator
PriorBox, PriorBoxVar, TargetBox -> OutputBox: box_coder
X, ImgSize -> Boxes, Scores: yolo_box
X, GTBox, GTLabel, GTScore -> Loss, ObjectnessMask, GTMatchMask: yolo_loss=yolov3_loss
Boxes -> KeepBoxesIdxs: nms(threshold=iou_threshold)
BBoxes, Scores, RoisNum -> Out, Index, NmsRoisNum: multiclass_nms3
BBoxes, Scores -> Out, Index, RoisNum: matrix_nms
X, ROIs, RoisNum -> Out: roi_align psroi_pool
X, ROIs, RoisNum -> Out, Argmax: roi_pool
MultiLevelRois*, MultiLevelScores*, MultiLevelRoIsNum* -> FpnRois, RoisNum:
    collect_fpn_proposals(post_nms_topn=post_nms_topN)
FpnRois, RoisNum -> MultiFpnRois*, MultiLevelRoIsNum*, RestoreIndex: distribute_fpn_proposals
Scores, BboxDeltas, ImShape, Anchors, Variances -> RpnRois, RpnRoiProbs, RpnRoisNum:
    generate_proposals=generate_proposals_v2(pre_nms_top_n=pre_nms_topN,post_nms_top_n=post_nms_topN)
Input, ImInfo -> Output: box_clip
X, Scale, ZeroPoint, -, - -> Y, -, -, -: dequantize_linear(-qmin,-qmax) quantize_linear(-qmin,-qmax)
X, InScale, InAccum, InState -> Out, OutScale, OutState, OutAccum: fake_quantize_dequantize_moving_average_abs_max
X, Neighbors, Count, HashTable_Value, HashTable_Index -> Reindex_Src, Reindex_Dst, Out_Nodes:
    reindex_graph=graph_reindex
X, Src_index, Dst_index, @out_size|Out_size -> Out, Dst_count: send_u_recv=graph_send_recv
X, Y, Src_index, Dst_index, @out_size|Out_size -> Out, Dst_count: send_ue_recv=graph_send_ue_recv
x, y, src_index, dst_index -> out: send_uv=graph_send_uv
X, SegmentIds -> Out, SummedIds: segment_pool
X, Indices, @output_size -> Out: unpool(padding=paddings)
X, Indices -> Out: unpool3d
"""


@dataclass(frozen=True)
class Operand:
    """Where an operand or a result goes: a slot, an attribute (with a slot for what is no constant), or nowhere."""

    slot: str
    attribute: str = ""
    listed: str = ""
    dtype: str = ""


@dataclass(frozen=True)
class Correspondence:
    """What an operator of PaddlePaddle 3 is here."""

    type: str
    operands: tuple[Operand, ...]
    results: tuple[str, ...]
    renamed: dict[str, str] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    zero: frozenset[str] = frozenset()
    fixed: dict[str, Any] = field(default_factory=dict)


def _operand(text: str) -> Operand:
    text, _, dtype = text.partition(":")
    if text.startswith("@"):
        attribute, slot, listed, *_ = f"{text[1:]}||".split("|")
        return Operand(slot, attribute, listed, dtype)
    return Operand("" if text == "-" else text.removesuffix("*"), dtype=dtype)


def _entry(word: str, operands: tuple[Operand, ...], results: tuple[str, ...]) -> tuple[str, Correspondence]:
    named, _, listed = word.partition("(")
    name, _, type = named.partition("=")
    renamed, ignored, zero, fixed = {}, set(), set(), {}
    for item in listed.removesuffix(")").split(",") if listed else ():
        theirs, equals, ours = item.partition("=")
        if theirs.startswith("-"):
            ignored.add(theirs[1:])
        elif theirs.startswith("!"):
            zero.add(theirs[1:])
        elif theirs.endswith(":"):
            fixed[theirs[:-1]] = json.loads(ours)
        elif equals:
            renamed[theirs] = ours
    return name, Correspondence(type or name, operands, results, renamed, frozenset(ignored), frozenset(zero), fixed)


@functools.cache
def correspondences() -> dict[str, Correspondence]:
    """By the names of PaddlePaddle 3, without those of the forms in place."""
    found: dict[str, Correspondence] = {}
    for line in _TABLE.replace("\n    ", " ").strip().splitlines():
        signature, _, words = line.partition(": ")
        given, _, made = signature.partition(" -> ")
        operands = tuple(_operand(text.strip()) for text in given.split(","))
        results = tuple(_operand(text.strip()).slot for text in made.split(","))
        for word in words.split():
            name, entry = _entry(word, operands, results)
            if name in found:
                raise ValueError(f"the table names {name!r} twice")
            found[name] = entry
    return found
