"""The page of public names is what its command prints, and the names that public code uses are here."""

import pathlib

import pytest

from . import api_table

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "api.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == api_table.page(), "python -m tests.api.api_table > docs/api.md"


def test_nearly_all_names_that_are_used_are_here():
    used, missing = api_table.usage(), api_table.missing_usage()
    assert len(used) == 850
    assert len(missing) <= len(used) * 0.05


@pytest.mark.parametrize(("theirs", "ours", "same"), [
    (["x", "axis=-1"], ["x", "axis=-1"], True),
    (["x", "axis=-1"], ["x", "axis=-1", "more=None"], True),
    (["x", "axis=-1"], ["x", "axis=-1", "more"], False),
    (["x", "axis=-1"], ["x", "axis=0"], False),
    (["x", "axis=-1"], ["x", "dim=-1"], False),
    (["x", "axis=-1"], ["x"], False),
    (["self", "shape=[1]"], ["shape=(1,)"], True),
    (["x", "eps=1e-05"], ["x", "eps=0.00001"], True),
    (["x", "dtype=..."], ["x", "dtype='float32'"], True),
    (["*args", "**kwargs"], ["x"], None),
    (None, ["x"], None),
])
def test_when_parameters_are_the_same(theirs, ours, same):
    assert api_table.same_parameters(theirs, ours) is same
