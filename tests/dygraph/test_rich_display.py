"""What notebooks show: escaped, bounded, of every kind of value; what `repr` gives is another matter."""

import re
from html.parser import HTMLParser

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core.curves import curves_svg
from proa.core.html import escaped
from proa.dygraph.tables import state_html

EVIL = '<script>alert("x")</script>&'


class Balanced(HTMLParser):
    """Raises where a tag is closed that is not open; `text` is what a reader sees."""

    def __init__(self, page):
        super().__init__()
        self.open, self.text, self.tags = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def shown(value):
    return Balanced(value._repr_html_())


TENSORS = {
    "number": lambda: paddle.to_tensor(3.5),
    "vector": lambda: paddle.arange(5),
    "matrix": lambda: paddle.ones([3, 4]),
    "none": lambda: paddle.zeros([0, 4]),
    "none of many": lambda: paddle.zeros([2, 0, 4]),
    "images": lambda: paddle.rand([8, 3, 32, 32]),
    "bool": lambda: paddle.to_tensor([True, False]),
    "complex": lambda: paddle.to_tensor([1 + 2j]),
    "bfloat16": lambda: paddle.to_tensor([1.5]).astype("bfloat16"),
    "not numbers": lambda: paddle.to_tensor([float("nan"), float("-inf")]),
    "sparse": lambda: paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]),
    "parameter": lambda: nn.Linear(2, 2).weight,
}


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_of_every_kind(name):
    tensor = TENSORS[name]()
    text = " ".join(shown(tensor).text)
    assert tensor.dtype.name in text and str(list(tensor.shape)) in text and "stop_gradient" in text
    assert str(tensor) == repr(tensor) and repr(tensor)[0] in "TP"


def test_what_is_shown_of_a_large_tensor_is_bounded():
    page = paddle.zeros([1000, 1000, 20])._repr_html_()
    assert len(page) < 80_000 and "and 997 more matrices" in page
    values = paddle.arange(10_000.0).reshape([100, 100])
    seen = shown(values).text
    assert "9999" in seen and "0" in seen and "5050" not in seen  # edges, and not the middle


def test_values_of_a_matrix_stand_in_its_rows():
    page = paddle.to_tensor([[1.5, 2.0], [3.0, -4.25]])._repr_html_()
    rows = [re.findall(r">([^<>]+)</td>", row) for row in page.split("<tr>")[2:]]
    assert rows == [["1.5", "2"], ["3", "-4.25"]]


class Strange(nn.Layer):
    def __init__(self):
        super().__init__()
        self.add_sublayer(EVIL, nn.Linear(2, 3))
        self.add_parameter(f"p{EVIL}", self.create_parameter([4]))
        self.register_buffer(f"b{EVIL}", paddle.zeros([5], "int64"))
        self.absent = None

    def extra_repr(self):
        return EVIL


def test_layers_are_trees_with_names_of_strangers_escaped():
    page = Strange()._repr_html_()
    assert "<script" not in page and escaped(EVIL) in page
    found = Balanced(page)
    text = " ".join(found.text)
    assert "[2, 3]" in text and "[4]" in text and "int64" in text and "buffer" in text and "13 parameters" in text
    assert found.tags.count("details") == 2


def test_many_layers_are_bounded_and_shared_ones_are_no_circle():
    shared = nn.Linear(2, 2)
    many = nn.Sequential(*[nn.Sequential(shared, nn.ReLU()) for _ in range(1000)])
    page = many._repr_html_()
    assert len(page) < 400_000 and "and more parts" in page
    Balanced(page)


def test_models_of_vision_and_loaded_ones(tmp_path):
    net = paddle.vision.models.LeNet()
    assert "61,610 parameters" in " ".join(shown(net).text)
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([None, 1, 28, 28])])
    loaded = paddle.jit.load(str(tmp_path / "net"))
    assert "61,610 parameters" in " ".join(shown(loaded).text)
    assert "conv2d" in " ".join(shown(loaded.program()).text)


def test_programs_with_blocks_and_strange_names():
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data(EVIL, [None, 3])
        paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)
    page = main._repr_html_()
    assert "<script" not in page and escaped(EVIL) in page
    text = " ".join(Balanced(page).text)
    assert "block 0" in text and "block 2" in text and "conditional_block" in text and "reduce_sum" in text


def test_long_programs_are_bounded():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2])
        for _ in range(1000):
            x = x + 1
    page = main._repr_html_()
    assert len(page) < 400_000 and "and 700 more operations" in page


def test_states():
    page = state_html({**nn.Linear(2, 3).state_dict(), EVIL: np.zeros((2, 0)), "LR_Scheduler": {"last_lr": 0.1}, "n": 3,
                       "words": np.array(["a"])})
    text = " ".join(Balanced(page).text)
    assert "<script" not in page and "weight" in text and "[2, 3]" in text and "deviation" in text
    assert "and 500 more values" in state_html({str(n): n for n in range(1000)})


def test_fit_gives_its_curves():
    paddle.seed(0)
    model = paddle.Model(nn.Linear(2, 2))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.CrossEntropyLoss(),
                  paddle.metric.Accuracy())
    data = paddle.io.TensorDataset([paddle.randn([16, 2]), paddle.zeros([16, 1], "int64")])
    history = model.fit(data, data, batch_size=4, epochs=2, verbose=0)
    assert [step for step, _ in history.train["loss"]] == list(range(1, 9))
    assert [step for step, _ in history.eval["acc"]] == [4, 8]
    assert history.eval["loss"][-1][1] < history.eval["loss"][0][1]  # of all samples: batches are drawn
    assert repr(history) == "History(8 steps: train loss, train acc, eval loss, eval acc)"
    assert shown(history).tags.count("svg") == 2


@pytest.mark.parametrize("curves", [
    {}, {"a": []}, {"a": [(1, float("nan"))]}, {"a": [(1, 2.0)]}, {"a": [(1, 5.0), (2, 5.0)]},
    {"a": [(n, float("inf") if n % 2 else 1e300 * n) for n in range(5)]}, {EVIL: [(0, -1e-9), (1e9, 1e-9)]},
    {"a": [(n, n % 7) for n in range(10_000)]}])
def test_curves_of_any_numbers(curves):
    page = curves_svg(EVIL, curves)
    assert "<script" not in page and "nan" not in page.replace("&", "") and len(page) < 20_000
    Balanced(page)
