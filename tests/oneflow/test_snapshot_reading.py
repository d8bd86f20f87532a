"""Snapshots are a stranger's files: what does not fit is refused with its name, and nothing is changed by then."""

import os
import random
import tracemalloc

import numpy as np
import pytest
from proa.core.dtype import bfloat16, bool_, float32, float64, int8, int32, int64
from proa.core.files import CorruptFileError
from proa.oneflow.snapshot import layout
from proa.oneflow.snapshot.reading import StoredValue, list_variables, match, read_values
from proa.oneflow.snapshot.writing import write_snapshot

WEIGHT = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture
def folder(tmp_path):
    """A snapshot of three variables."""
    values = {"bias": np.ones(3, "float32"), "step": np.array([7], "int64"), "weight": WEIGHT}
    write_snapshot(tmp_path / "models", list(values), values.__getitem__, "CheckPoint.save")
    return tmp_path / "models"


WANTED = {"weight": ((2, 3), float32), "bias": ((3,), float32), "step": ((1,), int64)}


def replaced(folder, name):
    """The path of a variable's values, of which nothing is left."""
    path = folder / name / "out"
    path.unlink()
    return path


def test_what_is_found_and_what_is_missing(folder):
    found, missing = match(folder, WANTED | {"dense3-weight": ((2,), float32), "dense3-bias": ((1,), float32)}, "load")
    assert list(found) == ["bias", "step", "weight"] and missing == ["dense3-bias", "dense3-weight"]
    np.testing.assert_array_equal(found["weight"].numpy(), WEIGHT)
    assert found["weight"].numpy().flags.owndata and found["step"].numpy().tolist() == [7]


def test_what_else_is_in_the_folder_is_passed_over(folder):
    (folder / "notes.txt").write_text("mine")
    (folder / "empty").mkdir()
    found, missing = match(folder, {"weight": ((2, 3), float32)}, "load")
    assert list(found) == ["weight"] and not missing and list_variables(folder) == ["bias", "step", "weight"]


@pytest.mark.parametrize("shape, dtype, bytes_", [((2, 4), float32, 32), ((2, 3), float64, 48), ((), float32, 4)])
def test_a_size_that_does_not_fit(folder, shape, dtype, bytes_):
    with pytest.raises(ValueError, match="the snapshot does not fit. No variable was changed") as caught:
        match(folder, WANTED | {"weight": (shape, dtype)}, "CheckPoint.load")
    assert f"the variable 'weight': {folder}/weight/out" in str(caught.value)
    assert f"has 24 bytes; shape {list(shape)} and dtype {dtype.name} take {bytes_}" in str(caught.value)


def test_all_that_do_not_fit_are_named_but_not_hundreds(folder):
    for n in range(30):
        (folder / f"w{n:02}").mkdir()
        (folder / f"w{n:02}" / "out").write_bytes(b"xyz")
    with pytest.raises(ValueError) as caught:
        match(folder, WANTED | {f"w{n:02}": ((1,), float32) for n in range(30)}, "load")
    assert "'w00'" in str(caught.value) and "'w04'" in str(caught.value) and "and 25 more" in str(caught.value)


def test_a_folder_without_the_mark_is_used_with_a_warning(folder):
    (folder / "snapshot_done").rmdir()
    with pytest.warns(UserWarning, match="there is no 'snapshot_done' in it"):
        found, _ = match(folder, WANTED, "load")
    assert len(found) == 3


def test_the_mark_may_be_a_file(folder):
    (folder / "snapshot_done").rmdir()
    (folder / "snapshot_done").write_bytes(b"")
    assert len(match(folder, WANTED, "load")[0]) == 3


def test_the_folder_of_another_model(folder):
    other = {"conv-weight": ((1,), float32), "System-Train-TrainStep-f": ((1,), int64)}
    with pytest.raises(ValueError, match=r"none of the 1 variables is in it \('conv-weight'\). It holds 'bias', "
                                         r"'step', 'weight'. No variable was changed. .* CheckPoint.init\(\)"):
        match(folder, other, "load")
    (folder / "System-Train-TrainStep-f").mkdir()
    (folder / "System-Train-TrainStep-f" / "out").write_bytes(bytes(8))
    with pytest.raises(ValueError, match="none of the 1 variables"):  # the step alone is no model
        match(folder, other, "load")


def test_an_empty_folder(tmp_path):
    with pytest.raises(ValueError, match="It holds none at all"):
        match(tmp_path, WANTED, "load")


def test_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such folder.*gone"):
        match(tmp_path / "gone", WANTED, "load")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="a snapshot is a folder"):
        match(tmp_path / "file", WANTED, "load")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="symbolic links"):
        match(tmp_path / "loop", WANTED, "load")
    for path in ("", None, 3):
        with pytest.raises(TypeError, match="a folder's path is a str"):
            match(path, WANTED, "load")


@pytest.mark.parametrize("name", ["../weight", "/etc/passwd", "..", "a\0", ""])
def test_names_do_not_lead_out_of_the_folder(folder, name):
    with pytest.raises(ValueError, match="cannot be kept in a snapshot"):
        match(folder / "weight", {name: ((2, 3), float32)}, "load")


def test_a_file_in_the_place_of_a_folder(folder):
    replaced(folder, "weight").parent.rmdir()
    (folder / "weight").write_bytes(WEIGHT.tobytes())
    with pytest.raises(NotADirectoryError, match="weight/out"):
        match(folder, WANTED, "load")


@pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links")
class TestWhatIsNoRegularFile:
    def refused(self, folder, match_="regular files only"):
        with pytest.raises(OSError, match=match_):
            match(folder, WANTED, "load")
        with pytest.raises(OSError, match=match_):
            read_values(str(folder / "weight" / "out"), (2, 3), float32)
        with pytest.raises(OSError, match=match_):
            StoredValue(folder / "weight")

    def test_a_pipe(self, folder):
        os.mkfifo(replaced(folder, "weight"))
        self.refused(folder)  # and does not wait for a writer

    def test_a_device(self, folder):
        replaced(folder, "weight").symlink_to("/dev/zero")
        self.refused(folder)

    def test_a_folder(self, folder):
        replaced(folder, "weight").mkdir()
        self.refused(folder)

    def test_a_link_to_nothing(self, folder):
        replaced(folder, "weight").symlink_to(folder / "nothing")
        self.refused(folder, "No such file")

    def test_a_link_to_itself(self, folder):
        replaced(folder, "weight").symlink_to("out")
        self.refused(folder, "symbolic links")

    def test_a_folder_that_is_a_link_to_itself(self, folder):
        replaced(folder, "weight").parent.rmdir()
        (folder / "weight").symlink_to("weight")
        with pytest.raises(OSError, match="symbolic links"):
            match(folder, WANTED, "load")
        assert list_variables(folder) == ["bias", "step"]

    def test_links_to_values_are_followed(self, folder, tmp_path):
        os.rename(folder / "weight", tmp_path / "elsewhere")
        (folder / "weight").symlink_to(tmp_path / "elsewhere")
        np.testing.assert_array_equal(match(folder, WANTED, "load")[0]["weight"].numpy(), WEIGHT)

    def test_a_meta_file_that_is_none(self, folder):
        os.mkfifo(folder / "weight" / "meta")
        with pytest.raises(OSError, match="regular files only.*meta"):
            match(folder, WANTED, "load")


def test_a_file_that_says_it_is_huge(folder):
    with open(replaced(folder, "weight"), "wb") as file:
        file.truncate(1 << 42)  # has no blocks on the disk
    tracemalloc.start()
    with pytest.raises(ValueError, match=f"the file has {1 << 42} bytes"):
        match(folder, WANTED, "load")
    with pytest.raises(CorruptFileError, match=f"the file has {1 << 42} bytes, not 24"):
        read_values(str(folder / "weight" / "out"), (2, 3), float32)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_file_that_shrinks_after_it_was_looked_at(folder):
    found, _ = match(folder, WANTED, "load")
    os.truncate(folder / "weight" / "out", 20)
    with pytest.raises(CorruptFileError, match="the file has 20 bytes, not 24"):
        found["weight"].numpy()


@pytest.mark.parametrize("length", [0, 1, 23, 25, 48])
def test_every_other_length_is_refused(folder, length):
    (folder / "weight" / "out").write_bytes(bytes(length))
    with pytest.raises(ValueError, match=f"has {length} bytes"):
        match(folder, WANTED, "load")


def test_values_are_read_into_their_place(folder, tmp_path):
    big = np.arange(4_000_000, dtype="float32")
    big.tofile(tmp_path / "out")
    tracemalloc.start()
    array = read_values(str(tmp_path / "out"), (1000, 4000), float32)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16_500_000 and np.array_equal(array.reshape(-1), big) and array.flags.writeable


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64",
                                   "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_there_and_back(tmp_path, dtype, shape):
    array = (np.arange(np.prod(shape, dtype=int)) % 3).astype(dtype).reshape(shape)
    write_snapshot(tmp_path / "models", ["w"], lambda name: array, "save", later_form=True)
    stored = StoredValue(tmp_path / "models" / "w")
    assert stored.shape == shape and stored.dtype == dtype and stored.nbytes == array.nbytes
    found = stored.numpy()
    assert found.dtype == array.dtype and found.shape == shape and np.array_equal(found, array)


def test_bfloat16_there_and_back(tmp_path):
    pytest.importorskip("ml_dtypes")
    array = np.arange(6).astype(bfloat16.dtype)
    write_snapshot(tmp_path / "models", ["w"], lambda name: array, "save", later_form=True)
    stored = StoredValue(tmp_path / "models" / "w")
    assert stored.dtype is bfloat16 and np.array_equal(stored.numpy(), array)


class TestMetaFiles:
    @pytest.mark.parametrize("text, expected", [
        ("shape {\n  dim: 2\n  dim: 3\n}\ndata_type: kFloat\n", ((2, 3), float32)),
        ("data_type: kInt64 shape { dim: [4, 5] }", ((4, 5), int64)),
        ("shape: < dim: 1; dim: 2 >, data_type: 3", ((1, 2), float64)),
        ("# a remark\nshape {}\ndata_type: kBool", ((), bool_)),
        ("shape { }stride { dim: 9 } other: what data_type: kChar", ((), int8)),
        ("shape { dim: 2 }\nstride { dim: 1 }\ndata_type: kInt32\n", ((2,), int32)),
        ("shape { dim: [] } data_type: 6", ((), int64)),
    ])
    def test_what_is_understood(self, text, expected):
        assert layout.parse_meta(text, "meta") == expected

    @pytest.mark.parametrize("text", [
        "", "shape", "shape {", "shape { dim: 2", "shape { dim: 2 }", "data_type: kFloat", "\0", ": :",
        "shape { dim: -1 } data_type: 2",
        "shape { dim: x } data_type: 2", "shape { dim: 2 } data_type: kOther", "shape { dim: 2 } data_type: 99",
        "shape { dim } data_type: 2", "} shape { } data_type: 2", "shape { } } data_type: 2", "shape { dim: [2",
        "shape { dim: 99999999999999999999999999 } data_type: 2", "shape { dim: ٣ } data_type: 2",
        "shape { dim: 2.5 } data_type: 2", 'shape { dim: "2" } data_type: 2', "shape { } data_type { }", "shape: 3 :",
    ])
    def test_what_is_not(self, text):
        with pytest.raises(CorruptFileError, match="^meta: "):
            layout.parse_meta(text, "meta")

    def test_anything_is_understood_or_refused(self):
        draw = random.Random(0)
        words = ["shape", "dim", "data_type", "kFloat", *"{}[]:,1<># \n", "-2"]
        for _ in range(3000):
            text = "".join(draw.choice(words) + draw.choice(["", " "]) for _ in range(draw.randrange(14)))
            try:
                shape, dtype = layout.parse_meta(text, "meta")
            except CorruptFileError:
                continue
            assert layout.parse_meta(layout.meta_text(shape, dtype), "meta") == (shape, dtype)

    def test_a_meta_file_that_contradicts(self, folder):
        (folder / "weight" / "meta").write_text(layout.meta_text((3, 2), float32))
        with pytest.raises(ValueError, match=r"weight/meta: the value has shape \[3, 2\] and dtype float32. Asked for "
                                             r"were shape \[2, 3\]"):
            match(folder, WANTED, "load")
        (folder / "weight" / "meta").write_text(layout.meta_text((2, 3), int32))
        with pytest.raises(ValueError, match="dtype int32"):
            match(folder, WANTED, "load")
        (folder / "weight" / "meta").write_text(layout.meta_text((2, 4), float32))
        with pytest.raises(ValueError, match=r"24 bytes; shape \[2, 4\]"):
            StoredValue(folder / "weight")

    @pytest.mark.parametrize("data", [b"\xff\xfe", b" " * (1 << 17), b""])
    def test_a_damaged_meta_file(self, folder, data):
        (folder / "weight" / "meta").write_bytes(data)
        with pytest.raises(CorruptFileError, match="weight/meta"):
            StoredValue(folder / "weight")


def test_what_is_not_known_is_said(folder):
    stored = StoredValue(folder / "weight")
    assert not stored.has_meta_info and repr(stored).endswith("weight/out', 24 bytes)")
    for ask in (lambda: stored.shape, lambda: stored.dtype, stored.numpy):
        with pytest.raises(RuntimeError, match=r"tells no shape and no dtype, .*load_variables"):
            ask()
    with pytest.raises(ValueError, match="both"):
        StoredValue(folder / "weight", "float32")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="who may read everything")
def test_what_may_not_be_looked_at_is_not_missing(folder):
    os.chmod(folder / "weight", 0)
    with pytest.raises(PermissionError):
        match(folder, WANTED, "load")
    os.chmod(folder / "weight", 0o700)
