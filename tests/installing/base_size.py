"""Whether an installation of the base keeps to 90 MB as it stands, or once what nothing needs is given back: CI asks it
of the one that it made of the wheel, with that installation's Python.
"""

import sys

from proa.bundling import space

_MOST = 90e6

if __name__ == "__main__":
    names = space.distributions()
    whole = sum(map(space.size, names))
    compiled = sum(way.bytes for way in space.ways() if "--no-compile" in way.command)
    given_back = sum(one.bytes for name in names for one in space.savings(name))
    print(f"{', '.join(names)}: {whole / 1e6:.1f} MB, {compiled / 1e6:.1f} of it bytecode; "
          f"{(whole - given_back) / 1e6:.1f} after `proa sizes --free`")
    sys.exit(not (whole - given_back < _MOST and whole - compiled < _MOST))
