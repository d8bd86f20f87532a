import ast

import gast
import pytest
from proa.jit.pyct.cfg import build
from proa.jit.pyct.flow import bound_names, live_names, shared_names
from proa.jit.pyct.loading import bind, compile_function, source_text
from proa.jit.pyct.source import SourceUnavailable, function_source
from proa.jit.pyct.templates import Namer, quote
from proa.jit.pyct.trees import Transformer, copied, copied_at


def reloaded(function):
    source = function_source(function)
    return bind(compile_function(source.node, function.__code__, source.class_name, [], {}), function, {})


def keep(function):
    return function


class Holder:
    __secret = 3

    @keep
    def read(this, *, plus: int = 4, **more):
        return this.__secret + plus, sorted(more)

    def maker(self):
        offset = self.__secret

        def inner(v):
            nonlocal offset
            offset += 1
            return v + offset + self.__secret
        return inner


first, second = (lambda x: x + 1), (lambda x: x + 2)


def itself(n):
    return 1 if n == 0 else n * itself(n - 1)


def test_methods_keep_private_names_defaults_and_place():
    new, old = reloaded(Holder.read), Holder.read
    assert new(Holder()) == (7, []) and new(Holder(), plus=1, b=1, a=2) == (4, ["a", "b"])
    assert new.__code__.co_filename == old.__code__.co_filename
    assert new.__code__.co_firstlineno == old.__code__.co_firstlineno
    for name in "name qualname module annotations defaults kwdefaults doc".split():
        assert getattr(new, f"__{name}__") == getattr(old, f"__{name}__")
    assert new.__globals__ is old.__globals__


def test_closures_share_their_cells():
    old = Holder().maker()
    new = reloaded(old)
    assert (old(0), new(0), old(0)) == (7, 8, 9)
    assert dict(zip(new.__code__.co_freevars, new.__closure__, strict=True))["offset"] in old.__closure__


def test_lambdas_of_one_line_are_told_apart():
    assert [reloaded(f)(1) for f in (first, second)] == [2, 3]


alike = [lambda x: x + 1, lambda x: x + 1]
inside = [lambda x: (lambda y: y + 1)(x), lambda x: (lambda y: y + 2)(x)]
layers = [lambda x: lambda x: x * 2, lambda x: lambda x: x * 3]
texts = [lambda x: f"{x}ä" + "a", lambda x: f"{x}ö" + "b", lambda x: f"{x}ü" + "a"]
defaults = {"a": lambda x, k=1: (x if x > k else -x), "b": lambda x, k=2: (x if x > k else -x)}


def test_lambdas_of_one_line_that_look_the_same_or_hold_lambdas():
    assert [reloaded(f)(1) for f in alike] == [2, 2]
    assert [reloaded(f)(1) for f in inside] == [2, 3]
    assert [reloaded(f)(1)(5) for f in layers] == [10, 15]
    assert [reloaded(f(1))(5) for f in layers] == [10, 15]
    assert [reloaded(f)(1) for f in texts] == ["1äa", "1öb", "1üa"]
    assert [reloaded(f)(2) for f in defaults.values()] == [2, -2]


def test_a_lambda_is_found_at_its_own_place():
    nodes = [function_source(f).node for f in alike]
    assert [node.col_offset for node in nodes] == sorted({node.col_offset for node in nodes})


def test_a_function_still_finds_its_own_name():
    assert reloaded(itself)(5) == 120


def test_a_function_without_a_file_says_so():
    space = {}
    exec("def made(x):\n    return x", space)
    with pytest.raises(SourceUnavailable, match="no source to read"):
        function_source(space["made"])


def test_printing():
    assert source_text(function_source(first).node).strip() == "lambda x: x + 1"


def test_templates_replace_names_and_lists():
    at = function_source(itself).node
    made = quote("def f():\n    nonlocal names\n    (names,) = value\n    body", at, f="g", names=["a", "b"], value="v",
                 body=quote("return a", at))
    assert source_text(made[0]).split() == "def g(): nonlocal a, b a, b = v return a".split()
    assert {n.lineno for n in made} == {at.lineno}


def test_names_do_not_meet():
    namer = Namer({"x", "x_1"})
    assert [namer.new("x"), namer.new("x"), namer.new("y")] == ["x_2", "x_3", "y"]


def branching(a):
    if a:
        b = 1
    else:
        c = 2
    while b:
        d = b
    try:
        e = d  # noqa: F841
    except KeyError:
        c = 3
    return c


def test_live_and_bound_names():
    node = function_source(branching).node
    graph = build(node.body)
    live = {n: names - {"KeyError"} for n, names in live_names(graph).items()}
    bound = bound_names(graph, {"a"}, {})
    test, loop = graph.after[node.body[0]], graph.after[node.body[1]]
    assert live[test] == {"b", "c", "d"} and live[loop] == {"c", "d"}
    assert bound[test] == {"a"} and bound[loop] == {"a"}


def sharing(a):
    rows = []
    for i in a:
        rows = []
        kept = rows
    rows.append(a)
    return kept


def test_names_that_may_share_their_value():
    node = function_source(sharing).node
    graph = build(node.body)
    shared = shared_names(graph, {"rows", "elsewhere"})
    loop = node.body[1]
    entry, (begin, _) = graph.tests[loop].predecessors[0], graph.branches[loop]
    assert shared[entry] == {"elsewhere"} and shared[begin] == {"rows", "elsewhere"} == shared[graph.after[loop]]
    new = begin.successors[0].successors[0].successors[0]
    assert shared[new] == {"elsewhere"}


class _Changed(Transformer):
    """Names are others, calls are left out where they stand alone, `pass` is two statements."""

    def visit_Name(self, node):
        return gast.copy_location(gast.Name(id=node.id * 2, ctx=node.ctx, annotation=None, type_comment=None), node)

    def visit_Expr(self, node):
        return None if isinstance(node.value, gast.Call) else self.generic_visit(node)

    def visit_Pass(self, node):
        return [node, gast.Break()]


def test_trees_are_rewritten_part_by_part():
    tree = gast.parse("while a < b[0]:\n    f()\n    a\n    pass\nelse:\n    del a\n")
    assert ast.unparse(gast.gast_to_ast(_Changed().visit(tree))) == (
        "while aa < bb[0]:\n    aa\n    pass\n    break\nelse:\n    del aa")
    assert _Changed().visit(gast.parse("return_(x)").body[0]) is None


def test_a_copy_of_a_tree_is_its_own_and_may_have_another_place():
    tree = gast.parse("x = [a, -b]\ny = f(c=1)")
    place = gast.parse("\n\n    \n(1)").body[0]
    before = gast.dump(tree, include_attributes=True)
    same, moved = copied(tree), copied_at(tree, place)
    assert gast.dump(same, include_attributes=True) == before
    assert gast.dump(moved) == gast.dump(same)
    assert {node.lineno for node in gast.walk(moved) if "lineno" in node._attributes} == {4}
    same.body[0].value.elts.clear()
    moved.body[1].value.keywords[0].arg = "d"
    assert gast.dump(tree, include_attributes=True) == before
