"""Writes oracle_numbers.json: what PaddlePaddle 2.6.2 draws after `paddle.seed`, on a CPU.

Run with the interpreter of an environment that holds it: python tests/random_numbers/make_oracle_numbers.py
"""

import bz2  # noqa: F401 - before paddle, which breaks their later loading
import gzip  # noqa: F401
import hashlib
import json
import lzma  # noqa: F401
import pathlib
import sys
import zlib  # noqa: F401

import paddle

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sequences import CLOSE, SEEDS, SEQUENCES, arrays_of, drawn


def main():
    """Of the first seed everything is kept, of the others a digest of all."""
    found = {}
    for name in SEQUENCES:
        found[name] = {str(seed): drawn(paddle, name, seed) for seed in SEEDS}
        for seed in SEEDS[1:]:
            found[name][str(seed)] = hashlib.sha256(repr(found[name][str(seed)]).encode()).hexdigest()
    for name in CLOSE:
        found[name] = [[array.dtype.name, array.tolist()] for array in arrays_of(paddle, name, SEEDS[0])]
    path = pathlib.Path(__file__).with_name("oracle_numbers.json")
    path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
