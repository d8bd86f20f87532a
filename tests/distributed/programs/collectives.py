"""Every collective between two processes, and its gradient: an assertion that fails ends the launcher with an error."""

import os

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed import ReduceOp, stream
from paddle.distributed.parallel import parallel_helper
from proa.ops.collective import exchanges, reductions
from proa.ops.core.trace import apply

dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
assert parallel_helper._is_parallel_ctx_initialized() and parallel_helper._is_data_parallel_mode()
assert size == 2 and dist.is_initialized() and dist.get_backend() == os.environ.get("BACKEND", "MPI")
both = np.array([[1.0, 5.0, -2.0], [3.0, -1.0, 0.5]])

for op, of in ((ReduceOp.SUM, np.sum), (ReduceOp.MAX, np.max), (ReduceOp.MIN, np.min), (ReduceOp.PROD, np.prod),
               (ReduceOp.AVG, np.mean)):
    for dtype in ("float32", "float64", "float16", "bfloat16", "int32", "int64"):
        if dtype.startswith("int") and op == ReduceOp.AVG:
            continue
        rows = both if "float" in dtype else both.astype("int64")
        x = paddle.to_tensor(rows[rank]).astype(dtype)
        dist.all_reduce(x, op)
        assert x.dtype.name == dtype and np.allclose(x.astype("float64").numpy(), of(rows, 0)), (op, dtype, x)
    x = paddle.to_tensor(both[rank])
    dist.reduce(x, 1, op)
    assert np.allclose(x.numpy(), of(both, 0) if rank == 1 else both[0]), (op, x)

x = paddle.to_tensor(both[rank])
task = dist.all_reduce(x, sync_op=False)
later = dist.all_reduce(y := paddle.to_tensor(both[rank]), ReduceOp.MAX, sync_op=False)
dist.all_reduce(z := paddle.to_tensor(both[rank]), ReduceOp.MIN)  # takes its place behind those that were begun
task.wait(), later.wait()
assert task.is_completed() and np.allclose([x.numpy(), y.numpy(), z.numpy()], [both.sum(0), both.max(0), both.min(0)])

found = []
dist.all_gather(found, paddle.to_tensor(both[rank]).reshape([3, 1]))
assert [one.shape for one in found] == [[3, 1]] * 2 and np.allclose(np.concatenate(found, 1).T, both)
dist.all_gather(numbers := [], paddle.to_tensor(rank))
assert [one.item() for one in numbers] == [0, 1] and numbers[0].shape == []
whole = paddle.zeros([6], "float64")
stream.all_gather(whole, paddle.to_tensor(both[rank]))
assert np.allclose(whole.numpy(), both.reshape(-1))
gathered = []
dist.gather(paddle.to_tensor(both[rank]), gathered if rank == 1 else None, dst=1)
assert len(gathered) == (2 if rank else 0)

x = paddle.to_tensor(both[rank])
dist.broadcast(x, 1)
assert np.allclose(x.numpy(), both[1])
x = paddle.zeros([3], "float64")
dist.scatter(x, [paddle.to_tensor(row) for row in both] if rank == 1 else None, src=1)
assert np.allclose(x.numpy(), both[rank])
for op, of in ((ReduceOp.SUM, np.sum), (ReduceOp.MAX, np.max)):
    x = paddle.zeros([3], "float64")
    dist.reduce_scatter(x, [paddle.to_tensor(both[rank] * (part + 1)) for part in range(2)], op)
    assert np.allclose(x.numpy(), of(both * (rank + 1), 0)), x
received = []
dist.alltoall([paddle.to_tensor([10 * rank + part]) for part in range(2)], received)
assert [one.item() for one in received] == [rank, 10 + rank]
out = paddle.zeros([3, 1], "int64")
sizes = [1, 2] if rank == 0 else [2, 1]
dist.alltoall_single(paddle.to_tensor([[1], [2], [3]]) + 10 * rank, out, sizes, sizes)
assert out.flatten().tolist() == ([1, 11, 12] if rank == 0 else [2, 3, 13]), out

if rank == 0:
    dist.send(paddle.to_tensor(both[0]), 1)
else:
    dist.recv(x := paddle.zeros([3], "float64"), 0)
    assert np.allclose(x.numpy(), both[0])
mine = paddle.to_tensor(np.full(300_000, rank))


def both_ways(*messages):
    other = paddle.zeros([300_000], "int64")
    begun = [op(mine if op is dist.isend else other, 1 - rank) for op in messages] if messages else \
        dist.batch_isend_irecv([dist.P2POp(dist.isend, mine, 1 - rank), dist.P2POp(dist.irecv, other, 1 - rank)])
    assert [task.wait() for task in begun] == [True] * 2 and (other.numpy() == 1 - rank).all()


both_ways()  # none waits for another
both_ways(*(dist.isend, dist.irecv) if rank else (dist.irecv, dist.isend))
if dist.get_backend() == "MPI":
    both_ways(dist.isend, dist.irecv)
for wrong in (lambda: dist.P2POp(dist.send, mine, 1 - rank), lambda: dist.batch_isend_irecv([])):
    try:
        wrong()
    except ValueError:
        pass
    else:
        raise AssertionError("was taken")

objects = []
dist.all_gather_object(objects, {"rank": rank, "array": np.arange(rank + 1), "of": [paddle.ones([1])]})
assert [one["rank"] for one in objects] == [0, 1] and len(objects[1]["array"]) == 2 and objects[1]["of"][0].item() == 1
shared = [rank, "mine"] if rank == 1 else [None, None]
dist.broadcast_object_list(shared, 1)
assert shared == [1, "mine"]
dist.scatter_object_list(own := [], [{"a": 1}, {"b": 2}] if rank == 0 else None, 0)
assert own == [[{"a": 1}, {"b": 2}][rank]]

alone, all_of = dist.new_group([1]), dist.new_group()
assert alone.is_member() == (rank == 1) and all_of.nranks == 2 and dist.get_rank(all_of) == rank
if rank == 1:
    dist.all_reduce(x := paddle.to_tensor([2.0]), group=alone)
    assert x.item() == 2
else:
    try:
        dist.all_reduce(x, group=alone)
    except RuntimeError as error:
        assert "not one of the group" in str(error)
    else:
        raise AssertionError("a process that is no member has exchanged")
dist.all_reduce(x := paddle.to_tensor([1.0]), group=all_of)
assert x.item() == 2
dist.barrier(), dist.barrier(all_of)

# Gradients: those of the sum of both processes' losses.
weights = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])


def gradient(do, parts=1):
    x = paddle.to_tensor(np.concatenate([both[rank]] * parts), stop_gradient=False)
    result = do(x)
    (result * paddle.to_tensor(np.resize(weights[rank], result.shape))).sum().backward()
    return x.grad.numpy()


assert np.allclose(gradient(lambda x: apply(reductions.all_reduce_ops["sum"], x, ring_id=0)), weights.sum(0))
assert np.allclose(gradient(lambda x: apply(reductions.all_reduce_ops["avg"], x, ring_id=0)), weights.mean(0))
assert np.allclose(gradient(lambda x: apply(reductions.model_parallel_sum_op, x, ring_id=0)), weights[rank])
assert np.allclose(gradient(lambda x: apply(reductions.identity_op, x, ring_id=0)), weights.sum(0))
assert np.allclose(gradient(lambda x: apply(exchanges.all_gather_op, x, nranks=2, ring_id=0)), weights.sum(0))
assert np.allclose(gradient(lambda x: apply(exchanges.reduce_scatter_op, x, nranks=2, ring_id=0), 2),
                   weights.reshape(-1))
assert np.allclose(gradient(lambda x: apply(exchanges.all_to_all_op, x, ring_id=0), 2), np.concatenate(
    [np.resize(weights[part], 6)[3 * rank:3 * rank + 3] for part in range(2)]))

# In a converted function and in a Program they are operators.
reduced = paddle.jit.to_static(lambda x: apply(reductions.all_reduce_ops["sum"], x * 2, ring_id=0) + 1, full_graph=True)
assert np.allclose(reduced(paddle.to_tensor(both[rank])).numpy(), both.sum(0) * 2 + 1)
paddle.enable_static()
x = paddle.static.data("x", [3], "float64")
dist.all_reduce(x)
assert "c_allreduce_sum" in [op.type for op in paddle.static.default_main_program().global_block().ops]
assert np.allclose(paddle.static.Executor().run(feed={"x": both[rank]}, fetch_list=[x])[0], both.sum(0))
print("passed", rank)
