"""What native code is handed: attributes, sizes and offsets that no honest model has are declined or told, never run.

Where a crash is possible the calls run in a process of their own.
"""

import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from proa.backend import onednn
from proa.backend.kernels import (
    batch_norm,
    embedding,
    group_norm,
    layer_norm,
    max_pool,
    optim,
    row_updates,
    select,
    sort,
)
from proa.backend.loops import is_ready
from proa.backend.loops.kernel import AtOnce
from proa.backend.onednn import library
from proa.core.files import CorruptFileError
from proa.core.flags import flags_guard
from proa.ops.core.operator import find
from proa.ops.sequence.offsets import checked

needs_loops = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")
needs_onednn = pytest.mark.skipif(library.library() is None, reason="needs oneDNN: pip install onednn-cpu-gomp")
EXTREMES = [-(2**63), -(2**31), -1, 0, 2**16 + 1, 2**20, 2**30, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, 2**64 + 1]

ONE_BY_ONE = """
import sys
import numpy as np
from proa.backend import onednn

x, w, g = (np.ones(shape, "float32") for shape in ((1, 4, 3, 3), (8, 4, 3, 3), (1, 8, 3, 3)))
one, small = (1, 1), np.ones((8, 4, 1, 1), "float32")
near = (1, 1), (1, 1)
for n in map(int, sys.argv[1:]):
    far, wide = (n, n), ((n, n), (n, n))
    calls = {
        "stride": lambda: onednn.convolution(x[..., :1, :1], small, far, ((0, 0),) * 2, one),
        "dilation": lambda: onednn.convolution(x, w, one, wide, far),
        "padding": lambda: onednn.convolution(x, w, one, wide, one),
        "transposed": lambda: onednn.convolution_input_grad(
            np.ones((1, 8, 2, 2), "float32"), w, (n + 3, n + 3), far, ((0, 0),) * 2, one),
        "filters": lambda: onednn.convolution_filter_grad(x, g, (3, 3), one, wide, far),
        "packed": lambda: onednn.pack_weight(w, x.shape, far, near, one),
    }
    if n == 0:
        del calls["padding"]
    if n < 1:
        calls["groups"] = lambda: onednn.convolution(x, w, one, near, one, n)
        calls["groups back"] = lambda: onednn.convolution_input_grad(g, w, (3, 3), one, near, one, n)
    for kind in (onednn.MAX, onednn.MEAN, onednn.MEAN_WITH_PADDING):
        before = ((n - 1, 0),) * 2
        calls[f"pooling {kind}"] = lambda kind=kind, before=before: onednn.pooling(x, kind, far, one, before, (3, 3))
        calls[f"slopes {kind}"] = lambda kind=kind, before=before: onednn.pooling_grad(x, x, kind, far, one, before)
        calls[f"steps {kind}"] = lambda kind=kind: onednn.pooling(x, kind, one, far, ((0, 0),) * 2, one)
    for name, call in calls.items():
        print(name, n, flush=True)
        assert call() is NotImplemented, (name, n)
"""


def normal(*shape):
    return np.random.default_rng(3).normal(size=shape).astype("float32")


@needs_onednn
def test_windows_of_onednn():
    done = subprocess.run([sys.executable, "-c", ONE_BY_ONE, *map(str, EXTREMES)], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]


@needs_onednn
def test_operands_that_are_too_short_for_onednn():
    x, w, bias = normal(1, 16, 8, 8), normal(16, 16, 3, 3), normal(16)
    where = (1, 1), ((1, 1), (1, 1)), (1, 1)
    assert onednn.convolution(x, w, *where, bias=bias) is not NotImplemented
    assert onednn.convolution(x, w, *where, bias=bias[:1]) is NotImplemented
    assert onednn.convolution(x, w, *where, bias=bias.astype("float16")) is NotImplemented
    assert onednn.convolution(x, w, *where, scale=bias[:3]) is NotImplemented
    assert onednn.convolution(x, w, *where, residual=x) is not NotImplemented
    assert onednn.convolution(x, w, *where, residual=x[:, :, :4]) is NotImplemented
    a, b = normal(64, 64), normal(64, 64)
    for product in (onednn.linear, onednn.matmul):
        assert product(a, b, bias=b[0, :1]) is NotImplemented
        assert product(a, b, residual=a[:2]) is NotImplemented


@pytest.mark.parametrize("n", EXTREMES)
def test_windows_of_operators(n):
    x, w = paddle.to_tensor(normal(1, 4, 3, 3)), paddle.to_tensor(normal(4, 4, 3, 3))
    places = paddle.nn.functional
    with pytest.raises((ValueError, MemoryError, OverflowError, TypeError), match="pool"):
        places.max_pool2d(x, [n, n], 1, [max(n - 1, 0)] * 2)
    with pytest.raises((ValueError, MemoryError, OverflowError, TypeError)):
        places.conv2d_transpose(x, w, stride=n)


@needs_loops
def test_rows_by_number():
    ids, table = np.arange(64), normal(64, 64)
    with AtOnce(), flags_guard({"FLAGS_cpu_engines": "loops"}):
        assert embedding.lookup(ids, table) is not NotImplemented
        for n in (-(2**63), -2, 64, 2**31, 2**62, 2**63 - 1):
            assert embedding.lookup(np.where(ids == 5, n, ids), table) is NotImplemented
            assert embedding.lookup_grad(np.where(ids == 5, n, ids), table, shape=[64, 64]) is NotImplemented
        assert embedding.lookup(ids, np.empty((64, 64, 0), "float32")) is NotImplemented
        assert embedding.lookup_grad(ids, table[:32], shape=[64, 64]) is NotImplemented
        assert embedding.lookup_grad(ids, table, shape=[64, 32]) is NotImplemented
        rate = np.ones(1, "float32")
        assert row_updates.sgd(table.copy(), rate, table.copy(), ids) is not NotImplemented
        for rows in (ids - 1, ids + 1, ids + 2**62, ids[:32], ids.reshape(8, 8)):
            assert row_updates.sgd(table.copy(), rate, table.copy(), rows) is NotImplemented
        assert row_updates.sgd(table.copy(), rate[:0], table.copy(), ids) is NotImplemented
        assert row_updates.sgd(table[:, :8].copy(), rate, table.copy(), ids) is NotImplemented


@needs_loops
@pytest.mark.parametrize("n", EXTREMES)
def test_ranks(n):
    with AtOnce(), flags_guard({"FLAGS_cpu_engines": "loops"}):
        assert sort.topk(normal(128), k=n) is NotImplemented
        if n != 0:
            assert select.order_statistics(normal(128), rank=n, count=1) is NotImplemented


@needs_loops
def test_gradients_of_other_sizes():
    x, rows, channels = normal(4, 32, 8, 8), np.ones(4, "float32"), np.ones(32, "float32")
    short, few = x[:, :, :2], np.ones(1, "float32")
    with AtOnce(), flags_guard({"FLAGS_cpu_engines": "loops"}):
        assert layer_norm.layer_norm_grad(x, None, rows, rows, x, 1, 1e-5) is not NotImplemented
        for mean, variance, g in ((few, rows, x), (rows, few, x), (rows, rows, short)):
            assert layer_norm.layer_norm_grad(x, None, mean, variance, g, 1, 1e-5) is NotImplemented
        for groups in (0, -1, -32, 3, 2**31 - 1):
            assert group_norm.group_norm_grad(x, None, channels, channels, x, groups) is NotImplemented
            assert group_norm.group_norm(x, groups=groups) is NotImplemented
        for mean, g in ((few, x), (rows, short)):
            assert group_norm.group_norm_grad(x, None, mean, rows, g, 1) is NotImplemented
        for mean, inverse, g in ((few, channels, x), (channels, few, x), (channels, channels, short)):
            assert batch_norm.batch_norm_grad(x, None, mean, inverse, g, "NCHW", False) is NotImplemented
        out = np.ascontiguousarray(x[:, :, ::2, ::2])
        where = (2, 2), (2, 2), ((0, 0), (0, 0))
        assert max_pool.max_pool_grad(x, out, out, *where) is not NotImplemented
        assert max_pool.max_pool_grad(x, out, out[:, :, :1], *where) is NotImplemented
        assert max_pool.max_pool_grad(x, np.concatenate([out, out]), np.concatenate([out, out]), *where) \
            is NotImplemented


@needs_loops
def test_states_of_other_sizes():
    param, one = normal(300, 300), np.ones(1, "float32")
    few = param[0].copy()
    with AtOnce(), flags_guard({"FLAGS_cpu_engines": "loops"}):
        def adam(*, moments=(param, param), pows=(one, one), rates=(one,), **attrs):
            first, second = moments
            return optim.merged_adam([param.copy()], [param], list(rates), [first.copy()], [second.copy()],
                                     [pows[0].copy()], [pows[1].copy()], **attrs)

        assert adam() is not NotImplemented
        for wrong in ({"moments": (few, param)}, {"moments": (param, few)}, {"pows": (few, one)},
                      {"pows": (one, one[:0])}, {"rates": ()}, {"rates": (few,)}, {"decay": [0.1, 0.2]}):
            assert adam(**wrong) is NotImplemented
        assert optim.momentum(param.copy(), param, few.copy(), one, mu=0.9) is NotImplemented
        assert optim.merged_sgd([param.copy()] * 2, [one], [param] * 2) is NotImplemented
        assert optim.merged_sgd([param.copy()] * 2, [one] * 2, [param] * 2, decay=[0.1]) is NotImplemented


@pytest.mark.parametrize("offsets", [[0, 2**40, 64], [-3, 5, 64], [0, -(2**62), 64], [0, 70, 64], [3, 64], [0, 65], []])
@pytest.mark.parametrize("times", [1, 100])
def test_offsets(offsets, times):
    known = np.array(offsets[:1] * (times - 1) + offsets, "int64")
    with pytest.raises(ValueError, match=r"sequence_pool\(input\): its offsets must"):
        checked("sequence_pool(input)", known, 64)
    with pytest.raises(ValueError, match=r"sequence_pool\(input\): its offsets must"):
        find("sequence_pool").kernel(np, normal(64, 64), [known], pooltype="SUM")


@pytest.mark.parametrize("call", [
    lambda: paddle.bincount(paddle.to_tensor([1, 2**63 - 1])),
    lambda: paddle.repeat_interleave(paddle.ones([4]), paddle.to_tensor([2**62] * 4)),
    lambda: paddle.repeat_interleave(paddle.ones([3]), paddle.to_tensor([2**63 - 1, 2**63 - 1, 3])),
    lambda: paddle.repeat_interleave(paddle.ones([4]), 2**62),
    lambda: paddle.geometric.segment_sum(paddle.ones([2, 2]), paddle.to_tensor([0, 2**63 - 1])),
], ids=["bincount", "repeat", "repeat to 1", "repeat all", "segments"])
def test_counts_that_numpy_takes_unseen(call):
    with pytest.raises((ValueError, IndexError, MemoryError, OverflowError)):
        call()


@pytest.mark.parametrize("mean", [-1.0, -1e30, 2.0**32, 1e30, float("inf")])
def test_means_that_nothing_drawn_would_do(mean):
    with pytest.raises(ValueError, match=r"poisson\(x\): means must lie"):
        paddle.poisson(paddle.to_tensor([1.0, mean]))


def test_bools_of_a_safetensors_file(tmp_path):
    pytest.importorskip("safetensors")
    path = tmp_path / "model.safetensors"
    paddle.save({"mask": paddle.to_tensor([True, False])}, str(path))
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"\x02")
    with pytest.raises(CorruptFileError, match="a bool is neither 0 nor 1"):
        paddle.load(str(path))
