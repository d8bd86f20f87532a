"""What a PyInstaller bundle of a program that imports proa takes along.

Every module, for public names are loaded when they are first touched and no analysis of imports sees them; the modules'
sources too, in which those names are listed and from which `to_static` and generated loops are made; llvmlite and
oneDNN where they are installed, oneDNN in the one folder where it is looked for first.
"""

import os
from importlib.metadata import PackageNotFoundError, distribution

from proa.backend.onednn import finding, library
from PyInstaller.utils.hooks import can_import_module, collect_data_files, collect_submodules, copy_metadata

MODULES = ("llvmlite", "llvmlite.binding", "ml_dtypes", "google.protobuf", "gast")
DISTRIBUTIONS = ("proa", "protobuf", "gast", "ml_dtypes", "llvmlite")  # of which `proa info` says the version


def _is_installed(name):
    try:
        return distribution(name) is not None
    except PackageNotFoundError:
        return False


module_collection_mode = "pyz+py"
hiddenimports = [*collect_submodules("proa", filter=lambda name: not name.startswith("proa.bundling")),
                 *filter(can_import_module, MODULES)]
datas = collect_data_files("proa", includes=["**/*.proto", "**/declared_in.txt"])
for name in filter(_is_installed, DISTRIBUTIONS):
    datas += copy_metadata(name)
binaries = [(path, "lib") for path in finding.candidates(library.MAJOR)[:1] if os.path.isfile(path)]
