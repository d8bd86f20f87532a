"""Wave files, sets of recordings in local files, refusals; features in Programs."""

import wave

import numpy as np
import proa as paddle
import pytest
from proa import audio
from proa.audio.datasets import dataset
from proa.core.files import CorruptFileError

F = audio.functional


def _wave(path, array, width=2, rate=8000):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = array.tobytes() if isinstance(array, np.ndarray) else array
    with wave.open(str(path), "wb") as file:
        file.setnchannels(array.shape[1] if getattr(array, "ndim", 1) == 2 else 1)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(data)
    return str(path)


def test_loads_what_is_there(tmp_path):
    path = _wave(tmp_path / "a.wav", np.array([[0, 1], [-2, 32767], [-32768, 100]], "<i2"))
    samples, rate = audio.load(path)
    assert rate == 8000 and samples.dtype is paddle.float32
    np.testing.assert_array_equal(samples.numpy(), np.array([[0, -2, -32768], [1, 32767, 100]], "float32") / 32768)
    assert audio.load(path, normalize=False, channels_first=False)[0].tolist() == [[0, 1], [-2, 32767], [-32768, 100]]
    assert audio.load(path, frame_offset=1, normalize=False)[0].tolist() == [[-2, -32768], [32767, 100]]
    assert audio.load(path, 1, 1, normalize=False)[0].tolist() == [[-2], [32767]]
    assert audio.load(path, 9)[0].shape == [2, 0]
    assert vars(audio.info(path)) == {"sample_rate": 8000, "num_samples": 3, "num_channels": 2, "bits_per_sample": 16,
                                      "encoding": "PCM_S"}
    with open(path, "rb") as file:
        assert audio.load(file)[0].shape == [2, 3] and not file.closed


@pytest.mark.parametrize(("data", "width", "wanted"), [
    (np.array([0, 128, 255], "u1"), 1, [-1.0, 0.0, 127 / 128]),
    (np.array([0, 2 ** 31 - 1, -2 ** 31], "<i4"), 4, [0.0, 1.0, -1.0]),
    (bytes([0, 0, 0, 0, 0, 64, 0, 0, 128]), 3, [0.0, 0.5, -1.0]),
])
def test_loads_other_widths(tmp_path, data, width, wanted):
    path = _wave(tmp_path / "a.wav", data, width)
    np.testing.assert_allclose(audio.load(path)[0].numpy(), [wanted])
    assert audio.info(path).bits_per_sample == 8 * width


def test_saves_and_cuts_what_is_too_loud(tmp_path):
    path = str(tmp_path / "a.wav")
    x = paddle.to_tensor([[0.0, 0.5, -1.0, 1.0, 2.0]])
    for given in (x, x.astype("float64"), x.numpy()):
        audio.save(path, given, 16000)
        assert audio.load(path, normalize=False)[0].tolist() == [[0, 16384, -32768, 32767, 32767]]
    audio.save(path, (x * 100).T.astype("int16"), 16000, channels_first=False)
    assert audio.load(path, normalize=False)[0].tolist() == [[0, 50, -100, 100, 200]]
    with pytest.raises(ValueError, match="must be 16"):
        audio.save(path, x, 8000, bits_per_sample=8)
    with pytest.raises(ValueError, match="two dimensions"):
        audio.save(path, x[0], 8000)


def test_what_is_no_wave_file_is_named(tmp_path):
    path = tmp_path / "a.wav"
    for content in (b"", b"hello", b"RIFF\x00\x00\x00\x00WAVE"):
        path.write_bytes(content)
        with pytest.raises(CorruptFileError, match=r"a\.wav.*is no wave file"):
            audio.load(path)
    with pytest.raises(FileNotFoundError):
        audio.info(str(tmp_path / "nowhere.wav"))


def test_the_one_backend():
    assert audio.backends.list_available_backends() == [audio.backends.get_current_backend()] == ["wave_backend"]
    audio.backends.set_backend("wave_backend")
    with pytest.raises(NotImplementedError, match="'wave_backend' alone"):
        audio.backends.set_backend("soundfile")


@pytest.mark.parametrize(("act", "error", "match"), [
    (lambda: F.get_window("xyz", 5), ValueError, "the names are hamming, hann"),
    (lambda: F.get_window(3, 5), ValueError, "must be a name"),
    (lambda: F.get_window("gaussian", 5), ValueError, r"needs parameters: \('gaussian', std\)"),
    (lambda: F.create_dct(3, 4, "xx"), ValueError, "'ortho' or None"),
    (lambda: F.power_to_db(paddle.ones([1]), amin=0.0), ValueError, "must be positive"),
    (lambda: F.power_to_db(paddle.ones([1]), top_db=-1.0), ValueError, "must not be negative"),
    (lambda: audio.features.Spectrogram(power=0.0), ValueError, "must be positive"),
    (lambda: audio.features.MFCC(n_mfcc=9, n_mels=4), ValueError, "not be larger than n_mels"),
])
def test_refusals(act, error, match):
    with pytest.raises(error, match=match):
        act()


def test_another_norm_is_passed_over_with_a_warning():
    with pytest.warns(UserWarning, match="taken for None"):
        found = F.compute_fbank_matrix(8000, 16, 4, norm="xx")
    np.testing.assert_array_equal(found.numpy(), F.compute_fbank_matrix(8000, 16, 4, norm=None).numpy())


def test_features_are_layers_that_convert():
    layer = audio.features.MFCC(sr=8000, n_mfcc=3, n_fft=16, hop_length=8, n_mels=4)
    assert sorted(layer.state_dict()) == ["_log_melspectrogram._melspectrogram._spectrogram.fft_window",
                                          "_log_melspectrogram._melspectrogram.fbank_matrix", "dct_matrix"]
    x = paddle.to_tensor(np.sin(np.arange(80.0)).astype("float32").reshape(2, 40))
    eager = layer(x).numpy()
    np.testing.assert_allclose(paddle.jit.to_static(layer)(x).numpy(), eager, rtol=1e-4, atol=1e-4)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(dataset, "HOME", str(tmp_path))
    return tmp_path


def test_esc50(home):
    with pytest.raises(FileNotFoundError, match=r"Fetch https://.*ESC-50-master\.zip and unpack it"):
        audio.datasets.ESC50()
    folder = home / "ESC-50-master"
    rows = ["filename,fold,target,category,esc10,src_file,take"]
    for n in range(6):
        name = f"{n % 3 + 1}-100-A-{n}.wav"
        rows.append(f"{name},{n % 3 + 1},{n},dog,True,100,A")
        _wave(folder / "audio" / name, np.arange(100 + n, dtype="<i2"))
    (folder / "meta").mkdir()
    (folder / "meta" / "esc50.csv").write_text("\n".join(rows) + "\n")
    train, other = audio.datasets.ESC50(), audio.datasets.ESC50("dev", split=1)
    assert [(x.shape, label) for x, label in train] == [([101], 1), ([102], 2), ([104], 4), ([105], 5)]
    assert [(x.shape, label) for x, label in other] == [([100], 0), ([103], 3)] and len(other) == 2
    features = audio.datasets.ESC50("dev", feat_type="mfcc", n_mfcc=4, n_fft=32, n_mels=8)
    assert features[0][0].shape == [4, 13] and features.sample_rate == 8000
    assert audio.datasets.ESC50("dev", feat_type="spectrogram", n_fft=32, hop_length=16)[0][0].shape == [17, 7]
    with pytest.raises(ValueError, match="feat_type"):
        audio.datasets.ESC50(feat_type="zz")
    with pytest.raises(ValueError, match="from 1 to 5"):
        audio.datasets.ESC50(split=9)
    assert len(audio.datasets.ESC50.label_list) == 50
    (folder / "meta" / "esc50.csv").write_text(rows[0] + "\nx,y\n")
    with pytest.raises(CorruptFileError, match="line 2"):
        audio.datasets.ESC50()


def test_tess(home):
    for n, (mood, word) in enumerate((m, w) for m in ("angry", "happy", "ps", "sad") for w in ("back", "bar", "base")):
        _wave(home / "TESS_Toronto_emotional_speech_set" / f"OAF_{mood}" / f"OAF_{word}_{mood}.wav",
              np.arange(50 + n, dtype="<i2"))
    (home / "TESS_Toronto_emotional_speech_set" / "readme.wav").write_text("not one of them")
    train, other = audio.datasets.TESS(), audio.datasets.TESS("dev")
    assert len(train) == 9 and [(x.shape, label) for x, label in other] == [([50], 0), ([55], 3), ([60], 6)]
    assert sorted(train.files + other.files) == sorted(audio.datasets.TESS("dev", n_folds=1).files)
    with pytest.raises(ValueError, match="positive integer"):
        audio.datasets.TESS(n_folds=0)
    with pytest.raises(ValueError, match="from 1 to 5"):
        audio.datasets.TESS(split=6)
