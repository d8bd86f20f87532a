"""Generated loops of linear_chain_crf against the kernels on namespaces."""

import numpy as np
import pytest
from proa.backend import loops
from proa.ops.sequence import crf

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="there are no generated loops")

LENGTHS = [31, 5, 47, 0, 12, 1, 1, 0, 22]


def drawn(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).normal(size=shape) * scale).astype("float32")


def case(padded, tags, scale):
    transition, offsets = drawn(tags + 2, tags), np.append(0, np.cumsum(LENGTHS))
    shape = (len(LENGTHS), max(LENGTHS)) if padded else (int(offsets[-1]),)
    label = np.random.default_rng(1).integers(0, tags, (*shape, 1))
    told = ([], np.array(LENGTHS)[:, None]) if padded else ([offsets], None)
    return drawn(*shape, tags, scale=scale), transition, label, told


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(("tags", "scale"), [(17, 1.0), (32, 1.0), (13, 20.0)])
def test_cost_and_slopes(padded, tags, scale):
    x, transition, label, told = case(padded, tags, scale)
    wanted = crf._cost(np, x, transition, label, *told)
    found = crf._cost_by_loops(x, transition, label, *told)
    grad = drawn(len(LENGTHS), 1)
    slopes = crf._slopes(np, x, transition, label, *wanted[1:3], grad, *told)
    found_slopes = crf._slopes_by_loops(x, transition, label, *wanted[1:3], grad, *told)
    for a, b in zip([found[0], *found_slopes], [wanted[0], *slopes], strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_best_tags(padded, labelled, whole):
    x, transition, label, told = case(padded, 17, 3.0)
    if whole:  # many scores are equal: the first of them is taken
        x, transition = x.round(), transition.round()
    label = label if labelled else None
    wanted = crf._best(np, x, transition, label, *told)
    found = crf._best_by_loops(x, transition, label, *told)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(found, wanted)
    x[..., 0] = np.nan
    assert crf._best_by_loops(x, transition, label, *told) is NotImplemented


def test_tags_out_of_range_are_refused():
    x, transition, label, told = case(False, 17, 1.0)
    with pytest.raises(ValueError, match=r"linear_chain_crf\(label\): tags must lie in \[0, 17\)"):
        crf._cost_by_loops(x, transition, label + 17, *told)


def test_few_rows_are_left_to_the_kernel():
    x, transition = drawn(3, 2), drawn(4, 2)
    assert crf._cost_by_loops(x, transition, np.zeros((3, 1), "int64"), [np.array([0, 3])]) is NotImplemented
