"""Families that are seldom met: distributions and their transforms, spectra, complex numbers, boxes, places."""

from __future__ import annotations

from ..body import Body
from .modules import WEIGHED
from .registry import Found, production

#: {0} is a value of a last size {n} larger than 1 that is known, {1} another one of its shape.
SAME = """
{0} + weighed(paddle.distribution.Dirichlet(paddle.exp({0}.tanh())).log_prob(F.softmax({1}))) * 0.1
{0} + weighed(paddle.distribution.Dirichlet(paddle.exp({0}.tanh())).entropy()) * 0.1
{0} + weighed(paddle.distribution.Multinomial(3, F.softmax({0})).log_prob(paddle.ones_like({1}))) * 0.1
{0} + weighed(paddle.distribution.Independent(paddle.distribution.Normal({0}, 1.5), 1).log_prob({1})) * 0.1
paddle.distribution.LogNormal({0}, paddle.exp({1}.tanh())).log_prob(paddle.exp({1}.tanh())) * 0.2
paddle.distribution.LogNormal({0}, 1.0).entropy() * 0.2
paddle.distribution.Cauchy({0}, paddle.exp({1}.tanh())).log_prob({1}) * 0.2
paddle.distribution.Cauchy({0}, paddle.exp({1}.tanh())).cdf({1}) * 0.5
paddle.distribution.Cauchy({0}, paddle.exp({1}.tanh())).entropy() * 0.2
paddle.distribution.Geometric(F.sigmoid({0}) * 0.9 + 0.05).log_pmf(paddle.to_tensor(2.0, {0}.dtype)) * 0.1
paddle.distribution.Geometric(F.sigmoid({0}) * 0.9 + 0.05).entropy() * 0.2
paddle.distribution.Uniform({0} - 3.0, {0} + 3.0).log_prob({1} * 0.1) * 0.2
paddle.distribution.Uniform({0} - 1.0, {0} + 2.0).entropy() * 0.3
paddle.distribution.Laplace({0}, 1.5).cdf({1}) * 0.5
paddle.distribution.Laplace({0}, 1.5).icdf(F.sigmoid({1})) * 0.2
paddle.distribution.Gumbel({0}, 1.5).cdf({1}) * 0.5
paddle.distribution.Gumbel({0}, paddle.exp({1}.tanh())).entropy() * 0.2
paddle.distribution.Bernoulli(F.sigmoid({0})).entropy() * 0.5
paddle.distribution.Bernoulli(F.sigmoid({0})).cdf(paddle.full_like({1}, 0.5)) * 0.5
paddle.distribution.Beta(paddle.exp({0}.tanh()), paddle.exp({1}.tanh())).entropy() * 0.2
paddle.distribution.Beta(paddle.exp({0}.tanh()), paddle.exp({1}.tanh())).variance * 2.0
{0} + paddle.distribution.Categorical({0}).probs({0}.detach().argmax(-1)).mean() * 0.1
{0} + weighed(paddle.distribution.kl_divergence(paddle.distribution.Categorical({0}), \
paddle.distribution.Categorical({1}))) * 0.1
paddle.distribution.kl_divergence(paddle.distribution.Beta(paddle.exp({0}.tanh()), 2.0 * paddle.ones_like({0})), \
paddle.distribution.Beta(2.0 * paddle.ones_like({0}), paddle.exp({1}.tanh()))) * 0.1
paddle.distribution.kl_divergence(paddle.distribution.Bernoulli(F.sigmoid({0})), \
paddle.distribution.Bernoulli(F.sigmoid({1}))) * 0.3
paddle.distribution.kl_divergence(paddle.distribution.Laplace({0}, 1.5 * paddle.ones_like({0})), \
paddle.distribution.Laplace({1}, paddle.ones_like({0}))) * 0.2
paddle.distribution.kl_divergence(paddle.distribution.Cauchy({0}, 1.5 * paddle.ones_like({0})), \
paddle.distribution.Cauchy({1}, paddle.ones_like({0}))) * 0.2
paddle.distribution.kl_divergence(paddle.distribution.Geometric(F.sigmoid({0})), \
paddle.distribution.Geometric(F.sigmoid({1}))) * 0.1
{0} + weighed(paddle.distribution.kl_divergence(paddle.distribution.Dirichlet(paddle.exp({0}.tanh())), \
paddle.distribution.Dirichlet(paddle.exp({1}.tanh())))) * 0.1
paddle.distribution.TransformedDistribution(paddle.distribution.Normal({0}, 1.5), \
[paddle.distribution.AffineTransform(paddle.to_tensor(0.5, {0}.dtype), paddle.to_tensor(2.0, {0}.dtype))]\
).log_prob({1}) * 0.2
paddle.distribution.TransformedDistribution(paddle.distribution.Normal({0}, 1.5), \
[paddle.distribution.ExpTransform()]).log_prob(paddle.exp({1}.tanh())) * 0.2
paddle.distribution.SigmoidTransform().inverse(F.sigmoid({0})) * 0.5
paddle.distribution.TanhTransform().forward_log_det_jacobian({0}.tanh()) * 0.2
paddle.distribution.PowerTransform(paddle.to_tensor(2.0, {0}.dtype)).forward(F.sigmoid({0}))
paddle.distribution.AffineTransform({1}, paddle.exp({0}.tanh())).inverse({0}) * 0.3
{0} + weighed(paddle.distribution.StickBreakingTransform().forward({0})) * 0.2
{0} + weighed(paddle.distribution.StickBreakingTransform().inverse(F.softmax({0}))) * 0.1
{0} + weighed(paddle.distribution.SoftmaxTransform().forward({0})) * 0.2
paddle.distribution.ChainTransform([paddle.distribution.TanhTransform(), \
paddle.distribution.SigmoidTransform()]).forward({0})
{0} + weighed(paddle.abs(paddle.fft.rfft({0}, n={n} + 3, norm='forward')) + 0.5) * 0.3
{0} + weighed(paddle.real(paddle.fft.fft2(paddle.outer({0}.flatten()[:3], {1}.flatten()[:4])))) * 0.1
{0} + weighed(paddle.fft.irfft2(paddle.fft.rfft2(paddle.outer({0}.flatten()[:3], {1}.flatten()[:4])))) * 0.3
{0} + weighed(paddle.signal.istft(paddle.signal.stft(\
paddle.concat([{0}.flatten()[:2]] * 8).unsqueeze(0), 4, 2), 4, 2)) * 0.3
{0} + weighed(paddle.imag(paddle.fft.ifftn(paddle.complex({0}, {1})))) * 0.3
paddle.real(paddle.fft.ifftshift(paddle.fft.fftshift(paddle.complex({0}, {1}), axes=-1), axes=-1)) * 0.5
{0} + weighed(paddle.real(paddle.signal.stft(paddle.concat([{0}.flatten()[:2]] * 8).unsqueeze(0), 8, 4, \
window=paddle.ones([8], {0}.dtype) * 0.5, onesided=False))) * 0.2
paddle.as_real(paddle.as_complex(paddle.stack([{0}, {1}], -1)) * 1j)[..., 0]
paddle.real(paddle.complex({0}, {1}) / paddle.complex({1} + 3.0, {0}))
paddle.real(paddle.tanh(paddle.complex({0} * 0.2, {1} * 0.2)))
paddle.abs(paddle.polar(paddle.exp({0}.tanh()), {1}))
paddle.real(paddle.polar(paddle.exp({0}.tanh()), {1}))
paddle.real(paddle.complex({0}, {1}).conj() * paddle.complex({0}, {1})) * 0.3
{0} + paddle.real(paddle.matmul(paddle.complex({0}.reshape([-1, {n}]), {1}.reshape([-1, {n}])), \
paddle.complex({1}.reshape([-1, {n}]), {0}.reshape([-1, {n}])), transpose_y=True)).mean() * 0.1
{0} + paddle.linalg.eigvals(paddle.eye({n}) * 3.0 + paddle.triu(paddle.ones([{n}, {n}])) * 0.1).real().mean()\
.astype({0}.dtype).detach()
{0} + weighed(paddle.linalg.lu_unpack(*paddle.linalg.lu(paddle.eye({n}) * 3.0 + \
{0}.reshape([-1, {n}])[:1].T @ {1}.reshape([-1, {n}])[:1] * 0.1))[1]) * 0.1
{0} + weighed(paddle.linalg.corrcoef({0}.reshape([-1, {n}])[:1].T @ {1}.reshape([-1, {n}])[:1] + \
paddle.arange({n} * {n}).astype({0}.dtype).reshape([{n}, {n}]).cos())) * 0.1
{0} + paddle.linalg.cond(paddle.eye({n}) * 3.0 + {0}.reshape([-1, {n}])[:1].T @ {0}.reshape([-1, {n}])[:1]) * 0.1
{0} + paddle.vision.ops.nms(paddle.to_tensor([[0.0, 0.0, 2.0, 2.0], [0.1, 0.0, 2.0, 2.1], [5.0, 5.0, 6.0, 6.0]]), 0.5, \
scores={0}.detach().flatten()[:1].astype('float32').expand([3]) * paddle.to_tensor([1.0, 0.9, 0.8])).sum()\
.astype({0}.dtype) * 0.1
{0} + weighed(paddle.vision.ops.box_coder(paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]], {0}.dtype), [0.1, 0.1, 0.2, 0.2], \
paddle.tanh({0}.flatten()[:1]).expand([1, 4]) + paddle.to_tensor([[0.0, 1.0, 3.0, 4.0]], {0}.dtype))) * 0.05
{0} + weighed(paddle.incubate.nn.functional.fused_linear({0}, paddle.eye({n}) * 0.5)) * 0.3
{0} + weighed(paddle.incubate.nn.functional.fused_matmul_bias({0}, paddle.eye({n}) * 0.5, {1}.flatten()[:{n}])) * 0.3
F.gumbel_softmax({0}, temperature=0.5).detach() * 0.0 + {0} * 0.5
{0} + paddle.cumulative_trapezoid({0}, dx=0.5).mean() * 0.2
{0} + weighed(paddle.unfold({0}.flatten(), 0, 2, 1)) * 0.1
{0} + weighed(paddle.as_strided({0}.flatten() * 1.0, [2], [1])) * 0.1
{0} + weighed({0}.flatten().view([-1, 1])) * 0.1
paddle.view_as({0} * 1.0, {1})
{0} + weighed(paddle.atleast_3d({0}.flatten())) * 0.1
paddle.polygamma(paddle.abs({0}) + 1.5, 1) * 0.3
paddle.i1e({0}) + paddle.i0e({1})
paddle.masked_fill({0}, {1} > 0.3, 0.5)
paddle.index_fill({0}, paddle.to_tensor([0]), -1, 0.25)
paddle.index_add({0}, paddle.to_tensor([0]), -1, {1}[..., :1])
paddle.index_put({0}.flatten(), (paddle.to_tensor([0, 1]),), {1}.flatten()[:2], accumulate=True).reshape({0}.shape)
paddle.diagonal_scatter({0}.flatten()[:1].expand([2, 2]) * 1.0, {1}.flatten()[:2]).sum() * 0.1 + {0}
paddle.take({0}, paddle.to_tensor([0, 1])).sum() * 0.1 + {0}
paddle.pow(2.0 + paddle.tanh({0}), paddle.to_tensor(2, 'int64')) * 0.2
paddle.frexp({0})[0] + {0} * 0.0
paddle.logcumsumexp({0}, axis=-1) * 0.3
paddle.cdist({0}.reshape([-1, {n}]), {1}.reshape([-1, {n}]) + 3.0, p=1.0).mean() * 0.1 + {0}
paddle.unique({0}.detach().round(), return_inverse=True)[1].astype({0}.dtype).mean() * 0.1 + {0}
paddle.nonzero({0}.detach() > 0.1).astype({0}.dtype).sum() * 0.05 + {0}
paddle.masked_select({0}, {1} > 0.2).sum() * 0.1 + {0}
paddle.topk({0}, 2, axis=-1, largest=False)[0].mean() * 0.1 + {0}
paddle.nn.functional.multi_margin_loss({0}.reshape([-1, {n}]), {0}.detach().reshape([-1, {n}]).argmax(-1)) * 0.1 + {0}
F.zeropad2d({0}.reshape([1, 1, -1, {n}]), [1, 0, 0, 1]).mean() * 0.5 + {0}
F.channel_shuffle({0}.reshape([1, 1, -1, {n}]).expand([-1, 4, -1, -1]), 2).mean() * 0.5 + {0}
F.pixel_shuffle({0}.reshape([1, 1, -1, {n}]).expand([-1, 4, -1, -1]), 2).mean() * 0.5 + {0}
""".strip().splitlines()


@production(1.5, "families")
def _of_a_family(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None or not isinstance(v.shape[-1], int) or v.shape[-1] < 2:
        return None
    u = body.rng.choice([u for u in body.all("float") if u.shape == v.shape])
    text = body.pick(*SAME).format(v.text, u.text, n=v.shape[-1])
    if "weighed(" in text:
        body.network.classes["weighed"] = WEIGHED
    return text, v.shape, "float"
