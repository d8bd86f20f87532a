"""Processes whose Programs exchange different things do not wait for each other for ever."""

from launching import run


def test_programs_that_differ_are_told(tmp_path):
    done = run(tmp_path, "static/disagreement.py", "other", check=False)
    text = done.stdout + done.stderr + (tmp_path / "log" / "workerlog.1").read_text()
    assert done.returncode != 0
    assert "exchange 1 is c_allreduce_sum float32[3]" in text and "c_allreduce_max float32[3]" in text
    assert "disagreement.py" in text


def test_one_that_is_missing_is_waited_for_so_long(tmp_path):
    done = run(tmp_path, "static/disagreement.py", "late", check=False)
    text = done.stdout + done.stderr + (tmp_path / "log" / "workerlog.0").read_text()
    assert done.returncode != 0
    assert "waited 2 s for the others" in text and "c_allreduce_sum" in text and "disagreement.py:" in text
