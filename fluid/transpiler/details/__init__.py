"""What the transpilers of Paddle 1.x have in `details`: who waits for servers, and what lies where."""

from .checkport import wait_server_ready
from .program_utils import delete_ops, find_op_by_input_arg, find_op_by_output_arg
from .vars_distributed import VarDistributed, VarsDistributed, VarStruct

__all__ = ["VarDistributed", "VarStruct", "VarsDistributed", "delete_ops", "find_op_by_input_arg",
           "find_op_by_output_arg", "wait_server_ready"]
