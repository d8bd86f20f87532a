"""Prints the coefficients of `fast_tanh` in backend/recurrent/rows.py, and its errors: python fit_tanh.py

tanh(x) = x P(s) / Q(s) with s = x * x, for |x| up to 8: a rational function of least relative error, by iteratively
reweighted least squares (Lawson 1961) of the linearized problem (Loeb 1957).
"""

import numpy as np

DEGREE, TOP, POINTS, ROUNDS = 4, 8.0, 4000, 200


def fitted():
    """The coefficients of P and of Q, the constant one first."""
    x = TOP * (np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS) + 1) / 2
    wanted = np.tanh(x) / x
    powers = np.vander((x / TOP) ** 2, DEGREE + 1, increasing=True)
    weights, below, best = np.ones(POINTS), np.ones(POINTS), (np.inf, None)
    for _ in range(ROUNDS):
        scale = np.sqrt(weights) / (wanted * below)
        system = np.hstack([powers, -wanted[:, None] * powers[:, 1:]]) * scale[:, None]
        sizes = np.linalg.norm(system, axis=0)
        found = np.linalg.lstsq(system / sizes, wanted * scale, rcond=None)[0] / sizes
        p, q = found[:DEGREE + 1], np.r_[1.0, found[DEGREE + 1:]]
        below = powers @ q
        errors = np.abs(powers @ p / (below * wanted) - 1)
        best = min(best, (errors.max(), (p, q)), key=lambda pair: pair[0])
        weights = weights * (errors / errors.max() + 1e-3)
        weights = np.maximum(weights / weights.sum(), 1e-14)
    scale = TOP ** (-2.0 * np.arange(DEGREE + 1))
    return best[1][0] * scale, best[1][1] * scale


def main():
    p, q = fitted()
    for name, values in (("P", p), ("Q", q)):
        print(name, *(f"{v:.10g}" for v in values))


if __name__ == "__main__":
    main()
