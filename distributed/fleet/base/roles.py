"""What a process is in training with parameter servers: a worker or a server, which one, and where the servers listen.

Launchers say it in environment variables; role makers (`role_maker.py`, 1.x's in `fluid`) are the objects that scripts
hold of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Assignment", "Role", "checked_endpoints", "from_environment"]


class Role:
    """What a process does. `paddle.distributed.fleet.Role`."""

    WORKER = 1
    SERVER = 2
    HETER_WORKER = 3
    ALL = 4
    COORDINATOR = 5


@dataclass(frozen=True)
class Assignment:
    """One process's part: `role`, its number among those of that role, and the others."""

    role: int
    index: int
    worker_num: int
    server_endpoints: list[str]
    worker_endpoints: list[str]


_ROLES = {"TRAINER": Role.WORKER, "PSERVER": Role.SERVER}


def from_environment(variables: Mapping[str, str] | None = None) -> Assignment | None:
    """What the launcher's variables say; None where they name no servers.

    `PADDLE_PSERVERS_IP_PORT_LIST`: the servers' endpoints; `TRAINING_ROLE`: TRAINER or PSERVER; `PADDLE_TRAINERS_NUM`;
    of a trainer `PADDLE_TRAINER_ID`, of a server `POD_IP` and `PADDLE_PORT`, or its number, `PADDLE_PSERVER_ID`.
    `PADDLE_TRAINER_ENDPOINTS`, where it is set, counts the trainers too. Raises ValueError for a variable that is
    missing or makes no sense, NotImplementedError for other roles.
    """
    found = os.environ if variables is None else variables
    if not found.get("PADDLE_PSERVERS_IP_PORT_LIST", "").strip():
        return None
    servers = checked_endpoints(_split(found["PADDLE_PSERVERS_IP_PORT_LIST"]),
                                "the environment variable PADDLE_PSERVERS_IP_PORT_LIST")
    workers = _split(found.get("PADDLE_TRAINER_ENDPOINTS", ""))
    named = found.get("TRAINING_ROLE", "")
    if named in ("HETER_TRAINER", "COORDINATOR"):
        raise NotImplementedError(f"TRAINING_ROLE={named}: workers on several kinds of devices and coordinators are "
                                  "not supported. A process is a TRAINER or a PSERVER.")
    if named not in _ROLES:
        raise ValueError("The environment variable TRAINING_ROLE must be TRAINER or PSERVER beside "
                         f"PADDLE_PSERVERS_IP_PORT_LIST. Received {named!r}. `python -m proa.distributed.launch "
                         "--server_num 2 --worker_num 2 script.py` sets all of them.")
    count = _number(found, "PADDLE_TRAINERS_NUM") if "PADDLE_TRAINERS_NUM" in found or not workers else len(workers)
    if count < 1:
        raise ValueError(f"The environment variable PADDLE_TRAINERS_NUM must be at least 1. Received {count}.")
    role = _ROLES[named]
    if role == Role.SERVER:
        return Assignment(role, _server_index(found, servers), count, servers, workers)
    index = _number(found, "PADDLE_TRAINER_ID")
    if not 0 <= index < count:
        raise ValueError(f"The environment variable PADDLE_TRAINER_ID must be in [0, PADDLE_TRAINERS_NUM={count}). "
                         f"Received {index}.")
    return Assignment(role, index, count, servers, workers)


def checked_endpoints(endpoints: Sequence[str], what: str) -> list[str]:
    """Endpoints, each `host:port` and different; TypeError or ValueError, which names `what`, where they are not."""
    if isinstance(endpoints, str) or not isinstance(endpoints, Sequence) or not all(
            isinstance(endpoint, str) for endpoint in endpoints):
        raise TypeError(f"{what}: must be a list of endpoints 'host:port'. Received {endpoints!r}.")
    if not endpoints:
        raise ValueError(f"{what}: must name an endpoint at least. Received none.")
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"{what}: an endpoint is 'host:port'. Received {endpoint!r}.")
    if len(set(endpoints)) != len(endpoints):
        raise ValueError(f"{what}: each endpoint is one process's. Received {list(endpoints)}.")
    return list(endpoints)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _number(found: Mapping[str, str], name: str) -> int:
    try:
        return int(found[name])
    except KeyError:
        raise ValueError(f"The environment variable {name} is missing beside PADDLE_PSERVERS_IP_PORT_LIST.") from None
    except ValueError:
        raise ValueError(f"The environment variable {name} must be a whole number. Received {found[name]!r}.") from None


def _server_index(found: Mapping[str, str], servers: list[str]) -> int:
    if "PADDLE_PSERVER_ID" in found:
        index = _number(found, "PADDLE_PSERVER_ID")
        if not 0 <= index < len(servers):
            raise ValueError(f"The environment variable PADDLE_PSERVER_ID must be in [0, {len(servers)}), there being "
                             f"so many servers. Received {index}.")
        return index
    if "POD_IP" in found and "PADDLE_PORT" in found:
        here = f"{found['POD_IP'].strip()}:{found['PADDLE_PORT'].strip()}"
        if here not in servers:
            raise ValueError(f"POD_IP and PADDLE_PORT say that this server is {here}, which is not among "
                             f"PADDLE_PSERVERS_IP_PORT_LIST={','.join(servers)}.")
        return servers.index(here)
    raise ValueError("A server needs the environment variables POD_IP and PADDLE_PORT, its own endpoint, or "
                     "PADDLE_PSERVER_ID, its number.")
