"""The DataLoader and its worker processes. Knows datasets and samplers by what they answer, and no model."""

from typing import TYPE_CHECKING

from ...core.lazy import beside
from .loader import DataLoader
from .worker import WorkerInfo, get_worker_info

__all__ = ["DataLoader", "WorkerInfo", "get_worker_info"]

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)
