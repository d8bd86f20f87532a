"""Runs packages written for Paddle under Paddle and under proa, and prints how far their results are apart.

    python tests/crossing/packages/compare.py --oracle PYTHON [--packages FOLDER] [--work FOLDER] [NAME ...]

PYTHON has PaddlePaddle 2.6.2, NumPy 1.26, protobuf 3.20 and safetensors 0.4.5; this interpreter has proa. FOLDER has
what requirements.txt lists, for both. NAME is a file beside this one: language, diffusion, sde, science, segmentation,
losses, perception, arrays; all of them by default. Each is a script for Paddle that `python -m proa run` runs
unchanged.

    python tests/crossing/packages/compare.py --oracle PYTHON --fluid [--packages FOLDER --theirs FOLDER] [NAME ...]

compares packages of the 1.x era (fluid_reinforcement, fluid_language, fluid_detection) with PaddlePaddle 1.8.5, which
PYTHON has. Python 3.7 and this one need other wheels: each has a folder with what requirements_fluid.txt lists,
`--theirs` PYTHON's.

A line of the table is a case of a script: the largest difference between two numbers of a result, and between two
results relative to the largest number in them, with the result that it is found in.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PACKAGES = {"language": ["paddlenlp"], "diffusion": ["ppdiffusers"], "sde": ["paddlesde"], "science": ["paddlesci"],
            "segmentation": ["paddleseg"], "losses": ["paddleseg", "paddledet"],
            "perception": ["paddle-lpips", "ppim", "patta", "rwkv-paddle"],
            "arrays": ["einops", "safetensors", "deepxde", "paddle-msssim"]}


FLUID = {"fluid_reinforcement": ["parl"], "fluid_language": ["paddlepalm"], "fluid_detection": ["ppdet_notebook"]}


def ran(command, folder, packages=None):
    """Runs a script; what it says is shown where it fails."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH"), packages]))
    environment = {**os.environ, "PYTHONPATH": path, "FLAGS_sdpa_select_math": "1"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{ended.stderr[-4000:]}")


def apart(one, other):
    """The largest difference, and relative to the largest number; None for other shapes."""
    one, other = np.asarray(one, "float64"), np.asarray(other, "float64")
    if one.shape != other.shape:
        return None
    if not one.size:
        return 0.0, 0.0
    difference = float(np.abs(one - other).max())
    return difference, difference / max(float(np.abs(one).max()), 1e-30) if difference else 0.0


def rows(theirs, ours):
    """A line for each case."""
    for name, there in theirs.items():
        here = ours[name]
        if "error" in there or "error" in here:
            side = "PaddlePaddle" if "error" in there else "proa"
            error = (there if "error" in there else here)["error"].strip().splitlines()[-1]
            yield f"| {name} | {side} raises {error[:200]} | | |"
            continue
        found = {key: apart(value, here[key]) for key, value in there.items()}
        other = [key for key, value in found.items() if value is None]
        if other:
            yield f"| {name} | other shapes: {', '.join(other)} | | |"
            continue
        worst = max(found, key=lambda key: found[key][1])
        yield (f"| {name} | {', '.join(there)} | {max(value[0] for value in found.values()):.1e} "
               f"| {found[worst][1]:.1e} ({worst}) |")


def versions(names):
    """Names with their versions, where they are known here."""
    for name in names:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True, help="a Python with PaddlePaddle 2.6.2")
    parser.add_argument("--packages", help="a folder with the packages")
    parser.add_argument("--work", help="a folder for weights and results; a temporary one by default")
    parser.add_argument("--fluid", action="store_true", help="compare packages of the 1.x era with PaddlePaddle 1.8.5")
    parser.add_argument("--theirs", help="with --fluid: a folder with the packages for the oracle's Python")
    parser.add_argument("names", nargs="*", help="the scripts to run")
    options = parser.parse_args()
    packages = FLUID if options.fluid else PACKAGES
    if options.packages:
        sys.path.append(options.packages)
    for name in options.names or packages:
        folder = Path(options.work or tempfile.mkdtemp()) / name
        folder.mkdir(parents=True, exist_ok=True)
        script = str(HERE / f"{name}.py")
        if options.fluid:
            ran([options.oracle, script, folder, "theirs"], folder, options.theirs)
            ran([sys.executable, "-m", "proa", "run", "--api", "1.8", script, folder, "ours"], folder, options.packages)
            shown(folder, packages[name])
            continue
        if options.packages:  # behind what each Python has of its own
            line = f"import sys\n\nsys.path.append({str(Path(options.packages).resolve())!r})\n"
            (folder / "sitecustomize.py").write_text(line)
        ran([options.oracle, script, folder, "theirs"], folder)
        ran([sys.executable, "-m", "proa", "run", script, folder, "ours"], folder)
        shown(folder, packages[name])


def shown(folder, names):
    """Prints the table of a script."""
    theirs, ours = (json.loads((folder / f"{side}.json").read_text()) for side in ("theirs", "ours"))
    print(f"\n{', '.join(versions(names))}\n")
    print("| case | results | difference | relative (where) |\n|---|---|--:|--:|")
    print("\n".join(rows(theirs, ours)), flush=True)


if __name__ == "__main__":
    main()
