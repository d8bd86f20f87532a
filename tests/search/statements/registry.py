"""What statements are, and what they are made of: changed values, lines of a block, conditions."""

from __future__ import annotations

from collections.abc import Callable

from .. import expressions
from ..body import Body, Value
from ..expressions import same_shape

Statement = Callable[[Body], bool]
STATEMENTS: list[tuple[float, str | None, Statement]] = []


def statement(weight: float, feature: str | None = None) -> Callable[[Statement], Statement]:
    """Registers a statement; it gives whether it found what it needs."""

    def add(function: Statement) -> Statement:
        STATEMENTS.append((weight, feature, function))
        return function

    return add


def write(body: Body) -> None:
    """Writes one random statement."""
    fitting = [(w, s) for w, feature, s in STATEMENTS if body.network.allows(feature)]
    for _ in range(8):
        if body.rng.choices([s for _, s in fitting], [w for w, _ in fitting])[0](body):
            return


def rebind(body: Body, value: Value | None = None) -> Value | None:
    """Gives a value of the scope another one of its shape."""
    own = [v for v in body.all("float") if v.text.isidentifier()]
    if value is None and not own:
        return None
    value = value or body.rng.choice(own[-4:])
    body.line(f"{value.text} = {same_shape(body, value)}")
    return value


def some(body: Body, most: int = 2) -> None:
    """Lines of a branch or of a loop's body."""
    for _ in range(body.rng.randint(1, most)):
        if body.depth < 3 and body.chance(0.2):
            write(body)
        elif body.chance(0.25):
            body.assign(*expressions.expression(body))
        else:
            rebind(body)
    rebind(body)


def condition(body: Body) -> str | None:
    """A tensor of one bool, as text."""
    v = body.value("float")
    if v is None:
        return None
    other = body.value("float")
    assert other is not None
    simple = [
        f"{v.text}.mean() > {body.pick(0.01, 0.1, 0.3)}",  # of what lies about its mean, 0 is rounding
        f"{v.text}.sum() + 0.01 < {other.text}.sum()",  # one that is decided where both are the same sum
        f"({v.text} > 0.5).any()",
        f"paddle.all({v.text} < 2.0)",
        f"{v.text}.max() > 0.8",
        f"-0.5 < {v.text}.mean() < 0.5",
        f"{v.text}.abs().sum() > 2",
    ]
    flags = [b.text for b in body.all("bool", 0, 0)]
    simple += flags * 2
    text = body.rng.choice(simple)
    if body.chance(0.2):
        text = body.pick("{} and {}", "{} or {}").format(text, body.rng.choice(simple))
    elif body.chance(0.1):
        text = f"not ({text})"
    return text


@statement(10)
def _expression(body: Body) -> bool:
    body.assign(*expressions.expression(body))
    return True


@statement(3)
def _rebind(body: Body) -> bool:
    return rebind(body) is not None
