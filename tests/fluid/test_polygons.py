"""Polygons where detectors have boxes: how much they overlap, and which stay, as in PaddlePaddle 1.8.5."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.ops.vision.polygons import overlaps

SQUARE = [0, 0, 2, 0, 2, 2, 0, 2]
DIAMOND = [1, -0.5, 2.5, 1, 1, 2.5, -0.5, 1]  # its corners are cut off by the square's sides, and the other way round
NOTCHED = [0, 0, 2, 0, 0.5, 0.5, 0, 2]  # concave


@pytest.mark.usefixtures("as_around_kernels")
@pytest.mark.parametrize(("a", "b", "common", "union"), [
    (SQUARE, SQUARE, 4, 4), (SQUARE, [1, 0, 3, 0, 3, 2, 1, 2], 2, 6), (SQUARE, [4, 0, 6, 0, 6, 2, 4, 2], 0, 8),
    (SQUARE, DIAMOND, 3.5, 5), (SQUARE, [0, 2, 2, 2, 2, 0, 0, 0], 4, 4), (NOTCHED, SQUARE, 1, 4),
    (NOTCHED, [1, 0, 2, 0, 2, 2, 1, 2], 1 / 6, 3 - 1 / 6), (SQUARE, [1, 1, 1, 1, 1, 1, 1, 1], 0, 4)])
def test_overlap(a, b, common, union):
    a, b = (np.array(x, "float32") for x in (a, b))
    near = overlaps(np, a[None], np.stack([b, a]))
    np.testing.assert_allclose(near, [common / union, 1], rtol=1e-6)


def _run(layer, boxes, scores, **how):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        given = [fluid.data(name, [None, *x.shape[1:]], "float32") for name, x in (("b", boxes), ("s", scores))]
        out = layer(*given, **how)
        assert out.shape == (-1, boxes.shape[2] + 2)
        return fluid.Executor().run(feed={"b": boxes, "s": scores}, fetch_list=[out], return_numpy=False)[0]


def test_neighbours_are_merged():
    boxes = np.array([[SQUARE, [0.5, 0, 2, 0, 2, 2, 0.5, 2], [8, 0, 9, 0, 9, 1, 8, 1]]], "float32")
    out = _run(fluid.layers.locality_aware_nms, boxes, np.array([[[0.5, 0.5, 0.25]]], "float32"),
               score_threshold=0.1, nms_top_k=-1, keep_top_k=-1, nms_threshold=0.5)
    np.testing.assert_allclose(out, [[0, 1, 0.25, 0, 2, 0, 2, 2, 0.25, 2], [0, 0.25, 8, 0, 9, 0, 9, 1, 8, 1]])
    assert out.lod() == [[0, 2]]


def test_better_polygons_stay():
    boxes = np.array([[SQUARE, DIAMOND, [4, 0, 5, 0, 5, 1, 4, 1]]], "float32")
    out = _run(fluid.layers.multiclass_nms, boxes, np.array([[[0.5, 0.9, 0.3]]], "float32"), background_label=-1,
               score_threshold=0.1, nms_top_k=-1, keep_top_k=-1, nms_threshold=0.6)
    np.testing.assert_allclose(out, [[0, 0.9, *DIAMOND], [0, 0.3, 4, 0, 5, 0, 5, 1, 4, 1]], rtol=1e-6)
