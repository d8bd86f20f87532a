"""Gradient rules: from the rules of a declaration to what the backward walk calls.

`grad={"X": rule, "Y": rule}` gives one rule an input; `grad={"X, Filter": rule}` one rule for several, which returns a
tuple. A rule's parameters are found by name:

- `g` is the gradient of the first output, `d_Mean` that of the output `Mean`; zeros where nothing used the output;
- `given_Mean` is that of `Mean` as it came: None where nothing used it, and of a repeated slot a dict by position;
- `X`, `Out`: the value of an input or output, kept alive for this;
- `X_shape`, `X_dtype`: only its shape (a tuple, or the value itself where a size is not yet known) or its dtype;
- `wants`: for a joint rule, which of its inputs want a gradient, a tuple of bools;
- `to_leaf`: whether the gradient goes to a leaf, which takes a `Deferred` too; for a joint rule a tuple of bools;
- `attrs`: all attributes, a dict (a Program's operator may carry some that the declaration does not know);
- any other name is an attribute.

For a repeated slot the value is a list, and so is what the rule returns.

`alike={"X": "g * Y", "Y": "g * X"}` says of an operator of two operands what its rules come to where these have one
shape, no attribute is given and the numbers are real, which is what most applications are: an expression in `g` and
the values that the rules ask for. It stands in the function that calls the rules, so that no function is called for it.
Of an operator of one operand it says what its rule comes to for real numbers, whatever its attributes are, which it may
name: the compiled form alone reads that, and rules that name nothing but their parameters (see `arithmetic.py`).
`holomorphic=True` says of an operator of one result that it is a holomorphic function of its inputs, and that its rules
give g times the slope. The gradient of a real number with respect to a complex one is the direction in which it grows
most, which takes the slope's conjugate: where g is complex, the rules get its conjugate, and the conjugate of what they
give is taken. Other operators conjugate in their rules.
`alike="product"` says that the rule is that of a product of matrices, which the compiled form has (`_products.c`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.dtype import from_numpy_dtype
from .arithmetic import FUNCTIONS, Arithmetic, names_nothing
from .backward import Leaf
from .trace import apply, apply_zeros

if TYPE_CHECKING:
    from .operator import Operator


def array_shape(value: Any) -> Any:
    """The shape of an array, of each in a list, or None."""
    if isinstance(value, (list, tuple)):
        return [v.shape for v in value]
    return None if value is None else value.shape


def array_dtype(value: Any) -> Any:
    """The DType of an array, of each in a list, or None."""
    if isinstance(value, (list, tuple)):
        return [from_numpy_dtype(v.dtype) for v in value]
    return None if value is None else from_numpy_dtype(value.dtype)


def symbol_shape(value: Any) -> Any:
    """The shape of a symbolic value as a tuple, or the value itself where a size is not known."""
    if isinstance(value, (list, tuple)):
        return [symbol_shape(v) for v in value]
    if value is None:
        return None
    shape = tuple(value.shape)
    return value if -1 in shape else shape


def symbol_dtype(value: Any) -> Any:
    """The DType of a symbolic value, of each in a list, or None."""
    if isinstance(value, (list, tuple)):
        return [v.dtype for v in value]
    return None if value is None else value.dtype


_KINDS = ("value", "shape", "dtype")  # as numbers in `Gradient.recipe`


class Saved:
    """One thing that an application keeps for its gradient: a value, a shape or a dtype of an input or output."""

    __slots__ = ("of_output", "index", "kind")

    def __init__(self, of_output: bool, index: int, kind: str):
        self.of_output, self.index, self.kind = of_output, index, kind

    def source(self, operator: Operator) -> str:
        """The expression that picks it out of the inputs `i` and outputs `o` of an operator."""
        value = f"{'o' if self.of_output else 'i'}[{self.index}]"
        if self.kind == "value":
            return value
        slot = (operator.results if self.of_output else operator.inputs)[self.index]
        if slot.many or slot.optional or self.of_output or self.kind == "dtype":
            return f"{self.kind}_of({value})"
        return f"one_shape_of({value})"


class Gradient:
    """The gradient of an operator: what to save, and how to call its rules.

    What follows from the rules' parameter names is worked out when it is first asked for.

    - `saved`, and `values` among them: what an application keeps, as `Saved`; `(position, of_output, index)` of values.
    - `readers`: for each of `saved`, the input slots whose gradients need it.
    - `save_arrays(inputs, outputs)`, `save_symbols(inputs, outputs)`: picks that from arrays, or from Variables.
    - `recipe`: the same as bytes, for arrays: the kind (0 a value, 1 a shape, 2 a dtype) times 16, 8 for an output, and
      the position; None where it takes more to pick that.
    - `compiled`: what the compiled form computes of small arrays without `run`, or None: by input slot None, or the
      steps of a program and the position in what is saved of the operand's shape, -1 where it is the gradient's; the
      numbers of the programs, each a float, or an attribute's name and its default; the positions in what is saved that
      must have nothing; and whether attributes must be left out. A text is the name of a rule in C.
    - `run(gs, saved, attrs, wants)`: the gradients of the input slots (None where not wanted), from those of the
      results (None where unused).
    """

    saved: list[Saved]
    values: tuple[tuple[int, bool, int], ...]
    readers: tuple[frozenset[int], ...]
    recipe: bytes | None
    compiled: tuple[Any, ...] | str | None
    save_arrays: Callable[[Any, Any], tuple]
    save_symbols: Callable[[Any, Any], tuple]
    run: Callable[..., list[Any]]

    def __init__(self, operator: Operator, rules: Mapping[str, Callable[..., Any]],
                 alike: Mapping[str, str] | str | None = None, holomorphic: bool = False):
        self._operator, self._rules, self._alike, self._holomorphic = operator, rules, alike, holomorphic

    def __getattr__(self, name: str) -> Any:
        if name not in Gradient.__annotations__:
            raise AttributeError(name)
        vars(self).update(_RuleReader(self._operator, self._rules, self._alike, self._holomorphic).read())
        return vars(self)[name]


class _RuleReader:
    """Reads the parameter names of rules, and writes the functions that save for them and call them."""

    def __init__(self, operator: Operator, rules: Mapping[str, Callable[..., Any]],
                 alike: Mapping[str, str] | str | None = None, holomorphic: bool = False):
        self.operator, self.rules, self.holomorphic = operator, rules, holomorphic
        self.named = alike if isinstance(alike, str) else None
        self.alike = None if isinstance(alike, str) else alike
        self.inputs = [slot.name for slot in operator.inputs]
        self.results = [slot.name for slot in operator.results]
        self.saved: list[Saved] = []
        self.positions: dict[tuple[bool, int, str], int] = {}
        self.readers: dict[int, set[int]] = {}  # by position: the slots whose rules ask for it
        self.used: set[int] = set()  # the results whose gradients the rules ask for
        self.globals: dict[str, Any] = {"filled": _filled, "Leaf": Leaf, "conjugates": _conjugates}

    def read(self) -> dict[str, Any]:
        """What a Gradient has, by name."""
        lines = [line for number, (key, rule) in enumerate(self.rules.items())
                 for line in self._call(number, key, rule)]
        # Gradients of results that nothing used are zeros; their shapes and dtypes must be known.
        fill = [] if self.operator.is_single else [line for index in sorted(self.used) for line in self._fill(index)]
        ruled = {name.strip() for key in self.rules for name in key.split(",")}
        returned = ", ".join(f"r{n}" if name in ruled else "None" for n, name in enumerate(self.inputs))
        lines = [*self._short_way(), *fill, *lines, f"return [{returned}]"]
        if self.holomorphic:
            lines = ["if gs[0].dtype.kind == 'c':", "    gs = conjugates(gs)",
                     *("    " + line.replace("return ", "return conjugates(") + ")" * line.startswith("return ")
                       for line in lines), *lines]
        source = "\n    ".join(["def run(gs, saved, attrs, wants):", *lines])
        exec(source, self.globals)  # noqa: S102 - made of slot numbers and attribute names
        picked = ", ".join(s.source(self.operator) for s in self.saved)
        pick = f"lambda i, o: ({picked}{',' if len(self.saved) == 1 else ''})"
        from_array = re.sub(r"one_shape_of\((.*?\])\)", r"\1.shape", pick)
        arrays = {"shape_of": array_shape, "dtype_of": array_dtype}
        symbols = {"shape_of": symbol_shape, "one_shape_of": symbol_shape, "dtype_of": symbol_dtype}
        return {
            "run": self.globals["run"], "saved": self.saved,
            "values": tuple((n, s.of_output, s.index) for n, s in enumerate(self.saved) if s.kind == "value"),
            "readers": tuple(frozenset(self.readers.get(n, ())) for n in range(len(self.saved))),
            "recipe": self._recipe(),
            "compiled": self._compiled(),
            # The text is made of slot numbers.
            "save_arrays": eval(from_array, arrays),  # noqa: S307
            "save_symbols": eval(pick, symbols),  # noqa: S307
        }

    def _recipe(self) -> bytes | None:
        if not self.operator.is_single or self.operator.has_lists or len(self.inputs) > 8:
            return None
        return bytes(_KINDS.index(s.kind) << 4 | s.of_output << 3 | s.index for s in self.saved)

    def _compiled(self) -> tuple[Any, ...] | str | None:
        """Programs of the rules, where each slot that has a rule has one: see `Gradient.compiled`."""
        if self.named is not None:
            return self.named
        if self._recipe() is None:
            return None
        arithmetic = Arithmetic(self._place_of, self.operator.defaults)
        programs = [self._program(arithmetic, n, name) for n, name in enumerate(self.inputs)]
        if any(program is None and name in self.rules for program, name in zip(programs, self.inputs, strict=True)) \
                or not any(programs) or any("," in key for key in self.rules):
            return None
        optional = {n for n, slot in enumerate(self.operator.inputs) if slot.optional}
        nothing = bytes(place for (of_output, index, kind), place in self.positions.items()
                        if not of_output and index in optional and kind == "value")
        return tuple(programs), tuple(arithmetic.numbers), nothing, self._is_of_two()

    def _is_of_two(self) -> bool:
        return self.alike is not None and len(self.alike) == 2

    def _place_of(self, name: str) -> int | None:
        for of_output, names in ((False, self.inputs), (True, self.results)):
            if name in names:
                return self.positions.get((of_output, names.index(name), "value"))
        return None

    def _program(self, arithmetic: Arithmetic, slot: int, name: str) -> tuple[bytes, int] | None:
        rule, text = self.rules.get(name), (self.alike or {}).get(name)
        if rule is not None and text is not None:
            names = [n for n in dict.fromkeys(re.findall("[A-Za-z_]+", text)) if n not in FUNCTIONS]
            steps = arithmetic.program(
                lambda: eval(text, {**FUNCTIONS, **{n: arithmetic.term(n) for n in names}}))  # noqa: S307
            if steps is None:
                raise ValueError(f"{self.operator.type}: alike={text!r} is no arithmetic of what the rule asks for.")
            return steps, self.positions[False, slot, "shape"] if self._is_of_two() else -1
        if rule is None or not names_nothing(rule):
            return None
        steps = arithmetic.program(lambda: rule(*map(arithmetic.term, parameter_names(rule))))
        return None if steps is None else (steps, -1)

    def _short_way(self) -> list[str]:
        """The statements that give what `alike` says of two operands, where it holds."""
        if self.alike is None or not self._is_of_two():
            return []
        first, second = (f"saved[{self._position(False, n, 'shape')}]" for n in (0, 1))

        def in_place(slot: int, text: str) -> str:
            def argument(match: re.Match[str]) -> str:
                return "g" if match[0] == "g" else self._argument(match[0], [slot])

            return re.sub("[A-Za-z]+", argument, text)

        each = [f"{in_place(n, self.alike[name])} if wants[{n}] else None" for n, name in enumerate(self.inputs)]
        return [f"if not attrs and type({first}) is tuple and {first} == {second}:", "    g = gs[0]",
                "    if g.dtype.kind != 'c':", f"        return [{', '.join(each)}]"]

    def _call(self, number: int, key: str, rule: Callable[..., Any]) -> list[str]:
        """The statements that give the gradients of a rule's slots."""
        slots = [self.inputs.index(name.strip()) for name in key.split(",")]
        self.globals[f"rule{number}"] = rule
        arguments = ", ".join(self._argument(name, slots) for name in parameter_names(rule))
        if len(slots) == 1:
            return [f"r{slots[0]} = rule{number}({arguments}) if wants[{slots[0]}] else None"]
        targets = ", ".join(f"r{n}" for n in slots)
        nothing = ", ".join("None" for _ in slots)
        wanted = ", ".join(f"bool(wants[{n}])" for n in slots)
        return [f"wanted = ({wanted})", f"{targets} = rule{number}({arguments}) if any(wanted) else ({nothing})"]

    def _fill(self, index: int) -> list[str]:
        shape, dtype = (self._position(True, index, kind) for kind in ("shape", "dtype"))
        first = ["gs = list(gs)"] if index == min(self.used) else []
        return [*first, f"gs[{index}] = filled(gs[{index}], saved[{shape}], saved[{dtype}])"]

    def _needing(self, of_output: bool, index: int, slots: Sequence[int]) -> Sequence[int]:
        """Those of the slots of a rule whose gradients need a value; of a product the other operand's alone."""
        is_product = self.named == "product" and not of_output
        return [slot for slot in slots if slot != index] if is_product else slots

    def _position(self, of_output: bool, index: int, kind: str) -> int:
        key = of_output, index, kind
        if key not in self.positions:
            self.positions[key] = len(self.saved)
            self.saved.append(Saved(of_output, index, kind))
        return self.positions[key]

    def _argument(self, name: str, slots: Sequence[int]) -> str:
        """The expression for a parameter of a rule for these slots."""
        if name == "wants":
            return "wanted"
        if name == "to_leaf":
            each = [f"type(wants[{n}]) is Leaf" for n in slots]
            return each[0] if len(each) == 1 else f"({', '.join(each)})"
        if name == "attrs":
            self.globals["defaults"] = self.operator.defaults
            return "{**defaults, **attrs}"
        if name == "g" or (name.startswith("d_") and name[2:] in self.results):
            index = 0 if name == "g" else self.results.index(name[2:])
            self.used.add(index)
            return f"gs[{index}]"
        if name.startswith("given_") and name[6:] in self.results:
            return f"gs[{self.results.index(name[6:])}]"
        base, _, kind = name.rpartition("_")
        if kind not in ("shape", "dtype"):
            base, kind = name, "value"
        for of_output, names in ((False, self.inputs), (True, self.results)):
            if base in names:
                position = self._position(of_output, names.index(base), kind)
                self.readers.setdefault(position, set()).update(self._needing(of_output, names.index(base), slots))
                return f"saved[{position}]"
        if name not in self.operator.attributes:
            raise ValueError(
                f"{self.operator.type}: a gradient rule asks for {name!r}, which is neither slot nor attribute."
            )
        if name not in self.operator.defaults:
            return f"attrs[{name!r}]"
        self.globals[f"default_{name}"] = self.operator.defaults[name]
        return f"attrs.get({name!r}, default_{name})"


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a Python function's parameters."""
    code = function.__code__
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _conjugates(values: Sequence[Any]) -> list[Any]:
    """The conjugates of gradients, None where there is none; a real one is its own."""
    return [v if v is None or v.dtype.kind != "c" else apply(_conjugation[0], v) for v in values]


_conjugation: list[Any] = []  # the operator


def serve_conjugation(operator: Operator) -> None:
    """Gives the operator that the gradients of complex functions take conjugates by."""
    _conjugation[:] = [operator]


def _filled(gradient: Any, shape: Any, dtype: Any) -> Any:
    if isinstance(shape, list):
        given = gradient or {}  # by position
        if len(given) == len(shape):
            return [given[n] for n in range(len(shape))]
        return [_filled(given.get(n), *one) for n, one in enumerate(zip(shape, dtype, strict=True))]
    return apply_zeros(shape, dtype) if gradient is None and shape is not None else gradient


def differentiable_once(slots: str, what: str) -> dict[str, Callable[[Any], Any]]:
    """The rule of an operator that is itself the derivative of `what` and has none: an error, not the 0 of silence."""

    def refuse(g: Any) -> Any:
        raise NotImplementedError(f"{what}: differentiable once; a gradient of its gradient is not there. Take its "
                                  "gradient without create_graph, or write it with other operators.")

    return {slots: refuse}


def with_another(gradient: Any, given: Any, slope: Any = None) -> Any:
    """A gradient, and that by a further result, which has the slope (1); `given` is None where nothing used that."""
    if given is None:
        return gradient
    return gradient + (given if slope is None else given * slope)
