"""What is wrong is said by name, with what was declared and what was received."""

import numpy as np
import proa.fluid as fluid
import pytest

layers = fluid.layers
FLOAT = "float32"


def data(name, shape, dtype=FLOAT, **options):
    return layers.data(name, shape, dtype=dtype, **options)


def sequences(array, lengths):
    return fluid.create_lod_tensor(np.array(array), [lengths], fluid.CPUPlace())


@pytest.fixture(autouse=True)
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        yield


BUILDING = {
    "fc of integers": (lambda: layers.fc(data("x", [4], "int64"), 3), TypeError,
                       r"fc\(input\): must hold floats. Received int64"),
    "conv2d of integers": (lambda: layers.conv2d(data("x", [3, 8, 8], "int64"), 2, 3), TypeError,
                           r"conv2d\(input\): must hold floats. Received int64"),
    "labels of floats": (lambda: layers.cross_entropy(layers.softmax(data("x", [4])), data("y", [1])), TypeError,
                         r"cross_entropy\(label\): must hold integers. Received float32"),
    "labels of logits": (lambda: layers.softmax_with_cross_entropy(data("x", [4]), data("y", [1])), TypeError,
                         r"softmax_with_cross_entropy\(label\): must hold integers"),
    "accuracy of floats": (lambda: layers.accuracy(data("x", [3]), data("y", [1])), TypeError,
                           r"accuracy\(label\): must hold integers"),
    "an activation": (lambda: layers.fc(data("x", [4]), 3, act="rellu"), ValueError,
                      r"fc\(act\): must be the type of an operator.* There is none called 'rellu'"),
    "no channels": (lambda: layers.batch_norm(fluid.data("x", [4])), ValueError,
                    r"batch_norm\(input\): must have two dimensions at least.*Received shape \[4\]"),
    "an array": (lambda: layers.fc(np.ones((2, 4), FLOAT), 3), TypeError,
                 r"fc\(input\): must be a Variable.* Received ndarray"),
    "the mean of integers": (lambda: layers.mean(data("x", [4], "int64")), TypeError,
                             r"mean\(x\): must hold floats. Received int64"),
    "a share": (lambda: layers.dropout(data("x", [4]), 1.5), ValueError,
                r"dropout\(dropout_prob\): must lie in \[0, 1\]. Received 1.5"),
}

IMAGES = [3, 8, 8]
OTHER_VALUES = [  # of arguments that have few: PaddlePaddle 1.8.5 raises errors, too
    ("conv2d", "data_format", "NCWH", lambda **bad: layers.conv2d(data("x", IMAGES), 2, 3, **bad)),
    ("conv3d", "data_format", "NCHW", lambda **bad: layers.conv3d(data("x", [3, 8, 8, 8]), 2, 3, **bad)),
    ("conv2d_transpose", "data_format", "CHW",
     lambda **bad: layers.conv2d_transpose(data("x", IMAGES), 2, filter_size=3, **bad)),
    ("pool2d", "data_format", "NCWH", lambda **bad: layers.pool2d(data("x", IMAGES), 3, **bad)),
    ("pad2d", "data_format", "NHCW", lambda **bad: layers.pad2d(data("x", IMAGES), **bad)),
    ("lrn", "data_format", "NCWH", lambda **bad: layers.lrn(data("x", IMAGES), **bad)),
    ("lrn", "n", 2, lambda **bad: layers.lrn(data("x", IMAGES), **bad)),
    ("affine_channel", "data_layout", "x", lambda **bad: layers.affine_channel(data("x", IMAGES), **bad)),
    ("image_resize", "data_format", "NCWH", lambda **bad: layers.image_resize(data("x", IMAGES), [4, 5], **bad)),
    ("image_resize", "align_mode", 2, lambda **bad: layers.image_resize(data("x", IMAGES), [4, 5], **bad)),
    ("dropout", "dropout_implementation", "x", lambda **bad: layers.dropout(data("x", [4]), 0.5, **bad)),
    ("kldiv_loss", "reduction", "x", lambda **bad: layers.kldiv_loss(data("x", [4]), data("y", [4]), **bad)),
    ("label_smooth", "epsilon", 1.5, lambda **bad: layers.label_smooth(data("x", [4]), **bad)),
    ("shard_index", "shard_id", 2, lambda **bad: layers.shard_index(data("x", [1], "int64"), 20, 2, **bad)),
    ("box_coder", "code_type", "x", lambda **bad: layers.box_coder(data("x", [4]), [0.1] * 4, data("y", [4]), **bad)),
    ("box_coder", "axis", 2, lambda **bad: layers.box_coder(data("x", [4]), [0.1] * 4, data("y", [4]), **bad)),
]


@pytest.mark.parametrize(("layer", "argument", "value", "build"), OTHER_VALUES,
                         ids=[f"{layer}-{argument}" for layer, argument, *_ in OTHER_VALUES])
def test_other_values(layer, argument, value, build):
    with pytest.raises(ValueError, match=rf"{layer}\({argument}\): must .*Received {value!r}"):
        build(**{argument: value})


@pytest.mark.parametrize("name", BUILDING)
def test_building(name):
    build, kind, words = BUILDING[name]
    with pytest.raises(kind, match=words):
        build()


FEEDING = {
    "a last size": (lambda: layers.fc(data("x", [4]), 3), np.ones((2, 5), FLOAT), ValueError,
                    r"'x' takes shape \[-1, 4\] \(-1: any size\), and received \[2, 5\], which an operator does not"),
    "channels": (lambda: layers.conv2d(data("x", [3, 8, 8]), 2, 3), np.ones((2, 4, 8, 8), FLOAT), ValueError,
                 r"'x' takes shape \[-1, 3, 8, 8\] .* and received \[2, 4, 8, 8\].*3 channels"),
    "lists of several lengths": (lambda: layers.fc(data("x", [4]), 3), [[1, 2], [3]], ValueError,
                                 r"'x' takes numbers of shape \[-1, 4\].*differ in length: pad them, or feed seq"),
    "a text": (lambda: layers.fc(data("x", [4]), 3), "abc", TypeError, r"'x' takes numbers .* Received str"),
    "nothing": (lambda: layers.fc(data("x", [4]), 3), None, TypeError, r"'x' takes numbers .* Received None"),
    "a kind of number": (lambda: layers.embedding(data("x", [1], "int64"), [5, 3]), np.ones((2, 1), FLOAT), TypeError,
                         r"'x' takes dtype int64. Received dtype float32"),
}


@pytest.mark.parametrize("name", FEEDING)
def test_feeding(name):
    build, value, kind, words = FEEDING[name]
    made, exe = build(), fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    with pytest.raises(kind, match=words):
        exe.run(feed={"x": value}, fetch_list=[made])


def test_tags_for_other_rows():
    made = layers.linear_chain_crf(data("x", [5], lod_level=1), data("y", [1], "int64", lod_level=1))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    rows, tags = sequences(np.ones((4, 5), FLOAT), [2, 2]), sequences(np.ones((3, 1), "int64"), [1, 2])
    with pytest.raises(ValueError, match=r"a tag for each of the 4 rows of the emission. Received 3"):
        exe.run(feed={"x": rows, "y": tags}, fetch_list=[made])
