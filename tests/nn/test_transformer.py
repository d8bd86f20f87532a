"""Transformers in eager code, converted and in Programs give one result, and files hold Paddle's operators."""

import copy
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.backend import engines
from proa.nn import functional as F
from proa.ops.core.panels import PANELS
from proa.static import InputSpec

CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def drawn(*shape, seed=0):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected.numpy(), **CLOSE)


class Bert(nn.Layer):
    """Words to classes: embeddings, an encoder that does not see padding, a head on the first position."""

    def __init__(self, words=20, width=16, dropout=0.0):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width, padding_idx=0), nn.Embedding(12, width)
        layer = nn.TransformerEncoderLayer(width, 4, 32, dropout, "gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width))
        self.head = nn.Linear(width, 3)

    def forward(self, ids):
        places = paddle.arange(ids.shape[1])
        mask = paddle.unsqueeze(ids != 0, [1, 2])
        return self.head(self.encoder(self.words(ids) + self.places(places), mask)[:, 0])


def sentences(batch=6, length=7, seed=0):
    ids = np.random.default_rng(seed).integers(1, 20, (batch, length))
    ids[::2, -2:] = 0
    return paddle.to_tensor(ids)


# functions

def reference(q, k, v, mask=None, causal=False):
    """Of [batch, length, heads, head_dim], in NumPy."""
    q, k, v = (x.numpy().swapaxes(1, 2).astype("float64") for x in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).swapaxes(1, 2)


@pytest.mark.parametrize("kind", ["none", "causal", "float", "float64", "bool", "int", "both"])
@pytest.mark.parametrize("converted", [False, True])
def test_scaled_dot_product_attention(kind, converted):
    q, k, v = (drawn(2, 5, 3, 4, seed=n) for n in range(3))
    shown = np.random.default_rng(9).random((2, 1, 5, 5)) > 0.4
    shown[..., 0] = True
    mask = {"float": drawn(5, 5), "float64": drawn(5, 5).astype("float64"), "bool": paddle.to_tensor(shown),
            "int": paddle.to_tensor(shown.astype("int64")), "both": paddle.to_tensor(shown)}.get(kind)
    added = None if mask is None else mask.numpy() if kind.startswith("float") else np.where(shown, 0, -np.inf)
    causal = kind in ("causal", "both")

    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)

    function = paddle.jit.to_static(function) if converted else function
    np.testing.assert_allclose(function(q, k, v).numpy(), reference(q, k, v, added, causal), **CLOSE)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("kind", ["bool", "int64"])
def test_a_query_of_which_a_mask_hides_all_keys_attends_to_all_alike(kind, dtype):
    x = paddle.ones([1, 3, 1, 4], dtype)
    mask = paddle.to_tensor([[True, True, False], [False] * 3, [True] * 3]).astype(kind)
    out = paddle.nn.functional.scaled_dot_product_attention(x, x, x, mask)
    assert out.astype("float32").flatten().tolist() == [1.0] * 12
    layer = paddle.nn.MultiHeadAttention(4, 1, need_weights=True)
    layer.to(dtype=dtype)
    weights = layer(x[:, :, 0], attn_mask=mask.reshape([1, 1, 3, 3]))[1].astype("float32")
    np.testing.assert_allclose(weights[0, 0].tolist(), [[0.5, 0.5, 0.0], [1 / 3] * 3, [1 / 3] * 3], atol=2e-3)


def test_dropout_falls_on_weights_in_training_only():
    x, ones = drawn(1, 40, 1, 4), paddle.ones([1, 40, 1, 4])
    paddle.seed(1)
    dropped = F.scaled_dot_product_attention(x, x, ones, dropout_p=0.5).numpy()
    assert dropped.std() > 0.05 and abs(dropped.mean() - 1) < 0.2
    np.testing.assert_allclose(F.scaled_dot_product_attention(x, x, ones, dropout_p=0.5, training=False).numpy(), 1,
                               rtol=1e-5)


def test_what_cannot_be_attended_is_told():
    x = drawn(2, 3, 4, 5)
    with pytest.raises(ValueError, match=r"\[batch, length, heads, head_dim\]"):
        F.scaled_dot_product_attention(drawn(2, 3, 4), x, x)
    with pytest.raises(ValueError, match="as many keys as queries"):
        F.scaled_dot_product_attention(drawn(2, 2, 4, 5), x, x, is_causal=True)
    with pytest.raises(ValueError, match="must broadcast|do not broadcast"):
        F.scaled_dot_product_attention(x, x, x, paddle.zeros([7, 7]))


# layers

def test_weights_come_with_need_weights_and_are_dropped():
    x = drawn(2, 3, 8)
    layer = nn.MultiHeadAttention(8, 2, need_weights=True)
    out, weights = layer(x)
    np.testing.assert_allclose(weights.sum(-1).numpy(), 1, rtol=1e-5)
    out, weights, cache = layer(x, cache=layer.gen_cache(x))
    assert (out.shape, weights.shape, cache.k.shape) == ([2, 3, 8], [2, 2, 3, 3], [2, 2, 3, 4])
    layer.dropout = 1.0
    assert not layer(x)[1].numpy().any()


def test_static_cache_without_a_value_takes_the_key():
    layer, x, memory = nn.MultiHeadAttention(8, 2), drawn(2, 3, 8), drawn(2, 5, 8, seed=1)
    cache = layer.gen_cache(memory, type=nn.MultiHeadAttention.StaticCache)
    out, same = layer(x, cache=cache)
    assert same is cache
    close(out, layer(x, memory, memory))
    with pytest.raises(TypeError, match="Cache or StaticCache"):
        layer.gen_cache(memory, type=tuple)


def test_steps_give_what_all_positions_at_once_give():
    net = nn.Transformer(8, 2, 1, 2, 16)
    net.eval()
    src, tgt = drawn(2, 5, 8), drawn(2, 4, 8, seed=1)
    whole = net(src, tgt, tgt_mask=net.generate_square_subsequent_mask(4))
    memory = net.encoder(src)
    cache, steps = net.decoder.gen_cache(memory), []
    for n in range(4):
        out, cache = net.decoder(tgt[:, n:n + 1], memory, cache=cache)
        steps.append(out)
    close(paddle.concat(steps, 1), whole)


def test_layers_repeated_are_their_own():
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, normalize_before=True, activation="gelu"), 3)
    assert len({id(p) for p in net.parameters()}) == len(net.parameters()) == 48
    assert len({p.name for p in net.parameters()}) == 48
    assert all(layer.normalize_before and layer.activation is F.gelu for layer in net.layers)
    twin = copy.deepcopy(net)
    x = drawn(1, 3, 8)
    for each in (net, twin):
        each.eval()
    close(twin(x), net(x))


def test_custom_coders_take_the_place_of_others():
    class Double(nn.Layer):
        def forward(self, src, src_mask):
            return src * 2

    class Sum(nn.Layer):
        def forward(self, tgt, memory, tgt_mask, memory_mask):
            return tgt + memory.sum()

    encoder = Double()
    net = nn.Transformer(8, 2, custom_encoder=encoder, custom_decoder=Sum())
    assert net.encoder is encoder and not net.parameters()
    close(net(paddle.ones([1, 1, 8]), paddle.ones([1, 2, 8])), paddle.full([1, 2, 8], 17.0))


@pytest.mark.parametrize("make, said", [
    (lambda: nn.MultiHeadAttention(8, 3), "divisible by num_heads"),
    (lambda: nn.MultiHeadAttention(0, 3), "above 0"),
    (lambda: nn.TransformerEncoderLayer(8, 2, 0), "dim_feedforward"),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, activation="rleu"), "'rleu'"),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, weight_attr=[None]), "must hold 2"),
    (lambda: nn.TransformerDecoderLayer(8, 2, 16, bias_attr=[None, None]), "must hold 3"),
    (lambda: nn.Transformer(8, 2, 1, 1, 16, bias_attr=[None] * 4), "1, 2 or 3"),
])
def test_wrong_settings_are_told(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_layer_without_settings_is_repeated_once_only():
    nn.TransformerEncoder(nn.Linear(8, 8), 1)
    with pytest.raises(TypeError, match="cannot be repeated"):
        nn.TransformerEncoder(nn.Linear(8, 8), 2)


# Programs

def test_converted_and_saved_give_what_eager_gives(tmp_path):
    net, ids = Bert(), sentences()
    net.eval()
    expected = net(ids)
    converted = paddle.jit.to_static(net, input_spec=[InputSpec([None, None], "int64", "ids")])
    close(converted(ids), expected)
    paddle.jit.save(converted, str(tmp_path / "bert"))
    loaded = paddle.jit.load(str(tmp_path / "bert"))
    for batch, length in ((6, 7), (1, 3), (2, 12)):
        close(loaded(sentences(batch, length)), net(sentences(batch, length)))


PADDLES = {"arange", "assign_value", "cast", "dropout", "elementwise_add", "feed", "fetch", "fill_constant", "gelu",
           "layer_norm", "lookup_table_v2", "matmul_v2", "not_equal", "range", "reshape2", "scale", "shape", "slice",
           "softmax", "strided_slice", "transpose2", "tril_triu", "unsqueeze2"}


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_programs_hold_operators_that_paddle_knows(dropout):
    net = paddle.jit.to_static(Bert(dropout=dropout), input_spec=[InputSpec([None, None], "int64", "ids")])
    program = net.forward.concrete_program.main_program
    types = {op.type for op in program.global_block().ops}
    assert types <= PADDLES, types - PADDLES
    assert {"softmax", "matmul_v2", "transpose2"} <= types and ("dropout" in types) == bool(dropout)


def test_causal_attention_of_unknown_length_in_a_program():
    @paddle.jit.to_static(input_spec=[InputSpec([None, None, 2, 4], "float32", "x")])
    def function(x):
        return F.scaled_dot_product_attention(x, x, x, is_causal=True)

    types = {op.type for op in function.concrete_program.main_program.global_block().ops}
    assert types <= PADDLES, types - PADDLES
    for shape in ((2, 5, 2, 4), (1, 9, 2, 4)):
        x = drawn(*shape)
        np.testing.assert_allclose(function(x).numpy(), reference(x, x, x, causal=True), **CLOSE)


def train(net, steps=5):
    ids, labels = sentences(), paddle.to_tensor(np.arange(6) % 3)
    adam = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(net(ids), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    return losses


def test_training_converted_is_training_eager():
    eager = Bert()
    converted = paddle.jit.to_static(copy.deepcopy(eager))
    losses = train(eager)
    assert losses[-1] < losses[0]
    np.testing.assert_allclose(train(converted), losses, rtol=1e-4)


TRAINING = """if True:
    import sys
    import numpy as np
    import proa as paddle
    paddle.seed(0)
    layer = paddle.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0)
    net = paddle.jit.to_static(layer) if sys.argv[1] == "converted" else layer
    adam = paddle.optimizer.Adam(0.001, parameters=layer.parameters())
    x, losses = paddle.randn([8, 32, 256]), []
    for _ in range(5):
        loss = (net(x) ** 2 - x).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0], losses
    with open("/proc/self/maps") as maps:
        print("dnnl" in maps.read())
"""


@pytest.mark.skipif(sys.platform != "linux" or not engines.is_usable(PANELS, engines.CPU), reason="there are no panels")
@pytest.mark.parametrize("how", ["eager", "converted"])
def test_training_loads_no_onednn(how):
    done = subprocess.run([sys.executable, "-c", TRAINING, how], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_caches_pass_through_converted_code():
    net = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)
    net.eval()
    memory, x = drawn(2, 5, 8), drawn(2, 3, 8, seed=1)

    def decode(memory, x):
        cache, outs = net.gen_cache(memory), []
        for n in range(3):
            out, cache = net(x[:, n:n + 1], memory, None, None, cache)
            outs.append(out)
        return paddle.concat(outs, axis=1)

    close(paddle.jit.to_static(decode)(memory, x), decode(memory, x))


def test_a_second_gradient_goes_through_a_layer():
    paddle.seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu", normalize_before=True)
    layer.to(dtype="float64")
    direction = drawn(2, 3, 8, seed=4).astype("float64")

    def slope(step):
        x = drawn(2, 3, 8).astype("float64") + direction * step
        x.stop_gradient = False
        (g,) = paddle.grad((layer(x) ** 2).sum(), x, create_graph=True)
        return x, (g * g).sum()

    (found,) = paddle.grad(*reversed(slope(0)))
    difference = (float(slope(1e-5)[1]) - float(slope(-1e-5)[1])) / 2e-5
    assert float((found * direction).sum()) == pytest.approx(difference, rel=1e-5)


def test_subclass_prepares_queries_keys_and_values_itself():
    class Scaled(nn.MultiHeadAttention):
        def _prepare_qkv(self, query, key, value, cache=None):
            q, k, v, *grown = super()._prepare_qkv(query, key, value, cache)
            return (q * 0.0, k, v, *grown)

    attention, x = Scaled(8, 2), paddle.randn([2, 5, 8])
    even = attention(x)
    np.testing.assert_allclose(even.numpy(), np.repeat(even.numpy()[:, :1], 5, 1), rtol=1e-5, atol=1e-6)
    out, cache = attention(x, x, x, None, attention.gen_cache(x))
    np.testing.assert_allclose(out.numpy(), even.numpy(), rtol=1e-5, atol=1e-6)
    assert cache.k.shape == [2, 2, 5, 4]
