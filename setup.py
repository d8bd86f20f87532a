"""What pyproject.toml and setup.cfg cannot say of an installation: an editable one that type checkers see.

The repository's root is the package, whatever the folder is called, so an editable install leads Python to it by code
that runs, and checkers run none. They find it as the package of stubs `proa-stubs` (PEP 561): a link to the root, in a
folder that the install adds to what they search. Python itself takes nothing from there.
"""

import base64
import glob
import hashlib
import os
import zipfile

from setuptools import Extension, setup
from setuptools.command.editable_wheel import editable_wheel

ROOT = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(ROOT, ".editable")
PATHS = "__editable___proa_stubs.pth"


class EditableWheel(editable_wheel):
    """An editable install with the package of stubs beside it."""

    def run(self) -> None:
        """Makes the link and the wheel, and adds the line that leads to the link."""
        super().run()
        if not _linked(os.path.join(FOLDER, "proa-stubs")):
            self.warn("links cannot be made here: type checkers will not see this editable install")
            return
        for wheel in glob.glob(os.path.join(glob.escape(self.dist_dir), "proa-*.whl")):
            _add(wheel, PATHS, f"{FOLDER}\n".encode())


def _linked(path: str) -> bool:
    """Whether there is a link to the root at the path, made if it is not there yet."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        if not os.path.lexists(path):
            os.symlink(os.pardir, path, target_is_directory=True)
    except OSError:
        return False
    return True


def _add(wheel: str, name: str, content: bytes) -> None:
    """Adds a file to a wheel, and its line to the wheel's record."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(wheel) as old:
        entries = [(entry, old.read(entry)) for entry in old.infolist()]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
        for entry, kept in entries:
            if entry.filename.endswith(".dist-info/RECORD"):
                kept = f"{name},sha256={digest},{len(content)}\n".encode() + kept
            new.writestr(entry, kept)
        new.writestr(name, content)


# Built where there is a compiler; PROA_NATIVE=0 asks for an installation without it.
DISPATCH = Extension("proa.ops.core._dispatch", ["ops/core/_dispatch.c"], optional=True,
                     extra_compile_args=[] if os.name == "nt" else ["-O2", "-g0"])


if __name__ == "__main__":
    setup(script_name="setup.py",  # so that it is known, and is no module of the package, in whose root it lies
          cmdclass={"editable_wheel": EditableWheel},
          ext_modules=[] if os.environ.get("PROA_NATIVE") == "0" else [DISPATCH])
