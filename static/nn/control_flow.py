"""`paddle.static.nn.control_flow`: branches, loops and assertions by Paddle's path."""

from ..building.block_builders import While
from ..building.control_flow import case, cond, switch_case, while_loop
from ..building.debugging import Assert, Print

__all__ = ["Assert", "Print", "While", "case", "cond", "switch_case", "while_loop"]
