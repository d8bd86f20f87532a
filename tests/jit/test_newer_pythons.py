"""Under a Python that conversion does not know, what it cannot read runs as it was written, and the reason is said."""

import ast
import dis
import importlib
import subprocess
import sys

import gast
import proa as paddle
import pytest
from proa.jit.convert import kept_code
from proa.jit.footprint import global_names
from proa.jit.pyct import source, unreadable

SCALE = 2.0


def _newer(monkeypatch):
    monkeypatch.setattr(unreadable, "NEWEST", (3, 9))


def _broken(monkeypatch):
    def ast_to_gast(node):
        raise AttributeError("module 'ast' has no attribute 'Num'")

    monkeypatch.setattr(gast, "ast_to_gast", ast_to_gast)


def _warned(function, *given):
    with pytest.warns(paddle.jit.FallbackWarning) as told:
        result = paddle.jit.to_static(function)(*given)
    return result, str(told[0].message)


def test_a_function_that_a_newer_python_has_otherwise_runs_as_it_was_written(monkeypatch):
    _newer(monkeypatch)
    _broken(monkeypatch)

    def sign(x):
        if x.sum() > 0:
            return x * SCALE
        return -x

    result, message = _warned(sign, paddle.ones([2]))
    assert result.tolist() == [2.0, 2.0]
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"and could not read it as {running} has it: AttributeError: module 'ast' has no attribute 'Num'" in message
    assert "Use a Python that it knows" in message and "test_newer_pythons.py" in message


def test_a_called_function_that_cannot_be_read_is_called_as_it_is(monkeypatch):
    _newer(monkeypatch)

    def helper(x):
        return x * 3

    @paddle.jit.to_static(full_graph=True)
    def outer(x):
        if x.sum() > 0:
            x = helper(x)
        return x

    whole = gast.ast_to_gast
    monkeypatch.setattr(gast, "ast_to_gast", lambda node: whole(node) if node.body[0].name == "outer" else 1 / 0)
    assert outer(paddle.ones([2])).tolist() == [3.0, 3.0]


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are computed where they stand")
def test_annotations_may_name_what_is_not_there(tmp_path, monkeypatch):
    (tmp_path / "annotated_later.py").write_text(
        "def scaled(x: Later, n: int = 2) -> Latest:\n    if x.sum() > 0:\n        x = x * n\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    scaled = importlib.import_module("annotated_later").scaled
    converted = paddle.jit.to_static(scaled, full_graph=True)
    assert converted(paddle.ones([2])).tolist() == [2, 2] and converted(-paddle.ones([2])).tolist() == [-1, -1]


def test_an_error_under_a_known_python_is_no_matter_of_its_version(monkeypatch):
    assert unreadable.newer_python(ValueError("x")) is None
    _broken(monkeypatch)

    def plain(x):
        return x + 1

    _, message = _warned(plain, paddle.ones([2]))
    assert "AttributeError" in message and "conversion knows Python" not in message


def test_a_field_that_gast_would_leave_out_is_not_left_out(monkeypatch):
    (node,) = ast.parse("def f(x):\n    import math\n    return x").body
    assert not [what for n in ast.walk(node) for what in source._unknown(n)]
    imported = node.body[0]
    monkeypatch.setattr(type(imported), "_fields", (*imported._fields, "is_lazy"))
    imported.is_lazy = 0
    assert source._unknown(imported) == []
    imported.is_lazy = 1
    assert source._unknown(imported) == ["Import.is_lazy"]
    with pytest.raises(source.SourceUnavailable, match="Import.is_lazy, which the installed gast does not know"):
        source._to_gast(node)


READER = """
import dis, sys
renamed = sys.argv[1]
if renamed == "bytes":
    dis.opmap["LOAD_GLOBAL"], dis.opmap["LOAD_FAST"] = dis.opmap["LOAD_FAST"], dis.opmap["LOAD_GLOBAL"]
if renamed == "names":
    del dis.opmap["LOAD_GLOBAL"]
    told = dis.get_instructions
    def get_instructions(code):
        for i in told(code):
            yield i._replace(opname=i.opname.replace("GLOBAL", "WORLD"))
    dis.get_instructions = get_instructions
from proa.jit.footprint import global_names as names
print(names._reader().__name__, "_known" in names.global_names(names._probe.__code__))
"""


@pytest.mark.parametrize("renamed, reader", [("", "_own_names"), ("bytes", "_told_names"), ("names", "_every_name")])
def test_globals_are_found_where_bytecode_is_another(renamed, reader):
    ran = subprocess.run([sys.executable, "-c", READER, renamed], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [reader, "True"]


def test_in_a_bundle_sources_lie_below_its_folder(monkeypatch, tmp_path):
    (tmp_path / "bundled.py").write_text("def doubled(x):\n    return x * 2\n")
    made = {}
    exec(compile((tmp_path / "bundled.py").read_text(), "bundled.py", "exec"), made)
    with pytest.raises(source.SourceUnavailable):
        source.function_source(made["doubled"])
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert source.function_source(made["doubled"]).node.name == "doubled"


def test_a_frozen_gast_has_no_files_to_look_at(monkeypatch):
    spec = kept_code.importlib.util.find_spec("gast")
    monkeypatch.setattr(spec, "origin", "/no/such/folder/gast/__init__.py")
    monkeypatch.setattr(kept_code.importlib.util, "find_spec", lambda name: spec)
    assert repr(sys.executable) in kept_code._converter.__wrapped__()


def test_ways_to_read_globals_agree():
    def function(a, b=SCALE):
        global _made

        class Inner:
            held = SCALE

        _made = Inner
        return dis.opmap[a.SCALE(sys=b)]

    told = {*global_names._told_names(function.__code__)}
    assert told == {*global_names._own_names(function.__code__)} == {"_made", "dis"}
    assert {"SCALE", "_made", "dis"} <= global_names.global_names(function.__code__)
