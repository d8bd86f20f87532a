"""Expressions of the generated functions, by kind: tensors of three floats, conditions, whole numbers, lists and so on.

What kind a name is its first letter says: t a tensor, s a number, c a tensor's truth, b a truth of Python, l a list of
tensors, d a dict of tensors, o an object, n a tensor or None.
"""

from __future__ import annotations

from random import Random

KEYS = ("a", "b")


class Expressions:
    """Writes expressions with the names that are in scope."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.names: dict[str, list[str]] = {kind: [] for kind in "tscbldonf"}
        self.counts = dict.fromkeys("tscbldonfrik", 0)
        self.arguments = ["x", "y"]

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def fresh(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"{kind}{self.counts[kind]}"

    def known(self, kind: str) -> str | None:
        """A name of a kind, a recent one more often."""
        found = self.names[kind]
        return self.rng.choices(found, [1 + k for k in range(len(found))])[0] if found else None

    def number(self) -> str:
        return self.pick("0.5", "-0.5", "0.25", "1.0", "2.0", "-1.0")

    # Tensors

    def tensor(self, depth: int = 2) -> str:
        """A tensor of shape [3]."""
        if depth <= 0 or self.chance(0.25):
            return self.known("t") or self.pick(*self.arguments)
        made = self.rng.choice(self._TENSORS)(self, depth - 1)
        return made or self.tensor(depth - 1)

    def _arithmetic(self, depth):
        return f"({self.tensor(depth)} {self.pick('+', '-', '*')} {self.pick(self.tensor(depth), self.number())})"

    def _function(self, depth):
        t = self.tensor(depth)
        return self.pick(f"paddle.tanh({t})", f"paddle.abs({t})", f"{t}.clone()", f"-{t}", f"{t}.detach()",
                         f"paddle.flip({t}, [0])", f"{t}.reshape([{t}.shape[0]])", f"paddle.nn.functional.relu({t})",
                         f"clipped({t})", f"clipped({t}, {self.tensor(0)})", f"halve_({t}.clone())",
                         f"({t} + {t}[{self.pick('0', '1', '-1')}])", f"paddle.zeros_like({t})", f"{t}.cumsum(0)")

    def _of_list(self, depth):
        items = self.known("l")
        if items is None:
            return None
        return self.pick(f"{items}[0]", f"{items}[-1]", f"sum({items})", f"first_of({items}, {self.tensor(depth)})",
                         f"paddle.stack({items}).sum(0)", f"[q * 2 for q in {items}][0]", f"{items}[0]",
                         f"sum([q for q in {items} if {self.truth(0)}], {self.tensor(0)})",
                         f"next(each_half({items}))", f"sum(each_half({items}))", f"partial(sum, {items})()",
                         f"sum(q * 2 for q in {items})", f"Pair(*{items}[:1], {self.tensor(0)}).a")

    def _of_dict(self, depth):
        mapping = self.known("d")
        if mapping is None:
            return None
        key = self.pick(*KEYS)
        return self.pick(f"{mapping}[{key!r}]", f"{mapping}[{key!r}]", f"{mapping}.get('c', {self.tensor(depth)})",
                         f"sum({mapping}.values())", f"{{k: v * 2 for k, v in {mapping}.items()}}[{key!r}]")

    def _of_object(self, depth):
        owner = self.known("o")
        if owner is None:
            return None
        return self.pick(f"{owner}.t", f"{owner}.t", f"{owner}.doubled", f"{owner}.l[0]", f"{owner}.l[-1]",
                         f"getattr({owner}, 't')", f"({owner}.t * {owner}.n)")

    def _chosen(self, depth):
        test, a, b = self.test(depth), self.tensor(depth), self.tensor(depth)
        return self.pick(f"({a} if {test} else {b})", f"paddle.where({self.truth(0)}, {a}, {b})",
                         f"({a} if {test} else {b})")

    def _of_none(self, depth):
        name = self.known("n")
        return None if name is None else f"({name} if {name} is not None else {self.tensor(depth)})"

    def _by_number(self, depth):
        return f"({self.tensor(depth)} * {self.integer(depth)})"

    def _walrus(self, depth):
        made = self.tensor(depth)
        name = self.fresh("t")
        return f"(({name} := {made}) + {name})"

    def _called(self, depth):
        function = self.known("f")
        if function is None:
            return f"(lambda q: q + {self.tensor(0)})({self.tensor(depth)})"
        return f"{function}({self.tensor(depth)})"

    _TENSORS = (_arithmetic, _arithmetic, _arithmetic, _function, _function, _of_list, _of_dict, _of_object, _chosen,
                _of_none, _by_number, _walrus, _called)

    # Conditions

    def truth(self, depth: int = 1) -> str:
        """A condition that a tensor decides."""
        t = self.tensor(depth - 1)
        made = [f"{t}.sum() > {self.pick('0', '0.5', '-0.5')}", f"{t}[0] < {self.tensor(0)}[1]", f"({t} > 0).any()",
                f"({t} < 1).all()", f"{t}.max() > {self.number()}"]
        if self.names["c"]:
            made.append(self.known("c"))
        if depth > 0:
            made += [f"0 < {t}.sum() < 2", f"({self.truth(0)} and {self.truth(0)})", f"(not {self.truth(0)})",
                     f"({self.truth(0)} or {self.truth(0)})", f"({self.plain_truth()} and {self.truth(0)})",
                     f"({self.truth(0)} and {self.plain_truth()})", f"(bool({self.truth(0)}) is True)",
                     f"any(v.sum() > 0 for v in {t} if {self.truth(0)})"]
        return self.rng.choice(made)

    def plain_truth(self) -> str:
        """A condition that Python decides, mostly."""
        made = ["flag", "k > 1", f"{self.tensor(0)}.shape[0] > 2"]
        if self.names["b"]:
            made.append(self.known("b"))
        if items := self.known("l"):
            made += [f"len({items}) > 2", f"{items} is {self.known('l')}", f"bool({items})"]
        if mapping := self.known("d"):
            made += [f"'a' in {mapping}", f"'c' in {mapping}", f"len({mapping}) > 2",
                     f"len(list(ChainMap({mapping}, {{'z': 0}}))) > 3", f"'c' in {mapping}.keys()"]
        if owner := self.known("o"):
            made += [f"{owner}.n == 0", f"isinstance({owner}, Box)", f"{owner} is {self.known('o')}"]
        if name := self.known("n"):
            made += [f"{name} is None", f"{name} is not None"]
        if number := self.known("s"):
            made += [f"{number} > 1", f"{number} % 2 == 0"]
        if name := self.known("t"):
            made.append(f"{name} is {self.known('t')}")
        return self.rng.choice(made)

    def test(self, depth: int = 1) -> str:
        return self.truth(depth) if self.chance(0.65) else self.plain_truth()

    def integer(self, depth: int = 1) -> str:
        """A whole number, perhaps one that a tensor decides."""
        made = ["k", self.pick("0", "1", "2"), f"{self.tensor(0)}.shape[0]"]
        if self.names["s"]:
            made += [self.known("s")] * 3
        if items := self.known("l"):
            made.append(f"len({items})")
        if owner := self.known("o"):
            made.append(f"{owner}.n")
        if depth > 0:
            made += [f"(({self.truth(0)}) + 1)", f"({self.integer(0)} + 1)", f"int({self.truth(0)})",
                     f"({self.integer(0)} if {self.test(0)} else {self.integer(0)})", f"({self.integer(0)} * 2)",
                     f"(bool({self.truth(0)}) + (not {self.truth(0)}))", f"sum(int(v > 0) for v in {self.tensor(0)})"]
        return self.rng.choice(made)

    # Containers

    def items(self, depth: int = 1) -> str:
        """A list of tensors."""
        made = [f"[{self.tensor()}, {self.tensor(1)}]", f"[{self.tensor(1)}]", f"[{self.tensor(0)}] * 2",
                f"[q * {self.number()} for q in ({self.tensor(0)}, {self.tensor(1)})]",
                f"[{self.tensor(0)} for _ in range({self.pick('2', 'k', '3')})]"]
        if items := self.known("l"):
            made += [items, items, f"list({items})", f"{items} + [{self.tensor(1)}]", f"{items}[::-1]",
                     f"[q + {self.tensor(0)} for q in {items}]", f"[q for q in {items} if {self.test(0)}] + {items}",
                     f"[*{items}, {self.tensor(1)}]", f"{items}[:2]",
                     f"{items} if {self.test(0)} else {self.items(depth - 1) if depth else items}",
                     f"same({items})", f"Keeper({items}).kept()", f"dict(k={items})['k']", f"tuple([{items}])[0]",
                     f"([{items}] * 2)[1]", f"list(each_half({items}))"]
        if mapping := self.known("d"):
            made.append(f"list({mapping}.values())")
        if owner := self.known("o"):
            made += [f"{owner}.l"] * 2
        return self.rng.choice(made)

    def mapping(self) -> str:
        """A dict of tensors."""
        made = [f"{{'a': {self.tensor()}, 'b': {self.tensor(1)}}}", f"dict(a={self.tensor(1)}, b={self.tensor(0)})"]
        if mapping := self.known("d"):
            made += [mapping, mapping, f"dict({mapping})", f"same({mapping})",
                     f"dict(k={mapping})['k']", f"{{**{mapping}, 'a': {self.tensor(1)}}}",
                     f"{{key: q * 0.5 for key, q in {mapping}.items()}}"]
        return self.rng.choice(made)

    def owner(self) -> str:
        """An object."""
        made = [f"{self.pick('Box', 'Slim', 'Data')}({self.tensor(1)})", f"Box({self.tensor(0)}, {self.integer(0)})"]
        if owner := self.known("o"):
            made += [owner, owner, f"set_t({owner}, {self.tensor(1)})"]
        return self.rng.choice(made)
