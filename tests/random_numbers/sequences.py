"""Random calls one after the other, for whichever package is given as `p`: PaddlePaddle here, proa there.

Each function gives the Tensors that it draws, in order. What is drawn next shows how much the one before took.
"""

import hashlib

import numpy as np

SEEDS = (0, 7, 2023, 2**32 + 5, 2**63 + 1)
SIZES = (1, 2, 5, 100, 1001)


def line(p, low, high, count, dtype="float32"):
    """Numbers at equal distances, the same in both packages."""
    return p.to_tensor(np.linspace(low, high, count).astype(dtype))


def evenly_spread(p):
    """rand and uniform, of both dtypes, with bounds that are no float32, in place and with a seed of their own."""
    for n in SIZES:
        yield p.rand([n])
        yield p.rand([n], "float64")
        yield p.uniform([n], min=-0.3, max=3.7)
        yield p.uniform([n], "float64", -0.3, 3.7)
        yield p.uniform([n, 2], min=-2, max=5, seed=11)
        yield p.zeros([n]).uniform_(-0.7, 0.1)
        yield p.zeros([2, n], "float64").uniform_(-0.7, 0.1)


def normal(p):
    """randn, normal, gaussian, of odd and even counts."""
    for n in SIZES:
        yield p.randn([n])
        yield p.randn([n], "float64")
        yield p.standard_normal([n])
        yield p.normal(0.3, 0.7, [n])
        yield p.normal(p.full([n], 2.0), p.full([n], 0.5))
        yield p.normal(0.3, 0.7, [n, 3])
        yield p.zeros([n], "float64").normal_(0.3, 0.7)
        yield p.zeros([n]).normal_(-1.5, 0.3)


def whole_numbers(p):
    """randint of small and large ranges, and random order."""
    for n in SIZES:
        yield p.randint(0, 10, [n])
        yield p.randint(-5, 95, [n], "int32")
        yield p.randint(1, shape=[n])
        yield p.randint(0, 2**31 - 1, [n])
        yield p.randint(-2**31, 2**31 - 1, [n])
        yield p.randint_like(p.zeros([n]), 0, 7)
        yield p.randint_like(p.zeros([n], "int32"), -3, 1000)
        yield p.randperm(n)
        yield p.randperm(n + 1, "int32")
        yield p.randperm(n, "float32")
    yield p.randperm(100000)


def chance(p):
    """bernoulli; multinomial with replacement and without."""
    for n in SIZES:
        yield p.bernoulli(line(p, 0, 1, n))
        yield p.bernoulli(line(p, 0, 1, n, "float64"))
        weights = line(p, 1, 3, 3 * n).reshape([3, n])
        yield p.multinomial(weights, 7, True)
        yield p.multinomial(weights, min(n, 30))
        yield p.multinomial(weights[0].astype("float64"), min(n, 5))
        yield p.multinomial(weights.astype("float64"), 200, True)


def waiting_and_counting(p):
    """exponential_ and poisson, of small and large means."""
    for n in SIZES:
        yield p.zeros([n]).exponential_()
        yield p.zeros([n]).exponential_(0.7)
        yield p.zeros([n], "float64").exponential_(0.7)
        yield p.poisson(line(p, 0.1, 30, n))
        yield p.poisson(p.full([n], 3.5, "float64"))
        yield p.poisson(p.full([n], 1000.0))
        yield p.rand([1])


def shares(p):
    """Dirichlet's distribution, and rrelu, which draws for what is below 0."""
    for n in (1, 2, 5, 40):
        yield p.distribution.Dirichlet(line(p, 0.2, 9, 3)).sample([n])
        yield p.distribution.Dirichlet(line(p, 0.2, 9, 2 * n).reshape([n, 2])).sample([2])
        x = line(p, -3, 2, 7 * n).reshape([7, n])
        yield p.nn.functional.rrelu(x, 0.1, 0.6)
        yield p.nn.functional.rrelu(x.astype("float64"), 0.1, 0.6)
        yield p.rand([1])


def dropouts(p):
    """dropout of elements, of rows and of channels; what SELU wants."""
    F = p.nn.functional
    for n in SIZES:
        x = line(p, -3, 5, 2 * n).reshape([n, 2])
        for share in (0.0, 0.1, 0.5, 0.7, 1.0):
            yield F.dropout(x, share)
            yield F.dropout(x.astype("float64"), share)
            yield F.dropout(x, share, mode="downscale_in_infer")
            yield F.dropout(x, share, axis=0)
            yield F.dropout(x, share, axis=[0, 1])
            yield (F.alpha_dropout(x, share) > 0).astype("int32")
        images = p.ones([n, 3, 2, 2])
        yield F.dropout2d(images, 0.4)
        yield F.dropout2d(images, 0.4, data_format="NHWC")
        yield F.dropout3d(p.ones([n, 3, 2, 1, 2]), 0.4)
        yield p.rand([1])


def mixed(p):
    """Everything together, hundreds of calls long."""
    generator = np.random.RandomState(3)
    kinds = (lambda n: p.rand([n]), lambda n: p.randn([n]), lambda n: p.randint(0, n + 1, [n]), lambda n: p.randperm(n),
             lambda n: p.nn.functional.dropout(p.ones([n]), 0.3), lambda n: p.bernoulli(p.full([n], 0.2)),
             lambda n: p.randn([n], "float64"), lambda n: p.uniform([n], "float64", 1, 2))
    for _ in range(300):
        yield kinds[generator.randint(len(kinds))](int(generator.randint(1, 700)))


SEQUENCES = {f.__name__: f for f in (
    evenly_spread, normal, whole_numbers, chance, waiting_and_counting, shares, dropouts, mixed)}


def described(array):
    """What a fixture holds of an array: its dtype and shape, its first numbers, and a digest of all its bytes.

    Zeros below zero count as zeros.
    """
    array = array + 0
    first = [float(x).hex() for x in array.reshape(-1)[:4]]
    return [array.dtype.name, list(array.shape), first, hashlib.sha256(array.tobytes()).hexdigest()[:16]]


def drawn(p, sequence, seed):
    """The description of each Tensor that a sequence draws after a seed."""
    p.seed(seed)
    return [described(t.numpy()) for t in SEQUENCES[sequence](p)]
