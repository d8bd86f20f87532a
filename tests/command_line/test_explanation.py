"""`proa explain` of functions of which no Program was made."""

import subprocess
import sys

SCRIPT = """
import paddle

@paddle.jit.to_static
def never(x):
    return x

@paddle.jit.to_static
def inner(x):
    return x + 1

@paddle.jit.to_static
def outer(x):
    return inner(x) * 2

@paddle.jit.to_static
def fails(x):
    raise ValueError("oh")

@paddle.jit.to_static
def switched_off(x):
    return x

outer(paddle.ones([2]))
try:
    fails(paddle.ones([2]))
except ValueError:
    pass
paddle.jit.enable_to_static(False)
switched_off(paddle.ones([2]))
paddle.jit.enable_to_static(True)
"""


def test_decorated_functions_without_a_program_are_listed(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "-m", "proa", "explain", "script.py"], capture_output=True, text=True,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    told = {line.rpartition("`")[0].rpartition("`")[2]: after for line, after in zip(lines, lines[1:], strict=False)}
    assert told["never"] == "  was never called" and told["fails"] == "  was called, and the call ended with an error"
    assert told["inner"] == "  became part of the Programs of functions that call it"
    assert told["outer"].startswith("  (x: float32[2]) is a Program of")
    assert told["switched_off"] == "  was called while to_static was switched off, and ran as it was written"
