"""What the pages for people who come from elsewhere say of both sides, against what the other side gave."""

import ast
import json
import os

import pytest
import tables

ANSWERS = {}
for _name in tables.PAGES:
    with open(os.path.join(tables.ROOT, "tests", "fixtures", "migration", _name + ".json"), encoding="utf-8") as _file:
        ANSWERS[_name] = json.load(_file)


def _same(ours, theirs):
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == pytest.approx(theirs, rel=1e-4, abs=1e-4, nan_ok=True)
    return ours == theirs


@pytest.mark.parametrize("name, theirs, ours", [(name, *pair) for name in tables.PAGES for pair in tables.pairs(name)])
def test_the_same(name, theirs, ours):
    assert not str(ANSWERS[name][theirs]).endswith(("Error", "NotMet"))
    assert _same(tables.evaluated(ours, "proa"), ANSWERS[name][theirs])


@pytest.mark.parametrize("name, row", [(name, row) for name in tables.PAGES for row in tables.differences(name)])
def test_what_differs(name, row):
    theirs, their_value, ours, our_value = row
    assert _same(ANSWERS[name][theirs], _said(their_value)), ANSWERS[name][theirs]
    assert _same(tables.evaluated(ours, "proa"), _said(our_value)), tables.evaluated(ours, "proa")
    assert _said(their_value) != _said(our_value)


def _said(text):
    return text if text.endswith("Error") else ast.literal_eval(text)


def test_tables_are_found():
    assert len(tables.pairs("pytorch")) > 50 and len(tables.differences("pytorch")) > 10
