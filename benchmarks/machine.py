"""What a table says of the machine, the day and the command."""

import datetime
import os
import platform
import shlex
import subprocess
import sys

DEFAULTS = {"frameworks": ["proa", "paddle", "torch"], "threads": 2}


def processor():
    """The processor's name and the number of cores that this process may use."""
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores"


def accelerator():
    """A sentence on the CUDA device, by what NVIDIA's tool says of it; without one, that there is none."""
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], text=True,
                               capture_output=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        return "There is no CUDA device here."
    name, driver = found.split(", ")
    return f"On one {name}, driver {driver}; times end when the device is done, and memory is the device's."


def load():
    """The load average of the last minute, or None where the system has none. Above one half it is told."""
    if not hasattr(os, "getloadavg"):
        return None
    value = os.getloadavg()[0]
    if value > 0.5:
        print(f"The machine is busy: its load is {value:.1f}. Times will be longer.", file=sys.stderr)
    return value


def command(section, options):
    """The command line that measures this section again, without what says where to write."""
    words = ["python", "-m", "benchmarks", section]
    words += ["--quick"] if options.quick else []
    for name in ("only", "frameworks", "modes", "size", "threads", "rounds", "seconds", "patience"):
        value = getattr(options, name)
        if value and value != DEFAULTS.get(name):
            pairs = [f"{key}={number}" for key, number in value.items()] if isinstance(value, dict) else value
            words += [f"--{name}", *(map(str, pairs) if isinstance(pairs, list) else [str(pairs)])]
    return shlex.join(words)


def heading(section, versions, options):
    """A paragraph for above a table: command, date, machine, versions."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    before = "" if options.load is None else f", load {options.load:.1f} before"
    return (f"`{command(section, options)}`, {datetime.date.today()}, {processor()}, {platform.system()}, "
            f"{options.threads} threads{before}; {named}.")
