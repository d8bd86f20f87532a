"""Reductions along axes."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production

REDUCTIONS = (
    """mean sum max min prod logsumexp std var norm amax amin median nanmean nansum all_mean quantile""".split()
)


@production(5)
def _reduce(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    axes = sorted(body.rng.sample(range(v.rank), body.rng.randint(1, v.rank)))
    whole = body.chance(0.15)
    keep = body.chance(0.4)
    name = body.rng.choice(REDUCTIONS)
    if name in ("median", "quantile"):
        axes = axes[:1]
        unknown = any(isinstance(v.shape[k], str) for k in (range(v.rank) if whole else axes))
        if unknown and not body.network.allows("unknown_median"):
            return None
    if name in ("std", "var") and any(v.shape[k] == 1 for k in axes) and not whole:
        return None
    if name in ("std", "var") and whole and all(s == 1 for s in v.shape):
        return None
    given = [body.signed(v, k) for k in axes]
    axis = "" if whole else str(given[0] if len(given) == 1 else given)
    shape = (
        tuple(1 if whole or k in axes else s for k, s in enumerate(v.shape))
        if keep
        else (() if whole else tuple(s for k, s in enumerate(v.shape) if k not in axes))
    )
    arguments = ", ".join(
        filter(None, [v.text, ("0.3" if name == "quantile" else ""), axis and f"axis={axis}", "keepdim=True" * keep])
    )
    if name == "all_mean":
        return f"paddle.mean({arguments}) * paddle.sum({arguments}) * 0.1", shape, "float"
    if name == "prod":
        arguments = arguments.replace(v.text, f"paddle.tanh({v.text})", 1)
    if name == "norm":
        return (
            (
                f"paddle.norm({v.text} + 0.3{', p=2' if axis else ''}{', axis=' + axis if axis else ''}"
                f"{', keepdim=True' * keep})"
            ),
            shape,
            "float",
        )
    if name in ("std", "var"):
        arguments += ", unbiased=False"
    if name == "std":
        return f"paddle.sqrt(paddle.var({arguments}) + 0.01)", shape, "float"
    return f"paddle.{name}({arguments})", shape, "float"
