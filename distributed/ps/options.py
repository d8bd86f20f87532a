"""Options of parameter servers and of their clients: how long they wait, how large messages are."""

from __future__ import annotations

import dataclasses

from ...backend.comm.mpi import TIMEOUT
from ...core import flags
from .credentials import Credentials

MIB = 1 << 20


def _patience() -> float:
    return flags.get_flag(TIMEOUT)


@dataclasses.dataclass(frozen=True)
class Options:
    """How a server and a client talk. Both sides need the same `message_bytes`.

    deadline: seconds that a client tries to reach a silent server, that a round waits for a trainer, and that a server
        waits for any trainer at all, before an error ends it; `FLAGS_communication_timeout` where it is not given.
    attempt: seconds until one message that gets no answer is sent again.
    poll: seconds until a server that is not done answers that it is not.
    message_bytes: the size of the largest part of a value in one message.
    value_bytes: the size of the largest value that a server takes.
    threads: how many messages of one client are under way at once.
    credentials: whom to trust; those of the environment where they are not given.
    """

    deadline: float = dataclasses.field(default_factory=_patience)
    attempt: float = 20.0
    poll: float = 5.0
    message_bytes: int = 4 * MIB
    value_bytes: int = 1 << 31
    threads: int = 4
    credentials: Credentials = dataclasses.field(default_factory=Credentials.from_environment)

    def __post_init__(self) -> None:
        for name in ("deadline", "attempt", "poll", "message_bytes", "value_bytes", "threads"):
            if not getattr(self, name) > 0:
                raise ValueError(f"Options({name}): must be above 0. Received {getattr(self, name)!r}.")
