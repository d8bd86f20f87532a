"""Servers' state on the disk: resumed on any number of servers, whole or not there, and nothing but numbers."""

import os
from contextlib import ExitStack

import numpy as np
import pytest

pytest.importorskip("grpc")

from proa.core.files import CorruptFileError
from proa.distributed.ps import Block, Checkpoints, Client, RefusedError, RowRule, Server, SparseTable
from serving import OPTIONS, Serving, descent

ROWS = 10


def parts_of(servers):
    """Which rows of w each server has."""
    return np.array_split(np.arange(ROWS), servers)


class Job:
    """Servers that hold w [10, 3] in blocks, a scalar and a table, and one trainer."""

    def __init__(self, folder, servers, mode="sync", **options):
        self.stack, self.serving = ExitStack(), []
        for index, rows in enumerate(parts_of(servers)):
            name = f"w.block{index}"
            variables = {name: np.zeros([len(rows), 3], "float32"), "power": np.array([0.5], "float32")}
            blocks = {name: Block("w", int(rows[0])), "power": Block("power")}
            table = SparseTable(2, rule=RowRule("adam", 0.1), seed=3)
            served = Serving(1, mode, variables, {f"{name}@GRAD": descent(variables, name)}, {"t": table},
                             checkpoints=Checkpoints(folder, index, servers, blocks, **options), restored=True)
            self.serving.append(self.stack.enter_context(served))
        self.endpoints = [served.endpoint for served in self.serving]
        self.client = Client(0, OPTIONS)

    def step(self, seed):
        generator = np.random.default_rng(seed)
        gradient, ids = generator.standard_normal([ROWS, 3]).astype("float32"), generator.integers(0, 100, 8)
        rows = generator.standard_normal([8, 2]).astype("float32")
        for index, own in enumerate(parts_of(len(self.endpoints))):
            self.client.send(self.endpoints[index], f"w.block{index}@GRAD", gradient[own])
        self.client.push_rows(self.endpoints, "t", ids, rows)
        self.client.send_barrier(self.endpoints)

    def values(self):
        dense = [self.client.receive(endpoint, f"w.block{index}") for index, endpoint in enumerate(self.endpoints)]
        return np.concatenate(dense), self.client.look_up(self.endpoints, "t", np.arange(100))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        self.stack.close()


@pytest.mark.parametrize("before, after", [(1, 1), (2, 3), (3, 2), (4, 1)])
def test_training_goes_on_with_another_number_of_servers(tmp_path, before, after):
    with Job(tmp_path / "none", 1) as job:
        for seed in range(4):
            job.step(seed)
        expected = job.values()
    with Job(tmp_path / "saved", before) as job:
        job.step(0)
        job.step(1)
        assert job.client.save(job.endpoints) == 2
        job.step(7)  # is lost
    with Job(tmp_path / "saved", after) as job:
        assert [served.restored for served in job.serving] == [2] * after
        job.step(2)
        job.step(3)
        for one, other in zip(expected, job.values(), strict=True):
            np.testing.assert_array_equal(one, other)
        assert job.client.receive(job.endpoints[0], "power").tolist() == [0.5]


def test_checkpoints_of_themselves_and_how_many_stay(tmp_path):
    with Job(tmp_path, 2, every=2, keep=2) as job:
        for seed in range(9):
            job.step(seed)
    # One that another server had not written yet when this one looked does not count.
    assert {6, 8} <= set(map(int, os.listdir(tmp_path))) <= {4, 6, 8}
    assert sorted(os.listdir(tmp_path / "8")) == ["part-0-of-2", "part-1-of-2"]


def test_a_value_is_used_once_though_its_server_is_killed_before_it_answers(tmp_path):
    """What the checkpoint holds that a value made due, its trainer may send again to who begins with that."""
    with Job(tmp_path, 1, "async", every=1) as job:
        for send in (lambda: job.client.send(job.endpoints[0], "w.block0@GRAD", np.ones([ROWS, 3], "float32")),
                     lambda: job.client.push_rows(job.endpoints, "t", np.arange(3), np.ones([3, 2], "float32"))):
            send().result()
            variables = {"w.block0": np.zeros([ROWS, 3], "float32"), "power": np.zeros(1, "float32")}
            blocks = {"w.block0": Block("w"), "power": Block("power")}
            again = Server("127.0.0.1:0", 1, "async", variables, {},
                           {"t": SparseTable(2, rule=RowRule("adam", 0.1), seed=3)},
                           checkpoints=Checkpoints(tmp_path, 0, 1, blocks))
            assert again.restore(alone=True) and variables["w.block0"].any()
            [trainer] = again._state.trainers
            assert trainer.process == job.client._process and trainer.known(job.client._sequence).done()


def test_folders_that_trainers_name_lie_inside(tmp_path):
    with Job(tmp_path / "all", 1, "async") as job:
        number = job.client.save(job.endpoints, "mine")
        assert (tmp_path / "all" / "mine" / str(number) / "part-0-of-1" / "part.json").exists()
        for folder in ("..", "/tmp", "../other"):
            with pytest.raises(RefusedError, match="and below"):
                job.client.save(job.endpoints, folder)
    with Serving(1, "async", {}) as serving:
        client = Client(0, OPTIONS)
        with pytest.raises(RefusedError, match="no folder for checkpoints"):
            client.save([serving.endpoint])
        client.close()


@pytest.mark.parametrize("call", ["rename", "fsync"])
def test_a_part_is_there_whole_or_not_at_all(tmp_path, monkeypatch, call):
    with Job(tmp_path, 1) as job:
        job.step(0)
        job.client.save(job.endpoints)
        expected = job.values()
        job.step(1)
        with monkeypatch.context() as patched:
            def fail(*_):
                raise OSError(28, "No space left on device")

            patched.setattr(os, call, fail)
            with pytest.raises(RefusedError, match="could not save: .*No space left"):
                job.client.save(job.endpoints)
    with Job(tmp_path, 1) as job:
        assert job.serving[0].restored == 1
        for one, other in zip(expected, job.values(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_an_incomplete_checkpoint_is_passed_over(tmp_path):
    with Job(tmp_path, 2) as job:
        job.step(0)
        job.client.save(job.endpoints)
        job.step(1)
        job.client.save(job.endpoints[:1])
    with Job(tmp_path, 1) as job:
        assert job.serving[0].restored == 1


@pytest.mark.parametrize("change", ["cut", "flip", "json", "other"])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, change):
    with Job(tmp_path, 1) as job:
        job.step(0)
        job.client.save(job.endpoints)
    path = tmp_path / "1" / "part-0-of-1" / ("0.bin" if change in ("cut", "flip") else "part.json")
    data = bytearray(path.read_bytes())
    if change == "flip":
        data[5] ^= 4
    path.write_bytes({"cut": data[:-1], "flip": data, "json": b"{", "other": b'{"format": 1}'}[change])
    with pytest.raises(CorruptFileError, match="part-0-of-1/|1: "):
        Job(tmp_path, 1)


def test_what_a_checkpoint_lacks_is_said(tmp_path):
    with Job(tmp_path, 1) as job:
        job.client.save(job.endpoints, number=5)
    server = Server("127.0.0.1:0", 1, "sync", {"v": np.zeros([2], "float32")}, checkpoints=Checkpoints(tmp_path))
    with pytest.raises(ValueError, match="lacks 'v', the rows 0 to 1 of 'v', float32 .2.. It has of it: nothing"):
        server.restore()
    with pytest.raises(FileNotFoundError, match=r"no complete checkpoint 6 .* There are \[5\]"):
        server.restore(6)
