"""The tutorials as notebooks and pages: `python -m tests.notebooks.tutorials [NAME...]` runs them and writes both.

A tutorial is a program in cells (`# %%`, text in `# %% [markdown]`), `docs/tutorials/NAME.py`. Out of it come
`NAME.ipynb`, without outputs, to take away, and the page `NAME.md` with what its cells gave, its pictures beside.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import sys
import tempfile
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "docs", "tutorials")
OUTPUT, END = "<!-- output -->", "<!-- end of output -->"


def names() -> list[str]:
    """The tutorials, in their order."""
    return sorted(name.removesuffix(".py") for name in os.listdir(FOLDER) if name.endswith(".py"))


def notebook(name: str) -> Any:
    """A tutorial as a notebook that has not run, the same each time."""
    import jupytext

    made = jupytext.read(os.path.join(FOLDER, f"{name}.py"), fmt="py:percent")
    made.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                     "language_info": {"name": "python"}}
    for number, cell in enumerate(made.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
    return made


def run(name: str, seconds: int = 600) -> Any:
    """The notebook after each cell has run, in a new kernel and an empty folder with the tutorials' files.

    A cell that raises ends it: nbclient's CellExecutionError.
    """
    import nbclient

    made = notebook(name)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(FOLDER, "files"), os.path.join(folder, "files"))
        nbclient.NotebookClient(made, timeout=seconds, kernel_name="python3",
                                resources={"metadata": {"path": folder}}).execute(env=_environment(folder))
    return made


def _environment(folder: str) -> dict[str, str]:
    """Nothing of the user's own settings of notebooks is read, or written."""
    mine = os.path.join(folder, ".settings")
    return {**os.environ, "IPYTHONDIR": mine, "JUPYTER_CONFIG_DIR": mine, "JUPYTER_RUNTIME_DIR": mine,
            "MPLCONFIGDIR": mine, "PYDEVD_DISABLE_FILE_VALIDATION": "1", "MPLBACKEND":
            "module://matplotlib_inline.backend_inline"}


def page(name: str, ran: Any) -> tuple[str, dict[str, bytes]]:
    """The page of a notebook that has run (or has not), and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in ran.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            if len(parts) == 1:
                parts.append(f"*As a notebook: [{name}.ipynb]({name}.ipynb); as a program: [{name}.py]({name}.py).*")
            continue
        parts.append(f"```py\n{cell.source}\n```")
        shown = [text for output in _joined(cell.outputs) if (text := _output(name, output, pictures))]
        if shown:
            parts.append("\n\n".join([OUTPUT, *shown, END]))
    return "\n\n".join(parts) + "\n", pictures


def _joined(outputs: Any) -> list[Any]:
    """Neighbouring pieces of the same stream are one output."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].output_type == "stream" \
                and found[-1].name == output.name:
            found[-1] = {**found[-1], "text": found[-1].text + output.text}
            found[-1] = type(output)(found[-1])
        else:
            found.append(output)
    return found


def _output(name: str, output: Any, pictures: dict[str, bytes]) -> str:
    if output.output_type == "stream":
        if output.name == "stderr":
            return ""
        return _text(re.sub(r"[^\n]*\r(?!\n)", "", output.text))
    data = output.data
    if "image/png" in data:
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![What the cell draws](pictures/{file})"
    if "text/html" in data:
        return f'<div class="output">{data["text/html"]}</div>'
    return _text(data.get("text/plain", ""))


def _text(text: str) -> str:
    lines = text.rstrip().split("\n")
    cut = [*lines[:40], "…"] if len(lines) > 41 else lines
    return "```text\n" + "\n".join(cut) + "\n```" if text.strip() else ""


def without_outputs(text: str) -> str:
    """A page as it is before its cells have run."""
    return re.sub(rf"{OUTPUT}.*?{END}\n*", "", text, flags=re.S).rstrip() + "\n"


def ipynb(made: Any) -> str:
    """The notebook's file."""
    import nbformat

    return nbformat.writes(made, version=4).rstrip() + "\n"


def write(name: str) -> None:
    """Runs a tutorial and writes its page, its pictures and its notebook."""
    with open(os.path.join(FOLDER, f"{name}.ipynb"), "w", encoding="utf-8") as file:
        file.write(ipynb(notebook(name)))
    text, pictures = page(name, run(name))
    folder = os.path.join(FOLDER, "pictures")
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        if re.fullmatch(rf"{re.escape(name)}-\d+\.png", old):
            os.remove(os.path.join(folder, old))
    for file_name, content in pictures.items():
        with open(os.path.join(folder, file_name), "wb") as picture:
            picture.write(content)
    with open(os.path.join(FOLDER, f"{name}.md"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or names():
        write(wanted)
        print(wanted)
