"""The operators as plain Python, a line each: what converted code means where nothing is symbolic.

Converters are tested with these, so that a converter's test can fail by its own fault only.
"""

import contextlib
import operator
from types import SimpleNamespace


class Undefined:
    def __init__(self, name):
        self._name = name

    def _refuse(self, *_):
        raise UnboundLocalError(self._name)

    __add__ = __radd__ = __iter__ = __call__ = __bool__ = _refuse


def load(value):
    if isinstance(value, Undefined):
        raise UnboundLocalError(value._name)
    return value


def read(value, name):
    try:
        return value()
    except (NameError, AttributeError):
        return Undefined(name)


def while_stmt(test, body, get_state, set_state, names, held, kept):
    set_state(get_state())
    while test():
        body()


def for_stmt(iterable, body, guard, get_state, set_state, names, held, kept):
    for item in iterable:
        body(item)
        if guard is not None and not guard():
            break


def if_stmt(test, body, orelse, get_state, set_state, names, outputs, held):
    set_state(get_state())
    return body() if test else orelse()


def binding(items):
    return items


def and_(value, *later):
    for operand in later:
        value = value and operand()
    return value


def or_(value, *later):
    for operand in later:
        value = value or operand()
    return value


COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "in": lambda a, b: a in b,
           "not in": lambda a, b: a not in b}


def compare(left, *rest):
    result = True
    for symbol, operand in zip(rest[::2], rest[1::2], strict=True):
        right = operand()
        result = COMPARE[symbol](left, right)
        if not result:
            return result
        left = right
    return result


SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
           "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift"}


def operate(left, symbol, right):
    return getattr(operator, f"__{SYMBOLS[symbol]}__")(left, right)


def operate_in_place(left, symbol, right):
    return getattr(operator, f"__i{SYMBOLS[symbol[:-1]]}__")(left, right)


def operate_alone(symbol, value):
    return {"-": operator.neg, "+": operator.pos, "~": operator.invert}[symbol](value)


def augment(begun, symbol, operand):
    owner, name, value = begun
    setattr(owner, name, operate_in_place(value, symbol, operand))


def set_item(new, value, index):
    value[index] = new


def augment_item(begun, symbol, operand):
    value, index, item = begun
    value[index] = operate_in_place(item, symbol, operand)


OPERATORS = SimpleNamespace(
    set_item=set_item, augment_item=augment_item, begun_item=lambda value, index: (value, index, value[index]),
    attribute=getattr, begun=lambda owner, name: (owner, name, getattr(owner, name)), augment=augment,
    Undefined=Undefined, load=load, read=read, while_stmt=while_stmt, for_stmt=for_stmt, if_stmt=if_stmt, and_=and_,
    is_truth=lambda value, truth: value is truth, and_value=and_, or_value=or_, binding=binding,
    or_=or_, not_=lambda value: not value, if_exp=lambda test, body, orelse: body() if test else orelse(),
    compare=compare, assert_stmt=lambda test, message: test, plain=lambda test: test,
    raising=lambda body, only=False: body, attempt=lambda kinds: contextlib.nullcontext(),
    everything=BaseException, equal=operator.eq, unequal=operator.ne, subject=lambda value: value,
    subject_of_classes=lambda value: value, subject_of_sequences=lambda value: value,
    is_none=lambda value: load(value) is None, not_none=lambda value: load(value) is not None,
    comprehension=lambda iterable, made, element, condition=None: made(iterable),
    generator=lambda iterable, made, element, condition=None: made(iterable),
    narrowed=lambda value: value, walked=lambda value: value, items_of=lambda value: value,
    manager=lambda value: value, operate=operate, operate_in_place=operate_in_place, operate_alone=operate_alone,
    order=lambda left, symbol, right: COMPARE[symbol](left, right), is_same=operator.is_,
    state_of=lambda owner, key, value, name: read(value, name), used=load, nothing=lambda *_: (),
    changed=lambda new, old: not isinstance(new, Undefined), converted=lambda function: function,
    holding=lambda function, _: function, text=lambda *parts: "".join(parts), percent=operator.mod,
    shown=lambda value, conversion="", spec="": format({"r": repr, "s": str, "a": ascii}.get(
        conversion, lambda shown: shown)(value), spec),
    shape_of=lambda value: value.shape, item=lambda value, index: value[index], computed=lambda value: lambda: value)
