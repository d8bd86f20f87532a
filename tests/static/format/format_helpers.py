"""What the tests of file formats share: fixtures, damage, and the real PaddlePaddle when there is one."""

import os
import random
import subprocess
from pathlib import Path

import pytest
from proa.core.files import CorruptFileError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "files"
ORACLE = os.environ.get("PROA_ORACLE_PYTHON")
needs_oracle = pytest.mark.skipif(not ORACLE, reason="PROA_ORACLE_PYTHON names no Python with PaddlePaddle")


def damaged(data, count, seed):
    """Copies of the bytes with one to three bits or bytes changed."""
    source = random.Random(seed)
    for _ in range(count):
        copy = bytearray(data)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(copy))
            copy[at] = source.choice((copy[at] ^ 1 << source.randrange(8), source.randrange(256), 0xFF, 0x00))
        yield bytes(copy)


def value_or_refusal(read, data, *refusals):
    """Calls read(data); what it raises must be CorruptFileError or one of the refusals."""
    try:
        return read(data)
    except (CorruptFileError, *refusals) as error:
        assert str(error)
        return error


def ask_oracle(code, *args):
    """What a program prints under PaddlePaddle."""
    done = subprocess.run([ORACLE, "-W", "ignore", "-c", "import zlib\n" + code, *map(str, args)], capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
