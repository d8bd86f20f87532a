"""Elementary functions of float32 as polynomials, which LLVM turns into vector code: within 2 units in the last place.

Range reduction after Cody and Waite; `tests/backend/loops/fit_polynomials.py` prints the polynomials. Values of float64
do not come here: see `builtins.py`.
"""

# ruff: noqa: D103 - names that say it all

from .functions import function
from .names import bits, copysign, exp, f32, fma, log1p, of_bits


@function
def exp_f32(x):
    low = x if x > -104.0 else -104.0
    clipped = low if low < 89.0 else 89.0
    shifted = fma(clipped, 1.44269504088896341, 12582912.0)
    n = shifted - 12582912.0
    r = fma(n, -0.693359375, clipped)
    r = fma(n, 2.12194440e-4, r)
    p = fma(r, 0.0001991937752, 0.001394722494)
    p = fma(p, r, 0.008333262987)
    p = fma(p, r, 0.0416662544)
    p = fma(p, r, 0.1666666716)
    p = fma(p, r, 0.5)
    p = fma(p, r * r, r) + 1.0
    k = bits(shifted) - 1262485504
    half = k >> 1
    result = p * of_bits((half + 127) << 23) * of_bits((k - half + 127) << 23)
    return result if x == x else x


@function
def expm1_f32(x):
    r = x if abs(x) < 0.5 else 0.0
    p = fma(r, 2.497025525e-05, 0.0001997401996)
    p = fma(p, r, 0.001388854347)
    p = fma(p, r, 0.008333140984)
    p = fma(p, r, 0.04166666791)
    p = fma(p, r, 0.1666666716)
    p = fma(p, r, 0.5)
    near = fma(p, r * r, r)
    return near if abs(x) < 0.5 else exp_f32(x) - 1.0


@function
def log_f32(x):
    tiny = x < 1.17549435e-38
    scaled = x * 8388608.0 if tiny else x
    raw = bits(scaled)
    k = (raw - 1060439283) >> 23
    m = of_bits(raw - (k << 23)) - 1.0
    p = fma(m, 0.0691536814, -0.1178980768)
    p = fma(p, m, 0.1187297627)
    p = fma(p, m, -0.1238434836)
    p = fma(p, m, 0.1421865821)
    p = fma(p, m, -0.1666925102)
    p = fma(p, m, 0.2000222653)
    p = fma(p, m, -0.2499998659)
    p = fma(p, m, 0.3333331048)
    square = m * m
    e = f32(k) - (23.0 if tiny else 0.0)
    y = fma(p * m, square, e * -2.12194440e-4)
    y = fma(square, -0.5, y)
    y = fma(e, 0.693359375, m + y)
    infinite = of_bits(2139095040)
    y = y if x < infinite else infinite
    y = y if x > 0.0 else (0.0 - infinite if x == 0.0 else of_bits(2143289344))
    return y if x == x else x


@function
def log1p_f32(x):
    u = 1.0 + x
    correction = (x - (u - 1.0)) / u if u > 0.0 else 0.0
    y = log_f32(u) + correction
    y = y if abs(x) > 1e-7 else x
    return y if u < of_bits(2139095040) else u


@function
def tanh_f32(x):
    a = abs(x)
    s = x * x
    p = fma(s, -0.005528624635, 0.02048330568)
    p = fma(p, s, -0.05369296297)
    p = fma(p, s, 0.1333089918)
    p = fma(p, s, -0.333332628)
    near = fma(p * s, x, x)
    far = copysign(1.0 - 2.0 / (exp_f32(a + a) + 1.0), x)
    y = near if a < 0.625 else far
    return y if x == x else x


@function
def erf_f32(x):
    a = abs(x)
    s = x * x
    p = fma(s, 7.889119297e-05, -0.0008020841051)
    p = fma(p, s, 0.005189535208)
    p = fma(p, s, -0.0268544443)
    p = fma(p, s, 0.1128360033)
    p = fma(p, s, -0.3761262596)
    p = fma(p, s, 0.1283791661)
    near = fma(p, x, x)
    t = a if a < 4.0 else 4.0
    q = fma(t, -7.374565598e-07, -1.131134832e-05)
    q = fma(q, t, 0.0003788496833)
    q = fma(q, t, -0.003994101193)
    q = fma(q, t, 0.02477451228)
    q = fma(q, t, -0.1078582108)
    q = fma(q, t, -0.6336632967)
    q = fma(q, t, -1.129381776)
    q = fma(q, t, 0.000150613705)
    far = copysign(1.0 - exp_f32(q), x)
    y = near if a < 0.95 else far
    return y if x == x else x


@function
def sigmoid(x):
    return 1.0 / (1.0 + exp(0.0 - x))


@function
def softplus(x):
    return log1p(exp(0.0 - abs(x))) + max(x, 0.0)
