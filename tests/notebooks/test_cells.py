"""What people do in notebooks: cells that define anew, tracebacks at a cell's line, bars, completion, questions."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

from tests.notebooks import tutorials  # noqa: E402 - behind what it needs

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """Runs a cell in the one kernel of these tests: its outputs, an error among them."""
    folder = str(tmp_path_factory.mktemp("notebook"))
    book = nbformat.v4.new_notebook()
    client = nbclient.NotebookClient(book, timeout=200, kernel_name="python3", allow_errors=True,
                                     resources={"metadata": {"path": folder}})

    def run(code):
        book.cells.append(nbformat.v4.new_code_cell(code.strip()))
        return client.execute_cell(book.cells[-1], len(book.cells) - 1).outputs

    with client.setup_kernel(env=tutorials._environment(folder)):
        run("import inspect\nimport numpy as np\nimport proa as paddle\nfrom proa import nn")
        yield run


def text(outputs):
    return "".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


FUNCTION = """
@paddle.jit.to_static
def scaled(x):
    if x.sum() > 0:
        x = x * {factor}
    return x
print(scaled(paddle.ones([2])).tolist(), scaled.main_program.num_blocks > 1)
"""


def test_a_function_that_is_defined_anew_is_converted_anew(cell):
    assert text(cell(FUNCTION.format(factor=2))) == "[2.0, 2.0] True\n"
    assert text(cell(FUNCTION.format(factor=3))) == "[3.0, 3.0] True\n"


def test_a_layer_that_is_defined_anew_is_converted_anew(cell):
    layer = """
class Net(nn.Layer):
    def forward(self, x):
        while x.max() < {most}:
            x = x * 2
        return x
net = paddle.jit.to_static(Net())
print(net(paddle.ones([1])).item())
paddle.jit.save(net, "net", input_spec=[paddle.static.InputSpec([None])])
print(paddle.jit.load("net")(paddle.ones([1])).item())
"""
    assert text(cell(layer.format(most=10))) == "16.0\n16.0\n"
    assert text(cell(layer.format(most=100))) == "128.0\n128.0\n"


def test_source_of_a_cell_is_found(cell):
    cell(FUNCTION.format(factor=5))
    assert "x = x * 5" in text(cell("print(inspect.getsource(scaled))"))


def test_errors_in_converted_code_point_at_the_cell(cell):
    made = cell("""
@paddle.jit.to_static(full_graph=True)
def wrong(x):
    if x.sum() > 0:
        x = x @ paddle.ones([5, 7])
    return x
""")
    assert made == []
    (error,) = cell("wrong(paddle.ones([2, 3]))")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))
    assert error["ename"] == "ValueError" and "inner dimensions" in error["evalue"]
    assert re.search(r"Cell In\[\d+\], line 4, in wrong", shown)
    assert "----> 4         x = x @ paddle.ones([5, 7])" in shown


@pytest.mark.parametrize("full_graph", [True, False])
def test_an_error_shows_the_cells_lines_and_the_message_alone(cell, full_graph):
    (error,) = cell(f"""
@paddle.jit.to_static(full_graph={full_graph})
def wrong(x):
    while x.sum() < 9:
        x = last(x)
    return x
last = nn.Linear(5, 7)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
wrong(net(paddle.ones([2, 2])))
""")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))
    assert "inner dimensions must agree" in shown and "----> 4         x = last(x)" in shown
    places = [line for line in shown.splitlines() if "File " in line]
    assert all("while the Program is built" in line for line in places)  # the note on what is traced, no frame of ours
    assert "direct cause" not in shown
    assert text(cell("import sys\nprint(type(sys.last_value).__name__)")) == "ValueError\n"
    (error,) = cell('paddle.set_flags({"FLAGS_call_stack_level": 2})\nnet(paddle.ones([2, 5]))')
    shown = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))
    assert "in Sequential.forward" in shown and "direct cause" in shown
    cell('paddle.set_flags({"FLAGS_call_stack_level": 1})')


def test_what_other_packages_raise_is_shown_as_ever(cell):
    (error,) = cell("import json\njson.loads('{')")
    assert "raw_decode" in "\n".join(error["traceback"])


def test_values_are_shown_as_pages(cell):
    cell(FUNCTION.format(factor=7))
    for value in ("paddle.ones([2, 2])", "nn.Linear(2, 3)", "scaled.main_program"):
        (output,) = cell(value)
        assert "<table" in output["data"]["text/html"] and output["data"]["text/plain"]


def test_states_are_shown_where_it_is_asked_for(cell):
    state = "nn.Linear(2, 3).state_dict()"
    assert "text/html" not in cell(state)[0]["data"]
    assert cell("%load_ext proa.utils.notebook") == []
    assert "deviation" in cell(state)[0]["data"]["text/html"]
    assert "text/html" not in cell("{'a': 1}")[0]["data"]
    assert cell("%unload_ext proa.utils.notebook") == []
    assert "text/html" not in cell(state)[0]["data"]


def test_fit_shows_a_bar_that_is_written_anew_and_curves(cell):
    outputs = cell("""
model = paddle.Model(nn.Linear(2, 2))
model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.CrossEntropyLoss())
data = paddle.io.TensorDataset([paddle.ones([40, 2]), paddle.zeros([40, 1], "int64")])
model.fit(data, batch_size=2, epochs=1, verbose=1)
""")
    pages = [o["data"]["text/html"] for o in outputs if "data" in o]
    assert len(pages) == 2  # one bar, whatever the number of steps, and the curves
    assert "<progress" in pages[0] and "20/20" in pages[0] and "<svg" in pages[1]


@pytest.mark.parametrize("begin, wanted", [
    ("paddle.nn.Lin", "Linear"), ("paddle.matm", "matmul"), ("paddle.nn.functional.cross_", "cross_entropy"),
    ("paddle.optimizer.lr.Cos", "CosineAnnealingDecay"), ("net_of_two.sec", "second"), ("ones.astyp", "astype"),
    ("paddle.vision.models.resnet5", "resnet50")])
def test_names_are_completed(cell, begin, wanted):
    outputs = cell(f"""
class Two(nn.Layer):
    def __init__(self):
        super().__init__()
        self.second = nn.Linear(2, 2)
net_of_two, ones = Two(), paddle.ones([2])
from IPython.core.completer import provisionalcompleter
with provisionalcompleter():
    print([found.text for found in get_ipython().Completer.completions({begin!r}, {len(begin)})])
""")
    assert wanted in text(outputs)


@pytest.mark.parametrize("name, signature", [
    ("paddle.nn.Linear", "in_features"), ("paddle.matmul", "transpose_x"), ("paddle.jit.to_static", "input_spec"),
    ("paddle.io.DataLoader", "num_workers"), ("scaled", "x"), ("paddle.Tensor.reshape", "shape"),
    ("paddle.nn.functional.relu", "x"), ("paddle.Model.fit", "epochs")])
def test_questions_are_answered(cell, name, signature):
    cell(FUNCTION.format(factor=11))
    shown = text(cell(f"found = get_ipython().inspector.info({name})\n"
                      "print(found['init_definition'] or found['definition'], '---', found['docstring'])"))
    head, _, docstring = shown.partition("---")
    assert signature in head and (name == "scaled" or len(docstring) > 40)


def test_a_cell_that_is_interrupted_leaves_all_as_it_can_be_used(cell):
    cell("""
import os, signal, threading
net, trained = nn.Linear(4, 4), paddle.jit.to_static(nn.Linear(4, 4))
adam = paddle.optimizer.Adam(parameters=net.parameters())
@paddle.jit.to_static
def endless(x):
    while x.sum() > 0:
        x = x + 1
    return x
def train():
    loss = net(trained(paddle.ones([2, 4]))).mean()
    loss.backward()
    adam.step()
    adam.clear_grad()
def interrupt():
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
endless(-paddle.ones([1]))
""")
    for body in ("while True: train()", "endless(paddle.ones([1]))"):
        (error,) = cell(f"interrupt()\n{body}")
        assert error["ename"] == "KeyboardInterrupt"
    assert text(cell("train()\nprint(paddle.in_dynamic_mode(), endless(-paddle.ones([1])).item())")) == "True -1.0\n"
