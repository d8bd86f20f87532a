"""Models of a folder by its hubconf.py. PaddlePaddle gives the same lists, texts and models."""

import sys

import proa as paddle
import pytest
from proa.hapi import hub

CONFIGURATION = '''
import hub_test_helper
dependencies = ["numpy"]
import proa as paddle
from hub_test_helper import imported
VALUE = 3


def small(width=2, pretrained=False):
    """A small one."""
    import hub_test_helper
    return paddle.nn.Linear(width, width)


def _hidden():
    pass


class Net:
    """A class."""

    def __init__(self, n=1):
        self.n = n
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(CONFIGURATION)
    (tmp_path / "hub_test_helper.py").write_text("def imported():\n    'Imported.'\n")
    yield str(tmp_path)
    sys.modules.pop("hub_test_helper", None)


def test_lists_helps_and_loads(folder):
    before = list(sys.path)
    assert paddle.hub.list(folder, source="local") == ["Net", "imported", "small"]
    assert paddle.hub.help(folder, "small", source="local") == "A small one."
    assert paddle.hub.help(folder, "_hidden", source="local") is None
    assert paddle.hub.load(folder, "small", source="local", width=3).weight.shape == [3, 3]
    assert paddle.hub.load(folder, "Net", source="local", n=4).n == 4
    assert sys.path == before and "hubconf" not in sys.modules


def test_refusals(folder, tmp_path):
    with pytest.raises(RuntimeError, match=r"no function 'nothing'. It has \['Net', 'imported', 'small'\]"):
        paddle.hub.load(folder, "nothing", source="local")
    with pytest.raises(RuntimeError, match="no function 'VALUE'"):
        paddle.hub.help(folder, "VALUE", source="local")
    with pytest.raises(ValueError, match="must be the name of a function"):
        paddle.hub.load(folder, 3, source="local")
    with pytest.raises(ValueError, match="'github', 'gitee' or 'local'"):
        paddle.hub.list(folder, source="svn")
    with pytest.raises(ValueError, match="A folder needs source='local'"):
        paddle.hub.list(folder)
    with pytest.raises(FileNotFoundError, match="must have a hubconf.py"):
        paddle.hub.list(str(tmp_path / "nowhere"), source="local")
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_such_package']\n\n\ndef f():\n    return 1\n")
    assert paddle.hub.list(folder, source="local") == ["f"]
    with pytest.raises(RuntimeError, match="not installed: no_such_package"):
        paddle.hub.load(folder, "f", source="local")


def test_nothing_is_fetched_but_what_was_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "HUB_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"github\.com/someone/models/archive/main\.zip.*someone_models_main"):
        paddle.hub.load("someone/models", "f")
    folder = tmp_path / "someone_models_v1"
    folder.mkdir()
    (folder / "hubconf.py").write_text("def f():\n    return 1\n")
    assert paddle.hub.load("someone/models:v1", "f", source="gitee") == 1
