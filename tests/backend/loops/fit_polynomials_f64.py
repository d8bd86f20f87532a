"""Prints the polynomials of `backend/loops/math_f64.py`, by mpmath (which nothing else here needs).

    python tests/backend/loops/fit_polynomials_f64.py
"""

import mpmath as mp

mp.mp.dps = 60


def nodes(low, high, count):
    """Chebyshev's, which lie densely at both ends."""
    low, high = mp.mpf(low), mp.mpf(high)
    return [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count)]


def fit(function, low, high, degree, weight, rounds=12, centre=0):
    """Coefficients, highest power first, of the polynomial whose weighted error is smallest at its worst (Lawson)."""
    points = nodes(low, high, 4 * degree)
    values, importance = [function(t) for t in points], [mp.mpf(1)] * len(points)
    for _ in range(rounds):
        scale = [weight(t) * mp.sqrt(share) for t, share in zip(points, importance)]
        rows = mp.matrix([[(t - centre) ** k * s for k in range(degree + 1)] for t, s in zip(points, scale)])
        right = mp.matrix([value * s for value, s in zip(values, scale)])
        found = mp.lu_solve(rows.T * rows, rows.T * right)
        errors = [abs(sum(c * (t - centre) ** k for k, c in enumerate(found)) - value) * weight(t)
                  for t, value in zip(points, values)]
        worst = max(errors)
        importance = [share * (error / worst + mp.mpf("1e-3")) for share, error in zip(importance, errors)]
        largest = max(importance)
        importance = [share / largest for share in importance]
    return list(found)[::-1], worst


def show(name, found):
    coefficients, worst = found
    print(f"{name}: worst error {mp.nstr(worst, 3)}")
    for c in coefficients:
        print(f"    {float(c)!r}")


half_log2 = mp.log(2) / 2 * mp.mpf("1.01")
near_0 = mp.mpf("1e-30")
show("exp: (e^r - 1 - r) / r^2 on |r| <= log(2)/2",
     fit(lambda r: (mp.e**r - 1 - r) / r**2, -half_log2, half_log2, 9, abs))
show("log: (log(m) - 2 s) / s^3, by s^2, s = (m - 1) / (m + 1)",
     fit(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, near_0, "0.0296", 6, lambda z: z))
show("atan: (atan(t)/t - 1) / t^2, by t^2, t <= tan(pi/8)",
     fit(lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, near_0, "0.1718", 11, lambda z: z))
show("erf: (erf(x)/x - 2/sqrt(pi)) / x^2, by x^2, |x| <= 1",
     fit(lambda s: (mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 2 / mp.sqrt(mp.pi)) / s, near_0, 1, 11, lambda s: s))
show("erf: log(erfc(t)) on 1 <= t <= 6, by t - 2",
     fit(lambda t: mp.log(mp.erfc(t)), 1, 6, 18, lambda t: mp.erfc(t) / mp.erf(t), centre=2))
quarter = mp.pi / 4 * mp.mpf("1.0001")
show("sin: (sin(r)/r - 1) / r^2, by r^2, |r| <= pi/4",
     fit(lambda s: (mp.sin(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, near_0, quarter**2, 6, lambda s: s))
show("cos: (cos(r) - 1 + r^2/2) / r^4, by r^2, |r| <= pi/4",
     fit(lambda s: (mp.cos(mp.sqrt(s)) - 1 + s / 2) / s**2, near_0, quarter**2, 6, lambda s: s * s))
