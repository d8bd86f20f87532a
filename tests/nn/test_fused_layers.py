"""Fused layers and functions of paddle.incubate.nn: what they compute is what the layers they are made of compute."""

import numpy as np
import proa as paddle
import pytest
from proa.incubate.nn import attn_bias
from proa.incubate.nn import functional as fused
from proa.incubate.nn.memory_efficient_attention import memory_efficient_attention
from proa.nn import functional as F


def same(x, y):
    np.testing.assert_allclose(x.numpy(), y.numpy(), 2e-5, 2e-6)


@pytest.mark.parametrize("before", [True, False])
def test_an_encoder_layer_is_that_of_nn(before):
    paddle.seed(3)
    ours = paddle.incubate.nn.FusedTransformerEncoderLayer(8, 2, 16, 0.0, "gelu", normalize_before=before)
    plain = paddle.nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", normalize_before=before)
    attention, linear = ours.fused_attn, ours.ffn
    projections = [plain.self_attn.q_proj, plain.self_attn.k_proj, plain.self_attn.v_proj]
    attention.qkv_weight.set_value(paddle.stack([one.weight.t().reshape([2, 4, 8]) for one in projections]))
    attention.linear_weight.set_value(plain.self_attn.out_proj.weight)
    linear._linear1_weight.set_value(plain.linear1.weight)
    linear._linear2_weight.set_value(plain.linear2.weight)
    x, mask = paddle.randn([2, 3, 8]), paddle.to_tensor([[[[True, True, False]]], [[[True, False, True]]]])
    same(ours(x, mask), plain(x, mask))
    assert ours(x, None, cache=paddle.zeros([2, 2, 2, 0, 4]))[1].shape == [2, 2, 2, 3, 4]


def test_projections_in_one_matrix():
    x, weight = paddle.randn([2, 3, 4]), paddle.randn([3, 2, 2, 4])
    flat = weight.reshape([12, 4]).t()
    same(fused.fused_multi_head_attention(x, weight, paddle.ones([4, 4]), training=False),
         fused.fused_multi_head_attention(x, flat, paddle.ones([4, 4]), training=False, num_heads=2,
                                          transpose_qkv_wb=True))


def test_norms_with_what_stands_before_them():
    x, residual, bias = paddle.randn([2, 3, 4]), paddle.randn([2, 3, 4]), paddle.randn([4])
    weight, offset = paddle.randn([4]), paddle.randn([4])
    out, whole = fused.fused_layer_norm(x, weight, offset, 1e-5, 0.5, 2, bias, residual)
    same(whole, x + bias + 0.5 * residual)
    same(out, F.layer_norm(whole, 4, weight, offset))
    out, whole = fused.fused_rms_norm(x, weight, offset, 1e-6, -1, bias, residual)
    same(out, whole / (whole * whole).mean(-1, keepdim=True).sqrt() * weight + offset)
    layer = paddle.incubate.nn.FusedBiasDropoutResidualLayerNorm(4)
    layer.eval()
    same(layer(x, residual), F.layer_norm(x + residual, 4))
    with pytest.raises(NotImplementedError, match="quant_scale"):
        fused.fused_rms_norm(x, weight, None, 1e-6, 2, quant_scale=1.0)


@pytest.mark.parametrize("neighbours", [True, False])
def test_rotary_embedding_turns_pairs(neighbours):
    q, positions = paddle.randn([2, 3, 2, 4]), paddle.to_tensor([[0, 1, 5], [2, 0, 1]])
    turned, none, value = fused.fused_rotary_position_embedding(q, None, q, position_ids=positions,
                                                                use_neox_rotary_style=neighbours)
    assert none is None
    same(turned, value)
    angles = positions.numpy()[:, :, None, None] * (10000.0 ** (-np.arange(0, 4, 2) / 4))
    parts = [(0, 1), (2, 3)] if neighbours else [(0, 2), (1, 3)]
    for n, (a, b) in enumerate(parts):
        x, y = q.numpy()[..., a], q.numpy()[..., b]
        c, s = np.cos(angles[..., n]), np.sin(angles[..., n])
        np.testing.assert_allclose(turned.numpy()[..., a], x * c - y * s, 1e-4, 1e-5)
        np.testing.assert_allclose(turned.numpy()[..., b], y * c + x * s, 1e-4, 1e-5)


def test_attention_with_biases():
    q, k, v = (paddle.randn([2, 5, 3, 4]) for _ in range(3))
    same(memory_efficient_attention(q, k, v, attn_bias.LowerTriangularMask()),
         F.scaled_dot_product_attention(q, k, v, is_causal=True))
    bias = paddle.randn([2, 3, 5, 5])
    both = attn_bias.LowerTriangularMask().add_bias(bias)
    same(memory_efficient_attention(q, k, v, both), memory_efficient_attention(q, k, v, both.materialize([5, 5])))
    same(memory_efficient_attention(q, k, v, bias, scale=0.5), memory_efficient_attention(q, k, v, bias))
    same(memory_efficient_attention(q, k, v, scale=1.0), memory_efficient_attention(2 * q, k, v))


def test_attention_by_lengths():
    q, k, v = (paddle.randn([2, 3, 4, 8]) for _ in range(3))
    lengths, keys = paddle.to_tensor([[4], [2]]), paddle.to_tensor([[3], [4]])
    out = fused.variable_length_memory_efficient_attention(q, k, v, lengths, keys, causal=True)
    part = [x[:1].transpose([0, 2, 1, 3]) for x in (q, k[:, :, :3], v[:, :, :3])]
    seen = paddle.to_tensor(np.tril(np.ones([4, 3], bool)))
    same(out[:1], F.scaled_dot_product_attention(*part, attn_mask=seen).transpose([0, 2, 1, 3]))
    assert not out[1, :, 2:].any()


def test_kernels_for_gpus_are_refused():
    for name in ("masked_multihead_attention", "block_multihead_attention", "fused_multi_transformer", "fused_ec_moe"):
        with pytest.raises(NotImplementedError, match="Use"):
            getattr(fused, name)(None, None, None)


def _rotated_at(q, position_ids):
    sin, cos = (f(paddle.arange(24, dtype="float32").reshape([6, 4])) for f in (paddle.sin, paddle.cos))
    return fused.fused_rotary_position_embedding(q, None, None, sin, cos, position_ids.astype("int64"))[0]


def _of_lengths(q, lengths):
    return fused.variable_length_memory_efficient_attention(q, q, q, lengths, lengths, paddle.zeros([1, 1, 9, 9]),
                                                            causal=True)


@pytest.mark.parametrize(("compute", "x", "other", "open_sizes"), [
    (lambda x, w: fused.fused_multi_head_attention(x, w, paddle.eye(4), num_heads=2, transpose_qkv_wb=True,
                                                   training=False), (2, 3, 4), (4, 12), (2, 0)),
    (lambda x, w: fused.fused_multi_head_attention(x, w, paddle.eye(4), training=False), (2, 3, 4), (3, 2, 2, 4),
     (2, 0)),
    (_of_lengths, (2, 2, 3, 4), (2, 1), (3, 2)),
    (lambda q, _: fused.fused_rotary_position_embedding(q)[0], (2, 3, 2, 4), (1,), (3, 1)),
    (lambda q, _: fused.fused_rotary_position_embedding(q, use_neox_rotary_style=False)[0], (2, 3, 2, 4), (1,),
     (3, 1)),
    (_rotated_at, (2, 3, 2, 4), (2, 3), (3, 2)),
], ids=["attention by one matrix", "attention", "attention by lengths", "rotary", "rotary halves",
        "rotary at positions"])
def test_batches_and_lengths_that_only_a_run_knows(compute, x, other, open_sizes):
    """`open_sizes`: how many of the first sizes of each input are not known while the Program is built."""
    layer = type("Fused", (paddle.nn.Layer,), {"forward": lambda self, x, other: compute(x, other)})()
    specs = [paddle.static.InputSpec([None if n < count else size for n, size in enumerate(shape)], "float32")
             for shape, count in zip((x, other), open_sizes, strict=True)]
    converted = paddle.jit.to_static(layer, input_spec=specs, full_graph=True)
    given = [paddle.linspace(0.1, 3.0, int(np.prod(shape))).reshape(shape) for shape in (x, other)]
    same(converted(*given), compute(*given))
