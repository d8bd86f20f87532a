"""Where operators have their corners: ties, NaN, infinities, negative integers, shifts; and distributions' formulas."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production

SAME = """
paddle.sort(paddle.round({0} * 2), axis=-1) * {0}
paddle.sort(paddle.round({0} * 2) * 0.5 + {0} * 0.001, axis=0, descending=True)
paddle.argsort(paddle.round({0} * 2), axis=-1).astype({0}.dtype) * 0.1
paddle.nan_to_num(paddle.where({0} > 0.3, paddle.full_like({0}, float('nan')), {1}), nan=0.25)
paddle.nan_to_num({0} / paddle.zeros_like({0}).detach(), nan=0.5, posinf=1.0, neginf=-1.0).detach() * {0}
paddle.where(paddle.isnan(paddle.log({0}.detach())), {0}, {1} * 0.5)
paddle.maximum(paddle.full_like({0}, float('-inf')), {0})
paddle.fmin(paddle.full_like({0}, float('nan')), {0})
paddle.clip({0}, -float('inf'), 0.5)
{0} + paddle.nansum(paddle.where({0} > 0.3, paddle.full_like({0}, float('nan')), {0})) * 0.1
{0} + paddle.nanmean(paddle.where({0} > 2.3, paddle.full_like({0}, float('nan')), {0})) * 0.1
{0} * paddle.logsumexp(paddle.where({0} > 0, {0}, paddle.full_like({0}, -1e4))) * 0.1
F.softmax(paddle.where({0} > 5.0, {0}, {1}), axis=-1)
(({0} * 4).astype('int64') // -3).astype({0}.dtype) * 0.1 + {0}
(({0} * 4).astype('int64') % -3).astype({0}.dtype) * 0.1 + {0}
(({0} * 4).astype('int32') // 3).astype({0}.dtype) * 0.1
paddle.mod(({0} * 4).astype('int32'), paddle.to_tensor(3, 'int32')).astype({0}.dtype) * 0.1
paddle.floor_divide(({0} * 4).astype('int64'), paddle.to_tensor(-2)).astype({0}.dtype) * 0.1
paddle.remainder({0}, paddle.to_tensor(-0.7, {0}.dtype))
{0} % -0.7
{0} // -0.5 * 0.1
(5 - ({0} * 4).astype('int64')).astype({0}.dtype) * 0.1
(7 % (paddle.abs({0} * 4).astype('int64') + 1)).astype({0}.dtype) * 0.1
(-7 // (paddle.abs({0} * 4).astype('int64') + 1)).astype({0}.dtype) * 0.1
(2 ** (paddle.abs({0} * 2).astype('int64') % 4)).astype({0}.dtype) * 0.1
(~({0} * 4).astype('int64')).astype({0}.dtype) * 0.1
(({0} * 40).astype('int8') * 3).astype({0}.dtype) * 0.01
(({0} * 4).astype('int32') * 1000000007).astype('int32').astype({0}.dtype) * 1e-9
(({0} * 4).astype('int64') / 3).astype({0}.dtype)
(({0} * 4).astype('int32') + paddle.to_tensor(2.5, 'float32')).astype({0}.dtype) * 0.1
({0} > 0).astype('int64').cumsum(-1).astype({0}.dtype) * 0.1
paddle.where({0} > 0, 1.0, {1})
paddle.where({0} > 0, {1}, 0.0) * {0}
paddle.where(({0} > 0) & ({1} < 0.5), {0} * 2, {1})
paddle.hypot({0} + 2.0, {1})
paddle.heaviside({0}, paddle.to_tensor(0.5, {0}.dtype)) * {1}
paddle.logaddexp({0}, {1}) * 0.5
paddle.ldexp({0}, paddle.to_tensor(1, 'int32')).astype({0}.dtype) * 0.2
paddle.nextafter({0}, {1}).detach()
paddle.diff({0}, axis=-1, prepend={0}[..., :1])
paddle.trapezoid({0}, axis=-1).unsqueeze(-1) * 0.2 + {0}
paddle.searchsorted(paddle.to_tensor([-0.5, 0.0, 0.5], {0}.dtype), {0}.detach()).astype({0}.dtype) * 0.2
paddle.bucketize({0}.detach(), paddle.to_tensor([-0.5, 0.0, 0.5], {0}.dtype), right=True).astype({0}.dtype) * 0.2
paddle.renorm({0}.reshape([1, -1]), 2.0, 0, 1.5).reshape({0}.shape)
paddle.vander({0}.flatten()[:2], 3).sum() * 0.1 * {0}
{0} + paddle.quantile({0}, 0.3).astype({0}.dtype) * 0.2
{0} + paddle.kthvalue({0}.flatten(), 1)[0] * 0.2
{0} + paddle.mode(paddle.round({0}.flatten() * 2))[0] * 0.1
{0} + paddle.median({0}.flatten()) * 0.2
paddle.distribution.Normal({0}, paddle.exp({1}.tanh())).log_prob({1} * 0.5) * 0.2
paddle.distribution.Normal({0}, paddle.exp({1}.tanh())).entropy() * 0.3
paddle.distribution.kl_divergence(paddle.distribution.Normal({0}, 1.0), paddle.distribution.Normal({1}, 1.5)) * 0.3
paddle.distribution.Laplace({0}, paddle.exp({1}.tanh())).log_prob({1} + 0.3) * 0.2
paddle.distribution.Gumbel({0}, paddle.exp({1}.tanh())).log_prob({1}) * 0.05
paddle.distribution.Bernoulli(F.sigmoid({0})).log_prob(({1} > 0).astype({0}.dtype)) * 0.3
paddle.distribution.Beta(paddle.exp({0}.tanh()), paddle.exp({1}.tanh())).mean * {0}
paddle.distribution.Beta(paddle.exp({0}.tanh()) + 1.0, 2.0 * paddle.ones_like({0})).log_prob(F.sigmoid({1})) * 0.2
paddle.distribution.Categorical({0} + 3.0).entropy().unsqueeze(-1) * 0.2 + {0}
paddle.real(paddle.fft.ifft(paddle.fft.fft({0}, axis=0), axis=0)) * 0.5
paddle.abs(paddle.fft.fftshift(paddle.fft.fft({0}), axes=-1) + 3.0) * 0.2
paddle.fft.hfft(paddle.complex({0}, {1}), n={0}.shape[-1]) * 0.2
paddle.real(paddle.fft.ihfft({0}, n={0}.shape[-1] * 2 - 2 or 1)) * 0.5 + {0}[..., :1]
paddle.fft.irfft(paddle.fft.rfft({0}, norm='ortho'), n={0}.shape[-1], norm='ortho')
""".strip().splitlines()

#: What is one number for each row, or needs the last size to be known and larger than 1.
_OF_ROWS = ("axis=0", "axis=-1", ".fft", "[..., :1]", "Categorical", "cumsum", "flatten()[:2]")


@production(2, "edges")
def _edges(body: Body) -> Found | None:
    v = body.value("float")
    if v is None:
        return None
    u = body.rng.choice([u for u in body.all("float") if u.shape == v.shape])
    template = body.pick(*SAME)
    is_known = v.rank and isinstance(v.shape[-1], int) and v.shape[-1] > 1
    if not is_known and any(word in template for word in _OF_ROWS):
        return None
    return template.format(v.text, u.text), v.shape, "float"
