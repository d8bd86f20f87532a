"""Eager tensors of the OneFlow face: whose values are whose, methods, gradients, and Paddle's face beside it."""

import math
import threading

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest
from proa.core.errors import ModifiedInPlaceError
from proa.dygraph.tensor import Tensor as PaddleTensor
from proa.ops.core.trace import state


def kinds(*values):
    return {type(value) for value in values}


def test_results_are_of_this_face_and_paddles_stay_paddles():
    x = flow.tensor([1.0, -2.0], requires_grad=True)
    y = (1 - x) / 2 + x ** 2 + abs(x) @ x
    found = [y, x[0], x > 0, -x, x.sum(), x.max(0)[1], flow.cat([x, x]), x.softmax(0), flow.nn.functional.dropout(x),
             flow.arange(3), x.detach(), x.data, *x.split(1)]
    assert all(isinstance(value, flow.Tensor) for value in found)
    y.sum().backward()
    assert kinds(x.grad) == {flow.Tensor} and kinds(paddle.ones([1]) * 2) == {PaddleTensor}
    assert state.trace.value_class is PaddleTensor


def test_the_other_face_goes_on_when_a_function_fails():
    with pytest.raises(ValueError):
        flow.matmul(flow.ones(2, 3), flow.ones(2, 3))
    with pytest.raises(RuntimeError):
        flow.mean(flow.arange(3))
    assert kinds(paddle.ones([1]) + 1) == {PaddleTensor}


def test_both_faces_in_two_threads():
    turns, found = threading.Barrier(2, timeout=100), {}

    def work(make, kind):
        values = []
        for turn in range(20):
            turns.wait()
            x = make(turn)
            (x * x).sum().backward()
            values += [x, x.grad, x * 2]
        found[kind] = values

    def flows(turn):
        return flow.ones(turn + 1, requires_grad=True)

    def paddles(turn):
        x = paddle.ones([turn + 1])
        x.stop_gradient = False
        return x

    threads = [threading.Thread(target=work, args=pair) for pair in ((flows, flow.Tensor), (paddles, PaddleTensor))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(kinds(*values) == {kind} for kind, values in found.items()) and len(found) == 2


def test_within_auto_cast_and_a_profiler():
    x = flow.ones(4, 4)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        product, total = x @ x, (x @ x).sum()
        assert kinds(paddle.ones([2, 2]) @ paddle.ones([2, 2])) == {PaddleTensor}
    assert product.dtype is flow.bfloat16 and kinds(product, total) == {flow.Tensor}
    with paddle.profiler.Profiler(timer_only=False, targets=[paddle.profiler.ProfilerTarget.CPU]):
        assert kinds(x + 1, flow.relu(x)) == {flow.Tensor}


def test_sizes_and_kinds():
    x = flow.zeros(2, 3)
    assert x.size() == x.shape == flow.Size([2, 3]) == [2, 3] and x.size(1) == 3 and x.size(-1) == x.shape[-1]
    assert (x.dim(), x.ndim, x.numel(), x.nelement(), len(x)) == (2, 2, 6, 6, 2)
    assert x.shape.numel() == 6 and repr(x.shape[:1]) == "oneflow.Size([2])" and isinstance(x.size(), flow.Size)
    assert x.type() == "oneflow.FloatTensor" and x.long().type() == "oneflow.LongTensor"
    assert x.device == flow.device("cpu") and not x.is_cuda and x.stride() == (3, 1) and x.t().stride(0) == 1
    assert flow.Tensor(2, 3).shape == (2, 3) and flow.Tensor([2, 3]).tolist() == [2.0, 3.0]
    assert flow.tensor(np.ones(2)).dtype is flow.float64 and flow.tensor([1.0]).dtype is flow.float32
    assert x.to("cpu", flow.float64).dtype is flow.float64 and x.to(flow.ones(1, dtype=flow.int32)).dtype is flow.int32


@pytest.mark.parametrize("value, text", [
    ([1.0, 2.5], "tensor([1.0000, 2.5000], dtype=oneflow.float32)"), (3, "tensor(3, dtype=oneflow.int64)"),
    ([[1.0, -2.0]], "tensor([[ 1., -2.]], dtype=oneflow.float32)"), ([], "tensor([], dtype=oneflow.float32)"),
    ([True, False], "tensor([ True, False], dtype=oneflow.bool)"),
    ([1e-6, 1.0], "tensor([1.0000e-06, 1.0000e+00], dtype=oneflow.float32)"),
])
def test_text(value, text):
    assert repr(flow.tensor(value)) == text


def test_text_says_what_gradients_do():
    x = flow.ones(1, requires_grad=True)
    assert repr(x) == "tensor([1.], dtype=oneflow.float32, requires_grad=True)"
    assert "grad_fn=<" in repr(x * 2) and repr(flow.nn.Parameter(x)).startswith("Parameter containing:\ntensor(")


def test_gradients():
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="one element"):
        (x * 2).backward()
    (x * 2).backward(flow.tensor([1.0, 10.0]))
    (x * x).sum().backward()
    assert x.grad.tolist() == [4.0, 24.0]
    y = x * 3
    y.retain_grad()
    seen = []
    y.register_hook(lambda g: seen.append(type(g)))
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0] and seen == [flow.Tensor]
    (g,) = flow.autograd.grad((x ** 3).sum(), x, create_graph=True)
    assert flow.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]
    with pytest.raises(RuntimeError, match="floats"):
        flow.arange(2).requires_grad_()


def test_recording_can_be_stopped():
    x = flow.ones(1, requires_grad=True)

    @flow.no_grad()
    def unrecorded():
        return x * 2

    @flow.enable_grad()
    def recorded():
        return x * 2

    with flow.no_grad():
        assert not (x * 2).requires_grad and not flow.is_grad_enabled() and recorded().requires_grad
    assert not unrecorded().requires_grad and flow.is_grad_enabled()
    with flow.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    flow.set_grad_enabled(False)
    assert not flow.is_grad_enabled()
    flow.set_grad_enabled(True)
    with flow.inference_mode():
        assert not (x * 2).requires_grad


def test_forms_in_place():
    x = flow.zeros(2, 2)
    x[0] = 1
    x += 1
    x.mul_(2).clamp_(max=3)
    assert x.tolist() == [[3.0, 3.0], [2.0, 2.0]]
    x.copy_(np.arange(2))
    assert x.tolist() == [[0.0, 1.0]] * 2 and x.zero_().sum() == 0 and x.fill_(2).mean() == 2
    whole = flow.tensor([1, 2])
    whole.mul_(2.5)
    assert whole.dtype is flow.int64 and whole.tolist() == [2, 5]
    w = flow.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        w.add_(1)
    with flow.no_grad():
        w.add_(1)
    y = w * w
    w.data.mul_(2)
    assert w.tolist() == [4.0]
    with pytest.raises(ModifiedInPlaceError):
        y.backward()


def test_a_function_with_a_gradient_of_its_own():
    class Cube(flow.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(x)
            ctx.factor = factor
            return x ** 3 * factor

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x ** 2 * ctx.factor, None

    x = flow.tensor([2.0], requires_grad=True)
    Cube.apply(x, 2.0).backward()
    Cube()(x, 1.0).backward()
    assert x.grad.tolist() == [36.0] and kinds(Cube.apply(x, 1.0)) == {flow.Tensor}


def test_random_numbers():
    flow.manual_seed(3)
    a = flow.randn(2, 3), flow.rand((2,)), flow.randperm(5), flow.randint(0, 9, (3,))
    flow.manual_seed(3)
    b = flow.randn(2, 3), flow.rand((2,)), flow.randperm(5), flow.randint(0, 9, (3,))
    assert all(bool((x == y).all()) for x, y in zip(a, b))
    own = flow.Generator().manual_seed(1)
    first = flow.randn(3, generator=own)
    assert not bool((first == flow.randn(3, generator=own)).any())
    kept = flow.get_rng_state()
    x = flow.rand(2)
    flow.set_rng_state(kept)
    assert bool((flow.rand(2) == x).all()) and 0 < flow.empty(100).normal_().std() < 2


def test_values_of_both_faces_meet():
    x, y = flow.ones(1, requires_grad=True), paddle.to_tensor([3.0], stop_gradient=False)
    z = x * y
    z.sum().backward()
    assert kinds(z) == {flow.Tensor} and x.grad.tolist() == [3.0] and kinds(y.grad) == {PaddleTensor}


@pytest.mark.parametrize("call, words", [
    (lambda: flow.device("tpu"), "'cpu' or 'cuda'"), (lambda: flow.clamp(flow.ones(1)), "at least one"),
    (lambda: flow.div(1.0, 2.0, rounding_mode="up"), "'trunc' or 'floor'"),
    (lambda: flow.from_numpy([1]), "array of NumPy's"), (lambda: flow.ones(1).to(3), "element type"),
    (lambda: flow.set_printoptions(profile="long"), "default, short, full"),
    (lambda: flow.tensor([1.0]).backward(create_graph=True), "autograd.grad"),
])
def test_mistakes_are_told(call, words):
    with pytest.raises((TypeError, ValueError, NotImplementedError), match=words):
        call()


def test_norms():
    x = flow.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
    found = [x.norm(), x.norm(1), x.norm(float("inf")), flow.linalg.vector_norm(x, 1),
             flow.linalg.norm(x, ord=2, dim=1),
             flow.linalg.matrix_norm(x, -1), flow.linalg.matrix_norm(x), flow.linalg.vector_norm(x - 1, 0)]
    wanted = [91 ** 0.5, 8.0, 13.0, 21.0, [30 ** 0.5, 61 ** 0.5], 5.0, 91 ** 0.5, 5.0]
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-5)
    assert x.norm(2, (0, 1), keepdim=True).shape == (1, 1)


def test_one_process_has_one_place():
    place = flow.placement("cpu", ranks=[0])
    x = flow.ones(2, placement=place, sbp=flow.sbp.broadcast)
    assert x.to_global(place, [flow.sbp.split(0)]) is x and x.to_local() is x and not x.is_global
    with pytest.raises(ValueError, match="rank 0 alone"):
        flow.placement("cuda", ranks=[0, 1])
    assert flow.cuda.is_available() == (flow.cuda.device_count() > 0)
    assert flow.LongTensor([1]).dtype is flow.int64 and flow.FloatTensor(2, 3).shape == (2, 3)


def test_more_ways_to_join():
    x = flow.tensor([1.0, 2.0])
    assert flow.column_stack([x, x]).tolist() == [[1.0, 1.0], [2.0, 2.0]] and flow.dstack([x, x]).shape == (1, 2, 2)
    assert flow.broadcast_shapes((2, 1), (3,)) == (2, 3) and flow.equal(x, x) and not flow.equal(x, flow.ones(1))
    assert flow.slice_update(flow.zeros(4), x, [[1, 3, 1]]).tolist() == [0.0, 1.0, 2.0, 0.0]
    assert flow.nonzero(flow.tensor(5), as_tuple=True)[0].tolist() == [0]
    assert flow.unique(flow.tensor([3, 1, 3]), return_inverse=True)[1].dtype is flow.int32


def test_names_of_its_own_python_code():
    x = flow.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert flow._C.gather(x, flow.tensor([[1, 0]]), axis=1).shape == (2, 1, 2)
    assert flow._C.matmul(x, x, transpose_b=True).tolist() == (x @ x.t()).tolist()
    assert flow._C.gelu(x).shape == (2, 2) and flow._C.amp_white_identity(x) is x
    with pytest.raises(AttributeError, match="flow._C has no 'magic'"):
        flow._C.magic


def test_small_numbers_beside_large_ones_keep_their_digits():
    assert abs(flow.erfc(flow.tensor([5.0])).item() / math.erfc(5.0) - 1) < 1e-5
    x = flow.tensor([-1e-20, -7.0, 7.0, -7.0], requires_grad=True)
    y = flow.tensor([1.0, 2.0, -2.0, math.inf], requires_grad=True)
    left = flow.fmod(x, y)
    np.testing.assert_array_equal(left.numpy(), np.fmod(x.numpy(), y.numpy()))
    left.sum().backward()
    assert x.grad.tolist() == [1.0] * 4 and y.grad.tolist() == [0.0, 3.0, 3.0, 0.0]
    x = flow.tensor([1e8, math.inf, 2.0])
    updated = flow.tensor_scatter_nd_update(x, flow.tensor([[0], [1]]), flow.tensor([1.0, 5.0]))
    assert updated.tolist() == [1.0, 5.0, 2.0]
