"""Views: what is done in place to a part of a value, or to all of it seen in another way, is done to the value.

`x[0][1] = 5`, `x.t().zero_()` and `x.detach().fill_(1)` change x, as in Paddle, PyTorch and NumPy, and gradients flow
through what was written; and what is done to x in place, an optimizer's step too, is seen in every view of it. No array
is changed by an operation, so a view knows what made it: its `_source` holds what it is a view of, the array that had
then, and the operator with its attributes and further tensors. A value knows those of its views that are still there,
in `_views`: one weak reference, or a list of them. An operator gives views where its declaration says `written`, which
tells what becomes of the value.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ops.array.reshape import reshape_op
from ..ops.core.backward import Leaf, Output, edge_node
from ..ops.core.trace import grad_mode, state

if TYPE_CHECKING:
    from ..ops.core.operator import Operator


_FEW = 8  # so many references to views are kept before those that lead nowhere are let go


def show(view: Any, op: Operator | None, inputs: tuple, attrs: dict[str, Any]) -> None:
    """Lets the result of an operator know that it is a view of the first input, and that one of the view.

    `ops/core/_recording.c` does the same, where it is built.
    """
    view._source = source_of(op, inputs, attrs)
    note(inputs[0], view)


def note(base: Any, *views: Any) -> None:
    """Lets a value know of views of it."""
    known = getattr(base, "_views", None)
    if known is None and len(views) == 1:
        base._views = weakref.ref(views[0])
        return
    found = known if type(known) is list else [] if known is None else [known]
    size = len(found) + len(views)
    if size > _FEW and size.bit_length() != len(found).bit_length():  # beyond each power of two
        found = [one for one in found if one() is not None]
    found += map(weakref.ref, views)
    base._views = found


def show_change(value: Any) -> None:
    """Gives the views of a value, and theirs, what the value has become."""
    if getattr(value, "_views", None) is None:
        return
    views, value._views = _views(value), None
    for view in views:
        if base_of(view) is value:
            _bring_up_to_date(view)


def part_from_views(value: Any) -> None:
    """What becomes of a value from now on concerns those not that were views of it so far: it gets other memory."""
    views = _views(value)
    value._source = value._views = None
    for view in views:
        view._source = None


def stay(value: Any, former: Any, result: Any) -> bool:
    """Lets the views of a value that is seen in another way from now on be views of what it was, as it is itself.

    `former` is the value as it was, `result` what it is now, a view of that. False where it neither has views nor is
    one.
    """
    views = _views(value)
    if base_of(result) is not former or not views and former._source is None:
        return False
    value._source, value._views = (former, *result._source[1:]), None
    if not views:
        value._source = joined(former._source, value._source, result._array.shape)
    if value._source[0] is former:
        for view in views:
            view._source = (former, *view._source[1:])
        note(former, value, *views)
        above = base_of(former)
        if above is not None:
            note(above, former)
    return True


def _views(value: Any) -> list[Any]:
    """What is a view of a value by now."""
    known = getattr(value, "_views", None)
    views = [reference() for reference in (known if type(known) is list else () if known is None else (known,))]
    return [view for view in views if view is not None and base_of(view) is value]  # others were given their own value


def source_of(op: Operator | None, inputs: tuple, attrs: dict[str, Any]) -> tuple:
    """What the result of an operator on these inputs is a view of; without an operator it is all of the first one.

    A value that is no view itself, and has none yet, is not kept alive: once nobody else has it, nobody sees what
    becomes of it. The second view keeps it, for both see what is done to either. Of other inputs, an index say, the
    arrays are kept: where the view is does not change with them.
    """
    base, *others = inputs
    held = base if base._source is not None or weakref.getweakrefcount(base) else weakref.ref(base)
    seen = None if op is None else base._array  # that of a parameter would be one that more than the parameter holds
    has_others = bool(others) and any(x is not None for x in others)
    return held, seen, op, attrs, tuple(map(_array_of, others)) if has_others else None


def _array_of(value: Any) -> Any:
    return None if value is None else [x._array for x in value] if type(value) is list else value._array


def _bring_up_to_date(view: Any) -> None:
    """Gives a view the values that what it is of has now; those of before, where that has another shape or dtype."""
    base, seen, op, attrs, others = _source(view)
    if base is None:
        return
    former = view._array if op is None else seen
    if base._array.shape != former.shape or base._array.dtype != former.dtype:
        view._source = None
        return
    if op is None:
        view._array = base._array if view._is_twin else base._array.view()
        if _flows(view):  # to what it had been given
            view._edge = None
    else:
        # A view that was not stopped has no gradient where the value had none: that may have one since.
        flows = _flows(view) or view._edge is view._stopped_edge is None and _flows(base)
        with grad_mode(flows):
            now = view._eager.apply(op, (base, *_further(view, op, others)), attrs)
        view._array, view._source = now._array, now._source
        if flows:
            _keep_hooks(view._edge, now._edge)
            view._edge = now._edge
    note(base, view)
    show_change(view)


def _keep_hooks(former: Any, edge: Any) -> None:
    """Lets the hooks of a view's gradient, `retain_grads` among them, see that of the view as it is now."""
    node, now = None if former is None else edge_node(former), edge_node(edge)
    hooks = None if node is None or node.hooks is None else node.hooks.get(_place(former))
    if hooks and now is not None:
        now.hooks = {_place(edge): hooks}


def _place(edge: Any) -> tuple:
    return (edge.index, edge.position) if type(edge) is Output else (0, None)


def _flows(value: Any) -> bool:
    """Whether a gradient flows through a value to what it was computed from."""
    return value._edge is not None and type(value._edge) is not Leaf


def write_through(view: Any) -> None:
    """Lets what a view is of have the values that the view was given.

    A leaf with a gradient of its own takes them as it takes an update: no gradient flows from it to the view.
    """
    base, _, op, attrs, others = _source(view)
    view._source = None  # what becomes of the value is shown to its other views
    if base is None:
        return
    try:
        if op is None:
            base._update(view._array if view._is_twin else view._array.view())
            base._version += 1
        else:
            is_leaf = state.grad_enabled and type(base._edge) is Leaf
            with grad_mode(state.grad_enabled and not is_leaf):
                base._rebind(op.written(base._alias(), view._alias(), *_further(view, op, others), **attrs))
    finally:
        view._source = (*source_of(op, (base,), attrs)[:4], others)
        note(base, view)


def joined(former: tuple, latter: tuple, shape: tuple[int, ...]) -> tuple:
    """The source of a view of a view, of this shape: what the first is of, where both do no more than to shape."""
    base, seen, op, _, others = former
    is_shape = op is not None and op.written is latter[2].written is reshape_op.written and 0 not in shape
    if not is_shape or others is not None or latter[4] is not None:
        return latter
    return base, seen, reshape_op, {"shape": list(shape)}, None


def _further(view: Any, op: Operator, others: tuple | None) -> tuple:
    """The inputs that the operator had beside the value."""
    new = view._eager.new
    return (None,) * (len(op.inputs) - 1) if others is None else tuple(
        None if x is None else [new(a.view()) for a in x] if type(x) is list else new(x.view()) for x in others)


def _source(view: Any) -> tuple:
    held, *rest = view._source
    base = held() if type(held) is weakref.ref else held
    if base is not None and base._source is not None and not _shares_memory(base, *rest):
        base = view._source = None
    return (base, *rest)


def _shares_memory(base: Any, seen: Any, op: Operator | None, attrs: dict[str, Any], others: tuple | None) -> bool:
    """Whether what an operator gave can be seen in the memory of its input: not where elements would have to move."""
    if op is None or not op.may_copy or base._array.size < 2 or base._array.shape != seen.shape:
        return True
    memory = _memory(base)
    return np.may_share_memory(memory, _seen_in(memory, op, attrs, others))


def _memory(value: Any, roots: dict[int, Any] | None = None) -> Any:
    """An array that lies in memory as a value does that is laid out row by row, or is a view of such a value.

    `roots` holds the memory of values that are no views, by id, which several are views of.
    """
    base = base_of(value)
    if base is None:
        return (roots or {}).get(id(value), np.empty(value._array.shape, value._array.dtype))
    _, _, op, attrs, others = value._source
    memory = _memory(base, roots)
    if op is None:
        return memory
    return _seen_in(memory, op, attrs, others) if op.views else np.empty(value._array.shape, value._array.dtype)


def base_of(value: Any) -> Any:
    """What a value is a view of, as long as somebody has that; None for one that is no view."""
    source = value._source
    return None if source is None else source[0]() if type(source[0]) is weakref.ref else source[0]


def entangled(values: Sequence[Any], changed: Collection[int]) -> tuple[int, int] | None:
    """Of values of which some are changed in place, each for itself: two, one of which is to change with the other."""
    bases = {index: _bases(values[index]) for index in changed}
    for one, (first, above) in itertools.product(range(len(values)), bases.items()):
        if one != first and any(values[one] is each for each in (values[first], *above)):
            return first, one
    roots = [[value, *_bases(value)][-1] for value in values]
    for one, first in itertools.product(range(len(values)), bases):
        if one != first and roots[one] is roots[first]:
            root = roots[one]
            memory = {id(root): np.empty(root._array.shape, root._array.dtype)}
            if np.shares_memory(_memory(values[one], memory), _memory(values[first], memory)):
                return one, first
    return None


def _bases(view: Any) -> list[Any]:
    """What a value is a view of, what that is a view of, and so on, as far as they share memory."""
    found = []
    while (base := base_of(view)) is not None and _shares_memory(base, *view._source[1:]):
        found.append(view := base)
    return found


def _seen_in(memory: Any, op: Operator, attrs: dict[str, Any], others: tuple | None) -> Any:
    return op.kernel(np, memory, *((None,) * (len(op.inputs) - 1) if others is None else others), **attrs)
