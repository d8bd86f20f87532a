"""Elementary functions of float64 as polynomials, which LLVM vectorises: within 2.2 units in the last place.

They go as those of float32 do (`math.py`), with two differences: an error function's tail is a polynomial around 2, and
tanh is made of expm1. `tests/backend/loops/fit_polynomials_f64.py` prints the polynomials.
"""

# ruff: noqa: D103 - names that say it all

from .functions import function
from .names import bits64, copysign, erf, fma, of_bits64


@function
def rest_of_exp_f64(r):
    """exp(r) - 1 for |r| <= log(2) / 2."""
    p = fma(r, 2.511472776580169e-08, 2.7627742366413493e-07)
    p = fma(p, r, 2.755722744321536e-06)
    p = fma(p, r, 2.4801500982547556e-05)
    p = fma(p, r, 0.00019841269903084438)
    p = fma(p, r, 0.0013888888935143216)
    p = fma(p, r, 0.008333333333314992)
    p = fma(p, r, 0.04166666666656581)
    p = fma(p, r, 0.16666666666666685)
    p = fma(p, r, 0.5000000000000006)
    return fma(p, r * r, r)


@function
def exp_f64(x):
    low = x if x > -746.0 else -746.0
    clipped = low if low < 710.0 else 710.0
    shifted = fma(clipped, 1.4426950408889634, 6755399441055744.0)
    n = shifted - 6755399441055744.0
    r = fma(n, -0.6931471803691238, clipped)
    r = fma(n, -1.9082149292705877e-10, r)
    p = rest_of_exp_f64(r) + 1.0
    k = bits64(shifted) - 4843621399236968448
    half = k >> 1
    result = p * of_bits64((half + 1023) << 52) * of_bits64((k - half + 1023) << 52)
    return result if x == x else x


@function
def expm1_f64(x):
    low = x if x > -40.0 else -40.0
    clipped = low if low < 710.0 else 710.0
    shifted = fma(clipped, 1.4426950408889634, 6755399441055744.0)
    n = shifted - 6755399441055744.0
    r = fma(n, -0.6931471803691238, clipped)
    r = fma(n, -1.9082149292705877e-10, r)
    k = bits64(shifted) - 4843621399236968448
    half = k >> 1
    a = of_bits64((half + 1023) << 52)
    one = of_bits64((1023 - k + half) << 52)  # 1, as the last factor makes it
    result = fma(a, rest_of_exp_f64(r), a - one) * of_bits64((k - half + 1023) << 52)
    return result if abs(x) > 0.0 else x


@function
def log_f64(x):
    tiny = x < 2.2250738585072014e-308
    scaled = x * 18014398509481984.0 if tiny else x
    raw = bits64(scaled)
    k = (raw - 4604544271217802189) >> 52
    m = of_bits64(raw - (k << 52)) - 1.0
    e = of_bits64(k + 4843621399236968448) - 6755399441055744.0 - (54.0 if tiny else 0.0)
    s = m / (m + 2.0)
    z = s * s
    p = fma(z, 0.14800243438467459, 0.15313691339417082)
    p = fma(p, z, 0.18183575348890924)
    p = fma(p, z, 0.22222198426399303)
    p = fma(p, z, 0.28571428743083)
    p = fma(p, z, 0.39999999999415525)
    p = fma(p, z, 0.6666666666666734)
    half = m * 0.5 * m
    y = fma(s, fma(p, z, half), e * 1.9082149292705877e-10)
    y = fma(e, 0.6931471803691238, m - (half - y))
    infinite = of_bits64(9218868437227405312)
    y = y if x < infinite else infinite
    y = y if x > 0.0 else (0.0 - infinite if x == 0.0 else of_bits64(9221120237041090560))
    return y if x == x else x


@function
def log1p_f64(x):
    u = 1.0 + x
    correction = (x - (u - 1.0)) / u if u > 0.0 else 0.0
    y = log_f64(u) + correction
    y = y if abs(x) > 1e-20 else x
    return y if u < of_bits64(9218868437227405312) else u


@function
def tanh_f64(x):
    a = abs(x)
    twice = expm1_f64((a if a < 22.0 else 22.0) * 2.0)
    y = copysign(twice / (twice + 2.0), x)
    return y if x == x else x


@function
def erf_f64(x):
    a = abs(x)
    s = x * x
    p = fma(s, 5.970318994713616e-11, -1.1380962878932841e-09)
    p = fma(p, s, 1.4661976378320096e-08)
    p = fma(p, s, -1.6350657569955353e-07)
    p = fma(p, s, 1.6461034988181815e-06)
    p = fma(p, s, -1.4925597567734099e-05)
    p = fma(p, s, 0.000120553312152608)
    p = fma(p, s, -0.0008548326983958848)
    p = fma(p, s, 0.005223977624879296)
    p = fma(p, s, -0.026866170645084172)
    p = fma(p, s, 0.11283791670954928)
    p = fma(p, s, -0.3761263890318375)
    p = fma(p, s, 0.12837916709551256)
    near = fma(p, x, x)
    t = (a if a < 6.0 else 6.0) - 2.0
    q = fma(t, 1.0456313736245863e-12, -1.0155173029540325e-11)
    q = fma(q, t, 3.7419680995442676e-11)
    q = fma(q, t, -4.290274456258184e-11)
    q = fma(q, t, -2.746843428886349e-10)
    q = fma(q, t, 2.5387743284302767e-09)
    q = fma(q, t, -1.3949803804680378e-08)
    q = fma(q, t, 5.7797644854655534e-08)
    q = fma(q, t, -1.7320583571805355e-07)
    q = fma(q, t, 2.0364209252310286e-07)
    q = fma(q, t, 1.9521943803097054e-06)
    q = fma(q, t, -2.0706432288657197e-05)
    q = fma(q, t, 0.0001353093345582571)
    q = fma(q, t, -0.0007323993858357293)
    q = fma(q, t, 0.0035707563461731197)
    q = fma(q, t, -0.016465118136851968)
    q = fma(q, t, -0.9237508418238041)
    q = fma(q, t, -4.418160805994417)
    q = fma(q, t, -5.364941264616638)
    far = copysign(1.0 - exp_f64(q), x)
    y = near if a < 1.0 else far
    return y if x == x else x


@function
def normal_cdf_f64(x):
    return (erf(x * 0.70710678118654752) + 1.0) * 0.5


@function
def atan_f64(x):
    a = abs(x)
    large = a > 2.414213562373095
    middle = a > 0.41421356237309503
    t = (-1.0 if large else (a - 1.0 if middle else a)) / (a if large else (a + 1.0 if middle else 1.0))
    s = t * t
    p = fma(s, 0.01518790724550123, -0.0334671028623231)
    p = fma(p, s, 0.04503222044552828)
    p = fma(p, s, -0.05218320376000418)
    p = fma(p, s, 0.05877008063721213)
    p = fma(p, s, -0.06666225265702407)
    p = fma(p, s, 0.07692282649793075)
    p = fma(p, s, -0.09090908139250456)
    p = fma(p, s, 0.11111111088013706)
    p = fma(p, s, -0.14285714285384946)
    p = fma(p, s, 0.1999999999999764)
    p = fma(p, s, -0.33333333333333326)
    base = 1.5707963267948966 if large else (0.78539816339744831 if middle else 0.0)
    low = 6.123233995736766e-17 if large else (3.061616997868383e-17 if middle else 0.0)
    y = copysign(base + (fma(p * s, t, t) + low), x)
    return y if x == x else x


@function
def sin_cos_of_quarters_f64(r, quarters):
    """The sine and the cosine, for float64, of an angle of so many right angles and r, |r| <= pi / 4."""
    s = r * r
    p = fma(s, -7.578934190818417e-13, 1.605837171700022e-10)
    p = fma(p, s, -2.5052104954718223e-08)
    p = fma(p, s, 2.755731921437184e-06)
    p = fma(p, s, -0.0001984126984125546)
    p = fma(p, s, 0.008333333333333323)
    p = fma(p, s, -0.16666666666666666)
    sine = fma(r * s, p, r)
    q = fma(s, 4.738164762443984e-14, -1.1470294620739383e-11)
    q = fma(q, s, 2.087675437935213e-09)
    q = fma(q, s, -2.755731921544076e-07)
    q = fma(q, s, 2.4801587301571662e-05)
    q = fma(q, s, -0.0013888888888888874)
    q = fma(q, s, 0.041666666666666664)
    cosine = fma(s * s, q, fma(s, -0.5, 1.0))
    odd = (quarters & 1) != 0
    a = cosine if odd else sine
    b = sine if odd else cosine
    return (0.0 - a if (quarters & 2) != 0 else a), (0.0 - b if ((quarters + 1) & 2) != 0 else b)
