"""The rules of the divergence of Kullback and Leibler, by the classes of the two distributions: `kl_divergence`."""

from __future__ import annotations

from typing import Any

from ..nn.functional import log_softmax
from ..ops.math.gamma import digamma, lgamma
from ..ops.math.unary import abs, exp, log
from .base import ExponentialFamily, register_kl
from .base import kl_divergence as kl_divergence
from .base import kl_rule as _dispatch  # noqa: F401 - by Paddle's names
from .base import kl_rules as _REGISTER_TABLE  # noqa: F401
from .bernoulli import Bernoulli, Geometric, _within
from .categorical import Categorical
from .dirichlet import Beta, Dirichlet, log_beta
from .location import Cauchy, Laplace
from .normal import LogNormal, Normal
from .uniform import Uniform


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Any:
    ratio = p.scale / q.scale
    shift = (p.loc - q.loc) / q.scale
    return (ratio * ratio + shift * shift - 1.0) * 0.5 - log(ratio)


@register_kl(LogNormal, LogNormal)
def _log_normal(p: LogNormal, q: LogNormal) -> Any:
    return _normal(p._base, q._base)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Any:
    return log((q.high - q.low) / (p.high - p.low))


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Any:
    a, b = _within(p.probs), _within(q.probs)
    return a * log(a / b) + (a * -1.0 + 1.0) * log((a * -1.0 + 1.0) / (b * -1.0 + 1.0))


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Any:
    a, b = _within(p.probs), _within(q.probs)
    return log(a / b) + (1.0 / a - 1.0) * log((a * -1.0 + 1.0) / (b * -1.0 + 1.0))


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Any:
    ours, theirs = log_softmax(p.logits, -1), log_softmax(q.logits, -1)
    return (exp(ours) * (ours - theirs)).sum(-1)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Any:
    a, b = p.alpha, p.beta
    return log_beta(q.alpha, q.beta) - log_beta(a, b) + (a - q.alpha) * digamma(a) + (b - q.beta) * digamma(b) + (
        q.alpha - a + q.beta - b) * digamma(a + b)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    return lgamma(total) - lgamma(b.sum(-1)) - (lgamma(a) - lgamma(b)).sum(-1) + (
        (a - b) * (digamma(a) - digamma(total).unsqueeze(-1))).sum(-1)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Any:
    apart = abs(p.loc - q.loc)
    return log(q.scale / p.scale) + apart / q.scale + p.scale / q.scale * exp(apart / p.scale * -1.0) - 1.0


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Any:
    total, apart = p.scale + q.scale, p.loc - q.loc
    return log((total * total + apart * apart) / (p.scale * q.scale * 4.0))


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: ExponentialFamily, q: ExponentialFamily) -> Any:
    """F(θ_q) - F(θ_p) - (θ_q - θ_p) · ∇F(θ_p): of two of one class that have no rule of their own."""
    if type(p) is not type(q):
        raise NotImplementedError(f"kl_divergence: no rule for {type(p).__name__} and {type(q).__name__}. "
                                  f"Register one with paddle.distribution.register_kl.")
    ours, normalizer, slopes = p._slopes()
    theirs = q._natural_parameters
    divergence = q._log_normalizer(*theirs) - normalizer
    for a, b, slope in zip(ours, theirs, slopes, strict=True):
        product = (b - a) * slope
        divergence = divergence - (product.sum(-1) if len(product.shape) > len(divergence.shape) else product)
    return divergence
