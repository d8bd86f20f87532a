"""Recurrent layers on arrays: what the operators `rnn` and `rnn_grad` compute.

`stack.py` goes through layers and directions, over an engine that computes one direction of one layer: `arrays.py` is
the meaning, for any array namespace; `loop_engine.py` stands in for it on the host. Knows nothing of operators.

Gates lie side by side in the order of the weights' rows: input, forget, cell, output (LSTM); reset, update, candidate
(GRU). Sequences are [steps, batch, features].
"""

from .arrays import ArrayEngine
from .loop_engine import LoopEngine, takes
from .plan import GATES, Plan, plan_of
from .stack import Stack

__all__ = ["GATES", "ArrayEngine", "LoopEngine", "Plan", "Stack", "plan_of", "takes"]
