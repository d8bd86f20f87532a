"""The parameter server: processes that hold the parameters, and what trainers ask of them, by gRPC (the extra `ps`).

`Server` holds variables, updates and sparse tables; `Client` is a trainer's side. Knows arrays and names only: what an
update is, the caller says. Importing it needs no gRPC; starting a server or a client does.
"""

from . import first_rows
from .checkpoint import Block, Checkpoints
from .client import Client
from .credentials import Credentials
from .errors import RefusedError, SilentServerError, UpdateError, WaitedTooLongError
from .options import Options
from .row_rule import RowRule
from .server import Server
from .sparse_table import SparseTable
from .state import Update
from .values import Value

__all__ = ["Block", "Checkpoints", "Client", "Credentials", "Options", "RefusedError", "RowRule", "Server",
           "SilentServerError", "SparseTable", "Update", "UpdateError", "Value", "WaitedTooLongError", "first_rows"]
