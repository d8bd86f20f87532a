"""`paddle.distributed.fleet.scaler`: the GradScaler for the processes that fleet has arranged."""

from .fleet import distributed_scaler

__all__ = ["distributed_scaler"]
