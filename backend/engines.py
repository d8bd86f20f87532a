"""Which engines compute in NumPy's or CuPy's place: oneDNN, loops generated through LLVM, and what others add.

An engine is in use when its flag names it (FLAGS_cpu_engines for arrays of the host, FLAGS_gpu_engines for a device's)
and it can be had. Results are the same within rounding with any. Its kernels are registered operator by operator
(`ops/core/kernels.py`); NumPy and CuPy, which compute everything, need no flag.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from ..core import flags

NUMPY, ONEDNN, LOOPS = "numpy", "onednn", "loops"
CPU, GPU = "cpu", "gpu"
_FLAGS = {CPU: "FLAGS_cpu_engines", GPU: "FLAGS_gpu_engines"}


class Engine(NamedTuple):
    """What computes in NumPy's place (`place` "cpu") or that of a device's library ("gpu").

    `is_ready()` tells whether it can be had, `devices` for the arrays of which kinds of device it is.
    """

    name: str
    place: str
    is_ready: Callable[[], bool]
    devices: frozenset[str]


class Generation:
    """Counts the changes of what engines there are and which are wanted: a choice of a kernel holds for one count."""

    def __init__(self) -> None:
        self.count = 0
        self._listeners: list[Callable[[], None]] = []

    def changed(self) -> None:
        """Ends the choices that were made so far."""
        for listener in self._listeners:
            listener()
        self.count += 1  # at last: who has seen it asks listeners that have heard of the change

    def on_change(self, listener: Callable[[], None]) -> None:
        """Has `listener` called at each change."""
        self._listeners.append(listener)


generation = Generation()
_engines: dict[str, Engine] = {}
wanted: frozenset[str] = frozenset()
"""The engines that their flags name: replaced as a whole when that changes."""


def _read_flags() -> None:
    """Takes down which engines the flags name."""
    global wanted
    named = {place: [name.strip() for name in flags.values[flag].split(",")] for place, flag in _FLAGS.items()}
    wanted = frozenset(name for name, engine in _engines.items() if name in named[engine.place])


generation.on_change(_read_flags)
for _flag in _FLAGS.values():
    flags.watch(_flag, generation.changed)


def add(name: str, place: str = CPU, is_ready: Callable[[], bool] = lambda: True,
        devices: Collection[str] = (GPU,)) -> None:
    """Adds an engine for arrays of the host ("cpu") or of a device ("gpu"); its flag names it from now on.

    Of the kinds of device, whose arrays are of different libraries, it is for those that `devices` names: for CUDA's,
    where nobody says otherwise.

    Where the flag was set by someone, it stays as it is: who wants the engine then names it there. Raises ValueError
    for a name that is taken and for another place.
    """
    if place not in _FLAGS or not name or "," in name:
        raise ValueError(f"engines.add(name, place): a name without commas, and the place 'cpu' or 'gpu'. "
                         f"Received {name!r}, {place!r}.")
    if name in _engines or name == NUMPY:
        raise ValueError(f"engines.add(name): the engine {name!r} is there already. Choose another name.")
    _engines[name] = Engine(name, place, is_ready, frozenset(devices))
    flag = _FLAGS[place]
    if name not in (default := [n for n in flags.default(flag).split(",") if n]):
        flags.set_default(flag, ",".join([*default, name]))
    generation.changed()


def remove(name: str) -> None:
    """Takes an engine away that was added: its kernels are no longer chosen."""
    engine = _engines.pop(name, None)
    if engine is not None:
        flag = _FLAGS[engine.place]
        flags.set_default(flag, ",".join(n for n in flags.default(flag).split(",") if n != name))
    generation.changed()


def find(name: str) -> Engine:
    """The engine of this name; ValueError when there is none."""
    if name not in _engines:
        raise ValueError(f"There is no engine {name!r}. There are {', '.join(sorted(_engines))}; "
                         "proa.backend.engines.add(name) adds one.")
    return _engines[name]


def is_wanted(name: str) -> bool:
    """Whether the flag lets this engine be used."""
    return name in wanted


def is_usable(name: str, place: str, device: str | None = None) -> bool:
    """Whether kernels of this engine may be chosen for arrays at a place: it is wanted and can be had.

    `device` is the kind of device, where one is meant: None asks for any.
    """
    if name == NUMPY:
        return place == CPU
    engine = _engines.get(name)
    if engine is None or name not in wanted or engine.place != place:
        return False
    return (device is None or device in engine.devices) and engine.is_ready()
