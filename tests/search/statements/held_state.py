"""State of loops in dicts, tuples, namedtuples and objects; `else` of loops."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import condition, rebind, statement

PAIR = """Pair = namedtuple("Pair", ["a", "b"])
"""
BOX = """class Box:
    def __init__(self, a):
        self.a = a
        self.count = 0

    def moved(self, t):
        self.a = self.a * 0.5 + t
        self.count += 1
        return self.a
"""


def _head(body: Body) -> str:
    """The head of a loop, on a count that Python or a tensor knows."""
    i = body.fresh("i")
    if body.chance(0.4):
        body.line(f"{i} = paddle.to_tensor(0)")
        return f"while {i} < {body.rng.randint(1, 3)}:{i}"
    return f"for {i} in range({body.pick('3', 'paddle.to_tensor(2)', 'self.turns', 'paddle.to_tensor(1) + 2')}):"


@statement(1.2, "held_state")
def _state_in_a_loop(body: Body) -> bool:
    """What a loop carries, inside of something that holds it."""
    v = body.value("float")
    if v is None or body.in_loop:
        return False
    held, start = body.fresh("state"), same_shape(body, v)
    way = body.below(5)
    if way == 0:
        body.line(f'{held} = {{"a": {v.text}, "b": {start}}}')
        a, b = f'{held}["a"]', f'{held}["b"]'
    elif way == 1:
        body.network.classes["Pair"] = PAIR
        body.line(f"{held} = Pair({v.text}, {start})")
        a, b = f"{held}.a", f"{held}.b"
    elif way == 2:
        body.line(f"{held} = ({v.text}, {start})")
        a, b = f"{held}[0]", f"{held}[1]"
    elif way == 3:
        body.line(f"{held} = [{v.text}, [{start}]]")
        a, b = f"{held}[0]", f"{held}[1][0]"
    else:
        body.network.classes["Box"] = BOX
        body.line(f"{held} = Box({v.text})")
        a, b = f"{held}.a", f"{held}.moved({start})"
    head, _, counter = _head(body).partition(":")
    with body.loop(f"{head}:"):
        new = same_shape(body, Value(a, v.shape)) if way != 4 else f"{a} * 0.5"
        lines = {
            0: [f"{a}, {b} = {b}, {new}", f"{a} = {new} + {b}", f"{held}.update(b={new})"],
            1: [f"{held} = Pair({b}, {new})", f"{held} = {held}._replace(a={new})"],
            2: [f"{held} = ({b}, {new})", f"{held} = ({new}, {a})"],
            3: [f"{a} = {new} + {b}", f"{b} = {new}", f"{held} = [{b}, [{new}]]"],
            4: [f"{held}.moved({v.text})", f"{a} = {new}", f"{held}.a, {held}.count = {held}.moved({v.text}), 1"],
        }[way]
        test = condition(body) if body.chance(0.3) else None
        if test:
            with body.block(f"if {test}:"):
                body.line(body.rng.choice(lines))
        else:
            body.line(body.rng.choice(lines))
        if counter:
            body.line(f"{counter} += 1")
    if way == 0 and body.chance(0.3):
        body.assign(f"sum({held}.values())", v.shape)
    else:
        body.assign(f"{a} * 0.5 + {b}", v.shape)
    return True


@statement(0.6, "held_state")
def _else_of_a_loop(body: Body) -> bool:
    """A loop that may end early, and what is done where it does not."""
    own = [v for v in body.all("float") if v.text.isidentifier()]
    if not own or body.in_loop:
        return False
    target = body.rng.choice(own[-4:])
    head, _, counter = _head(body).partition(":")
    with body.loop(f"{head}:"):
        if counter:
            body.line(f"{counter} += 1")
        rebind(body, target)
        with body.block(f"if {condition(body)}:"):
            rebind(body)
            body.line(body.pick("break", "break", "continue"))
        if body.chance(0.5):
            rebind(body, target)
    with body.block("else:"):
        rebind(body, target)
    return True
