"""Operators that reduce, sort or search."""

from .case import apart, both

CASES = {
    "mean": both(lambda f, F, v: f.mean(v.x)),
    "sum": both(lambda f, F, v: f.sum(v.x)),
    "sum of rows": apart(lambda f, F, v: f.sum(v.x, axis=1), lambda f, F, v: f.sum(v.x, dim=1)),
    "sum of columns": apart(lambda f, F, v: f.sum(v.x, axis=0), lambda f, F, v: f.sum(v.x, dim=0)),
    "prod": both(lambda f, F, v: f.prod(v.positive)),
    "max": both(lambda f, F, v: f.max(v.x)),
    "min": both(lambda f, F, v: f.min(v.x)),
    "all": both(lambda f, F, v: v.true.all()),
    "any": both(lambda f, F, v: v.true.any()),
    "std": both(lambda f, F, v: f.std(v.x)),
    "norm": both(lambda f, F, v: f.norm(v.x)),
    "median": apart(lambda f, F, v: f.median(v.x), lambda f, F, v: f.median(v.x), same=False),
    "logsumexp": apart(lambda f, F, v: f.logsumexp(v.x, axis=1), lambda f, F, v: f.logsumexp(v.x, dim=1)),
    "cumsum": apart(lambda f, F, v: f.cumsum(v.x, axis=1), lambda f, F, v: f.cumsum(v.x, dim=1)),
    "argmax": apart(lambda f, F, v: f.argmax(v.x, axis=1), lambda f, F, v: f.argmax(v.x, dim=1)),
    "argsort": both(lambda f, F, v: f.argsort(v.x)),
    "sort": both(lambda f, F, v: f.sort(v.x)),
    "topk": both(lambda f, F, v: f.topk(v.x, 5)),
    "nonzero": both(lambda f, F, v: f.nonzero(v.true)),
    "unique": both(lambda f, F, v: f.unique(v.whole)),
    "allclose": both(lambda f, F, v: f.allclose(v.x, v.x)),
}
