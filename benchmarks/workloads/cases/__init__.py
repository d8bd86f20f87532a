"""The operators that are measured one by one, those that public Paddle code calls most, in each API."""

from . import arithmetic, creation, movement, networks, reductions
from .case import Case

CASES: dict[str, Case] = {
    **networks.CASES, **arithmetic.CASES, **movement.CASES, **reductions.CASES, **creation.CASES}
