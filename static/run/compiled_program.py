"""CompiledProgram: a Program for an Executor, on one place or on several at once."""

from __future__ import annotations

from typing import Any

from ..ir.program import Program
from .data_parallel import DataParallel, places_for
from .executor import Executor
from .strategies import BuildStrategy, ExecutionStrategy


class CompiledProgram:
    """A Program for an Executor, with a BuildStrategy. An Executor compiles every Program that it runs, this one too.

    Raises TypeError for something else than a Program.

    >>> import numpy, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     y = paddle.static.data("x", [None]) + 1.0
    >>> compiled = paddle.static.CompiledProgram(main)
    >>> paddle.static.Executor().run(compiled, feed={"x": numpy.ones(1, "float32")}, fetch_list=[y])[0].tolist()
    [2.0]
    """

    def __init__(self, program_or_graph: Program, build_strategy: BuildStrategy | None = None):
        if not isinstance(program_or_graph, Program):
            raise TypeError(f"CompiledProgram(program_or_graph): must be a Program. "
                            f"Received {type(program_or_graph).__name__}.")
        self._program = program_or_graph
        self._build_strategy = _strategy(build_strategy, BuildStrategy, "CompiledProgram(build_strategy)")
        self._in_parallel: Any = None
        self._devices: DataParallel | None = None

    def with_data_parallel(self, loss_name: str | None = None, build_strategy: BuildStrategy | None = None,
                           exec_strategy: ExecutionStrategy | None = None,
                           share_vars_from: CompiledProgram | None = None, places: Any = None) -> CompiledProgram:
        """Makes an Executor run the Program on several places at once, and gives this CompiledProgram back.

        What is fed is divided by rows (an LoDTensor by its sequences), or is a list with a dict for each place. Each
        device computes the loss of its part and the gradients; their sum updates the parameters once. The mean of
        equal parts' losses is the loss of the whole: training goes as on one device, but for a batch norm, whose
        statistics are each device's own. What is fetched are all devices' values, one behind the other. Several
        processes (`build_strategy.num_trainers`) do this together, each with what it is fed, and begin with the values
        of the first.

        `loss_name` is needed where the Program computes gradients. `places`: by default all CUDA devices or, for an
        Executor on the CPU, as many as the environment variable CPU_NUM says. `share_vars_from`: a CompiledProgram that
        has run on as many, whose devices' own values this one uses too: to test what it trains.

        >>> import numpy, proa as paddle
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.static.data("x", [None]).sum()
        >>> compiled = paddle.static.CompiledProgram(main).with_data_parallel(places=paddle.static.cpu_places(2))
        >>> feed = {"x": numpy.arange(5, dtype="float32")}
        >>> paddle.static.Executor().run(compiled, feed=feed, fetch_list=[y])[0].tolist()
        [3.0, 7.0]
        """
        if self._in_parallel is not None:
            raise RuntimeError("with_data_parallel: this CompiledProgram was told so already. Make another one.")
        what = "with_data_parallel"
        strategy = _strategy(build_strategy or self._build_strategy, BuildStrategy, f"{what}(build_strategy)")
        _strategy(exec_strategy, ExecutionStrategy, f"{what}(exec_strategy)")
        if share_vars_from is not None and getattr(share_vars_from, "_in_parallel", None) is None:
            raise ValueError(f"{what}(share_vars_from): must be a CompiledProgram that was told {what}. "
                             f"Received {share_vars_from!r}.")
        self._build_strategy = strategy

        self._in_parallel = self.devices_of
        self._choice = loss_name, share_vars_from, places
        return self

    @property
    def _places(self) -> list[Any] | None:
        """The places that run it, from the first run on: code written for 1.x counts them (paddle-propeller)."""
        return None if self._devices is None else self._devices.places

    def devices_of(self, executor: Executor) -> DataParallel:
        """The devices that run it, chosen when an Executor first asks for them."""
        if self._devices is None:
            loss_name, sharing, places = self._choice
            shared = None if sharing is None else sharing._devices
            if sharing is not None and shared is None:
                raise RuntimeError("with_data_parallel(share_vars_from): that CompiledProgram has not run yet, and "
                                   "there is nothing to share. Run it first.")
            chosen = places if places is not None or shared is None else shared.places
            self._devices = DataParallel(self._program, loss_name, self._build_strategy,
                                         places_for(executor, chosen), shared)
        return self._devices


def _strategy(given: Any, kind: Any, what: str) -> Any:
    if given is not None and not isinstance(given, kind):
        raise TypeError(f"{what}: must be {'an' if kind is ExecutionStrategy else 'a'} {kind.__name__}. "
                        f"Received {type(given).__name__}.")
    return given or kind()
