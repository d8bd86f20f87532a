"""Every family of operators, imported: whoever finds operators by the type that a file names imports this first."""

from .amp import loss_scaling
from .array import (
    assign,
    concat_split,
    creation,
    diagonal,
    expand,
    fed_axes,
    full,
    gather,
    gradient_shapes,
    pad,
    rearrange,
    reshape,
    slices,
    sorting,
    take,
    take_along_axis,
    triangles,
    where,
)
from .collective import coalesced, exchanges, reductions, rings, streams
from .decomposed import activations as decomposed_activations
from .decomposed import attention as decomposed_attention
from .decomposed import convolution as decomposed_convolution
from .decomposed import elementwise as decomposed_elementwise
from .decomposed import functions as decomposed_functions
from .decomposed import gamma as decomposed_gamma
from .decomposed import later as decomposed_later
from .decomposed import older as decomposed_older
from .decomposed import pooling as decomposed_pooling
from .decomposed import products as decomposed_products
from .decomposed import quantized as decomposed_quantized
from .decomposed import sequences as decomposed_sequences
from .fluid import (
    batch_size_like,
    filter_by_instag,
    hash,
    l2_normalize,
    lookup_table,
    mean_iou,
    older_images,
    older_shapes,
    older_updates,
    probability_losses,
    random_crop,
    scaled_products,
    similarity_focus,
    tdm,
)
from .graph import messages, neighbour_sampling, segments, tree_conv
from .linalg import eigen, einsum, least_squares, lu, matrices, matrix_product, products, qr_svd, solving, triangular
from .loss import (
    class_sampling,
    cross_entropy,
    ctc,
    focal,
    hierarchical_sigmoid,
    identity_loss,
    losses,
    margin_cross_entropy,
    nce,
    sample_logits,
    transducer,
)
from .math import (
    add_n,
    allclose,
    bessel,
    binary,
    casting,
    clip,
    cumulative,
    elementwise,
    extreme_positions,
    gamma,
    inverse_functions,
    numbers,
    reduce,
    statistics,
    unary,
)
from .metric import accuracy_auc, precision_recall
from .nn import (
    activation,
    attention,
    attention_lstm,
    bilinear,
    cell_gates,
    conv,
    cudnn_lstm,
    data_norm,
    dropout,
    dynamic_rnn,
    embedding,
    fold,
    masked_softmax,
    norm,
    pool,
    random_activations,
    rnn,
    rnn_units,
    row_conv,
    shared_statistics,
    softmax,
    spectral_norm,
    unpool,
)
from .optim import adaptive_rules, averages, given_tensors, merged, row_updates, rules
from .parameter_server import row_numbers, row_parts, rpc
from .program import control_flow, custom_gradient, print_assert, py_func, tensor_arrays, tensor_files
from .quant import abs_max, linear_quantize
from .random import sampling
from .sequence import (
    beam_search,
    branches,
    chunk_eval,
    convolution,
    crf,
    ctc_align,
    edit_distance,
    expanding,
    im2sequence,
    lod_reset,
    masks,
    match_matrix,
    padding,
    pooled_lookup,
    pooling,
    rank_table,
    sequence_softmax,
    slicing,
    variable_maps,
    viterbi,
)
from .signal import fft_operators, frames, stft
from .sparse import pattern_products, rulebook
from .vision import (
    affine_grid,
    anchors,
    boxes,
    deform_conv,
    deform_roi,
    detection_map,
    grid_sample,
    image_files,
    interpolate,
    mask_targets,
    matching,
    multiclass_nms,
    nms,
    pixel_shuffle,
    proposals,
    retina_selection,
    roi,
    roi_perspective,
    sample_at_places,
    target_sampling,
    yolo,
)

__all__ = [
    "abs_max", "accuracy_auc", "activation", "adaptive_rules", "add_n", "affine_grid", "allclose", "anchors", "assign",
    "attention", "attention_lstm", "averages", "batch_size_like", "beam_search", "bessel", "bilinear", "binary",
    "boxes", "branches", "casting", "cell_gates", "chunk_eval", "class_sampling", "clip", "coalesced", "concat_split",
    "control_flow", "conv", "convolution", "creation", "crf", "cross_entropy", "ctc", "ctc_align", "cudnn_lstm",
    "cumulative", "custom_gradient", "data_norm", "decomposed_activations", "decomposed_attention",
    "decomposed_convolution", "decomposed_elementwise", "decomposed_functions", "decomposed_gamma", "decomposed_later",
    "decomposed_older", "decomposed_pooling", "decomposed_products", "decomposed_quantized", "decomposed_sequences",
    "deform_conv", "deform_roi", "detection_map", "diagonal", "dropout", "dynamic_rnn", "edit_distance", "eigen",
    "einsum", "elementwise", "embedding", "exchanges", "expand", "expanding", "extreme_positions", "fed_axes",
    "fft_operators", "filter_by_instag", "focal", "fold", "frames", "full", "gamma", "gather", "given_tensors",
    "gradient_shapes", "grid_sample", "hash", "hierarchical_sigmoid", "identity_loss", "im2sequence", "image_files",
    "interpolate", "inverse_functions", "l2_normalize", "least_squares", "linear_quantize", "lod_reset", "lookup_table",
    "loss_scaling", "losses", "lu", "margin_cross_entropy", "mask_targets", "masked_softmax", "masks", "match_matrix",
    "matching", "matrices", "matrix_product", "mean_iou", "merged", "messages", "multiclass_nms", "nce",
    "neighbour_sampling", "nms", "norm", "numbers", "older_images", "older_shapes", "older_updates", "pad", "padding",
    "pattern_products", "pixel_shuffle", "pool", "pooled_lookup", "pooling", "precision_recall", "print_assert",
    "probability_losses", "products", "proposals", "py_func", "qr_svd", "random_activations", "random_crop",
    "rank_table", "rearrange", "reduce", "reductions", "reshape", "retina_selection", "rings", "rnn", "rnn_units",
    "roi", "roi_perspective", "row_conv", "row_numbers", "row_parts", "row_updates", "rpc", "rulebook", "rules",
    "sample_at_places", "sample_logits", "sampling", "scaled_products", "segments", "sequence_softmax",
    "shared_statistics", "similarity_focus", "slices", "slicing", "softmax", "solving", "sorting", "spectral_norm",
    "statistics", "stft", "streams", "take", "take_along_axis", "target_sampling", "tdm", "tensor_arrays",
    "tensor_files", "transducer", "tree_conv", "triangles", "triangular", "unary", "unpool", "variable_maps",
    "viterbi", "where", "yolo",
]
