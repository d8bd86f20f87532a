"""ppdet-notebook 0.4.3.7: detectors of small images, with its backbones, heads and losses."""

import fluid_shared as shared  # before paddle
import numpy as np
import paddle.fluid as fluid
from ppdet.modeling import anchor_heads, architectures, backbones, losses

BATCH, SIZE, BOXES, CLASSES = 4, 96, 5, 3
ANCHORS = [[8, 8], [12, 16], [20, 14], [24, 30], [40, 28], [36, 44], [60, 50], [48, 70], [80, 80]]


def batch(step):
    """Images with boxes, [center x, center y, width, height] as shares of the image."""
    random = np.random.RandomState(step)
    places = np.array([[0.2, 0.2], [0.8, 0.2], [0.5, 0.5], [0.2, 0.8], [0.8, 0.8]])  # so that none meet in a cell
    centers = places + random.uniform(-0.03, 0.03, (BATCH, BOXES, 2))
    boxes = np.concatenate([centers, random.uniform(0.1, 0.3, (BATCH, BOXES, 2))], axis=2)
    return {"image": random.uniform(-1, 1, (BATCH, 3, SIZE, SIZE)).astype("float32"),
            "gt_bbox": boxes.astype("float32"),
            "gt_class": random.randint(0, CLASSES, (BATCH, BOXES)).astype("int32"),
            "gt_score": np.ones((BATCH, BOXES), "float32"), "im_size": np.full((BATCH, 2), SIZE, "int32")}


def detector(backbone):
    head = anchor_heads.YOLOv3Head(num_classes=CLASSES, anchors=ANCHORS, norm_decay=0.0, yolo_loss=losses.YOLOv3Loss(
        batch_size=BATCH, ignore_thresh=0.7, label_smooth=False))
    return architectures.YOLOv3(backbone, head)


def trained(found, made):
    """Losses and their parts of three steps; what an evaluation predicts of boxes and scores."""
    test = fluid.Program()
    with fluid.program_guard(test, fluid.Program()), fluid.unique_name.guard():
        feeds, _ = made.build_inputs([3, SIZE, SIZE], ["image", "im_size"], BOXES, use_dataloader=False)
        predicted = made.test(feeds, exclude_nms=True)
    test = test.clone(for_test=True)
    with fluid.unique_name.guard():
        feeds, _ = made.build_inputs([3, SIZE, SIZE], ["image", "gt_bbox", "gt_class", "gt_score"], BOXES,
                                     use_dataloader=False)
        parts = made.train(feeds)
        rate = fluid.layers.piecewise_decay([2], [1e-4, 1e-5])
        fluid.optimizer.Momentum(rate, 0.9, regularization=fluid.regularizer.L2Decay(5e-4)).minimize(parts["loss"])
    main = fluid.default_main_program()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    shared.same_values(main)

    def fed(step, program):
        return {name: value for name, value in batch(step).items() if program.global_block().has_var(name)}

    def evaluated():
        return [np.asarray(v).reshape(-1).tolist() for v in exe.run(test, feed=fed(9, test),
                                                                    fetch_list=list(predicted.values()))]

    found["predicted at first"] = evaluated()[0]
    names = sorted(parts)
    found["losses"] = [[float(np.asarray(v).sum()) for v in exe.run(main, feed=fed(step, main),
                                                                   fetch_list=[parts[n] for n in names])]
                       for step in range(3)]


def resnet(found):
    trained(found, detector(backbones.ResNet(depth=18, norm_type="bn", feature_maps=[3, 4, 5], freeze_at=0,
                                             freeze_norm=False)))


def mobilenet(found):
    trained(found, detector(backbones.MobileNet(norm_decay=0.0, conv_group_scale=1, conv_learning_rate=0.1,
                                                with_extra_blocks=False)))


shared.run(resnet=resnet, mobilenet=mobilenet)
