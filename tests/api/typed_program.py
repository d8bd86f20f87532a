"""A program of a user's, in which every type is checked: by mypy and pyright, both strict, and when it runs."""

import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

import proa as paddle

if TYPE_CHECKING:
    from typing_extensions import assert_type
elif sys.version_info >= (3, 11):
    from typing import assert_type
else:
    def assert_type(value: object, kind: object) -> object:
        """As typing's from Python 3.11 on."""
        return value

x = paddle.ones([2, 3])
assert_type(x, paddle.Tensor)
assert_type(x + 1, paddle.Tensor)
assert_type(2 * x - x / 3, paddle.Tensor)
assert_type(x > 0, paddle.Tensor)
assert_type(x[0, 1:], paddle.Tensor)
assert_type(x.sum(), paddle.Tensor)
assert_type(x.T @ x, paddle.Tensor)
assert_type(x.shape, list[int])
assert_type(x.stop_gradient, bool)
assert_type(float(x.sum()), float)
assert_type(paddle.nn.functional.relu(x), paddle.Tensor)
assert_type(paddle.linalg.norm(x), paddle.Tensor)
values, places = paddle.topk(x, 2)
assert_type(values, paddle.Tensor)


@paddle.jit.to_static
def scaled(a: paddle.Tensor, factor: float = 2.0) -> paddle.Tensor:
    """A function as a Program keeps its signature."""
    return a * factor


@paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None, 3], "float32")])
def shifted(a: paddle.Tensor) -> paddle.Tensor:
    """With options too."""
    return a + 1


@paddle.no_grad()
def counted(a: paddle.Tensor) -> int:
    """And one in which nothing is recorded."""
    return a.shape[0]


assert_type(scaled(x, 3.0), paddle.Tensor)
assert_type(counted(x), int)
function: Callable[[paddle.Tensor], paddle.Tensor] = shifted


class Net(paddle.nn.Layer):
    """A Layer."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = paddle.nn.Linear(3, 4)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """[N, 3] to a number."""
        return paddle.nn.functional.relu(self.fc(x)).mean()


assert_type(paddle.nn.Linear(3, 4)(x), paddle.Tensor)  # layers of its own, too
assert_type(paddle.nn.CrossEntropyLoss()(x, x), paddle.Tensor)
assert_type(paddle.nn.Linear(3, 4).weight, paddle.Tensor)
assert_type(paddle.nn.BatchNorm1D(3).bias, paddle.Tensor)
recurrent = paddle.nn.LSTM(3, 4)
outputs, (hidden, cells) = recurrent(x.reshape([1, -1, 3]))
assert_type(outputs, paddle.Tensor)
assert_type((hidden, cells), tuple[paddle.Tensor, paddle.Tensor])
assert_type(paddle.nn.GRU(3, 4)(x.reshape([1, -1, 3])), tuple[paddle.Tensor, paddle.Tensor])
cell = paddle.nn.LSTMCell(3, 4)
assert_type(cell(x), tuple[paddle.Tensor, tuple[paddle.Tensor, paddle.Tensor]])
assert_type(cell.weight_ih, paddle.Tensor)
assert_type(paddle.__version__, str)
net = Net()
schedule = paddle.optimizer.lr.CosineAnnealingDecay(0.1, T_max=3)
adam = paddle.optimizer.Adam(schedule, parameters=net.parameters())
for batch in paddle.io.DataLoader(paddle.io.TensorDataset([x]), batch_size=2):
    with paddle.amp.auto_cast(enable=False):
        loss = net(batch[0])
    loss.backward()
    adam.step()
    adam.clear_grad()
    schedule.step()
assert_type(adam.step(), None)
assert_type(adam.get_lr(), float)
assert_type(schedule.get_lr(), float)
(slope,) = paddle.grad((x * x).sum(), [x], allow_unused=True)
assert_type(slope, paddle.Tensor)
assert_type(net.sublayers(), list[paddle.nn.Layer])
assert_type(x.grad, paddle.Tensor | None)
assert_type(x.reshape([3, 2]).astype("int64").unsqueeze(0), paddle.Tensor)
assert_type(-x, paddle.Tensor)
assert_type(x == x, paddle.Tensor)
assert_type([row for row in x], list[paddle.Tensor])
assert_type((len(x), int(x.sum()), bool(x.sum() > 0)), tuple[int, int, bool])
assert_type(x.split(2), list[paddle.Tensor])
assert_type(paddle.to_tensor([1.0]), paddle.Tensor)
assert_type(len(paddle.io.DataLoader(paddle.io.TensorDataset([x]))), int)


class Staged(paddle.nn.Layer):
    """Methods as Programs, and without gradients, keep their signatures."""

    @paddle.jit.to_static
    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """A Program."""
        return x * 2

    @paddle.no_grad()
    def rows(self, x: paddle.Tensor, more: int = 0) -> int:
        """A number."""
        return x.shape[0] + more


class Parts(paddle.nn.Layer):
    """What a call gives is what `forward` gives."""

    def forward(self, x: paddle.Tensor, count: int = 2) -> tuple[list[paddle.Tensor], int]:
        """Equal parts of the rows."""
        return paddle.split(x, count), count


class Squares(paddle.io.Dataset[int]):
    """Samples of one type."""

    def __getitem__(self, idx: int) -> int:
        """The square of the index."""
        return idx * idx

    def __len__(self) -> int:
        """How many there are."""
        return 4


class Plain(paddle.io.Dataset):
    """Samples of any type."""


class Cube(paddle.autograd.PyLayer):
    """An operator of one's own."""

    @staticmethod
    def forward(ctx: paddle.autograd.PyLayerContext, x: paddle.Tensor) -> paddle.Tensor:
        """x³."""
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx: paddle.autograd.PyLayerContext, grad: paddle.Tensor) -> paddle.Tensor:
        """3 x² · grad."""
        (x,) = ctx.saved_tensor()
        assert_type(x, paddle.Tensor)
        return x * x * grad * 3


assert_type(net(x), paddle.Tensor)
assert_type(Parts()(paddle.ones([4, 3]), count=4), tuple[list[paddle.Tensor], int])
staged = Staged()
assert_type(staged(x), paddle.Tensor)
assert_type(staged.forward(x), paddle.Tensor)
assert_type(staged.rows(x, more=1), int)
with tempfile.TemporaryDirectory() as folder:
    paddle.jit.save(paddle.nn.Linear(3, 4), folder + "/net", input_spec=[paddle.static.InputSpec([None, 3])])
    loaded = paddle.jit.load(folder + "/net")
    assert_type(loaded, paddle.jit.TranslatedLayer)
    assert_type(paddle.inference.create_predictor(paddle.inference.Config(folder + "/net")), paddle.inference.Predictor)

model = paddle.Model(paddle.nn.Linear(3, 2))
model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.CrossEntropyLoss(),
              paddle.metric.Accuracy())
labelled = paddle.io.TensorDataset([x, paddle.to_tensor([[0], [1]])])
model.fit(labelled, verbose=0)
assert_type(model.summary((1, 3)), dict[str, int])

paddle.enable_static()
main = paddle.static.Program()
with paddle.static.program_guard(main):
    fed = paddle.static.data("x", [None, 3])
    assert_type(fed, paddle.static.Variable)
    assert_type(fed + 1, paddle.static.Variable)
    assert_type(2 * fed[0] - fed, paddle.static.Variable)
    assert_type(fed > 0, paddle.static.Variable)
    total = fed + 1
print(paddle.static.Executor().run(main, feed={"x": x.numpy()}, fetch_list=[total])[0].shape)
paddle.disable_static()
with paddle.no_grad():
    print(float(net(x)), paddle.float32, sorted(net.state_dict()))
