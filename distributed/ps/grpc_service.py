"""gRPC under the parameter server: the service's methods, the server's port, a client's channel.

Every message is read by protobuf and nothing else; what is refused is logged with where it came from.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from google.protobuf.message import DecodeError

from . import messages_pb2 as pb
from .errors import RefusedError, UpdateError, WaitedTooLongError
from .options import Options

SERVICE = "proa.ps.ParameterServer"
ENVELOPE_BYTES = 1 << 16  # what a message has beside the bytes of its value
logger = logging.getLogger("proa.ps")

Handler = Callable[[pb.Request], pb.Reply]


def grpc() -> Any:
    """The package grpc. ImportError that says how to install it."""
    # Nobody uses gRPC on both sides of a fork here: workers of a DataLoader, say, know nothing of servers. Its care for
    # that would write a line for each of them.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    try:
        import grpc as found
    except ImportError as error:
        raise ImportError(f"Parameter servers need grpcio ({error}). Install it with pip install 'proa[ps]'."
                          ) from error
    return found


def named_address(endpoint: str) -> str:
    """`HOST:PORT` of an endpoint; one that names no host is this machine's own, which no other reaches."""
    host, colon, port = endpoint.strip().rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"An endpoint is HOST:PORT, such as 127.0.0.1:6174. Received {endpoint!r}.")
    return f"{host or '127.0.0.1'}:{port}"


def with_port(endpoint: str, port: int) -> str:
    """The address of an endpoint that listens on this port."""
    return f"{named_address(endpoint).rpartition(':')[0]}:{port}"


def _limits(options: Options) -> list[tuple[str, int]]:
    most = 2 * (options.message_bytes + ENVELOPE_BYTES)
    return [("grpc.max_receive_message_length", most), ("grpc.max_send_message_length", most)]


def start(endpoint: str, handlers: Mapping[str, Handler], workers: int, options: Options) -> tuple[Any, int]:
    """A server that listens on this very endpoint, and its port. OSError where that is not possible."""
    package = grpc()
    server = package.server(
        ThreadPoolExecutor(workers, thread_name_prefix="proa-ps"),
        options=[*_limits(options), ("grpc.so_reuseport", 0), ("grpc.keepalive_permit_without_calls", 1),
                 ("grpc.http2.min_recv_ping_interval_without_data_ms", 5000)])
    methods = {name: package.unary_unary_rpc_method_handler(_answering(handler, options))
               for name, handler in handlers.items()}
    others = package.unary_unary_rpc_method_handler(_answering(_no_method, options))
    server.add_generic_rpc_handlers((package.method_handlers_generic_handler(SERVICE, methods), _Everything(others)))
    address, secrets = named_address(endpoint), options.credentials.of_server(package)
    if options.credentials.token is None and not address.startswith(("127.", "localhost:", "[::1]:")):
        logger.warning("The parameter server listens on %s and has no token: whoever can reach it may read and change "
                       "its parameters. PROA_PS_TOKEN sets one.", address)
    try:
        port = (server.add_insecure_port(address) if secrets is None else server.add_secure_port(address, secrets))
    except RuntimeError as error:
        raise OSError(f"A parameter server cannot listen on {address}: another process does, or it is no address of "
                      f"this machine. {error}") from error
    server.start()
    return server, port


def _no_method(request: pb.Request) -> pb.Reply:
    raise RefusedError(f"A message to a method that {SERVICE} does not have.")


class _Everything:
    """A handler for methods that there are not, so that these are refused and logged as everything else is."""

    def __init__(self, handler: Any):
        self._handler = handler

    def service(self, details: Any) -> Any:
        return self._handler


def _answering(handler: Handler, options: Options) -> Callable[[bytes, Any], bytes]:
    codes = grpc().StatusCode

    def refuse(context: Any, code: Any, method: str) -> None:
        logger.warning("Refused a message from %s: %s", context.peer(), method)
        context.abort(code, method)

    def answer(data: bytes, context: Any) -> bytes:
        if not options.credentials.admits(context.invocation_metadata()):
            refuse(context, codes.UNAUTHENTICATED, "It brings no token, or another one (PROA_PS_TOKEN).")
        if len(data) > options.message_bytes + ENVELOPE_BYTES:
            refuse(context, codes.INVALID_ARGUMENT, f"It has {len(data)} bytes; the most is {options.message_bytes} "
                   f"and {ENVELOPE_BYTES} beside (Options.message_bytes).")
        try:
            return handler(pb.Request.FromString(data)).SerializeToString()
        except DecodeError as error:
            refuse(context, codes.INVALID_ARGUMENT, f"It is no message of {SERVICE}: {error}")
        except RefusedError as error:
            refuse(context, codes.INVALID_ARGUMENT, str(error))
        except WaitedTooLongError as error:
            context.abort(codes.FAILED_PRECONDITION, str(error))
        except UpdateError as error:
            context.abort(codes.ABORTED, str(error))
        raise AssertionError("abort raises")

    return answer


def channel(endpoint: str, options: Options) -> Any:
    """A connection to a server that is made when it is first used, and again whenever it is lost."""
    package, address = grpc(), named_address(endpoint)
    arguments = [
        *_limits(options), ("grpc.enable_retries", 0), ("grpc.enable_http_proxy", 0),
        ("grpc.use_local_subchannel_pool", 1), ("grpc.keepalive_time_ms", 10000), ("grpc.keepalive_timeout_ms", 5000),
        ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000)]
    secrets = options.credentials.of_client(package)
    if secrets is None:
        return package.insecure_channel(address, options=arguments)
    return package.secure_channel(address, secrets, options=arguments)
