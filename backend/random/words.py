"""The words of the Mersenne Twister by a generated loop."""

from __future__ import annotations

import numpy as np

from ...core import mersenne_twister
from ..loops.names import unsigned_shift
from .same import same


@same("i64* i64* i64")
def _advance(state, out, blocks):
    for block in range(blocks):
        for k in range(156):
            joined = (state[k] & -2147483648) | (state[k + 1] & 2147483647)
            state[k] = state[k + 156] ^ unsigned_shift(joined, 1) ^ ((0 - (joined & 1)) & -5403634167711393303)
        for k in range(155):
            joined = (state[k + 156] & -2147483648) | (state[k + 157] & 2147483647)
            state[k + 156] = state[k] ^ unsigned_shift(joined, 1) ^ ((0 - (joined & 1)) & -5403634167711393303)
        joined = (state[311] & -2147483648) | (state[0] & 2147483647)
        state[311] = state[155] ^ unsigned_shift(joined, 1) ^ ((0 - (joined & 1)) & -5403634167711393303)
        own = out + block * 312
        for k in range(312):
            word = state[k]
            word = word ^ (unsigned_shift(word, 29) & 6148914691236517205)
            word = word ^ ((word << 17) & 8202884508482404352)
            word = word ^ ((word << 37) & -2270628950310912)
            own[k] = word ^ unsigned_shift(word, 43)


def advance(state: np.ndarray, out: np.ndarray) -> None:
    """As `mersenne_twister.advance`."""
    run = _advance.due(out.size)
    if run is not None:
        run(state, out, out.size // mersenne_twister.STATE)
    else:
        mersenne_twister.advance(state, out)


mersenne_twister.Engine.advance = staticmethod(advance)
