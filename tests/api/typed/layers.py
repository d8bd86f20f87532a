"""PyLayer, hooks, amp, autograd, indexing, vision models."""
from typing import Any

import proa as paddle
from proa import nn
from proa.autograd import PyLayer, PyLayerContext
from proa.nn import functional as F
from proa.vision.models import resnet18


class Cube(PyLayer):
    @staticmethod
    def forward(ctx: PyLayerContext, x: paddle.Tensor) -> paddle.Tensor:
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx: PyLayerContext, grad: paddle.Tensor) -> paddle.Tensor:
        (x,) = ctx.saved_tensor()
        return 3 * x * x * grad


x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y = Cube.apply(x)
y.sum().backward()
assert x.grad is not None
print(x.grad.numpy(), x.gradient())


def hook(layer: nn.Layer, inputs: tuple[Any, ...], output: paddle.Tensor) -> paddle.Tensor | None:
    print(type(layer).__name__, output.shape)
    return None


net = nn.LayerList([nn.Linear(2, 2) for _ in range(2)])
handle = net[0].register_forward_post_hook(hook)
h = paddle.randn([1, 2])
for layer in net:
    h = F.gelu(layer(h))
handle.remove()
removed = x.register_hook(lambda g: g * 2)
removed.remove()
scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
opt = paddle.optimizer.Adam(parameters=net.parameters())
with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
    loss = net[1](net[0](paddle.randn([4, 2]))).mean()
scaled = scaler.scale(loss)
scaled.backward()
scaler.step(opt)
scaler.update()
m = paddle.arange(12, dtype="float32").reshape([3, 4])
m[0, 1:3] = 5.0
m[m > 8] = 0
rows = m[[0, 2]]
print(m[..., -1].tolist(), rows.shape, m[:, None].shape, (m @ m.T).trace().item(), m.max(axis=1, keepdim=True).shape)
a, b = paddle.chunk(m, 2, axis=1)
u, s, v = paddle.linalg.svd(m)
val, idx = m.max(axis=0), m.argmax(axis=0)
print(a.shape, b.shape, s.shape, val.shape, idx.dtype == paddle.int64, paddle.einsum("ij,ij->i", m, m).shape)
print(paddle.where(m > 1, m, paddle.zeros_like(m)).sum().item(), paddle.is_tensor(m), f"{m.mean().item():.2f}")
net2 = resnet18(num_classes=3)
print(net2(paddle.randn([1, 3, 32, 32])).shape, sum(p.size for p in net2.parameters()))
for name, p in net2.named_parameters():
    if name.startswith("fc"):
        print(name, p.shape, p.dtype)
paddle.seed(3)
paddle.set_default_dtype("float32")
paddle.set_device("cpu")
print(paddle.get_device(), paddle.to_tensor(3).item(), paddle.in_dynamic_mode(), paddle.__version__)
