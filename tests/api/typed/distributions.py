"""Distributions and transforms."""
import proa as paddle
from proa import distribution as D


class Exp(D.ExponentialFamily):
    def __init__(self, rate: paddle.Tensor) -> None:
        self.rate = rate
        super().__init__(batch_shape=tuple(rate.shape))

    def sample(self, shape: list[int] | tuple[int, ...] = ()) -> paddle.Tensor:
        u = paddle.rand([*shape, *self.rate.shape])
        return -paddle.log(u) / self.rate

    def log_prob(self, value: paddle.Tensor) -> paddle.Tensor:
        return self.rate.log() - self.rate * value


d = Exp(paddle.to_tensor([1.0, 2.0]))
x = d.sample([3])
print(d.log_prob(x).mean().item(), d.batch_shape, d.event_shape)
beta = D.Beta(paddle.to_tensor(2.0), paddle.to_tensor(3.0))
print(beta.mean.item(), beta.variance.item(), beta.entropy().item())
base = D.Normal(paddle.zeros([2]), paddle.ones([2]))
t = D.TransformedDistribution(base, [D.ExpTransform(), D.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))])
y: paddle.Tensor = t.sample([4])
print(t.log_prob(y).shape, D.Independent(base, 1).event_shape)
mix = D.Categorical(paddle.to_tensor([0.1, 0.2, 0.7]))
print(mix.probs(paddle.to_tensor([2])).item(), mix.sample([5]).shape, D.kl_divergence(base, base).sum().item())
for one in (D.Laplace(0.0, 1.0), D.Gumbel(0.0, 1.0), D.Cauchy(0.0, 1.0), D.LogNormal(0.0, 1.0), D.Uniform(0.0, 2.0)):
    print(type(one).__name__, one.sample([2]).shape)


@D.register_kl(Exp, Exp)
def kl(p: Exp, q: Exp) -> paddle.Tensor:
    return (p.rate / q.rate).log() + q.rate / p.rate - 1


print(D.kl_divergence(d, d))
