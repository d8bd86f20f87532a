"""Beta and Dirichlet: distributions of probabilities."""

from __future__ import annotations

from typing import Any

from ..ops.array.concat_split import stack
from ..ops.math.gamma import digamma, lgamma
from ..ops.math.unary import log, log1p
from ..ops.random.sampling import dirichlet
from .base import ExponentialFamily, as_parameters


def log_beta(a: Any, b: Any) -> Any:
    """log B(a, b) = log Γ(a) + log Γ(b) - log Γ(a + b)."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


class Beta(ExponentialFamily):
    """The density x^(α-1) (1-x)^(β-1) / B(α, β) on 0 … 1.

    >>> import proa as paddle
    >>> float(paddle.distribution.Beta(1.0, 3.0).mean)
    0.25
    """

    _keeps_wider = True

    def __init__(self, alpha: Any, beta: Any):
        self.alpha, self.beta = as_parameters(alpha, beta)
        self._dtype = self.alpha.dtype
        self._shaped_as(self.alpha)

    @property
    def mean(self) -> Any:
        """α / (α + β)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Any:
        """αβ / ((α + β)² (α + β + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * total * (total + 1.0))

    def sample(self, shape: Any = ()) -> Any:
        """Values drawn at random, through which no gradient flows."""
        pair = stack([self.alpha, self.beta], -1)
        return dirichlet(pair.expand([*self._sample_shape(shape), 2]))[..., 0].detach()

    def log_prob(self, value: Any) -> Any:
        """(α - 1) log x + (β - 1) log(1 - x) - log B(α, β)."""
        value = self._like(value)
        return (self.alpha - 1.0) * log(value) + (self.beta - 1.0) * log1p(value * -1.0) - log_beta(
            self.alpha, self.beta)

    def entropy(self) -> Any:
        """log B - (α - 1)ψ(α) - (β - 1)ψ(β) + (α + β - 2)ψ(α + β)."""
        a, b = self.alpha, self.beta
        return log_beta(a, b) - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b) + (a + b - 2.0) * digamma(a + b)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return self.alpha, self.beta

    def _log_normalizer(self, *parameters: Any) -> Any:
        return log_beta(*parameters)


class Dirichlet(ExponentialFamily):
    """The distribution of shares x that sum to 1: Π xᵢ^(αᵢ-1) / B(α), α the last dimension of `concentration`.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.Dirichlet(paddle.to_tensor([1.0, 3.0])).mean.tolist()
    [0.25, 0.75]
    """

    _keeps_wider = True

    def __init__(self, concentration: Any):
        self.concentration = as_parameters(concentration)[0]
        if not self.concentration.shape:
            raise ValueError("Dirichlet(concentration): must have at least one dimension. Received a scalar.")
        self._dtype = self.concentration.dtype
        self._shaped_as(self.concentration, 1)

    def _total(self) -> Any:
        return self.concentration.sum(-1, keepdim=True)

    @property
    def mean(self) -> Any:
        """α / Σα."""
        return self.concentration / self._total()

    @property
    def variance(self) -> Any:
        """α (Σα - α) / (Σα² (Σα + 1))."""
        total = self._total()
        return self.concentration * (total - self.concentration) / (total * total * (total + 1.0))

    def sample(self, shape: Any = ()) -> Any:
        """Shares drawn at random, through which no gradient flows."""
        return dirichlet(self.concentration.expand(self._sample_shape(shape))).detach()

    def log_prob(self, value: Any) -> Any:
        """Σ (α - 1) log x + log Γ(Σα) - Σ log Γ(α)."""
        powers = ((self.concentration - 1.0) * log(self._like(value))).sum(-1)
        return powers - self._log_normalizer(self.concentration)

    def entropy(self) -> Any:
        """log B(α) + (Σα - k)ψ(Σα) - Σ (α - 1)ψ(α)."""
        alpha, total = self.concentration, self.concentration.sum(-1)
        return self._log_normalizer(alpha) + (total - float(alpha.shape[-1])) * digamma(total) - (
            (alpha - 1.0) * digamma(alpha)).sum(-1)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *parameters: Any) -> Any:
        return lgamma(parameters[0]).sum(-1) - lgamma(parameters[0].sum(-1))
