"""Modules and parameters in lists and dicts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....nn.container import LayerDict, LayerList
from ..module import Module, Parameter


class Sequential(Module):
    """Modules one behind the other: each is given what the one before it gives.

    >>> import proa.oneflow as flow
    >>> net = flow.nn.Sequential(flow.nn.Linear(4, 8), flow.nn.ReLU(), flow.nn.Linear(8, 2))
    >>> net(flow.ones(1, 4)).shape, len(net), type(net[1]).__name__
    (oneflow.Size([1, 2]), 3, 'ReLU')
    """

    def __init__(self, *args: Any):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], dict) else (
            (str(n), module) for n, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return type(self)(OrderedDict(list(self._sub_layers.items())[key]))
        return list(self._sub_layers.values())[key]

    def __setitem__(self, key: int, module: Any) -> None:
        setattr(self, list(self._sub_layers)[key], module)

    def __delitem__(self, key: Any) -> None:
        names = list(self._sub_layers)[key]
        for name in names if isinstance(names, list) else [names]:
            delattr(self, name)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._sub_layers.values())

    def append(self, module: Any) -> Any:
        """One more module at the end; gives itself."""
        self.add_module(str(len(self)), module)
        return self

    def forward(self, input: Any) -> Any:
        """What the last module gives."""
        for module in self._sub_layers.values():
            input = module(input)
        return input


class ModuleList(Module, LayerList):
    """Modules in a list."""

    def __init__(self, modules: Iterable[Any] | None = None):
        LayerList.__init__(self, modules)

    def __iadd__(self, modules: Iterable[Any]) -> Any:
        return self.extend(modules)


class ModuleDict(Module, LayerDict):
    """Modules by keys."""

    def __init__(self, modules: Mapping[str, Any] | None = None):
        LayerDict.__init__(self, modules)


def _shown(parameters: Any) -> str:
    """Parameters with their sizes, a line each."""
    lines = [f"    ({name}): Parameter containing: [{'x'.join(map(str, p.shape))}]" for name, p in parameters.items()]
    return "\n" + "\n".join(lines) + "\n" if lines else ""


class ParameterList(Module):
    """Parameters in a list."""

    def __init__(self, parameters: Iterable[Any] | None = None):
        super().__init__()
        self.extend(parameters or ())

    def __getitem__(self, key: Any) -> Any:
        held = list(self._parameters.values())[key]
        return type(self)(held) if isinstance(key, slice) else held

    def __setitem__(self, key: int, parameter: Any) -> None:
        setattr(self, list(self._parameters)[key], parameter)

    def extra_repr(self) -> str:
        """The parameters' sizes."""
        return _shown(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __iadd__(self, parameters: Iterable[Any]) -> Any:
        return self.extend(parameters)

    def append(self, parameter: Any) -> Any:
        """One more parameter at the end; gives itself."""
        self.register_parameter(str(len(self)), parameter if isinstance(parameter, Parameter) else Parameter(parameter))
        return self

    def extend(self, parameters: Iterable[Any]) -> Any:
        """More parameters at the end; gives itself."""
        for parameter in parameters:
            self.append(parameter)
        return self


class ParameterDict(Module):
    """Parameters by keys."""

    def __init__(self, parameters: Any = None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, parameter: Any) -> None:
        self._parameters.pop(key, None)
        self.register_parameter(key, parameter)

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def extra_repr(self) -> str:
        """The parameters' sizes."""
        return _shown(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def keys(self) -> Any:
        """The keys."""
        return self._parameters.keys()

    def items(self) -> Any:
        """The keys with their parameters."""
        return self._parameters.items()

    def values(self) -> Any:
        """The parameters."""
        return self._parameters.values()

    def pop(self, key: str) -> Any:
        """The parameter of a key, which is taken out."""
        return self._parameters.pop(key)

    def update(self, parameters: Any) -> None:
        """Takes over parameters by keys, or pairs of both."""
        for key, parameter in parameters.items() if isinstance(parameters, (Mapping, ParameterDict)) else parameters:
            self[key] = parameter
