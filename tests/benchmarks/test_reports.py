"""What is printed and written."""

import sys

import pytest

from benchmarks import (
    documents,
    first_calls,
    format,
    installed,
    limits,
    machine,
    operators,
    options,
    rates,
    reasons,
    startup,
    steps,
)
from benchmarks.catalogue import ALL
from benchmarks.workloads.cases import CASES


def record(median, peak=100e6):
    return {"median": median, "low": median * 0.9, "high": median * 1.1, "least": median, "result": 1.0,
            "version": "1", "memory": {"steps": peak, "peak": peak, "after_import": 40e6}}


def figures(**sides):
    return {"limits": {"product": [1e11, "PyTorch"], "copy": [1e10, "proa"]}, "workloads": {
        "mlp": {"size": ALL["mlp"].sizes({}), "sides": sides, "limit": 1e-3}}}


FIGURES = figures(**{"proa/eager": record(2e-3, 50e6), "paddle/eager": record(8e-3),
                     "torch/eager": record(4e-3), "torch/compile": {"unavailable": "no compiler\nat all"}})


def test_ratios_are_to_the_fastest_peer():
    sides = FIGURES["workloads"]["mlp"]["sides"]
    assert steps.fastest(sides, own=False) == ("torch/eager", 4e-3)
    assert steps.against_peers(sides, "proa/eager") == pytest.approx(0.5)
    assert steps.against_peers(sides, "proa/to_static") is None


def test_report_has_times_ratios_memory_and_what_is_missing():
    wanted = options.parse(["workloads", "--quick", "--only", "mlp", "--size", "batch=8"])
    text = steps.report(FIGURES, wanted)
    assert "`python -m benchmarks workloads --quick --only mlp --size batch=8`" in text
    assert "2.00 ± 0.20 ms" in text
    assert "| PyTorch eager | 0.50 | 0.40 | – | 0.35 | 1.00 ms | 2.00 | 4.00 |" in text
    assert "50 (+10)" in text
    assert "PyTorch `compile`: not available: no compiler" in text and "at all" not in text


def test_differing_results_are_told():
    other = dict(record(1e-3), result=1.1)
    assert steps.differing(FIGURES) == []
    assert len(steps.differing(figures(**{"proa/eager": record(1e-3), "torch/eager": other}))) == 1


def test_rates_and_startup_reports():
    wanted = options.parse([])
    found = {"workloads": {"save": {"size": ALL["save"].sizes({}), "sides": {
        "proa/eager": record(0.5), "torch/eager": record(1.0)}}}}
    assert "| 800 ±" in rates.report(found, wanted)
    imports = {"proa": dict.fromkeys(startup.ASKED, 0.1), "torch": dict.fromkeys(startup.ASKED, 1.0)}
    text = startup.report({"import": imports, "versions": {"proa": "1"},
                           "calls": {"proa": {"ResNet-50 unavailable": "no", "BERT-base, first call": 0.3},
                                     "paddle": {"BERT-base, first call": 0.6}},
                           "installed": {"proa": {"numpy": 4e7}}}, wanted)
    assert "| import | 100 ms | n/a | 1.00 s | 0.10 | 0.15 |" in text and "ResNet-50, proa: not available: no" in text
    assert "| BERT-base, first call | 300 ms | 600 ms | n/a | 0.50 | 0.50 |" in text


def test_first_steps_are_told_with_their_ratios_and_what_paddle_cannot():
    def times(first):
        return {"first": {"wall": first, "processor": first}, "further": {"wall": 0.02, "processor": 0.02}}

    found = {"vae": {"cold": times(0.4), "warm": times(0.1), "paddle": times(0.5)},
             "pinn": {"cold": times(0.4), "warm": times(0.1), "paddle": {"unavailable": "no grad\nat all"}}}
    text = first_calls.report({"programs": found, "versions": {"proa": "1"}}, options.parse(["programs"]))
    assert "400 ms (400 ms) | 100 ms (100 ms) | 500 ms (500 ms) | 0.80 | 0.20 | 20.0 ms" in text
    assert "| geometric mean |  |  |  | 0.80 | 0.20 |" in text and "Paddle: not available: no grad" in text


def test_limit_is_the_larger_of_operations_and_bytes():
    size = ALL["adam"].sizes({})
    assert limits.seconds(ALL["adam"], size, FIGURES["limits"]) == pytest.approx(0.028)
    assert limits.seconds(ALL["mlp"], ALL["mlp"].sizes({}), {}) is None


def test_sections_are_replaced_in_a_document(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- measured:files -->\nold\n<!-- end:files -->\nafter\n", encoding="utf-8")
    documents.replace(str(path), "files", "new", [(str(tmp_path / "pictures" / "a.svg"), "bars")])
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- measured:files -->") and text.endswith("<!-- end:files -->\nafter\n")
    assert "new" in text and "old" not in text and "![bars](pictures/a.svg)" in text
    with pytest.raises(ValueError, match="no section 'scaling'"):
        documents.replace(str(path), "scaling", "x")


def test_commands_name_only_what_differs_from_the_defaults():
    assert machine.command("files", options.parse([])) == "python -m benchmarks files"
    wanted = options.parse(["--torch", "/some/python", "--rounds", "3", "--write", "x.md"])
    assert machine.command("files", wanted) == "python -m benchmarks files --rounds 3"


def test_numbers_have_three_digits():
    assert [format.digits(value) for value in (123.4, 12.34, 1.234)] == ["123", "12.3", "1.23"]
    assert format.seconds(2e-5) == "20.0 µs" and format.seconds(3.0) == "3.00 s"


def test_requirements_of_the_package_are_found():
    assert any(name.startswith("numpy") for name in installed._requirements())


def test_the_package_is_counted_with_its_bytecode_as_others_are(tmp_path, monkeypatch):
    (tmp_path / "module.py").write_text("x = 1\n")
    (tmp_path / "core.so").write_bytes(bytes(1000))
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_module.py").write_text("y = 1\n" * 1000)
    monkeypatch.setattr(installed, "ROOT", str(tmp_path))
    assert 1050 < installed._checkout(sys.executable) < 1500


def test_operators_above_the_mark_have_their_reasons():
    def sizes(ratio):
        return {str(n): {"proa": record(ratio * 1e-6), "torch": record(1e-6)} for n in operators.ELEMENTS}

    text = operators._worse({"operators": {"reshape": sizes(2.0), "tanh": sizes(1.1), "no such operator": sizes(3.0)}})
    assert text.startswith("Above 1.2: 6 of 9.")
    assert "`reshape` at 100 (2.00)" in text and "tanh" not in text
    assert text.split("Without a known reason: ")[1].count("`no such operator` at") == 3


def test_reasons_name_operators_that_are_measured():
    assert not [name for _, _, names in reasons.REASONS for name in names.split(", ") if name not in CASES]
