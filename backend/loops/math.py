"""Elementary functions of float32 as polynomials, which LLVM turns into vector code: within 2 units in the last place.

Range reduction after Cody and Waite; `tests/backend/loops/fit_polynomials.py` prints the polynomials. Those of float64
are in `math_f64.py`.
"""

# ruff: noqa: D103 - names that say it all

from .functions import function
from .names import atan, bits, copysign, exp, f32, f64, floor, fma, i32, log1p, nearest, of_bits


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
def pow_f32(x, y):
    """By logarithm and exponential in float64, whose errors are far below those of the rounding to float32."""
    a = abs(x)
    tiny = a < 1.17549435e-38
    scaled = a * 8388608.0 if tiny else a
    raw = bits(scaled)
    k = (raw - 1060439283) >> 23
    m = f64(of_bits(raw - (k << 23)))
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    p = fma(q, 0.2829121439989965, 0.31990491751256966)
    p = fma(p, q, 0.41220926800137264)
    p = fma(p, q, 0.57707794227332443)
    p = fma(p, q, 0.96179669411338564)
    p = fma(p, q, 2.8853900817778486)
    infinite = of_bits(2139095040)
    log2 = fma(p, s, f64(k) - (23.0 if tiny else 0.0))
    log2 = log2 if a < infinite else f64(infinite)
    log2 = log2 if a > 0.0 else 0.0 - f64(infinite)
    t = 0.0 if a == 1.0 else f64(y) * log2
    t = t if t > -160.0 else -160.0
    t = t if t < 130.0 else 130.0
    n = nearest(t)
    f = t - n
    e = fma(f, 1.5314947286029342e-05, 0.00015467110346611967)
    e = fma(e, f, 0.0013333430784982225)
    e = fma(e, f, 0.0096180369108433139)
    e = fma(e, f, 0.055504109625743536)
    e = fma(e, f, 0.24022651075853327)
    e = fma(e, f, 0.69314718054165358)
    e = fma(e, f, 1.0)
    steps = i32(n)
    half = steps >> 1
    result = f32(e * f64(of_bits((half + 127) << 23)) * f64(of_bits((steps - half + 127) << 23)))
    whole = floor(y) == y
    odd = whole and floor(y * 0.5) * 2.0 != y and abs(y) < infinite
    result = copysign(result, x) if odd else result
    result = result if x >= 0.0 or whole or a == infinite else of_bits(2143289344)
    result = result if x == x and y == y else of_bits(2143289344)
    return 1.0 if y == 0.0 or x == 1.0 else result


@function
def sin_cos_of_quarters(r, quarters):
    """The sine and the cosine, for float32, of an angle of so many right angles and r, |r| <= pi / 4."""
    s = r * r
    p = fma(s, 2.718311634e-06, -0.0001983933471)
    p = fma(p, s, 0.008333329111)
    p = fma(p, s, -0.1666666716)
    sine = fma(r * s, p, r)
    q = fma(s, -2.721023691e-07, 2.479951945e-05)
    q = fma(q, s, -0.00138888834)
    q = fma(q, s, 0.04166666791)
    cosine = fma(s * s, q, fma(s, -0.5, 1.0))
    odd = (quarters & 1) != 0
    a = cosine if odd else sine
    b = sine if odd else cosine
    return (0.0 - a if (quarters & 2) != 0 else a), (0.0 - b if ((quarters + 1) & 2) != 0 else b)


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
def normal_cdf_f32(x):
    """(1 + erf(x / sqrt(2))) / 2 to 2e-7: the error function as a quotient, which costs half as much."""
    t = x * 0.70710678118654752
    t = t if t < 3.92 else 3.92
    t = t if t > -3.92 else -3.92
    s = t * t
    p = fma(s, 1.025020064e-06, 0.0001424158535)
    p = fma(p, s, 0.001882126554)
    p = fma(p, s, 0.02637220888)
    p = fma(p, s, 0.0951887815)
    p = fma(p, s, 0.5641895733)
    q = fma(s, 3.808856181e-05, 0.001162167414)
    q = fma(q, s, 0.0149664904)
    q = fma(q, s, 0.1140967305)
    q = fma(q, s, 0.5020504706)
    q = fma(q, s, 1.0)
    half = t * p / q
    return 0.5 + (half if abs(t) < 3.92 else copysign(0.5, t))


@function
def atan_f32(x):
    a = abs(x)
    t = a if a <= 1.0 else 1.0 / a
    s = t * t
    p = fma(s, -0.001827184693, 0.01106431521)
    p = fma(p, s, -0.03145546839)
    p = fma(p, s, 0.05823431909)
    p = fma(p, s, -0.08419445902)
    p = fma(p, s, 0.1095757186)
    p = fma(p, s, -0.142652452)
    p = fma(p, s, 0.1999863833)
    p = fma(p, s, -0.3333330154)
    near = fma(p * s, t, t)
    y = copysign(near if a <= 1.0 else 1.57079632679489662 - near, x)
    return y if x == x else x


@function
def atan2(y, x):
    """The angle of the point (x, y), from -pi to pi, with the signs of zeros that C's atan2 has."""
    a = abs(x)
    b = abs(y)
    large = max(a, b)
    quotient = min(a, b) / large
    angle = atan(quotient if quotient == quotient else (0.0 if large == 0.0 else 1.0))
    angle = angle if b <= a else 1.57079632679489662 - angle
    angle = angle if copysign(1.0, x) > 0.0 else 3.14159265358979324 - angle
    angle = copysign(angle, y)
    return angle if large == large else large


@function
def cosh(x):
    half = exp(abs(x) * 0.5)
    return half * 0.5 * half + 0.5 / half / half


@function
def sigmoid(x):
    return 1.0 / (1.0 + exp(0.0 - x))


@function
def softplus(x):
    return log1p(exp(0.0 - abs(x))) + max(x, 0.0)
