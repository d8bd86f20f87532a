"""Shapes that do not fit, which NumPy would broadcast or take samples for: eager code refuses them as Programs do."""

import proa as paddle
import pytest
from proa import geometric
from proa.nn import functional
from proa.vision import ops

ones = paddle.ones


def numbers(*values):
    return paddle.to_tensor(values, dtype="int64")


def counts(*values):
    return paddle.to_tensor(values, dtype="int32")


#: Each call, with the argument that its error names.
CALLS = {
    "a layer of twice the channels, two samples": ("channels", lambda: paddle.nn.Conv2D(8, 6, 3)(ones([2, 4, 8, 8]))),
    "four times the channels, four samples": ("channels", lambda: functional.conv1d(ones([4, 2, 9]), ones([6, 8, 3]))),
    "windows of one place": ("channels", lambda: functional.conv2d(ones([2, 4, 6, 5]), ones([6, 8, 1, 1]))),
    "many places": ("channels", lambda: functional.conv2d(ones([2, 4, 64, 64]), ones([6, 8, 3, 3]))),
    "channels last": ("channels", lambda: functional.conv2d(
        ones([2, 6, 5, 4]), ones([6, 8, 3, 2]), data_format="NHWC")),
    "more of a result than a stride": ("size 1 of the result", lambda: functional.conv2d_transpose(
        ones([1, 1, 4, 4]), ones([1, 1, 3, 3]), stride=[2, 1], dilation=[1, 2], output_padding=[0, 1])),
    "volumes": ("channels", lambda: functional.conv3d(ones([2, 1, 3, 3, 4]), ones([3, 2, 2, 3, 2]))),
    "a channel for each of several filters": ("channels", lambda: functional.conv2d(
        ones([2, 1, 16, 16]), ones([16, 1, 3, 3]), groups=16)),
    "groups of two channels": ("channels", lambda: functional.conv2d(
        ones([2, 4, 16, 16]), ones([8, 2, 3, 3]), groups=4)),
    "offsets of another size": ("offset", lambda: ops.deform_conv2d(
        ones([2, 4, 4, 3]), ones([2, 8, 4, 4]), ones([2, 4, 2, 2]))),
    "offsets and a mask of another size": ("offset", lambda: ops.deform_conv2d(
        ones([2, 4, 4, 3]), ones([2, 8, 4, 4]), ones([2, 4, 2, 2]), mask=ones([2, 4, 4, 4]))),
    "more slopes than channels": ("weight", lambda: functional.prelu(ones([2, 1, 4]), ones([3]))),
    "boxes of three numbers": ("boxes", lambda: ops.roi_align(ones([2, 4, 5, 6]), ones([3, 3]), counts(1, 2), 2)),
    "boxes of three numbers, the largest": (
        "boxes", lambda: ops.roi_pool(ones([2, 4, 5, 6]), ones([3, 3]), counts(1, 2), 2)),
    "boxes of three numbers, by place": (
        "boxes", lambda: ops.psroi_pool(ones([2, 4, 5, 6]), ones([3, 3]), counts(1, 2), 2)),
    "boxes of five numbers": ("boxes", lambda: ops.nms(ones([12, 5]), 0.5)),
    "weights of fewer classes": ("weight", lambda: functional.cross_entropy(
        ones([3, 4]), numbers(0, 1, 2), weight=ones([3]))),
    "weights of more classes, classes in the middle": ("weight", lambda: functional.cross_entropy(
        ones([2, 3, 4]), ones([2, 4], "int64"), weight=ones([4]), axis=1)),
    "weights of soft labels": ("weight", lambda: functional.cross_entropy(
        ones([3, 4]), ones([3, 4]), weight=ones([1]), soft_label=True)),
    "weights of log probabilities": ("weight", lambda: functional.nll_loss(
        ones([3, 4]), numbers(0, 1, 2), weight=ones([3]))),
    "boxes of five numbers for each class": ("bboxes", lambda: ops.matrix_nms(
        ones([2, 6, 5]), ones([2, 3, 6]), 0.1, 0.1, 5, 5)),
    "more images of boxes than of scores": ("bboxes", lambda: ops.matrix_nms(
        ones([1, 6, 4]), ones([2, 3, 6]), 0.1, 0.1, 5, 5)),
    "a row's triangle": ("2 dimensions", lambda: paddle.triu(ones([6]))),
    "a row's lower triangle": ("2 dimensions", lambda: paddle.tril(ones([6]))),
    "edges with more ends": ("src_index", lambda: geometric.send_u_recv(ones([6, 3]), numbers(0, 1, 2), numbers(0, 1))),
    "one beginning of two edges": ("src_index", lambda: geometric.send_ue_recv(
        ones([6, 3]), ones([2, 3]), numbers(0), numbers(0, 1))),
    "one beginning of two pairs": ("src_index", lambda: geometric.send_uv(
        ones([6, 3]), ones([6, 3]), numbers(0), numbers(0, 1))),
    "a column beside a matrix, smooth_l1_loss": ("same shape", lambda: functional.smooth_l1_loss(
        ones([4, 2]), ones([4, 1]))),
    "a row beside a matrix, kl_div": ("same shape", lambda: functional.kl_div(ones([4, 2]), ones([2]))),
    "a vector beside a column, log_loss": ("same shape", lambda: functional.log_loss(ones([4, 1]), ones([4]))),
    "one distribution for all rows": (r"shape \[4, 3\]", lambda: functional.cross_entropy(
        ones([4, 3]), ones([1, 3]), soft_label=True)),
    "one distribution for all rows, with the softmax": (
        r"shape \[4, 3\]", lambda: functional.softmax_with_cross_entropy(
            ones([4, 3]), ones([1, 3]), soft_label=True, return_softmax=True)),
    "matrices as batches": ("3 dimensions", lambda: paddle.bmm(ones([4, 3]), ones([3, 2]))),
    "a batch of one": ("batches", lambda: paddle.bmm(ones([2, 4, 3]), ones([1, 3, 2]))),
    "a large batch of one": ("batches", lambda: paddle.bmm(ones([2, 64, 64]), ones([1, 64, 64]))),
    "a matrix as a vector": ("1 dimensions", lambda: paddle.mv(ones([4, 3]), ones([3, 1]))),
    "a matrix and a vector, dot": ("same shape", lambda: ones([4, 3]).dot(ones([3]))),
    "rows for one number each, dot": ("same shape", lambda: paddle.dot(ones([4, 3]), ones([4, 1]))),
    "vectors of three and of two": ("same shape", lambda: paddle.cross(ones([4, 3]), ones([4, 2]))),
    "one vector for all": ("same shape", lambda: paddle.cross(ones([4, 3]), ones([1, 3]))),
    "a volume's diagonal": ("vector or a matrix", lambda: paddle.diag(ones([2, 2, 2]))),
    "a matrix as a vector of a grid": ("vectors", lambda: paddle.meshgrid(ones([2, 2]), ones([3]))),
    "fewer rows of indices": ("as many rows", lambda: paddle.index_sample(ones([4, 3]), ones([3, 2], "int64"))),
    "fewer parts than there are": ("size 4, not 3", lambda: paddle.unstack(ones([4, 3]), 0, 3)),
    "a counter of three numbers": ("one element", lambda: paddle.increment(ones([3]))),
    "two sizes left open": ("negative", lambda: paddle.reshape(ones([4, 3]), [-2, 6])),
    "none of the largest": ("between 1", lambda: paddle.topk(ones([4, 3]), 0)),
    "fewer than none of the largest": ("between 1", lambda: paddle.topk(ones([4, 3]), -1)),
}

#: Each call with values that make no sense, with a word of its error.
VALUES = {
    "a minimum above the maximum": ("min must not exceed max", lambda: paddle.clip(ones([3]), 2.0, 1.0)),
    "probabilities above 1": (r"\[0, 1\]", lambda: paddle.bernoulli(ones([3]) * 10)),
    "a probability that is not a number": (r"\[0, 1\]", lambda: paddle.bernoulli(ones([3]) * float("nan"))),
    "no samples": ("at least one", lambda: paddle.multinomial(ones([3]), 0)),
    "an index beyond all shards": (r"\[0, 4\)", lambda: paddle.shard_index(numbers(1, 5), 4, 2, 0)),
}


@pytest.mark.parametrize("call", [*CALLS, *VALUES])
def test_what_does_not_fit_is_refused(call):
    argument, compute = {**CALLS, **VALUES}[call]
    with pytest.raises(ValueError, match=argument):
        compute()


def test_the_parts_of_a_real_number_are_not_asked_for():
    with pytest.raises(TypeError, match="complex"):
        paddle.as_real(ones([3]))
