"""`paddle.distributed.fleet.metrics`: what workers have counted, put together: sums, accuracy, errors."""

from .metric import acc, auc, mae, max, min, mse, rmse, sum

__all__ = ["acc", "auc", "mae", "max", "min", "mse", "rmse", "sum"]
