"""What pyproject.toml and setup.cfg cannot say of an installation: an editable one that type checkers see.

The repository's root is the package, whatever the folder is called, so an editable install leads Python to it by code
that runs, and checkers run none. They find it as the package of stubs `proa-stubs` (PEP 561): a folder of links to
the root's modules and packages, in one that the install adds to what they search. Python itself takes nothing from
there; a package that is new in the root is seen after installing again.
"""

import base64
import glob
import hashlib
import os
import shutil
import zipfile

from setuptools import Extension, setup
from setuptools.command.editable_wheel import editable_wheel

ROOT = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(ROOT, ".editable")
PATHS = "__editable___proa_stubs.pth"
BESIDE = ("tests", "benchmarks", "docs", "examples", "build")  # folders of the root that are not packaged


class EditableWheel(editable_wheel):
    """An editable install with the package of stubs beside it."""

    def run(self) -> None:
        """Makes the links and the wheel, and adds the line that leads to them."""
        super().run()
        if not _linked(os.path.join(FOLDER, "proa-stubs")):
            self.warn("links cannot be made here: type checkers will not see this editable install")
            return
        for wheel in glob.glob(os.path.join(glob.escape(self.dist_dir), "proa-*.whl")):
            _add(wheel, PATHS, f"{FOLDER}\n".encode())


def _linked(folder: str) -> bool:
    """Whether the folder holds a link to each module and package of the root, made anew.

    A link to the root itself would be one from within it: whoever copies the root with what links lead to, as
    `shutil.copytree` does, would never come to an end.
    """
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        for name in filter(_is_packaged, sorted(os.listdir(ROOT))):
            place = os.path.join(os.path.relpath(ROOT, folder), name)
            os.symlink(place, os.path.join(folder, name), target_is_directory="." not in name)
    except OSError:
        return False
    return True


def _is_packaged(name: str) -> bool:
    return name.endswith((".py", ".pyi", ".typed")) and name != "setup.py" or name not in BESIDE and os.path.isfile(
        os.path.join(ROOT, name, "__init__.py"))


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
DISPATCH = Extension(
    "proa.ops.core._dispatch", [f"ops/core/{name}.c" for name in (
        "_dispatch", "_apply", "_recording", "_number_protocol", "_attributes", "_walk",
        "_forms", "_elementwise", "_broadcast", "_reductions", "_shapes", "_making", "_network", "_gates", "_sorting",
        "_parts", "_passes", "_along", "_layers", "_loops", "_routine", "_rules", "_products", "_softmax", "_attention",
        "_attention_panels", "_attention_gradient", "_steps", "_panels", "_panel_blocks", "_by_channel", "_packing",
        "_packed", "_turning", "_filter_gradient", "_filter_tiles", "_tiles", "_tile_turns", "_turned_product",
        "_row_products", "_shared_products", "_quiet", "_pooling", "_pool_gradient", "_channel_gate", "_messages",
        "_team")],
    depends=[f"ops/core/{name}.h" for name in (
        "_native", "_dispatch", "_vectors", "_broadcast", "_softmax_vectors", "_panels", "_panel_blocks", "_packing",
        "_attention", "_step_rules", "_team", "_turned_product", "_turning", "_filter_sums", "_tile_turns", "_blas")],
    optional=True,
    libraries=[] if os.name == "nt" else ["m"],
    extra_compile_args=[] if os.name == "nt" else ["-O2", "-g0", "-ffp-contract=off", "-fno-math-errno"])


if __name__ == "__main__":
    setup(script_name="setup.py",  # so that it is known, and is no module of the package, in whose root it lies
          cmdclass={"editable_wheel": EditableWheel},
          ext_modules=[] if os.environ.get("PROA_NATIVE") == "0" else [DISPATCH])
