"""Whether the copies of a network in several processes are equal: in form when they are made, in value now and then.

Copies whose parameters have gone apart train on without an error, each with its own numbers. Digests of all parameters
cost a few bytes between processes; values are exchanged where a digest differs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from ..backend.comm import exchanges
from ..backend.comm.communicator import Communicator
from ..core import flags
from ..nn import Layer

FLAG = "FLAGS_check_parameters_between_ranks"
flags.declare(FLAG, 0, "After so many steps each, processes compare the parameters of their networks; 0 for never.")
_SHOWN = 8


def require_one_form(what: str, layers: Layer, group: Communicator) -> None:
    """Raises RuntimeError, in the name of `what`, where processes have other parameters or buffers than the first.

    Every process raises it: none goes on to wait for what another one does not exchange.
    """
    own = "\n".join(_forms(layers)).encode()
    digests = _digests(own, group)
    different = [rank for rank, digest in enumerate(digests) if digest != digests[0]]
    if not different:
        return
    forms = [text.decode().split("\n") for text in exchanges.do(lambda: group.all_gather_bytes(own))]
    first, other = forms[0], forms[different[0]]
    shorter = min(len(first), len(other))
    place = next((n for n in range(shorter) if first[n] != other[n]), shorter)
    raise RuntimeError(
        f"{what}(layers): the processes {_ranks(group, different)} have another network than process {group.ranks[0]}. "
        f"The first difference: there {_form_at(first, place)}, in process {group.ranks[different[0]]} "
        f"{_form_at(other, place)}. Make the same network, with parameters in the same order, in each.")


def require_equal_parameters(what: str, layers: Layer, group: Communicator) -> None:
    """Raises RuntimeError, in every process, that names parameters which differ between processes, and by how much."""
    named = list(layers.named_parameters())
    arrays = [parameter.numpy() for _, parameter in named]
    own = b"".join(_digest(array) for array in arrays)
    if len(set(_digests(own, group))) == 1:
        return
    size = hashlib.sha256().digest_size
    texts = exchanges.do(lambda: group.all_gather_bytes(own))
    found = []
    for place, (name, _) in enumerate(named):
        parts = [text[place * size:(place + 1) * size] for text in texts]
        different = [rank for rank, part in enumerate(parts) if part != parts[0]]
        if different:
            found.append((name, different, *_differences(arrays[place], group)))
    lines = [f"{name}: processes {_ranks(group, different)}, the largest difference {most:g} in process "
             f"{group.ranks[rank]}" for name, different, most, rank in found[:_SHOWN]]
    rest = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise RuntimeError(
        f"{what}: {len(found)} of {len(named)} parameters are not what they are in process {group.ranks[0]}. "
        f"{'; '.join(lines)}{rest}. Something changes them in some processes only: a step without exchanged gradients, "
        f"set_value or a state that one process loads, an optimizer with other options. ({FLAG} asks for this.)")


def _differences(array: np.ndarray, group: Communicator) -> tuple[float, int]:
    """The largest difference of any process's array from that of the first, and whose it is."""
    first = exchanges.do(lambda: group.broadcast(array, 0))
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    difference = np.abs(array.astype(wide) - first.astype(wide))
    most = np.array(np.inf if np.isnan(difference).any() else difference.max(initial=0.0))
    found = exchanges.do(lambda: group.all_gather(most))
    return float(found.max()), int(found.argmax())


def _forms(layers: Layer) -> Iterator[str]:
    """A line for each parameter and buffer, in their order."""
    for name, parameter in layers.named_parameters():
        trained = "not trained" if parameter.stop_gradient else "trained"
        yield f"{name} {list(parameter.shape)} {parameter.dtype.name}, {trained}"
    for name, buffer in layers.named_buffers():
        yield f"buffer {name} {list(buffer.shape)} {buffer.dtype.name}"


def _form_at(forms: Sequence[str], place: int) -> str:
    return f"{forms[place]!r}" if place < len(forms) and forms[place] else "nothing more"


def _digest(array: np.ndarray) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(array).view(np.uint8).reshape(-1) if array.ndim else array.tobytes()
                          ).digest()


def _digests(data: bytes, group: Communicator) -> list[bytes]:
    """A digest of what each process has."""
    own = hashlib.sha256(data).digest()
    return exchanges.do(lambda: group.all_gather_bytes(own))


def _ranks(group: Communicator, numbers: Sequence[int]) -> list[int]:
    """Numbers in a group as those in the world."""
    return [group.ranks[number] for number in numbers]
