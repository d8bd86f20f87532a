"""Writes readers.json, what PaddlePaddle 1.8.5 gives for `reader_cases.py`. Run with its Python 3.7."""

import bz2  # noqa: F401 - paddle fails where the first import of these is its own
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import sys
import zlib  # noqa: F401
from pathlib import Path

import paddle
import paddle.fluid as fluid

here = Path(__file__).parent
sys.path.insert(0, str(here))
import reader_cases  # noqa: E402

folder = here.parents[1] / "fixtures" / "fluid"
folder.mkdir(exist_ok=True)
(folder / "readers.json").write_text(json.dumps(reader_cases.results(fluid, paddle)) + "\n")
