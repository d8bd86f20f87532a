"""Credentials: whom parameter servers and trainers trust, by a shared token and by TLS."""

from __future__ import annotations

import dataclasses
import hmac
import os
from collections.abc import Iterable
from typing import Any

TOKEN_KEY = "proa-token"  # of a call's metadata
_TOKEN, _TOKEN_FILE = "PROA_PS_TOKEN", "PROA_PS_TOKEN_FILE"
_FILES = {"certificate": "PROA_PS_CERTIFICATE", "key": "PROA_PS_KEY", "authority": "PROA_PS_AUTHORITY"}


@dataclasses.dataclass(frozen=True)
class Credentials:
    """What both sides show each other; nothing by default, which is for processes of one machine.

    token: a secret that every message of a trainer brings along; a server that has one refuses messages without it.
    certificate, key: files (PEM) of a process's own certificate; a server that has them talks TLS and nothing else.
    authority: the file (PEM) of who has signed the others' certificates. A trainer that has it talks TLS; a server that
        has it takes trainers with such a certificate alone.

    >>> from proa.distributed.ps import Credentials
    >>> Credentials(token="the secret")
    Credentials(token=..., certificate=None, key=None, authority=None)
    """

    token: str | None = None
    certificate: str | None = None
    key: str | None = None
    authority: str | None = None

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("Credentials(certificate, key): they belong together. Received one of them.")
        if self.token is not None and not (self.token and self.token.isascii() and self.token.isprintable()):
            raise ValueError("Credentials(token): printable ASCII characters. Received something else.")

    def __repr__(self) -> str:
        shown = None if self.token is None else "..."
        return (f"Credentials(token={shown}, certificate={self.certificate!r}, key={self.key!r}, "
                f"authority={self.authority!r})")

    @classmethod
    def from_environment(cls) -> Credentials:
        """Those of PROA_PS_TOKEN or PROA_PS_TOKEN_FILE, PROA_PS_CERTIFICATE, PROA_PS_KEY and PROA_PS_AUTHORITY."""
        token = os.environ.get(_TOKEN) or None
        if token is None and os.environ.get(_TOKEN_FILE):
            with open(os.environ[_TOKEN_FILE], encoding="ascii") as file:
                token = file.read().strip()
        return cls(token, **{name: os.environ.get(variable) or None for name, variable in _FILES.items()})

    def admits(self, metadata: Iterable[tuple[str, Any]]) -> bool:
        """Whether a message with this metadata brings the token, where there is one."""
        if self.token is None:
            return True
        given = next((value for key, value in metadata if key == TOKEN_KEY), "")
        return isinstance(given, str) and hmac.compare_digest(given.encode(), self.token.encode())

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What each message brings along."""
        return () if self.token is None else ((TOKEN_KEY, self.token),)

    def of_server(self, grpc: Any) -> Any:
        """gRPC's credentials of a server; None without TLS."""
        if self.certificate is None or self.key is None:
            if self.authority is not None:
                raise ValueError("A parameter server that is given an authority needs a certificate and its key too.")
            return None
        return grpc.ssl_server_credentials([(_read(self.key), _read(self.certificate))],
                                           self.authority and _read(self.authority), self.authority is not None)

    def of_client(self, grpc: Any) -> Any:
        """gRPC's credentials of a client; None without TLS."""
        if self.authority is None:
            return None
        return grpc.ssl_channel_credentials(_read(self.authority), self.key and _read(self.key),
                                            self.certificate and _read(self.certificate))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
