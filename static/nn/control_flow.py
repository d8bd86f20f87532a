"""`paddle.static.nn.control_flow`: branches, loops and assertions by Paddle's path."""

from ..building.block_builders import ConditionalBlock, Switch, While
from ..building.cases import case, switch_case
from ..building.control_flow import cond, while_loop
from ..building.debugging import Assert, Print

__all__ = ["Assert", "ConditionalBlock", "Print", "Switch", "While", "case", "cond", "switch_case", "while_loop"]
