"""Names of Paddle that are not here: asking says which subject is missing; everything else stays an ordinary miss."""

import proa as paddle
import pytest


@pytest.mark.parametrize(("place", "subject"), [
    ("nn.quant.lsq", "learned step sizes"), ("quantization.nothing", "no attribute"),
    ("nn.nothing", "no attribute"),
    ("nothing", "no attribute"), ("dataset.mq2007", "RAR archives"), ("dataset.nothing", "no attribute"),
])
def test_packages(place, subject):
    owner = paddle
    *path, name = place.split(".")
    for part in path:
        owner = getattr(owner, part)
    with pytest.raises(AttributeError, match=subject):
        getattr(owner, name)


@pytest.mark.parametrize("name", ["process_mesh", "top_p_sampling", "rows"])
def test_methods(name):
    x = paddle.ones([1])
    assert not hasattr(x, name)
    for owner in (x, paddle.Tensor):
        with pytest.raises(AttributeError, match=rf"Tensor\.{name} is not supported: it is about"):
            getattr(owner, name)


def test_a_dense_tensor_says_so():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    assert not (x.is_sparse() or x.is_sparse_coo() or x.is_sparse_csr() or x.is_dist())
    assert x.get_strides() == [2, 1]
    assert x.data_ptr() == x.data_ptr() != 0
    assert x.value() is x
    assert x.is_same_shape(x * 2)
    assert x.grad_fn is None
    assert (x * 2).grad_fn.op.type == "scale"
    x.sum().backward()
    assert x.grad_.tolist() == [[1.0, 1.0]]
    y = paddle.zeros([3])
    y.reconstruct_from_(x)
    assert y.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("make", [lambda: paddle.XPUPlace(0), paddle.IPUPlace, lambda: paddle.CustomPlace("npu", 0)])
def test_places_of_other_devices(make):
    with pytest.raises(RuntimeError, match=r"Place\(.*devices.*not supported"):
        make()
