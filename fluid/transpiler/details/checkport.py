"""`wait_server_ready`: waits until servers listen."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Sequence

from ....backend.comm.mpi import TIMEOUT
from ....core import flags

_PAUSE_S, _SAYS_S, _CONNECT_S = 0.1, 3.0, 1.0


def wait_server_ready(endpoints: Sequence[str]) -> None:
    """Returns when somebody listens at each of the endpoints, HOST:PORT.

    Says now and then on stderr who is waited for. Raises TimeoutError after `FLAGS_communication_timeout` seconds.
    """
    begun = said = time.monotonic()
    limit = flags.get_flag(TIMEOUT)
    while True:
        silent = [endpoint for endpoint in endpoints if not _listens(endpoint)]
        if not silent:
            return
        now = time.monotonic()
        if now - begun > limit:
            raise TimeoutError(f"wait_server_ready: nobody listens at {silent} since {limit:g} s "
                               "(FLAGS_communication_timeout). Start the servers, and look at their logs.")
        if now - said > _SAYS_S:
            said = now
            print(f"server not ready, wait for {silent}", file=sys.stderr)
        time.sleep(_PAUSE_S)


def _listens(endpoint: str) -> bool:
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"wait_server_ready(endpoints): HOST:PORT each. Received {endpoint!r}.")
    try:
        with socket.create_connection((host, int(port)), _CONNECT_S):
            return True
    except OSError:
        return False


__all__ = ["wait_server_ready"]
