"""GroupShardedScaler: a GradScaler for gradients that are divided among processes, which is any GradScaler."""

from typing import Any

__all__ = ["GroupShardedScaler"]


def GroupShardedScaler(scaler: Any) -> Any:
    """The scaler as it is: the optimizer whose state is divided has all processes leave out the same steps."""
    return scaler
