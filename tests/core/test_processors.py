"""How many processors a process may use: its control groups' share of time counts, of both versions."""

import os
import subprocess
import sys

import pytest
from proa.core import processors


def _tree(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "root").mkdir(exist_ok=True)
    return str(tmp_path / "root")


@pytest.mark.parametrize(("groups", "files", "share"), [
    ("0::/a/b\n", {"a/b/cpu.max": "150000 100000\n"}, 1.5),
    ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "50000 100000\n"}, 0.5),  # of what contains it
    ("0::/a/b\n", {"a/b/cpu.max": "400000 100000\n", "a/cpu.max": "200000 100000\n"}, 2.0),
    ("0::/not/shown/in/here\n", {"cpu.max": "300000 100000\n"}, 3.0),  # a container's own is the topmost
    ("0::/../../other\n", {"cpu.max": "300000 100000\n"}, 3.0),
    ("0::/\n", {}, None), ("0::/a\n", {"a/cpu.max": "max 100000\n"}, None),
    ("5:cpuset:/a\n3:cpu,cpuacct:/a\n", {"cpu,cpuacct/a/cpu.cfs_quota_us": "250000\n",
                                         "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n"}, 2.5),
    ("3:cpuacct,cpu:/a\n", {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, None),
    ("nothing of the kind\n", {"cpu.max": "1 1\n"}, None), ("0::/\n", {"cpu.max": "100000 0\n"}, None),
])
def test_share(groups, files, share, tmp_path):
    root = _tree(tmp_path, files)
    (tmp_path / "cgroup").write_text(groups)
    assert processors.share(str(tmp_path / "cgroup"), root) == share


def test_without_control_groups_there_is_no_limit(tmp_path):
    assert processors.share(str(tmp_path / "missing"), str(tmp_path)) is None


@pytest.mark.parametrize(("share", "bound", "usable"), [(None, 8, 8), (2.5, 8, 3), (0.1, 8, 1), (16.0, 8, 8)])
def test_the_least_counts(share, bound, usable, monkeypatch):
    monkeypatch.setattr(processors, "share", lambda: share)
    monkeypatch.setattr(processors, "bound", lambda: bound)
    assert processors.usable.__wrapped__() == usable


def test_libraries_start_no_more_threads_than_that():
    program = """
import os
from proa.core import processors
processors.bound, processors.share = lambda: 4, lambda: 1.0
import proa as paddle
from proa.backend import blas, threads
before = dict(os.environ)
(paddle.ones([64, 64]) @ paddle.ones([64, 64]))
assert paddle.get_num_threads() == 1
assert blas.get_num_threads() in (None, 1), blas.get_num_threads()
runtime = threads.openmp()
assert runtime is None or runtime.omp_get_max_threads() == 1, runtime.omp_get_max_threads()
assert dict(os.environ) == before
"""
    kept = {key: value for key, value in os.environ.items() if key not in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=kept)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("vendor, family, halves", [("AuthenticAMD", 25, True), ("AuthenticAMD", 26, False),
                                                    ("GenuineIntel", 6, False)])
def test_processors_that_take_two_turns_for_a_wide_vector(vendor, family, halves, tmp_path):
    described = tmp_path / "cpuinfo"
    one = f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel name\t: some: name\n"
    described.write_text(f"{one}\n{one}")
    assert processors.halves_wide_vectors(str(described)) is halves
    assert processors.has_whole_wide_vectors(str(described)) is (family == 26)
    assert processors.halves_wide_vectors(str(tmp_path / "nothing")) is False
