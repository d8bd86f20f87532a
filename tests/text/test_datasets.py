"""The sets of texts: what PaddlePaddle reads from the same files, what is not there, and files that are damaged."""

import gzip
import io
import json
import pathlib
import tarfile
import tracemalloc
import zipfile

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.core.files import CorruptFileError

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "text_datasets"
ANSWERS = json.loads((FIXTURES / "answers.json").read_text(encoding="utf-8"))
NAMES = ["Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing", "WMT14", "WMT16"]
cases = module_at(FIXTURES / "cases.py")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return cases.write(tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def found(files):
    return cases.read(paddle, files)


@pytest.mark.parametrize("name", ANSWERS)
def test_reads_what_paddle_reads(found, name):
    ours, theirs = json.loads(json.dumps(found[name])), ANSWERS[name]
    if name.startswith("houses"):
        np.testing.assert_allclose(np.concatenate(np.array(ours, object).tolist()[0]),
                                   np.concatenate(theirs[0]), rtol=1e-6)
        assert len(ours) == len(theirs)
    elif name.startswith("films"):
        assert [row[:5] + row[7:] for row in ours] == [row[:5] + row[7:] for row in theirs]
    else:
        assert ours == theirs


def test_samples_are_arrays_of_int64(files):
    for sample in (paddle.text.Imdb(files["reviews"], cutoff=0)[0], paddle.text.WMT14(files["wmt14"], dict_size=6)[0],
                   paddle.text.Imikolov(files["treebank"], "SEQ", min_word_freq=1)[0]):
        assert all(part.dtype == np.int64 for part in sample)
    features, price = paddle.text.UCIHousing(files["houses"])[0]
    assert (features.dtype, features.shape, price.shape) == (np.float32, (13,), (1,))


def test_films_by_name(files):
    films = paddle.text.Movielens(files["films"], test_ratio=0.0)
    user, gender, age, job, film, kinds, title, rating = films[0]
    assert (user.tolist(), gender.tolist(), age.tolist(), job.tolist(), film.tolist(), rating.tolist()) == (
        [1], [1], [0], [10], [1], [-3.0])
    assert {films.categories_dict[name] for name in ("Animation", "Comedy")} == set(kinds.tolist())
    assert [films.movie_title_dict[word] for word in ("toy", "story")] == title.tolist()
    assert len(paddle.text.Movielens(files["films"], "test", test_ratio=0.0)) == 0


def test_each_language_has_its_own_words(files):
    captions = paddle.text.WMT16(files["wmt16"], "val", 6, 6, "en")
    assert captions.get_dict("de") == {"<s>": 0, "<e>": 1, "<unk>": 2, "ein": 3, "Mann": 4, "Hund": 5}
    assert captions.get_dict("en", reverse=True)[3] == "a"
    assert [part.tolist() for part in captions[0]] == [[0, 3, 5, 1], [0, 3, 5], [3, 5, 1]]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_not_there(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    dataset = getattr(paddle.text, name)
    given = {"window_size": 2} if name == "Imikolov" else {}
    with pytest.raises(FileNotFoundError, match=rf"{name}: nothing is downloaded, and {tmp_path}.* Fetch http"):
        dataset(**given)
    with pytest.raises(ValueError, match="download=False"):
        dataset(**given, download=False)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        dataset(str(tmp_path / "nowhere"), **given)


@pytest.mark.parametrize(("name", "more"), [
    ("Imdb", {}), ("Imikolov", {"window_size": 2}), ("Movielens", {}), ("UCIHousing", {}), ("WMT14", {"dict_size": 5}),
    ("WMT16", {"src_dict_size": 5, "trg_dict_size": 5}),
])
def test_a_damaged_file_is_named(name, more, tmp_path):
    path = tmp_path / "damaged"
    for data in (b"\x1f\x8bno archive", gzip.compress(b"neither"), b"1 2 three", b"PK\x03\x04"):
        path.write_bytes(data)
        with pytest.raises(CorruptFileError, match="damaged"):
            getattr(paddle.text, name)(str(path), **more)


def test_rows_that_do_not_fit(files, tmp_path, monkeypatch):
    monkeypatch.setattr(cases, "RATINGS", "1::9::5::1\n")
    with pytest.raises(CorruptFileError, match="film 9"):
        paddle.text.Movielens(cases.write(str(tmp_path))["films"])
    monkeypatch.setattr(cases, "RATINGS", "1::1\n")
    with pytest.raises(CorruptFileError, match="line 1"):
        paddle.text.Movielens(cases.write(str(tmp_path))["films"])
    monkeypatch.setattr(cases, "ROLES", "- (A0*\n- odd\nrun (V*)\n\n- (A0*)\nbark (V*)\n\n")
    written = cases.write(str(tmp_path))
    with pytest.raises(CorruptFileError, match="odd"):
        paddle.text.Conll05st(*(written[part] for part in ("roles", "words", "verbs", "labels", "vectors")))


def _movies(path, compression, declared):
    """An archive whose directory declares so many bytes for 16 MiB of films."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("ml-1m/movies.dat", b"\n" * (1 << 24))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24:at + 28] = declared.to_bytes(4, "little")
    path.write_bytes(bytes(data))
    return str(path)


@pytest.mark.parametrize(("compression", "words"), [
    (zipfile.ZIP_DEFLATED, "cannot be read"), (zipfile.ZIP_BZIP2, "than it declares"),
    (zipfile.ZIP_LZMA, "than it declares")])
def test_an_archive_that_unpacks_to_more_than_it_declares(tmp_path, compression, words):
    path = _movies(tmp_path / "films.zip", compression, 100)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptFileError, match=words):
            paddle.text.Movielens(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_an_archive_with_a_member_twice(files, tmp_path):
    with zipfile.ZipFile(files["films"]) as given, zipfile.ZipFile(tmp_path / "films.zip", "w") as archive:
        for member in given.infolist():
            archive.writestr(member, given.read(member))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("ml-1m/users.dat", "1::M::56::1::48067\n2::M::56::16::70072\n")
    user, gender, *_ = paddle.text.Movielens(str(tmp_path / "films.zip"), test_ratio=0.0)[0]
    assert (user.tolist(), gender.tolist()) == ([1], [0])  # as ZipFile has it, the last one counts


def test_a_title_without_words(files, tmp_path, monkeypatch):
    monkeypatch.setattr(cases, "FILMS", cases.FILMS.replace("Toy Story (1995)", "(1995)"))
    *facts, rating = paddle.text.Movielens(cases.write(str(tmp_path))["films"], test_ratio=0.0)[0]
    assert [part.dtype for part in facts] == [np.int64] * 7 and rating.dtype == np.float64
    assert facts[-1].shape == (0,)


def _with_member(path, target, name, change):
    """A copy of an archive in which one member is another."""
    with tarfile.open(path) as given, tarfile.open(target, "w:gz") as made:
        for member in given:
            data = given.extractfile(member).read()
            data = change(data) if member.name == name else data
            member.size = len(data)
            made.addfile(member, io.BytesIO(data))
    return str(target)


def test_roles_behind_the_end_of_their_file(files, tmp_path):
    name = "conll05st-release/test.wsj/props/test.wsj.props.gz"
    roles = _with_member(files["roles"], tmp_path / "roles.tar.gz", name, lambda data: data + gzip.compress(b"more"))
    with pytest.raises(CorruptFileError, match="more follows"):
        paddle.text.Conll05st(roles, *(files[part] for part in ("words", "verbs", "labels", "vectors")))


@pytest.mark.parametrize(("roles", "words"), [
    ("- (A0\nrun (V*)\n\n- (A0*)\nbark (V*)\n\n", "no mark"),
    ("- (A0*)\nrun *\n\n- (A0*)\nbark (V*)\n\n", "without a place")])
def test_roles_that_say_nothing(tmp_path, monkeypatch, roles, words):
    monkeypatch.setattr(cases, "ROLES", roles)
    monkeypatch.setattr(cases, "WORDS", "Dogs\nrun\n\nDogs\nbark\n\n")
    written = cases.write(str(tmp_path))
    with pytest.raises(CorruptFileError, match=words):
        paddle.text.Conll05st(*(written[part] for part in ("roles", "words", "verbs", "labels", "vectors")))[0]


def test_arguments(files):
    with pytest.raises(ValueError, match="mode"):
        paddle.text.Imdb(files["reviews"], "learn")
    with pytest.raises(ValueError, match="data_type"):
        paddle.text.Imikolov(files["treebank"], "WORDS")
    with pytest.raises(ValueError, match="window_size"):
        paddle.text.Imikolov(files["treebank"])
    with pytest.raises(ValueError, match="dict_size"):
        paddle.text.WMT14(files["wmt14"])
    with pytest.raises(ValueError, match="lang"):
        paddle.text.WMT16(files["wmt16"], src_dict_size=5, trg_dict_size=5, lang="fr")
