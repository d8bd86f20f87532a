"""Folders that something has damaged at random: either all values are the snapshot's, or none has changed."""

import os
import random
import shutil

import numpy as np
import proa.oneflow as flow
import pytest
from proa.oneflow.job import session_guard
from proa.oneflow.snapshot.layout import meta_text

SHAPES = {"a": (3,), "b": (2, 2), "c": (), "System-Train-TrainStep-job": (1,)}


def job_of(number):
    @flow.global_function()
    def job():
        return [flow.get_variable(name, shape, flow.float32, lambda shape, dtype: np.full(shape, number))
                for name, shape in SHAPES.items()][0]

    return job


def values():
    return {name: value.numpy().tolist() for name, value in flow.get_all_variables().items()}


def remove(path):
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def damage(folder, draw):
    """One thing that may befall a folder; its kind."""
    name = draw.choice(list(SHAPES))
    own, out = folder / name, folder / name / "out"
    kind = draw.choice(["cut", "grow", "gone", "no folder", "folder", "link", "loop", "pipe", "device", "file", "meta",
                        "noise", "mark", "more", "empty"])
    if kind not in ("mark", "more") and not out.is_file():
        return "none"
    if kind in ("cut", "grow", "empty"):
        size = out.stat().st_size
        os.truncate(out, {"cut": draw.randrange(size), "grow": size + draw.randrange(1, 99), "empty": 0}[kind])
    elif kind == "gone":
        out.unlink()
    elif kind in ("folder", "link", "loop", "pipe", "device"):
        out.unlink()
        {"folder": out.mkdir, "link": lambda: out.symlink_to("nothing"), "loop": lambda: out.symlink_to("out"),
         "pipe": lambda: os.mkfifo(out), "device": lambda: out.symlink_to("/dev/zero")}[kind]()
    elif kind in ("no folder", "file"):
        remove(own)
        if kind == "file":
            own.write_bytes(b"1234")
    elif kind == "meta":
        shape = draw.choice([(2, 2), (3,), (), (1,), (9,)])
        dtype = draw.choice([flow.float32, flow.int32, flow.float64])
        (own / "meta").write_text(meta_text(shape, dtype))
    elif kind == "noise":
        (own / "meta").write_bytes(draw.randbytes(20))
    elif kind == "mark":
        shutil.rmtree(folder / "snapshot_done", ignore_errors=True)
    else:
        (folder / f"more{draw.randrange(99)}").mkdir(exist_ok=True)
    return kind


@pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links")
@pytest.mark.filterwarnings("ignore:.*there is no 'snapshot_done'")
def test_damaged_at_random(tmp_path, capsys):
    draw = random.Random(0)
    whole, folder = tmp_path / "whole", tmp_path / "models"
    with session_guard():
        job_of(7)
        flow.train.CheckPoint().save(whole)
        saved = values()
    loaded = refused = 0
    with session_guard():
        job_of(1)
        flow.train.CheckPoint().init()
        for _ in range(150):
            shutil.copytree(whole, folder)
            kinds = [damage(folder, draw) for _ in range(draw.randrange(1, 3))]
            flow.load_variables({name: np.full(shape, 3, "float32") for name, shape in SHAPES.items()})
            before = values()
            try:
                flow.train.CheckPoint().load(folder)
            except (OSError, ValueError) as error:
                assert str(folder) in str(error), (kinds, error)
                assert values() == before, kinds
                assert capsys.readouterr().out == ""
                refused += 1
            else:
                told = capsys.readouterr().out.splitlines()
                missing = {name for name in SHAPES if any(f"/{name}/out." in line for line in told)}
                assert len(missing) == len(told)
                fresh = {name: np.full(shape, 1.0).tolist() for name, shape in SHAPES.items()}
                assert values() == {name: fresh[name] if name in missing else saved[name] for name in SHAPES}, kinds
                loaded += 1
            remove(folder)
    assert loaded > 20 and refused > 50
