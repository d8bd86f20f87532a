"""Writes a random function as Python source: `f(x, y, k, flag)` over two tensors, a whole number and a truth value.

`written(seed, number)` gives the same text for the same numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from random import Random

from .expressions import KEYS, Expressions

HEAD = """from collections import ChainMap
from functools import partial
from search.functions.held import *

INPUTS = []
COMPUTED = {computed}  # whether the arguments are, or leaves
G = Box(paddle.ones([3]) * 0.5)


"""


def written(seed: int, number: int) -> str:
    """The source of a function."""
    rng = Random(f"functions:{seed}:{number}")
    while True:
        writer = Writer(rng)
        writer.write()
        source = HEAD.format(computed=rng.random() < 0.5) + "\n".join(writer.lines) + "\n"
        try:
            compile(source, "<written>", "exec")
        except SyntaxError:  # such as `:=` in what a comprehension goes over
            continue
        return source


class Writer(Expressions):
    """A function that is being written."""

    def __init__(self, rng: Random):
        super().__init__(rng)
        self.lines = ["def f(x, y, k, flag):"]
        self.indent, self.depth, self.loops, self.functions = 1, 0, 0, 0
        self.left = rng.randint(10, 25)
        self.is_one_way = self.chance(0.6)  # only the last statement of all returns

    def write(self) -> None:
        in_place = self.chance(0.5)
        self.line(f"t1 = {self.pick('x', 'x + 0', 'x * y')}" if in_place else "t1 = x * 1.0")
        self.counts["t"] = 1
        self.names["t"].append("t1")
        for kind in self.rng.sample("ldons", self.rng.randint(1, 3)):
            self._new(kind)
        while self.left > 0:
            self.statement()
        self.line(f"return {self.result()}")
        self._write_after()

    def _write_after(self) -> None:
        """`after(x, y, given)`: what the caller does in place to what it gave and was given."""
        self.lines += ["", "", "def after(x, y, given):"]
        for _ in range(self.rng.randint(0, 3) if self.chance(0.6) else 0):
            changed = self.pick(*[f"given[{n} % len(given)]" for n in range(4)], "x", "y", "G.t")
            other = self.pick("x", "y", "G.t", changed)
            line = self.pick(f"{changed}.scale_(0.5)", f"{changed}.add_({other}.mean())", f"{changed}.clip_(-0.5, 0.5)",
                             f"{changed}.reshape([-1])[:1] *= 0.5", f"paddle.assign({changed} * 2.0, {changed})",
                             f"{changed}.multiply_({other}.sum())", f"{changed}.detach().add_({changed}.detach())")
            if self.chance(0.2):
                self.line("with paddle.no_grad():")
                line = "    " + line
            self.line(line)
        self.line("return None")

    def result(self) -> str:
        """What a `return` gives: anything where there is one, else tensors."""
        if self.is_one_way:
            every = [self.shown(name) for kind in "tldosn" for name in self.names[kind]]
            chosen = self.rng.sample(every, min(len(every), self.rng.randint(2, 6)))
            chosen += [self.view() for _ in range(self.rng.randint(1, 3))] if self.chance(0.4) else []
        else:
            chosen = [self.tensor(1) if self.chance(0.3) else self.known("t") for _ in range(3)]
        return "(" + ", ".join(chosen + ["x"] * self.chance(0.3) * self.is_one_way) + ",)"

    def view(self) -> str:
        """What shows the numbers of a tensor that others see, too."""
        of = self.pick(self.known("t") or "x", self.known("t") or "x", "x", "y", "G.t", self.tensor(1))
        return of + self.pick("[0:2]", "[1:]", "[1]", ".reshape([3, 1])", ".detach()", ".unsqueeze(0)", "[::2]",
                              "[0:2][1]", ".reshape([1, 3]).t()", ".detach()[1:]", ".unsqueeze(1).squeeze(1)",
                              ".flatten()")

    def shown(self, name: str) -> str:
        return f"{name}.t, {name}.n, {name}.l" if name[0] == "o" and self.chance(0.95) else name

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    @contextlib.contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines inside go under `head`; names that are first bound there are mostly forgotten behind it."""
        self.line(head)
        before, lines = {kind: list(names) for kind, names in self.names.items()}, len(self.lines)
        self.indent += 1
        self.depth += 1
        yield
        if len(self.lines) == lines:
            self.line("pass")
        self.indent -= 1
        self.depth -= 1
        if not self.chance(0.05):
            self.names = before

    def body(self, most: int = 4) -> None:
        for _ in range(self.rng.randint(1, most)):
            self.statement()

    def statement(self) -> None:
        self.left -= 1
        nested = self.depth < 3 and self.left > 0
        kinds = self._SIMPLE + (self._COMPOUND * (3 if self.depth < 2 else 1) if nested else ())
        self.rng.choice(kinds)(self)

    # Simple statements

    def target(self, kind: str) -> str:
        """A name to assign: mostly one that is there."""
        known = self.known(kind)
        if known and self.chance(0.6 if self.depth == 0 else 0.85):
            return known
        return self.fresh(kind)

    def assign(self, kind: str, text: str) -> None:
        name = self.target(kind)
        self.line(f"{name} = {text}")
        self.bind(kind, name)

    def bind(self, kind: str, name: str) -> None:
        if name not in self.names[kind]:
            self.names[kind].append(name)

    def _new(self, kind: str) -> None:
        make = {"t": self.tensor, "l": self.items, "d": self.mapping, "o": self.owner, "s": self.integer,
                "n": lambda: self.pick("None", self.tensor(1), f"relu_or_none({self.tensor(1)})", "None"),
                "c": self.truth, "b": self.plain_truth}[kind]
        self.assign(kind, make())

    def _tensor(self):
        self._new("t")

    def _other(self):
        self._new(self.pick(*"lldonscb"))

    def _pair(self):
        a, b = self.known("t"), self.known("t")
        one, two = self.tensor(1), self.tensor(1)
        both = f"{a}, {b} = {one}, {two}"
        if a == b:  # of which Python 3.11.2 makes the first, by a defect of its own
            both = f"{a} = ({one}, {two})[1]"
        self.line(self.pick(f"{a}, {b} = {b}, {a}", both, f"{a} = {b}",
                            f"{a}, *{self.fresh('r')} = [{one}, {two}]"))

    def _augmented(self):
        t = self.known("t")
        self.line(f"{t} {self.pick('+=', '-=', '*=')} {self.pick(self.tensor(1), self.number())}")

    def _in_place(self):
        t = self.known("t")
        view = self.fresh("r")
        other = self.tensor(1)
        choice = self.rng.randrange(8)
        if choice < 4:
            self.line(self.pick(f"{t}.add_({other})", f"{t}.subtract_({other})", f"{t}.scale_(0.5)",
                                f"{t}.clip_(-1.0, 1.0)", f"halve_({t})", f"paddle.assign({other}, {t})"))
        elif choice < 6:
            self.line(f"{t}[{self.pick('0', '1', '-1')}] = {self.pick(f'{other}[1]', self.number())}")
        else:
            self.line(f"{view} = {t}{self.pick('[0:2]', '.reshape([3, 1])', '[1]')}")
            self.line(self.pick(f"{view}.scale_(0.5)", f"{view} *= 0.5", f"{view}.add_({view} * 0.5)", f"{t}[0] = 1.0"))

    def _list(self):
        items = self.known("l")
        if items is None:
            return self._new("l")
        t = self.tensor(1)
        self.line(self.pick(
            f"{items}.append({t})", f"{items}[0] = {t}", f"{items}[-1] = {t}", f"{items} += [{t}]",
            f"{items} = {items} + [{t}]", f"{items}.reverse()", f"{items}.insert(0, {t})", f"{items}.extend([{t}])",
            f"{items}[0] += {t}", f"{items}[0] *= {self.number()}", f"set_first({items}, {t})", f"grow({items}, {t})",
            f"{items}[0], {items}[-1] = {items}[-1], {items}[0]", f"{items}[0].scale_(0.5)", f"{items}[:] = [{t}]",
            f"{items}.append({items}.pop())", f"{items} = grow({items}, {t})", f"{items}[0] = {t}",
            f"set_first({items}, {t})", f"{items}[{self.integer(0)} % len({items})] = {t}"))
        return None

    def _dict(self):
        mapping = self.known("d")
        if mapping is None:
            return self._new("d")
        t, key = self.tensor(1), self.pick(*KEYS)
        self.line(self.pick(
            f"{mapping}[{key!r}] = {t}", f"{mapping}[{key!r}] += {t}", f"{mapping}.update(a={t})",
            f"{mapping}['c'] = {t}", f"{mapping}.setdefault('c', {t})", f"{mapping}.pop('c', None)",
            f"set_key({mapping}, {key!r}, {t})", f"set_key({mapping}, 'c', {t})", f"{mapping}[{key!r}].scale_(0.5)",
            f"{mapping}[{key!r}] = {t}", f"{mapping} |= {{'a': {t}}}"))
        return None

    def _object(self):
        owner = self.pick(self.known("o") or "G", "G") if self.chance(0.4) else self.known("o")
        if owner is None:
            return self._new("o")
        t = self.tensor(1)
        self.line(self.pick(
            f"{owner}.t = {t}", f"{owner}.t += {t}", f"{owner}.n += 1", f"{owner}.bump({t})", f"{owner}.put({t})",
            f"set_t({owner}, {t})", f"{owner}.l[0] = {t}", f"{owner}.t.scale_(0.5)", f"setattr({owner}, 't', {t})",
            f"{owner}.l = [{t}, {t}]", f"{owner}.n = {self.integer()}", f"{owner}.t = {t}",
            f"set_first({owner}.l, {t})"))
        return None

    def _number(self):
        s = self.known("s")
        if s is None:
            return self._new("s")
        self.line(self.pick(f"{s} += 1", f"{s} = {self.integer()}", f"{s} += {self.integer()}"))
        return None

    def _none(self):
        n = self.known("n")
        if n is None:
            return self._new("n")
        t = self.tensor(1)
        with self.block(f"if {n} is {self.pick('', 'not ')}None:"):
            self.line(self.pick(f"{n} = {t}", f"{n} = None"))
        return None

    def _jump(self):
        if self.depth == 0:
            return self._tensor()
        returns = self.functions > 0 or not self.is_one_way
        choices = ["return"] * returns + ["break", "continue", "break"] * (self.loops > 0)
        if not choices:
            return self._list()
        jump = self.pick(*choices)
        if jump == "return" and self.functions:
            jump = f"return {self.tensor(1)}"
        elif jump == "return":
            jump = f"return {self.result()}"
        with self.block(f"if {self.test()}:"):
            self.line(jump)
        return None

    def _asserted(self):
        self.line(self.pick(f"assert {self.tensor(0)}.shape[0] == 3", f"need({self.tensor(0)}.shape[0] > 1)"))

    _SIMPLE = (_tensor, _tensor, _tensor, _other, _other, _pair, _augmented, _in_place, _in_place, _list, _list, _list,
               _dict, _dict, _object, _object, _object, _number, _none, _jump, _jump, _asserted)

    # Compound statements

    def _if(self):
        with self.block(f"if {self.test()}:"):
            self.body()
        if self.chance(0.2):
            with self.block(f"elif {self.test()}:"):
                self.body(2)
        if self.chance(0.5):
            with self.block("else:"):
                self.body()

    def _looped(self, head: str, most: int = 3, first: str | None = None) -> None:
        self.loops += 1
        with self.block(head):
            if first:
                self.line(first)
            self.body(most)
        self.loops -= 1
        if self.chance(0.2):
            with self.block("else:"):
                self.body(2)

    def _range(self):
        i = self.fresh("s")
        end = self.pick("2", "k", f"({self.truth(0)}) + 1", self.integer(), f"int({self.tensor(0)}.sum() > 0) + 1")
        self.bind("s", i)
        self._looped(f"for {i} in range({end}):")

    def _while(self):
        s = self.fresh("s")
        self.line(f"{s} = 0")
        self.bind("s", s)
        test = self.pick(f"{s} < 2", f"{s} < 3 and {self.truth(0)}", f"{s} < ({self.truth(0)}) + 1", f"{s} < k")
        self.names["s"].remove(s)
        self._looped(f"while {test}:", 3, f"{s} += 1")

    def _each(self):
        items, mapping = self.known("l"), self.known("d")
        t, s = self.fresh("t"), self.fresh("s")
        heads = [f"for {t} in [{self.tensor(1)}, {self.tensor(0)}]:"]
        if items:
            heads += [f"for {t} in {items}:", f"for {s}, {t} in enumerate(list({items})):",
                      f"for {t} in reversed({items}):", f"for {t}, _ in zip({items}, range(2)):",
                      f"for {t} in {items}:"]
        if mapping:
            heads += [f"for _, {t} in {mapping}.items():", f"for {t} in list({mapping}.values()):"]
        head = self.rng.choice(heads)
        self.names["t"].append(t)
        self._looped(head)
        if not self.chance(0.2) and t in self.names["t"]:
            self.names["t"].remove(t)

    def _rows(self):
        t = self.fresh("t")
        self._looped(f"for {t} in paddle.stack([{self.tensor(1)}, {self.tensor(0)}]):")

    def _match(self):
        items = self.known("l")
        if items is None or self.chance(0.4):
            self.line(f"match {self.integer(0)}:")
            cases = ["case 0 | 1:", "case int():" if self.chance(0.5) else "case 2:", "case _:"]
        else:
            a, b = self.fresh("t"), self.fresh("r")
            self.line(f"match {items}:")
            cases = [f"case [{a}]:", f"case [{a}, _]:", f"case [{a}, *{b}]:", "case _:"]
        self.indent += 1
        for case in cases[self.rng.randrange(2):]:
            with self.block(case):
                self.body(2)
        self.indent -= 1

    def _try(self):
        with self.block("try:"):
            self.body(2)
            if self.chance(0.6):
                self.line(f"need({self.plain_truth()})")
        if self.chance(0.75):
            with self.block(f"except {self.pick('ValueError', 'KeyError')}:"):
                self.body(2)
            if self.chance(0.3):
                with self.block("finally:"):
                    self.line(f"{self.known('t')} = {self.tensor(1)}")
        else:
            with self.block("finally:"):
                self.line(f"{self.known('t')} = {self.tensor(1)}")

    def _with(self):
        owner = self.known("o") or "G"
        t = self.fresh("t")
        with self.block(self.pick("with paddle.no_grad():", f"with {owner}:", f"with {owner} as {t}:")):
            self.body(3)

    def _define(self):
        f, q = self.fresh("f"), self.fresh("t")
        outer = self.known("t") if self.chance(0.6) else None
        before = {kind: list(names) for kind, names in self.names.items()}
        loops, self.loops, self.functions = self.loops, 0, self.functions + 1
        with self.block(f"def {f}({q}):"):
            self.names = {kind: [n for n in names if kind in "do"] for kind, names in self.names.items()}
            self.names["t"] = [q]
            if outer:
                self.line(f"nonlocal {outer}")
                self.names["t"].append(outer)
            self.body(3)
            self.line(f"return {self.tensor(1)}")
        self.loops, self.functions, self.names = loops, self.functions - 1, before
        self.names["f"].append(f)
        if self.chance(0.7):
            self.assign("t", f"{f}({self.tensor(1)})")

    def _generate(self):
        """A generator, and a loop over what it yields; perhaps over some of it."""
        g, q, t = self.fresh("f"), self.fresh("t"), self.fresh("t")
        before = {kind: list(names) for kind, names in self.names.items()}
        loops, self.loops, self.functions = self.loops, 0, self.functions + 1
        with self.block(f"def {g}({q}):"):
            self.names = {kind: [n for n in names if kind in "dol"] for kind, names in self.names.items()}
            self.names["t"] = [q]
            with self.block(self.pick("for _ in range(2):", f"while {q}.sum() > 1:", f"if {self.test()}:")):
                self.body(2)
                self.line(f"{q} = {q} * 0.5")
                self.line(f"yield {self.tensor(1)}")
            self.line(self.pick(f"yield {self.tensor(1)}", f"yield from [{self.tensor(0)}, {q}]", "return"))
        self.loops, self.functions, self.names = loops, self.functions - 1, before
        made = f"{g}({self.tensor(0)})"
        if self.chance(0.3):
            return self.assign("l", f"list({made})")
        self.names["t"].append(t)
        self._looped(f"for {t} in {self.pick(made, f'list({made})')}:", 2)
        self.names["t"].remove(t)
        return None

    _COMPOUND = (_if, _if, _if, _if, _range, _range, _while, _each, _each, _rows, _match, _try, _with, _define,
                 _generate)
