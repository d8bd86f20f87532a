"""Sublayers: linear, norms, convolution, pooling, recurrence, attention."""

from __future__ import annotations

from ..body import Body, Value
from .registry import Found, production


def linear_like(body: Body, v: Value) -> str:
    """A sublayer that keeps the shape, or a product with a square parameter."""
    size = v.shape[-1]
    choices = [
        f"nn.Linear({size}, {size})",
        f"nn.LayerNorm({size})",
        f"nn.Sequential(nn.Linear({size}, 3), nn.Tanh(), nn.Linear(3, {size}))",
        "nn.Tanh()",
        "nn.ReLU()",
        "nn.PReLU()",
        f"nn.Linear({size}, {size}, bias_attr=False)",
        "nn.GELU()",
    ]
    if body.network.allows("normed_weights"):
        choices += [
            f"nn.utils.weight_norm(nn.Linear({size}, {size}))",
            f"nn.utils.weight_norm(nn.Linear({size}, {size}), dim=None)",
            f"nn.utils.spectral_norm(nn.Linear({size}, {size}))",
        ]
    if body.network.allows("batch_norm") and v.rank == 2:
        choices += [f"nn.BatchNorm1D({size})"] * 2
    if v.rank == 3 and isinstance(v.shape[1], int):
        choices += [f"nn.Conv1D({v.shape[1]}, {v.shape[1]}, 3, padding=1)", f"nn.InstanceNorm1D({v.shape[1]})"]
        choices += [f"nn.BatchNorm1D({v.shape[1]})"] if body.network.allows("batch_norm") else []
    if v.rank == 4 and isinstance(v.shape[1], int):
        choices += [f"nn.Conv2D({v.shape[1]}, {v.shape[1]}, 3, padding=1)", f"nn.GroupNorm(1, {v.shape[1]})"]
        choices += [f"nn.BatchNorm2D({v.shape[1]})"] if body.network.allows("batch_norm") else []
    if body.chance(0.2):
        return f"paddle.matmul({v.text}, {body.network.parameter((size, size))})"
    if body.network.allows("dropout") and body.chance(0.05):
        return f"{body.network.layer('drop', 'nn.Dropout(0.5)')}({v.text})"
    text = body.rng.choice(choices)
    kind = text[3:].split("(")[0].split(".")[-1].lower()
    return f"{body.network.layer(kind, text)}({v.text})"


@production(1.5)
def _layers_of_new_shape(body: Body) -> Found | None:
    """Convolution, pooling, recurrence, attention, embedding."""
    v = body.value("float", 3, 4)
    if v is None:
        return None
    network = body.network
    if v.rank == 3 and isinstance(v.shape[2], int):
        size = v.shape[2]
        choice = body.below(6)
        if choice == 5:
            return _recurrent_or_attending(body, v, size), v.shape, "float"
        if choice == 0 and isinstance(v.shape[1], int):
            return (
                f"{network.layer('conv', f'nn.Conv1D({v.shape[1]}, 2, 1)')}({v.text})",
                (v.shape[0], 2, size),
                "float",
            )
        if choice == 1 and isinstance(v.shape[1], int) and size >= 2:
            text = body.pick("F.max_pool1d({}, 2, 1)", "F.avg_pool1d({}, 2, 1)")
            return text.format(v.text), (*v.shape[:2], size - 1), "float"
        if choice == 2:
            name = body.pick("GRU", "LSTM", "SimpleRNN")
            return f"{network.layer(name.lower(), f'nn.{name}({size}, 3)')}({v.text})[0]", (*v.shape[:2], 3), "float"
        if choice == 3 and size % 2 == 0:
            return f"{network.layer('attention', f'nn.MultiHeadAttention({size}, 2)')}({v.text})", v.shape, "float"
        if choice == 4 and isinstance(v.shape[1], int) and network.allows("adaptive"):
            return f"F.adaptive_avg_pool1d({v.text}, 2)", (*v.shape[:2], 2), "float"
        return None
    if v.rank == 4 and all(isinstance(s, int) for s in v.shape[1:]) and min(v.shape[2:]) >= 2:
        channels, (high, wide) = v.shape[1], v.shape[2:]
        choice = body.below(4)
        if choice == 0:
            return (
                f"{network.layer('conv', f'nn.Conv2D({channels}, 2, 2)')}({v.text})",
                (v.shape[0], 2, high - 1, wide - 1),
                "float",
            )
        if choice == 1:
            return (
                body.pick("F.max_pool2d({}, 2)", "F.avg_pool2d({}, 2)").format(v.text),
                (v.shape[0], channels, high // 2, wide // 2),
                "float",
            )
        if choice == 2:
            return (
                f"F.interpolate({v.text}, scale_factor=2, mode='{body.pick('nearest', 'bilinear')}')",
                (v.shape[0], channels, 2 * high, 2 * wide),
                "float",
            )
        return f"F.adaptive_avg_pool2d({v.text}, 1)", (v.shape[0], channels, 1, 1), "float"
    return None


def _recurrent_or_attending(body: Body, v: Value, size: int) -> str:
    """A layer over time that keeps the shape: with a state that is given, with lengths, both ways, with a mask."""
    layer, x = body.network.layer, v.text
    mask = f"paddle.tril(paddle.ones([{x}.shape[1], {x}.shape[1]])) > 0"
    found = [
        f"{layer('gru', f'nn.GRU({size}, {size})')}({x}, {x}[:, 0].unsqueeze(0))[0]",
        f"{layer('lstm', f'nn.LSTM({size}, {size})')}({x}, ({x}[:, 0].unsqueeze(0), {x}[:, -1].unsqueeze(0)))[0]",
        f"{layer('gru', f'nn.GRU({size}, {size})')}({x}, sequence_length=paddle.full([{x}.shape[0]], 2, 'int64'))[0]",
        f"{layer('cell', f'nn.RNN(nn.GRUCell({size}, {size}), is_reverse=True)')}({x})[0]",
        f"{layer('attention', f'nn.MultiHeadAttention({size}, 1)')}({x}, {x} * 0.5, {x}, {mask})",
        f"{layer('encoder', f'nn.TransformerEncoderLayer({size}, 1, 4, dropout=0.0)')}({x})",
        f"F.scaled_dot_product_attention({x}.unsqueeze(2), {x}.unsqueeze(2), {x}.unsqueeze(2), "
        "is_causal=True).squeeze(2)",
    ]
    if size % 2 == 0:
        found.append(f"{layer('both', f'nn.LSTM({size}, {size // 2}, direction={chr(39)}bidirect{chr(39)})')}({x})[0]")
    return body.pick(*found)
