"""Connection: calls of a server's methods, again and again until there is an answer or the deadline is over."""

from __future__ import annotations

import time
from typing import Any

from . import grpc_service
from . import messages_pb2 as pb
from .errors import RefusedError, SilentServerError, UpdateError, WaitedTooLongError
from .grpc_service import SERVICE, logger
from .options import Options

_PAUSES_S = (0.05, 1.0)
_SAYS_AFTER_S = 5.0  # of silence, and twice as long each time
_GONE_S = 3.0  # a server that has ended while its last answer was under way is not waited for longer


class _Patience:
    """How long something has lasted: says so now and then."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._says = _SAYS_AFTER_S

    def lasted(self) -> float:
        return time.monotonic() - self._begun

    def say(self, text: str) -> None:
        if self.lasted() > self._says:
            self._says *= 2
            logger.warning("%s", text)


class Connection:
    """A connection to one server, for any number of threads."""

    def __init__(self, endpoint: str, options: Options):
        self.endpoint, self._options = endpoint, options
        self._channel = grpc_service.channel(endpoint, options)
        self._metadata = options.credentials.metadata()
        self._methods: dict[str, Any] = {}
        codes = grpc_service.grpc().StatusCode
        self._again = {codes.UNAVAILABLE, codes.DEADLINE_EXCEEDED, codes.CANCELLED, codes.INTERNAL}
        self._errors = {codes.FAILED_PRECONDITION: WaitedTooLongError, codes.ABORTED: UpdateError}

    def call(self, method: str, request: pb.Request, may_be_gone: bool = False) -> pb.Reply:
        """The reply, once there is one that does not wait.

        Raises SilentServerError where nothing has come for `Options.deadline` seconds, RefusedError where the server
        refuses, UpdateError or WaitedTooLongError where it has failed.
        """
        data, waiting = request.SerializeToString(), _Patience()
        while True:
            answer = self._answer(method, data, may_be_gone)
            reply = pb.Reply() if answer is None else pb.Reply.FromString(answer)
            if not reply.waits:
                return reply
            waiting.say(f"Trainer {request.caller.trainer} waits for {waiting.lasted():.0f} s: {reply.text}.")

    def _answer(self, method: str, data: bytes, may_be_gone: bool) -> bytes | None:
        """Some answer; None from a server that may be gone, and is."""
        silence, pause = _Patience(), _PAUSES_S[0]
        error_type = grpc_service.grpc().RpcError
        while True:
            try:
                return self._method(method)(data, timeout=self._options.attempt, metadata=self._metadata)
            except error_type as error:
                if error.code() not in self._again:
                    raise self._raised(method, error) from error
                if may_be_gone and silence.lasted() > _GONE_S:
                    logger.warning("The parameter server %s has ended before it answered %s.", self.endpoint, method)
                    return None
                if silence.lasted() > self._options.deadline:
                    raise SilentServerError(
                        f"The parameter server {self.endpoint} has been silent for {silence.lasted():.0f} s, which is "
                        f"more than {self._options.deadline:g} s (FLAGS_communication_timeout): it has ended, was not "
                        f"started, or the network is cut. The last answer to {method} was: {error.details()}"
                    ) from error
                silence.say(f"The parameter server {self.endpoint} has been silent for {silence.lasted():.0f} s "
                            f"({error.details()}); trying for {self._options.deadline:g} s.")
            time.sleep(pause)
            pause = min(2 * pause, _PAUSES_S[1])

    def _method(self, name: str) -> Any:
        found = self._methods.get(name)
        if found is None:
            found = self._methods[name] = self._channel.unary_unary(f"/{SERVICE}/{name}")
        return found

    def _raised(self, method: str, error: Any) -> Exception:
        kind = self._errors.get(error.code(), RefusedError)
        return kind(f"{method} at the parameter server {self.endpoint}: {error.details()}")

    def close(self) -> None:
        """Closes it."""
        self._channel.close()
