"""Why an operator takes longer here than in PyTorch, where it does: said once for a kind of operator, by size.

A reason is looked up for an operator at a number of elements; the report names those that have none.
"""

SMALL, MIDDLE, LARGE = 100, 10_000, 1_000_000

_SINGLE = (
    "add, subtract, multiply, divide, floor_divide, pow, scale, neg, abs, square, sqrt, rsqrt, exp, "
    "expm1, log, sin, cos, cosh, tanh, floor, maximum, minimum, bitwise_and, bitwise_or, bitwise_xor, "
    "bitwise_not, logical_and, logical_not, equal, less_than, greater_equal, isfinite, isnan, where, "
    "astype, to_tensor, clone, max, min, all, any, argmax, cumsum, embedding, index_select, add a row, "
    "add a number")
_LOOPS = (
    "relu, relu6, leaky_relu, sigmoid, silu, gelu, hardswish, softmax, log_softmax, layer_norm, mse_loss, "
    "erf, round, sign, clip, atan2, mean, sum, sum of rows, sum of columns, prod, logsumexp, norm, rsqrt, min, max, "
    "nonzero")

REASONS = (
    ("Nothing is computed: what is timed is the call, whose arguments are read in Python here: 0.4 to 1 µs.",
     (SMALL, MIDDLE, LARGE), "reshape, flatten, transpose, T, squeeze, unsqueeze, broadcast_to"),
    ("Nothing is computed, and the arguments take longest: keys of `[]`, a grid of two views.",
     (SMALL, MIDDLE, LARGE), "slice, meshgrid"),
    ("Copies the numbers, where PyTorch shares its memory: optimizers update parameters in place, under the feet of "
     "whoever would hold a shared array.", (SMALL, MIDDLE, LARGE), "numpy"),
    ("One call of NumPy, whose entry is 0.3–0.6 µs, or a form of it in C, up to two thousand elements or thirty; NumPy "
     "has no vector code for some functions.",
     (SMALL, MIDDLE), _SINGLE),
    ("A generated loop, found in Python by shapes and strides: about 1.5 µs a call, which more elements make up for.",
     (SMALL, MIDDLE), _LOOPS),
    ("Shape, dtype and fill are read from arguments of many kinds in Python: 1–2 µs.",
     (SMALL, MIDDLE), "zeros, ones, full, ones_like, arange, linspace, eye, diag, tile"),
    ("New memory of several MB, which the system hands out page by page; PyTorch's allocator keeps more of what was "
     "freed.",
     (LARGE,), "zeros, ones, full, ones_like, clone, neg, to_tensor, concat, stack"),
    ("A list of Tensors is looked through in Python, and again by NumPy.", (SMALL, MIDDLE),
     "concat, stack, unbind, split, add_n, einsum"),
    ("The key of `[]` is read in Python; then one call of NumPy.", (SMALL, MIDDLE), "index, mask"),
    ("The windows are read from arguments in Python, 1–2 µs; above some thousand products oneDNN is called through "
     "ctypes, with memory that is bound in every call, 5–15 µs.", (SMALL, MIDDLE),
     "conv2d, conv1d, max_pool2d, avg_pool2d, adaptive_avg_pool2d, matmul, bmm, linear, batch_norm"),
    ("Several operators one after another, each with its call, where PyTorch has one function.",
     (SMALL, MIDDLE), "cosine_similarity, cross_entropy, std, instance_norm, pad, roll, allclose"),
    ("The numbers are those that PaddlePaddle draws, word by word, under a lock; PyTorch draws others.",
     (SMALL, MIDDLE), "rand, randn, randint"),
    ("The median is the mean of two elements of a sorted row, three operators; PyTorch takes the lower one of both.",
     (SMALL, MIDDLE), "median"),
    ("Sorting and selecting set up buffers for every call; what they gain on large arrays comes from them.",
     (SMALL, MIDDLE), "sort, argsort, topk, unique"),
    ("PyTorch takes MKL's vector functions on Intel's processors; on AMD's these loops take 0.14 to 0.45 of its time.",
     (LARGE,), "exp, log, sin, cos, tanh, erf"),
    ("The loop makes one pass at the bandwidth of memory on one thread; PyTorch's sums are spread better over two.",
     (LARGE,), "prod, norm, sum, mean, sum of columns, adaptive_avg_pool2d"),
    ("Several passes, each an operator, where PyTorch makes one.", (LARGE,), "mse_loss, add_n"),
    ("Whether a divisor is 0 or -1 is looked at before it divides, so that it is an error and no crash.", (LARGE,),
     "floor_divide"),
    ("Running sums are each the one before and one more, on one thread.", (LARGE,), "cumsum"),
    ("NumPy copies on one thread; so it does short rows that are padded.", (LARGE,), "diag, eye, mask, pad"),
)


def reason_for(name, elements):
    """The number of the reason that holds for an operator at a size, from 1; None where there is none."""
    return next((n for n, (_, sizes, names) in enumerate(REASONS, 1)
                 if elements in sizes and name in names.split(", ")), None)
