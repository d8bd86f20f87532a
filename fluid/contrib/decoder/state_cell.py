"""StateCell and InitState: what a decoder's step reads and what it becomes, without saying which decoder runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ...layers.tensor import fill_constant_batch_size_like


class InitState:
    """What a state is at first: `init`, or `value` in rows of a `shape` [-1, …], as many as `init_boot` has.

    `need_reorder`: the rows are in the sequences' order, as almost always; not in that of their lengths.
    """

    def __init__(self, init: Any = None, shape: Sequence[int] | None = None, value: float = 0.0, init_boot: Any = None,
                 need_reorder: bool = False, dtype: Any = "float32"):
        if init is None:
            if init_boot is None or shape is None:
                raise ValueError("InitState: give init, or init_boot, whose rows are counted, with a shape.")
            init = fill_constant_batch_size_like(init_boot, shape, dtype, value)
        self.value = init
        self.need_reorder = need_reorder


class Decoder(Protocol):
    """What a cell asks of the decoder that it is in."""

    def begin_state(self, init: InitState) -> Any:
        """The state as the step finds it."""

    def end_state(self, begun: Any, value: Any) -> None:
        """Says what the state becomes."""


class StateCell:
    """Inputs and states of a step by their names, and the function that makes new states of them.

    `inputs` are placeholders, {name: None}, which `compute_state` fills; `states` are {name: InitState}; `out_state`
    is the state that the results are made of. A cell is in one decoder at a time.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.contrib.decoder import InitState, StateCell
    >>> with fluid.program_guard(fluid.Program()):
    ...     start = fluid.data("start", [None, 4])
    ...     cell = StateCell(inputs={"x": None}, states={"h": InitState(start)}, out_state="h")
    ...     @cell.state_updater
    ...     def step(cell):
    ...         cell.set_state("h", cell.get_state("h") + cell.get_input("x"))
    """

    def __init__(self, inputs: Mapping[str, Any], states: Mapping[str, Any], out_state: str, name: str | None = None):
        wrong = [key for key, state in states.items() if not isinstance(state, InitState)]
        if wrong:
            raise ValueError(f"StateCell(states): each must be an InitState. {', '.join(wrong)} is none.")
        if out_state not in states:
            raise ValueError(f"StateCell(out_state): must be one of the states {list(states)}. Received {out_state!r}.")
        self.inputs = dict(inputs)
        self.states: dict[str, Any] = dict(states)
        self._initial = dict(states)
        self._out_state = out_state
        self._updater: Callable[[StateCell], Any] | None = None
        self._decoder: Decoder | None = None
        self._begun: dict[str, Any] = {}

    def enter(self, decoder: Decoder) -> None:
        """Puts the cell into a decoder. ValueError for one that is in another."""
        if self._decoder is not None:
            raise ValueError("StateCell: is in a decoder already; it can be used again behind that one's block.")
        self._decoder = decoder

    def leave(self) -> None:
        """Takes the cell out of its decoder, with the states that it had before."""
        self._decoder, self._begun, self.states = None, {}, dict(self._initial)

    def _begin(self) -> None:
        if self._decoder is not None and not self._begun:
            self._begun = {name: self._decoder.begin_state(init) for name, init in self._initial.items()}
            self.states = dict(self._begun)

    def get_state(self, state_name: str) -> Any:
        """A state, as the step finds it or as it was set."""
        self._begin()
        if state_name not in self.states:
            raise ValueError(f"StateCell.get_state: there is no state {state_name!r}, only {list(self.states)}.")
        return self.states[state_name]

    def set_state(self, state_name: str, state_value: Any) -> None:
        """Sets a state."""
        self.states[state_name] = state_value

    def get_input(self, input_name: str) -> Any:
        """An input of the step, as compute_state was given it."""
        if self.inputs.get(input_name) is None:
            raise ValueError(f"StateCell.get_input: there is no input {input_name!r}; compute_state(inputs) gives it.")
        return self.inputs[input_name]

    def state_updater(self, updater: Callable[[StateCell], Any]) -> Callable[[StateCell], Any]:
        """A decorator: the function, of the cell, that sets its states from its inputs and states."""
        self._updater = updater
        return updater

    def compute_state(self, inputs: Mapping[str, Any]) -> None:
        """Makes the new states of inputs by their names."""
        self._begin()
        unknown = sorted(set(inputs) - set(self.inputs))
        if unknown:
            raise ValueError(f"StateCell.compute_state(inputs): the cell has no {', '.join(unknown)}, only "
                             f"{', '.join(self.inputs)}.")
        if self._updater is None:
            raise ValueError("StateCell.compute_state: say how states are made first, by @cell.state_updater.")
        self.inputs.update(inputs)
        self._updater(self)

    def update_states(self) -> None:
        """Keeps the states for the next step."""
        self._begin()
        if self._decoder is None:
            raise ValueError("StateCell.update_states: belongs in the block of a decoder.")
        for name, begun in self._begun.items():
            self._decoder.end_state(begun, self.states[name])

    def out_state(self) -> Any:
        """The state that the results are made of."""
        return self.states[self._out_state]


__all__ = ["InitState", "StateCell"]
