"""`python -m proa.distributed.launch SCRIPT`: a training script under the launcher's variables, in one process."""

from .main import launch

__all__ = ["launch"]
