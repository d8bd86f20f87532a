"""Readers of the published data sets: what PaddlePaddle gives of the same files, and files that are damaged."""

import inspect
import itertools
import json
import os
import pathlib
import pickle
import random
import re
import zipfile

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError
from proa.dataset import common

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "dataset_readers"
ANSWERS = json.loads((FIXTURES / "answers.json").read_text(encoding="utf-8"))
cases = module_at(FIXTURES / "cases.py")
SETS = ["cifar", "conll05", "flowers", "imdb", "imikolov", "mnist", "movielens", "uci_housing", "voc2012", "wmt14",
        "wmt16"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return cases.write(tmp_path_factory.mktemp("published"))


@pytest.fixture
def there(files, monkeypatch):
    """`paddle.dataset` finds the files."""
    monkeypatch.setattr(common, "download", None)
    cases.use(paddle, files)
    return files


@pytest.fixture(scope="module")
def found(files):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "download", None)
        cases.use(paddle, files)
        return json.loads(json.dumps(cases.read(paddle)))


@pytest.mark.parametrize("name", ANSWERS)
def test_gives_what_paddle_gives(found, name):
    assert _close(found[name], ANSWERS[name]), (found[name], ANSWERS[name])


def _close(ours, theirs):
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(_close, ours, theirs))
    return ours == pytest.approx(theirs, rel=1e-6, abs=1e-12) if isinstance(theirs, float) else ours == theirs


def test_every_case_is_answered(found):
    assert set(found) == set(ANSWERS)


#: Names of PaddlePaddle's modules that are not here, or have other parameters, and why.
NOT_HERE = {
    ("conll05", "reader_creator"): "its dictionaries have a default there, None, that fails when the reader is read",
    ("movielens", "unittest"): "counts the samples, for its authors",
    ("uci_housing", "feature_range"): "draws a chart of the features into the current folder",
}


def test_names_parameters_and_constants_are_paddles():
    theirs, ours = json.loads((FIXTURES / "names.json").read_text(encoding="utf-8")), cases.names("proa.dataset")
    different = {(module, name) for module, names in theirs.items() for name, about in names.items()
                 if ours[module].get(name) != about}
    assert different == set(NOT_HERE)
    assert len(theirs) == 13 and sum(map(len, theirs.values())) > 100


def test_samples_have_the_types_of_paddle(there):
    pixels, label = next(paddle.dataset.mnist.train()())
    assert (pixels.dtype, pixels.shape, type(label)) == (np.float32, (6,), int)
    pixels, label = next(paddle.dataset.cifar.train10()())
    assert (pixels.dtype, pixels.shape, type(label)) == (np.float32, (3072,), int)
    assert [part.dtype for part in next(paddle.dataset.uci_housing.train()())] == [np.float64, np.float64]
    assert all(isinstance(part, list) for part in next(paddle.dataset.conll05.test()()))
    words = paddle.dataset.imdb.build_dict(re.compile("aclImdb/train/"), 0)
    assert all(isinstance(word, bytes) for word in list(words)[:-1]) and list(words)[-1] == "<unk>"
    assert paddle.dataset.imdb.word_dict() == {"<unk>": 0}


@pytest.mark.parametrize("name", ["mnist.train", "cifar.test100", "uci_housing.test", "movielens.train"])
def test_a_reader_begins_anew(there, name):
    module, creator = name.split(".")
    reader = getattr(getattr(paddle.dataset, module), creator)()
    assert len(list(reader())) == len(list(reader())) > 0


@pytest.mark.parametrize("make", [
    lambda: paddle.dataset.cifar.test10(cycle=True),
    lambda: paddle.dataset.flowers.test(cycle=True, use_xmap=False), lambda: paddle.dataset.flowers.train(
        mapper=lambda sample: sample, cycle=True, buffered_size=1)])
def test_a_cycle_has_no_end(there, make):
    samples = make()()
    assert len(list(itertools.islice(samples, 7))) == 7
    samples.close() if inspect.isgenerator(samples) else None


def test_photographs_with_the_classes_of_their_pixels(there):
    rows = list(paddle.dataset.voc2012.train()())
    assert [(image.shape, image.dtype) for image, _ in rows] == [((4, 5, 3), np.uint8)] * 3
    assert [(classes.shape, classes.dtype, int(classes.max())) for _, classes in rows] == [
        ((4, 5), np.uint8, number) for number in range(3)]
    assert [int(classes[0, 0]) for _, classes in paddle.dataset.voc2012.val()()] == [1, 2]
    assert [int(classes[0, 0]) for _, classes in paddle.dataset.voc2012.test()()] == [0]


def test_readers_are_read_by_batch(there):
    batches = list(paddle.batch(paddle.reader.shuffle(paddle.dataset.mnist.test(), 50), 30)())
    assert [len(batch) for batch in batches] == [30, 30, 30, 10]


@pytest.mark.parametrize("name", [*SETS, "sentiment"])
def test_nothing_is_downloaded(name, tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "home"))
    with pytest.raises(FileNotFoundError, match=rf"nothing is downloaded, and {tmp_path}/home/.* Fetch http"):
        getattr(paddle.dataset, name).fetch()
    assert not os.listdir(tmp_path)


def test_a_file_is_found_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    common.must_mkdirs(str(tmp_path / "uci_housing"))
    common.must_mkdirs(str(tmp_path / "uci_housing"))
    place = tmp_path / "uci_housing" / "housing.data"
    place.write_text(cases.texts.HOUSES)
    assert common.download("http://x/housing.data", "uci_housing", common.md5file(place)) == str(place)
    assert common.download("http://x/y", "uci_housing", None, "housing.data") == str(place)
    with pytest.raises(CorruptFileError, match="its MD5 sum: is .* and that of the published file d4accdce"):
        paddle.dataset.uci_housing.train()
    with pytest.raises(FileNotFoundError, match="cifar-10-python.tar.gz"):
        common.fetch_all()
    assert common._check_exists_and_download(str(place), "http://x/y", "", "uci_housing") == str(place)
    assert common._check_exists_and_download(None, "http://x/housing.data", None, "uci_housing") == str(place)
    with pytest.raises(ValueError, match="download=False"):
        common._check_exists_and_download(None, "http://x/y", "", "uci_housing", False)


def test_a_sum_is_made_once_for_a_file(tmp_path, monkeypatch):
    sums = []
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    monkeypatch.setattr(common, "md5file", lambda path: sums.append(path) or pathlib.Path(path).read_text())
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_text("first")
    for _ in range(3):
        common.download("http://x/b", "a", "first")
    assert len(sums) == 1
    (tmp_path / "a" / "b").write_text("another")
    with pytest.raises(CorruptFileError, match="is another, and"):
        common.download("http://x/b", "a", "first")


@pytest.mark.parametrize(("folder", "name"), [("../up", None), ("", None), ("a b", None), ("a", "../x"),
                                              ("a", "/etc/x"), ("/etc", None), ("a", "")])
def test_names_of_files_stay_in_the_cache(folder, name):
    with pytest.raises(ValueError, match="must be a plain name"):
        common.download("http://x/y", folder, None, name)


def test_a_damaged_archive_is_named(tmp_path, monkeypatch):
    path = tmp_path / "damaged"
    path.write_bytes(b"no archive")
    monkeypatch.setattr(common, "download", lambda *args: str(path))
    sets = paddle.dataset
    for make in (sets.mnist.train, sets.cifar.train100, sets.uci_housing.train, sets.imdb.word_dict,
                 sets.imikolov.build_dict, sets.movielens.train, sets.conll05.test, lambda: sets.wmt14.train(5),
                 lambda: sets.wmt16.test(5, 5), sets.voc2012.val, sets.sentiment.train):
        with pytest.raises(CorruptFileError, match="damaged"):
            next(iter(make()()))


def test_arguments(there):
    sets = paddle.dataset
    words = sets.imikolov.build_dict(1)
    for make, what in ((lambda: sets.imikolov.train(words, 0), r"imikolov\(n\)"),
                       (lambda: sets.imikolov.train(words, 2, "SEQ"), r"imikolov\(data_type\)"),
                       (lambda: sets.wmt14.train(0), r"wmt14\(dict_size\)"),
                       (lambda: sets.wmt16.train(3, 3, "fr"), r"wmt16\(src_lang\): must be 'en' or 'de'"),
                       (lambda: sets.wmt16.test(3, -1), r"wmt16\(trg_dict_size\)"),
                       (lambda: sets.wmt16.get_dict("fr", 5), r"get_dict\(lang\)")):
        with pytest.raises(ValueError, match=what):
            make()


def test_films_of_another_archive(there, tmp_path, monkeypatch):
    assert paddle.dataset.movielens.max_movie_id() == 2
    monkeypatch.setattr(cases.texts, "FILMS", "7::Heat (1995)::Crime\n")
    monkeypatch.setitem(there, "ml-1m.zip", cases.texts.write(str(tmp_path))["films"])
    assert paddle.dataset.movielens.max_movie_id() == 7 and paddle.dataset.movielens.movie_categories() == {"Crime": 0}
    with pytest.raises(CorruptFileError, match="film 1"):
        list(paddle.dataset.movielens.train()())


def test_a_verb_that_is_not_listed(there, tmp_path, monkeypatch):
    (tmp_path / "verbs").write_text("bark\n")
    monkeypatch.setitem(there, "verbDict.txt", str(tmp_path / "verbs"))
    with pytest.raises(CorruptFileError, match="predicate_dict: run: is used"):
        next(paddle.dataset.conll05.test()())


def test_a_model_in_an_archive_is_unpacked(tmp_path, monkeypatch):
    path = cases.images.write_tar(tmp_path / "model.tar", {"model/__model__": b"program", "model/w": b"values"}, "w")
    monkeypatch.setattr(common, "download", lambda *args: str(path))
    folder = pathlib.Path(paddle.dataset.uci_housing.fluid_model())
    assert (folder / "model" / "__model__").read_bytes() == b"program" and len(os.listdir(folder / "model")) == 2


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "C:/x", "a\\..\\x"])
def test_an_archive_cannot_leave_its_folder(tmp_path, monkeypatch, name):
    path = cases.images.write_tar(tmp_path / "model.tar", {"first": b"", name: b""}, "w")
    (tmp_path / "there").mkdir()
    monkeypatch.setattr(common, "download", lambda *args: str(path))
    monkeypatch.setattr(paddle.dataset.uci_housing.tempfile, "mkdtemp", lambda: str(tmp_path / "there"))
    with pytest.raises(CorruptFileError, match="outside of its folder"):
        paddle.dataset.uci_housing.fluid_model()
    assert not os.listdir(tmp_path / "there")


@pytest.mark.parametrize("count", [2, 5, 100])
def test_samples_in_files(tmp_path, count):
    samples = [(np.full(3, n, np.float32), n) for n in range(5)]
    common.split(lambda: iter(samples), count, str(tmp_path / "part-%03d"))
    parts = [str(path) for path in sorted(tmp_path.iterdir())]
    assert len(parts) == -(-5 // count)
    got = list(common.cluster_files_reader(str(tmp_path / "part-*"), 1, 0)())
    assert [n for _, n in got] == list(range(5)) and got[4][0].tolist() == [4, 4, 4]
    ours = [[n for _, n in common.cluster_files_reader(str(tmp_path / "part-*"), 2, which)()] for which in (0, 1)]
    assert sorted(ours[0] + ours[1]) == list(range(5)) and ours[0][:2] == [0, 1]


def test_samples_in_files_of_another_form(tmp_path):
    common.split(lambda: ["ä", 1, [2]], 2, str(tmp_path / "%d.json"), json.dump)
    assert list(common.cluster_files_reader(str(tmp_path / "*.json"), 1, 0, json.load)()) == ["ä", 1, [2]]
    with pytest.raises(TypeError, match=r"split\(dumper\)"):
        common.split(lambda: [], 2, dumper=3)
    with pytest.raises(TypeError, match=r"cluster_files_reader\(loader\)"):
        common.cluster_files_reader("*", 1, 0, None)
    with pytest.raises(ValueError, match="line_count"):
        common.split(lambda: [], 0)


def test_a_file_of_samples_runs_no_code(tmp_path):
    (tmp_path / "part").write_bytes(pickle.dumps([random.Random()]))
    with pytest.raises(UnsafePickleError):
        list(common.cluster_files_reader(str(tmp_path / "part"), 1, 0)())


REVIEWS = {"neg/cv000_1.txt": "bad , bad film !\nit ' s bad", "neg/cv001_2.txt": "a bore--a film", "cats.txt": "",
           "pos/cv000_3.txt": "a good film .", "pos/cv001_4.txt": "good ... ( and short )", "README": "no review"}


@pytest.fixture
def reviews(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "movie_reviews.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in reversed(REVIEWS):
            archive.writestr(f"movie_reviews/{name}", REVIEWS[name])
    monkeypatch.setattr(common, "download", lambda *args: str(tmp_path / "movie_reviews.zip"))


def test_reviews_by_turns(reviews, monkeypatch):
    sentiment = paddle.dataset.sentiment
    words = dict(sentiment.get_word_dict())
    assert list(words)[:4] == ["bad", "film", "a", "good"] and list(words.values()) == list(range(len(words)))
    assert {"--", "...", "'", "s", ")"} <= set(words)
    assert sentiment.sort_files() == ["neg/cv000_1.txt", "pos/cv000_3.txt", "neg/cv001_2.txt", "pos/cv001_4.txt"]
    samples = list(sentiment.train())
    assert [label for _, label in samples] == [0, 1, 0, 1]
    assert samples[1][0] == [words[word] for word in ("a", "good", "film", ".")]
    assert list(sentiment.test()) == []
    monkeypatch.setattr(sentiment, "NUM_TRAINING_INSTANCES", 3)
    assert len(list(sentiment.train())) == 3 and [label for _, label in sentiment.test()] == [1]


def test_an_archive_without_reviews(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("movie_reviews/README", "")
    monkeypatch.setattr(common, "download", lambda *args: str(tmp_path / "empty.zip"))
    with pytest.raises(CorruptFileError, match="is not in the archive"):
        paddle.dataset.sentiment.train()


def test_a_line_is_fitted_in_a_program(there):
    static = paddle.static
    batches = paddle.batch(paddle.reader.shuffle(paddle.dataset.uci_housing.train(), 8), 4)
    main, startup, executor, losses = static.Program(), static.Program(), static.Executor(), []
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        x, y = static.data("x", [None, 13]), static.data("y", [None, 1])
        loss = paddle.mean(paddle.nn.functional.square_error_cost(static.nn.fc(x, 1), y))
        paddle.optimizer.SGD(0.05).minimize(loss)
        executor.run(startup)
        for _ in range(20):
            for batch in batches():
                features, prices = (np.array(column, "float32") for column in zip(*batch, strict=True))
                losses += executor.run(feed={"x": features, "y": prices}, fetch_list=[loss])
    assert np.mean(losses[-4:]) < np.mean(losses[:4]) / 3


def test_readers_among_processes_and_threads(there):
    reader, sets = paddle.reader, paddle.dataset
    both = reader.multiprocess_reader([sets.mnist.test(), reader.firstn(sets.mnist.train(), 50)])
    assert sorted(label for _, label in both()) == sorted([*range(10)] * 15)
    ahead = reader.buffered(reader.xmap_readers(lambda sample: sample[1], sets.cifar.train10(), 2, 4, order=True), 2)
    assert list(ahead()) == [3, 4, 0, 1, 2]
    photographs = list(sets.flowers.train()())
    assert sorted(label for _, label in photographs) == [76, 101] and photographs[0][0].shape == (150528,)
