"""`paddle.audio.backends`: what reads and writes sound. There is one: wave files, by Python's own module."""

from ...core.absent import asked_of
from .wave_backend import AudioInfo

__all__ = ["get_current_backend", "list_available_backends", "set_backend"]
_NAME = "wave_backend"


def list_available_backends() -> list[str]:
    """The names of the backends: ["wave_backend"].

    >>> import proa as paddle
    >>> paddle.audio.backends.list_available_backends()
    ['wave_backend']
    """
    return [_NAME]


def get_current_backend() -> str:
    """The name of the backend in use.

    >>> import proa as paddle
    >>> paddle.audio.backends.get_current_backend()
    'wave_backend'
    """
    return _NAME


def set_backend(backend_name: str) -> None:
    """Chooses a backend; NotImplementedError for any but "wave_backend".

    >>> import proa as paddle
    >>> paddle.audio.backends.set_backend("wave_backend")
    >>> paddle.audio.backends.get_current_backend()
    'wave_backend'
    """
    if backend_name != _NAME:
        raise NotImplementedError(f"audio.backends.set_backend(backend_name): there is {_NAME!r} alone. Received "
                                  f"{backend_name!r}. Read other files by their own package, and pass arrays on.")
__getattr__ = asked_of(__name__)
