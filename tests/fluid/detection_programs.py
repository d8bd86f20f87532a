"""Programs of detection for PaddlePaddle 1.8.5 and for proa: what both must write and compute alike.

Runs under Python 3.7 too.
"""

import numpy as np


def values(seed, *shape, **kw):
    return np.random.RandomState(seed).uniform(kw.get("low", -1), kw.get("high", 1), shape).astype("float32")


def boxes(seed, *shape, **kw):
    ends = np.random.RandomState(seed).uniform(0, kw.get("size", 1), shape + (2, 2))
    return np.concatenate([ends.min(-2), ends.max(-2)], -1).astype("float32")


TRUE = [[0, 2, 5]]
LABELS = np.array([[1], [2], [1], [2], [1]])


def ssd(fluid, feed):
    L = fluid.layers
    image = fluid.data("image", [None, 3, 32, 32])
    feed["image"] = values(1, 2, 3, 32, 32)
    x = L.conv2d(image, 4, 3, stride=4, padding=1, act="relu")
    maps = [x, L.pool2d(x, 2, "max", 2), L.pool2d(x, 4, "avg", 4)]
    found = L.multi_box_head(maps, image, 32, 3, [[2.0], [2.0, 3.0], [2.0]], min_ratio=20, max_ratio=90, clip=True,
                             kernel_size=3, pad=1)
    box = fluid.data("box", [None, 4], lod_level=1)
    label = fluid.data("label", [None, 1], "int32", lod_level=1)
    feed["box"], feed["label"] = (boxes(2, 5), TRUE), (LABELS.astype("int32"), TRUE)
    return found, (box, label)


def ssd_training(fluid, feed):
    (loc, score, prior, variance), (box, label) = ssd(fluid, feed)
    loss = fluid.layers.reduce_mean(fluid.layers.ssd_loss(loc, score, box, label, prior, variance))
    grads = fluid.backward.append_backward(loss)
    return [loc, score, prior, variance, loss] + [g for _, g in grads]


def ssd_output(fluid, feed):
    (loc, score, prior, variance), _ = ssd(fluid, feed)
    del feed["box"], feed["label"]
    return [fluid.layers.detection_output(loc, score, prior, variance, nms_threshold=0.45, keep_top_k=10)]


def matching(fluid, feed):
    L = fluid.layers
    box, prior = fluid.data("box", [None, 4], lod_level=1), fluid.data("prior", [6, 4])
    feed["box"], feed["prior"] = (boxes(2, 5), TRUE), boxes(3, 6)
    overlaps = L.iou_similarity(box, prior)
    index, near = L.bipartite_match(overlaps, "per_prediction", 0.3)
    encoded = L.box_coder(prior, [0.1, 0.1, 0.2, 0.2], box)
    target, weight = L.target_assign(encoded, index, mismatch_value=0)
    return [overlaps, index, near, encoded, target, weight]


def yolo(fluid, feed):
    L = fluid.layers
    x, box, label = fluid.data("x", [2, 14, 4, 4]), fluid.data("box", [2, 3, 4]), fluid.data("label", [2, 3], "int32")
    size = fluid.data("size", [2, 2], "int32")
    feed.update(x=values(1, 2, 14, 4, 4), box=values(2, 2, 3, 4, low=0.1, high=0.5),
                label=np.array([[0, 1, 1], [1, 0, 0]], "int32"), size=np.array([[64, 96], [32, 32]], "int32"))
    anchors = [10, 13, 16, 30, 33, 23]
    loss = L.yolov3_loss(x, box, label, anchors, [0, 2], 2, 0.5, 32, use_label_smooth=False)
    found = L.yolo_box(x, size, anchors[:4], 2, 0.3, 32)
    return [loss] + list(found)


def proposals(fluid, feed):
    L = fluid.layers
    feature = fluid.data("feature", [2, 4, 4, 5])
    scores, deltas = fluid.data("scores", [2, 3, 4, 5]), fluid.data("deltas", [2, 12, 4, 5])
    info = fluid.data("info", [2, 3])
    box, label = fluid.data("box", [None, 4], lod_level=1), fluid.data("label", [None, 1], "int32", lod_level=1)
    crowd = fluid.data("crowd", [None, 1], "int32", lod_level=1)
    feed.update(feature=values(1, 2, 4, 4, 5), scores=values(2, 2, 3, 4, 5, low=0), deltas=values(3, 2, 12, 4, 5) * 0.5,
                info=np.array([[50, 60, 1], [60, 60, 2]], "float32"), box=(boxes(4, 5, size=50), TRUE),
                label=(LABELS.astype("int32"), TRUE), crowd=(np.array([[0], [0], [0], [1], [0]], "int32"), TRUE))
    anchors, variances = L.anchor_generator(feature, [16.0, 32.0, 64.0], [1.0], stride=[12.0, 12.0],
                                            variance=[1.0, 1.0, 1.0, 1.0])
    rois, chances = L.generate_proposals(scores, deltas, info, anchors, variances, 40, 12, 0.6, 2.0)
    flat = L.reshape(anchors, [-1, 4])
    learnt = L.rpn_target_assign(L.transpose(deltas, [0, 2, 3, 1]), L.transpose(scores, [0, 2, 3, 1]), flat,
                                 L.reshape(variances, [-1, 4]), box, crowd, info, 12, -1.0, 0.5, 0.4, 0.2, False)
    labelled = L.generate_proposal_labels(rois, label, crowd, box, info, 8, 0.5, 0.3, 0.3, class_nums=3,
                                          use_random=False)
    clipped = L.box_clip(labelled[0], info)
    pooled = [L.roi_align(feature, rois, 2, 2, 0.1, 2), L.roi_pool(feature, rois, 2, 2, 0.1),
              L.psroi_pool(feature, rois, 2, 0.1, 1, 2), L.prroi_pool(feature, rois, 0.1, 2, 2)]
    levels, restored = L.distribute_fpn_proposals(rois, 2, 4, 3, 20)
    return [rois, chances] + list(learnt) + list(labelled) + [clipped] + pooled + levels + [restored]


def retinanet(fluid, feed):
    L = fluid.layers
    deltas, scores = fluid.data("deltas", [2, 40, 4]), fluid.data("scores", [2, 40, 2])
    anchors, variances = fluid.data("anchors", [40, 4]), fluid.data("variances", [40, 4])
    info = fluid.data("info", [2, 3])
    box, label = fluid.data("box", [None, 4], lod_level=1), fluid.data("label", [None, 1], "int32", lod_level=1)
    crowd = fluid.data("crowd", [None, 1], "int32", lod_level=1)
    feed.update(deltas=values(1, 2, 40, 4), scores=values(2, 2, 40, 2), anchors=boxes(5, 40, size=60),
                variances=values(3, 40, 4), info=np.array([[50, 60, 1], [60, 60, 2]], "float32"),
                box=(boxes(4, 5, size=50), TRUE), label=(LABELS.astype("int32"), TRUE),
                crowd=(np.zeros([5, 1], "int32"), TRUE))
    found = L.retinanet_target_assign(deltas, scores, anchors, variances, box, label, crowd, info, 2, 0.4, 0.3)
    loss = L.sigmoid_focal_loss(found[0], found[2], L.fill_constant([1], "int32", 4), gamma=2.0, alpha=0.25)
    return list(found) + [loss]


def selected(fluid, feed):
    L = fluid.layers
    box, scores = fluid.data("box", [2, 8, 4]), fluid.data("scores", [2, 3, 8])
    corners = fluid.data("corners", [2, 8, 3, 4])
    feed.update(box=boxes(1, 2, 8), scores=values(2, 2, 3, 8, low=0), corners=values(3, 2, 8, 3, 4))
    prior, variance = L.prior_box(corners, fluid.data("image", [2, 3, 30, 40]), [4.0], [8.0],
                                  [2.0], flip=True)
    dense = L.density_prior_box(corners, fluid.default_main_program().global_block().var("image"), [2, 1], [4.0, 8.0],
                                [1.0], clip=True, flatten_to_2d=True)
    feed["image"] = values(4, 2, 3, 30, 40)
    return [L.multiclass_nms(box, scores, 0.2, 10, 5), L.polygon_box_transform(corners), prior, variance] + list(dense)


CASES = [ssd_training, ssd_output, matching, yolo, proposals, retinanet, selected]


def run(fluid, build):
    """(operators with their inputs and outputs, results, their offsets)."""
    main, startup, feed = fluid.Program(), fluid.Program(), {}
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup), fluid.unique_name.guard():
        wanted = build(fluid, feed)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for number, parameter in enumerate(main.global_block().all_parameters()):
            tensor = fluid.global_scope().find_var(parameter.name).get_tensor()
            tensor.set(values(50 + number, *parameter.shape) * 0.5, fluid.CPUPlace())
        given = {}
        for name, value in feed.items():
            if isinstance(value, tuple):
                given[name] = fluid.LoDTensor()
                given[name].set(value[0], fluid.CPUPlace())
                given[name].set_lod(value[1])
            else:
                given[name] = value
        found = exe.run(main, feed=given, fetch_list=wanted, return_numpy=False)
    ops = [[op.type, {slot: op.input(slot) for slot in sorted(op.input_names)},
            {slot: op.output(slot) for slot in sorted(op.output_names)}] for op in main.global_block().ops]
    return ops, [np.array(value) for value in found], [value.lod() for value in found]


def measured(fluid):
    """The measure of each of some batches, of all so far, and after everything is forgotten."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        found = fluid.data("found", [None, 6], lod_level=1)
        box, label = fluid.data("box", [None, 4], lod_level=1), fluid.data("label", [None, 1], lod_level=1)
        difficult = fluid.data("difficult", [None, 1], lod_level=1)
        measure = fluid.metrics.DetectionMAP(found, label, box, difficult, 4, evaluate_difficult=False,
                                             overlap_threshold=0.3)
        wanted = measure.get_map_var()
    exe, values = fluid.Executor(fluid.CPUPlace()), []
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for batch in range(4):
            if batch == 3:
                measure.reset(exe)
            random = np.random.RandomState([0, 1, 2, 7][batch])
            true, kinds = boxes(batch, 6), random.randint(1, 4, [6, 1])
            at = np.concatenate([random.randint(0, 3, 4), random.randint(3, 6, 5)])
            near = np.clip(true[at] + random.uniform(-0.03, 0.03, [9, 4]), 0, 1)
            shown = np.where(random.uniform(0, 1, [9, 1]) < 0.8, kinds[at], 1)
            rows = np.concatenate([shown, random.uniform(0, 1, [9, 1]), near], 1)
            feed = {}
            for name, array, lod in (("found", rows, [[0, 4, 9]]), ("box", true, [[0, 3, 6]]),
                                     ("label", kinds, [[0, 3, 6]]),
                                     ("difficult", random.randint(0, 2, [6, 1]), [[0, 3, 6]])):
                feed[name] = fluid.LoDTensor()
                feed[name].set(array.astype("float32"), fluid.CPUPlace())
                feed[name].set_lod(lod)
            values.append([float(value[0]) for value in exe.run(main, feed=feed, fetch_list=list(wanted))])
    return values
