"""Tensors' methods that change them in place, one after another, on a copy."""

from __future__ import annotations

from ..body import Body, Value
from .registry import condition, statement

#: {0} is the copy, {1} a value of its shape.
METHODS = """
{0}.abs().sqrt_()
{0}.add_({1}).tanh_()
{0}.floor_()
{0}.round_()
{0}.zero_()
{0}.fill_(0.5)
{0}.set_value({1} * 0.5)
{0}.copy_({1} * 0.5, True)
{0}.lerp_({1}, 0.3)
{0}.lerp_({1}, paddle.full_like({1}, 0.3))
{0}.masked_fill_({1} > 0.2, 0.5)
{0}.cumsum_(-1).scale_(0.3)
{0}.cos_()
{0}.sigmoid_()
{0}.clip_(min=-0.5)
{0}.pow_(2)
{0}.divide_(paddle.abs({1}) + 1.0)
{0}.remainder_(paddle.to_tensor(0.7, {0}.dtype))
{0}.neg_()
{0}.trunc_()
{0}.frac_()
{0}.hypot_({1})
{0}.nan_to_num_()
{0}.index_fill_(paddle.to_tensor([0]), 0, 0.5)
{0}.index_add_(paddle.to_tensor([0]), 0, {1}[:1])
{0}.index_put_((paddle.to_tensor([0]),), {1}[:1], accumulate=True)
{0}.put_along_axis_(paddle.zeros_like({1}[:1]).astype('int64'), 0.5, 0)
{0}.scatter_(paddle.to_tensor([0]), {1}[:1] * 0.5)
{0}.tril_()
{0}.triu_(1)
{0}.t_().scale_(0.5)
{0}.transpose_([1, 0]).add_({1}.t())
{0}.astype({1}.dtype).add_({1})
F.relu_({0})
F.elu_({0})
F.softmax_({0})
F.hardtanh_({0}, -0.5, 0.5)
F.leaky_relu_({0}, 0.1)
F.thresholded_relu_({0}, 0.2)
paddle.assign({1} * 0.5, {0})
paddle.increment({0}.mean().reshape([1]), 1.0)
{0}[...] = {1} * 0.5
{0}[:] = 0.5
{0}[{0} > 0.2] = 0.1
{0}[{0} > 0.2] *= 0.5
{0}[0] += {1}[0]
{0} -= {1}
{0} /= 2
{0} **= 2
{0} //= 0.5
{0} %= 0.7
{0} @= paddle.ones([{0}.shape[-1], {0}.shape[-1]]).astype({0}.dtype) * 0.1
""".strip().splitlines()

_OF_ROWS = ("[:1]", "[0]", "-1", "shape[-1]", "softmax_")
_OF_MATRICES = ("tril", "triu", "@=")
_OF_SQUARES = (".t()", "t_()", "transpose_")


@statement(0.6, "in_place_methods")
def _in_place_methods(body: Body) -> bool:
    v = body.value("float")
    if v is None:
        return False
    others = [u.text for u in body.all("float") if u.shape == v.shape]
    copy = body.assign(body.pick("{} * 1.0", "{}.clone()", "{}.detach() + 0.0").format(v.text), v.shape)
    fitting = [text for text in METHODS if _fits(text, v)]
    for _ in range(body.rng.randint(1, 2)):
        text = body.rng.choice(fitting).format(copy.text, body.rng.choice(others))
        test = condition(body) if body.chance(0.2) and "t_()" not in text and "transpose_" not in text else None
        if test:
            with body.block(f"if {test}:"):
                body.line(text)
        else:
            body.line(text)
    return True


def _fits(text: str, v: Value) -> bool:
    """Whether a value has the dimensions that a method needs."""
    if not v.rank and any(word in text for word in _OF_ROWS):
        return False
    if v.rank != 2 and any(word in text for word in _OF_MATRICES):
        return False
    square = v.rank == 2 and v.shape[0] == v.shape[1]
    if any(word in text for word in _OF_SQUARES):
        return square
    return "@=" not in text or isinstance(v.shape[-1], int)
