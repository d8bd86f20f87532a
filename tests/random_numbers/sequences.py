"""Random calls one after the other, for whichever package is given as `p`: PaddlePaddle here, proa there.

Each function gives the Tensors that it draws, in order. What is drawn next shows how much the one before took.
"""

import hashlib

import numpy as np
from initial_weights import initializers, layers, orthogonal

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
        yield p.distribution.Dirichlet(line(p, 1, 9, 3)).sample([n])
        yield p.distribution.Dirichlet(line(p, 1, 9, 2 * n).reshape([n, 2])).sample([2])
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


def programs(p):
    """Programs without seeds of their own and with, run twice: what nobody fetches is drawn too."""
    p.enable_static()
    try:
        for own, initial in ((0, 0), (3, 5)):
            yield from _program(p, own, initial)
    finally:
        p.disable_static()


def _program(p, own, initial):
    static, main, startup = p.static, p.static.Program(), p.static.Program()
    main.random_seed, startup.random_seed = own, initial
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x = static.data("x", [2, 5])
        static.nn.fc(static.nn.fc(x, 4), 4)
        p.rand([3])
        fetched = [p.nn.functional.dropout(p.ones([20]), 0.5) for _ in range(2)]
        fetched += [p.rand([2]), p.randn([3]), p.randperm(5), p.randint(0, 9, [3]), p.uniform([2], seed=8),
                    p.bernoulli(p.full([9], 0.4)), p.normal(0.5, 2.0, [2])]
        executor = static.Executor()
        executor.run(startup)
        for parameter in main.all_parameters():
            yield np.array(static.global_scope().find_var(parameter.name).get_tensor())
        for _ in range(2):
            yield from executor.run(main, feed={"x": np.ones((2, 5), "float32")}, fetch_list=fetched)


def converted(p):
    """A converted function, with a branch and a gradient, between eager draws."""
    def drawing(x):
        p.rand([3])  # nobody reads it
        y = p.nn.functional.dropout(x * p.randint(1, 9, [4]).astype("float32"), 0.5)
        if y.sum() > -1.0:
            y = y + p.rand([4])
        return y * p.nn.functional.dropout(x, 0.2)

    function = p.jit.to_static(drawing)
    for _ in range(3):
        x = p.ones([4])
        x.stop_gradient = False
        y = function(x)
        y.sum().backward()
        yield y
        yield x.grad
        yield p.rand([2])


def distributions(p):
    """Samples of distributions that only draw, and add and multiply."""
    D, kinds = p.distribution, [0.3, 0.2, 0.5]
    pair, scales = line(p, 0.3, 1, 2), line(p, 0.7, 2, 2)
    made = [D.Normal(pair, scales), D.Normal(0.3, 0.7), D.Uniform(pair, pair + scales), D.Uniform(0.3, 0.7),
            D.Bernoulli(pair * 0.5), D.Beta(pair + 1, scales + 1), D.Dirichlet(scales + 1), D.Categorical(pair),
            D.Multinomial(10, p.to_tensor(np.array(kinds, "float32"))), D.Geometric(pair * 0.5)]
    for shape in ([], [5], [2, 3]):
        for distribution in made:
            yield distribution.sample(shape)
            yield p.rand([1])


def logarithms(p):
    """What is computed of logarithms, exponentials, powers and tangents, which round differently."""
    D = p.distribution
    pair, scales = line(p, 0.3, 2, 2), line(p, 1.5, 2, 2)
    for distribution in (D.LogNormal(pair, scales), D.Laplace(pair, scales), D.Gumbel(pair, scales),
                         D.Cauchy(pair, scales)):
        yield distribution.sample([5])
    yield D.Dirichlet(line(p, 0.1, 0.9, 5)).sample([50])
    x = line(p, -3, 2, 40).reshape([4, 10])
    yield p.nn.functional.gumbel_softmax(x)
    yield p.nn.functional.gumbel_softmax(x, 0.7, True, 0)
    yield p.nn.functional.gumbel_softmax(x.astype("float64"), 0.7)
    yield p.nn.functional.alpha_dropout(x, 0.3)
    yield p.rand([1])


def recurrent(p):
    """dropout between recurrent layers, in training and not."""
    for make, mode in ((p.nn.LSTM, "forward"), (p.nn.GRU, "bidirect"), (p.nn.SimpleRNN, "forward")):
        net = make(3, 4, num_layers=3, dropout=0.4, direction=mode)
        for _ in range(2):
            yield net(line(p, -1, 1, 30).reshape([2, 5, 3]))[0]
            net.eval()
        yield p.rand([1])


def attention(p):
    """dropout of attention weights and of a Transformer."""
    net = p.nn.Transformer(8, 2, 1, 1, 16, dropout=0.3)
    x = line(p, -1, 1, 80).reshape([2, 5, 8])
    yield net(x, x)
    yield p.nn.functional.scaled_dot_product_attention(x.reshape([2, 5, 2, 4]), x.reshape([2, 5, 2, 4]),
                                                       x.reshape([2, 5, 2, 4]), dropout_p=0.4)
    yield p.rand([1])


def splits(p):
    """random_split, by the generator of `paddle.seed`."""
    for part in p.io.random_split(range(20), [3, 10, 7]):
        yield np.array([part[n] for n in range(len(part))])


SEQUENCES = {f.__name__: f for f in (
    evenly_spread, normal, whole_numbers, chance, waiting_and_counting, shares, dropouts, mixed, programs, converted,
    distributions, splits, layers, initializers)}
"""What is the same in every bit."""
CLOSE = {f.__name__: f for f in (logarithms, recurrent, attention, orthogonal)}
"""What is the same but for rounding."""


def described(array):
    """What a fixture holds of an array: its dtype and shape, its first numbers, and a digest of all its bytes.

    Zeros below zero count as zeros.
    """
    array = array + np.zeros((), array.dtype)
    first = [float(x).hex() for x in array.reshape(-1)[:4]]
    return [array.dtype.name, list(array.shape), first, hashlib.sha256(array.tobytes()).hexdigest()[:16]]


def arrays_of(p, sequence, seed):
    """What a sequence draws after a seed, as arrays."""
    p.seed(seed)
    return [x if isinstance(x, np.ndarray) else x.numpy() for x in {**SEQUENCES, **CLOSE}[sequence](p)]


def drawn(p, sequence, seed):
    """The description of each array that a sequence draws after a seed."""
    return [described(array) for array in arrays_of(p, sequence, seed)]
