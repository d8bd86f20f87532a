"""`paddle.distributed.checkpoint`: states that several processes write together, each its part, and any number read.

A folder holds a file of each process and one that says which value lies where. None runs code when it is read.
"""

from ...core.absent import asked_of
from . import load_state_dict, metadata, save_state_dict

__all__ = ["load_state_dict", "metadata", "save_state_dict"]
__getattr__ = asked_of(__name__)
