"""The Layer around a generated `forward`: its sublayers, parameters, buffers, and the classes that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from .body import Shape, Value


class Network:
    """What `__init__` makes, and the texts that stand above the class."""

    def __init__(self, rng: Random, without: frozenset[str]):
        self.rng, self.without = rng, without
        self.init: list[str] = []
        self.classes: dict[str, str] = {}
        self.methods: list[str] = []
        self.buffers: list[tuple[str, Shape]] = []
        self.names: dict[str, int] = {}
        self.layers: dict[str, str] = {}
        self.layer_count = 0
        self.has_unknown = False
        self.inside = False  # of a method or a class that forward calls: no state, no early return
        self.result: list[Value] | None = None  # what an early return has given already
        self.form: str | None = None

    def allows(self, feature: str | None) -> bool:
        return feature is None or feature not in self.without

    def allowed(self, choices: Sequence[Any]) -> list[Any]:
        """The choices in which no word stands that is left out."""
        return [choice for choice in choices if not any(word in str(choice) for word in self.without)]

    def fresh(self, prefix: str) -> str:
        count = self.names[prefix] = self.names.get(prefix, -1) + 1
        return f"{prefix}{count}"

    def layer(self, prefix: str, text: str) -> str:
        """A sublayer, now and then one that the network has already."""
        if text in self.layers and self.rng.random() < 0.3:
            return self.layers[text]
        name = self.layers[text] = "self." + self.fresh(prefix)
        self.init.append(f"{name} = {text}")
        self.layer_count += 1
        if self.allows("hooks") and self.rng.random() < 0.06:
            self.init.append(self._hook(name))
        return name

    def _hook(self, name: str) -> str:
        return self.rng.choice(
            [
                f"{name}.register_forward_post_hook(lambda layer, given, found: found * 0.5)",
                f"{name}.register_forward_pre_hook(lambda layer, given: (given[0] * 0.5, *given[1:]))",
            ]
        )

    def parameter(self, shape: tuple[int, ...]) -> str:
        """A parameter of random values of a shape."""
        name = "self." + self.fresh("w")
        attr = ""
        if self.allows("attributes") and self.rng.random() < 0.15:
            attr = (
                ", attr=paddle.ParamAttr("
                + self.rng.choice(
                    [
                        "learning_rate=0.5",
                        "regularizer=paddle.regularizer.L2Decay(0.1)",
                        "need_clip=False",
                        "trainable=False",
                    ]
                )
                + ")"
            )
        self.init.append(
            f"{name} = self.create_parameter({list(shape)}{attr}, "
            "default_initializer=nn.initializer.Uniform(-1.0, 1.0))"
        )
        if self.allows("frozen") and self.rng.random() < 0.04:
            self.init.append(f"{name}.stop_gradient = True")
        return name

    def buffer(self, shape: tuple[int, ...]) -> str:
        """A buffer, most of them kept with the state."""
        name = self.fresh("state")
        persistable = ", persistable=False" if self.allows("not_persistable") and self.rng.random() < 0.15 else ""
        self.init.append(
            f'self.register_buffer("{name}", paddle.full({list(shape)}, {self.rng.choice([0.0, 0.5])}){persistable})'
        )
        self.buffers.append((f"self.{name}", shape))
        return f"self.{name}"

    # Text

    def structure(self, texts: list[str]) -> str:
        """The result of `forward`, in the structure that this network gives."""
        if self.form is None:
            self.form = self.rng.choice(
                ["tuple", "tuple", "list", "dict"] if len(texts) > 1 else ["one", "one", "one", "dict", "tuple"]
            )
        if self.form == "one":
            return texts[0]
        if self.form == "dict":
            return "{" + ", ".join(f'"{name}": {text}' for name, text in zip("abc", texts, strict=False)) + "}"
        inner = ", ".join(texts)
        return f"[{inner}]" if self.form == "list" else f"({inner}{',' * (len(texts) == 1)})"

    def nested(self, name: str) -> Network:
        """The network of a class inside this one's module."""
        inner = Network(self.rng, self.without)
        inner.inside, inner.classes = True, self.classes
        return inner

    def text(self, name: str, parameters: str, lines: list[str], result: str) -> str:
        """The class."""
        init = ["self.flag = True", "self.turns = 2", "self.calls = 0", *self.init]
        return "\n".join(
            [
                f"class {name}(nn.Layer):",
                "    def __init__(self):",
                "        super().__init__()",
                *(f"        {text}" for text in init),
                "",
                *(method + "\n" for method in self.methods),
                f"    def forward({parameters}):"
                if "scale" in parameters
                else f"    def forward({parameters}, scale=0.5):",
                *lines,
                f"        return {result}",
            ]
        )
