"""OneFlow 0.6.0's public names: each is here, or says why it is not."""

import json
from pathlib import Path

import proa.oneflow as flow
import pytest

NAMES = json.loads((Path(__file__).parents[1] / "fixtures" / "oneflow" / "names.json").read_text("utf-8"))


@pytest.mark.parametrize("module", NAMES)
def test_no_name_is_missing_silently(module):
    missing = []
    for name in NAMES[module]:
        value = flow
        try:
            for part in f"{module}.{name}".lstrip(".").split("."):
                value = getattr(value, part)
        except AttributeError as error:
            if "is not supported: " not in str(error):
                missing.append(name)
    assert not missing
