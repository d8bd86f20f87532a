"""A program of a user's, in which every type is checked: by mypy and pyright, both strict, and when it runs."""

import sys
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
with paddle.no_grad():
    print(float(net(x)), paddle.float32, sorted(net.state_dict()))
