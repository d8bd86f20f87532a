"""What a PyInstaller bundle of a program that imports proa takes along.

Every module, for public names are loaded when they are first touched and no analysis of imports sees them; the modules'
sources too, in which those names are listed and from which `to_static` and generated loops are made; llvmlite and
oneDNN where they are installed, oneDNN in the one folder where it is looked for first.
"""

import os

from PyInstaller.utils.hooks import can_import_module, collect_data_files, collect_submodules, copy_metadata

OPTIONAL = ("llvmlite", "llvmlite.binding", "ml_dtypes", "google.protobuf", "gast")

module_collection_mode = "pyz+py"
hiddenimports = [*collect_submodules("proa", filter=lambda name: not name.startswith("proa.bundling")),
                 *filter(can_import_module, OPTIONAL)]
datas = [*collect_data_files("proa", includes=["**/*.proto"]), *copy_metadata("proa")]
binaries = []

if can_import_module("proa.backend.onednn.finding"):
    from proa.backend.onednn import finding

    found = next(filter(os.path.isfile, finding.candidates(3)), None)
    if found is not None:
        binaries.append((found, "lib"))
