"""Operators that create arrays, from numbers or from a random generator."""

from .case import apart, both

CASES = {
    "zeros": both(lambda f, F, v: f.zeros([v.side, v.side])),
    "ones": both(lambda f, F, v: f.ones([v.side, v.side])),
    "full": both(lambda f, F, v: f.full([v.side, v.side], 2.0)),
    "ones_like": both(lambda f, F, v: f.ones_like(v.x)),
    "arange": both(lambda f, F, v: f.arange(v.elements)),
    "linspace": both(lambda f, F, v: f.linspace(0.0, 1.0, v.elements)),
    "eye": both(lambda f, F, v: f.eye(v.side)),
    "rand": apart(lambda f, F, v: f.rand([v.side, v.side]), lambda f, F, v: f.rand([v.side, v.side]), same=False),
    "randn": apart(lambda f, F, v: f.randn([v.side, v.side]), lambda f, F, v: f.randn([v.side, v.side]), same=False),
    "randint": apart(lambda f, F, v: f.randint(0, 10, [v.side, v.side]),
                     lambda f, F, v: f.randint(0, 10, [v.side, v.side]), same=False),
}
