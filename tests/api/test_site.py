"""What the site's pages are made of: docstrings as Markdown, names on pages, figures of the first page."""

import doctest
import importlib.util
import os
from types import SimpleNamespace

import pytest

from tests.api import docstrings
from tests.api.api_table import ROOT


def hook(name):
    spec = importlib.util.spec_from_file_location(f"hook_{name}", os.path.join(ROOT, "docs", "hooks", f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference, figures, sections = hook("reference"), hook("figures"), hook("sections")


@pytest.fixture(scope="module")
def things():
    return docstrings.public_things()


def test_every_public_thing_has_a_text(things):
    assert [one.full for one in things if one.is_documented and not docstrings.text_of(one.value)] == []


def test_every_public_thing_has_an_example(things):
    assert [one.full for one in things if one.is_documented and not docstrings.has_example(one.value)] == []


def test_a_page_shows_signature_text_and_example(things):
    linear, = (one for one in things if one.full == "paddle.nn.Linear")
    page = reference.page_of(linear)
    assert "paddle.nn.Linear(\n    in_features: int," in page
    assert "```pycon\n>>> import proa as paddle\n>>> layer = paddle.nn.Linear(4, 3)" in page
    assert "### forward { #paddle.nn.Linear.forward }" in page and "nn/layers/common.py" in page


def test_every_name_is_on_the_page_of_its_namespace(things):
    pages = reference.namespace_pages(things)
    assert "[`Linear`](paddle.nn.Linear.md)" in pages["paddle.nn-names.md"]
    for one in things:
        for name in (one.full, *one.also):
            space, _, last = name.rpartition(".")
            assert f"| [`{last}`]({one.full}.md) |" in pages[f"{space}-names.md"], name


def test_no_page_says_where_in_memory_a_thing_is(things):
    assert [one.full for one in things if " at 0x" in reference.page_of(one)] == []


@pytest.mark.parametrize("text, made", [
    ("x_1 * y, shape [N, *]: a < b `x_1 * y`", r"x\_1 \* y, shape \[N, \*\]: a \< b `x_1 * y`"),
    ("Words.\n\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4", "Words.\n\n```pycon\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n```"),
    ("Words\nthat go on:\n>>> 1\n1", "Words\nthat go on:\n\n```pycon\n>>> 1\n1\n```"),
])
def test_docstrings_as_markdown(text, made):
    assert reference.markdown(text) == made


def test_figures_of_the_first_page_stand_on_the_pages_that_measured_them():
    with open(os.path.join(ROOT, "docs", "index.md"), encoding="utf-8") as file:
        filled = figures.filled(file.read())
    assert "{figure" not in filled and "{names" not in filled and "\u00a0ms</p>" in filled
    with pytest.raises(KeyError, match="no row 'nothing'"):
        figures.figure("nothing", "proa")


def test_a_folder_in_the_nav_stands_for_its_pages():
    paths = ["tutorials/2-b.md", "tutorials/1-a.md", "tutorials/index.md", "other/x.md"]
    files = SimpleNamespace(documentation_pages=lambda: [SimpleNamespace(src_uri=path) for path in paths])
    config = SimpleNamespace(nav=[{"A": "a.md"}, {"T": "tutorials/*"}, {"G": "gallery/*"}])
    sections.on_files(files, config)
    assert config.nav == [{"A": "a.md"}, {"T": ["tutorials/index.md", "tutorials/1-a.md", "tutorials/2-b.md"]}]


def test_examples_of_texts_that_are_made_run(things):
    """Those of forms in place stand in no module's source, where doctest finds the others."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    parser, tried, failed = doctest.DocTestParser(), 0, []
    for one in things:
        if one.name.endswith("_") and ">>>" in docstrings.text_of(one.value):
            tried += 1
            example = parser.get_doctest(docstrings.text_of(one.value), {}, one.full, None, None)
            if runner.run(example, out=lambda text: None).failed:
                failed.append(one.full)
    assert failed == [] and tried > 40
