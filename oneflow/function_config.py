"""FunctionConfig: settings of a global function."""

from __future__ import annotations

from typing import Any


class FunctionConfig:
    """Settings of a global function, each of which is a method: `config.default_data_type(flow.float)`."""

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    @property
    def trains(self) -> bool:
        """Whether anything was set of `train`."""
        return any(path.startswith("train.") for path in self.settings)

    def copy(self) -> FunctionConfig:
        """Another one with these settings."""
        made = FunctionConfig()
        made.settings.update(self.settings)
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "settings":
            raise AttributeError(name)
        return _Setting(self, name)


class _Setting:
    """One setting, or a group of such."""

    def __init__(self, config: FunctionConfig, path: str):
        self._config, self._path = config, path

    def __getattr__(self, name: str) -> _Setting:
        return _Setting(self._config, f"{self._path}.{name}")

    def __call__(self, value: Any = True) -> None:
        self._config.settings[self._path] = value
