"""The profiler: what it records of eager code, of backward walks and of compiled Programs; that it leaves nothing."""

import json
import os
import threading

import numpy as np
import proa as paddle
import pytest
from proa import profiler
from proa.core.files import CorruptFileError
from proa.dygraph.eager import EAGER
from proa.ops.core.trace import state


def quiet(prof):
    """Does nothing with a recording."""


def recorded(work, **options):
    with profiler.Profiler(on_trace_ready=quiet, **options) as prof:
        work()
    return prof.profiler_result


def operators(result, phase=None):
    return [e.name for e in result.of_kind("operator") if phase is None or e.phase == phase]


def line_of(event):
    return int(event.source.rpartition(":")[2])


def test_forward_operators_have_the_users_line():
    def work():
        x = paddle.ones([2, 3])
        return paddle.tanh(x)

    result = recorded(work)
    assert operators(result) == ["fill_constant", "tanh"]
    first = work.__code__.co_firstlineno
    assert [line_of(e) - first for e in result.of_kind("operator")] == [1, 2]
    assert all(e.source.startswith(__file__) for e in result.of_kind("operator"))


def test_backward_operators_are_named_after_the_forward_one_and_have_its_line():
    x = paddle.rand([2, 3])
    x.stop_gradient = False

    def work():
        y = paddle.tanh(x)
        z = y.sum()
        z.backward()

    result = recorded(work)
    backward = [e for e in result.of_kind("operator") if e.phase == "backward"]
    assert backward and all("_grad" in e.name for e in backward)
    first = work.__code__.co_firstlineno
    lines = {e.name.partition("_grad")[0]: line_of(e) - first for e in backward}
    assert lines == {"tanh": 1, "reduce_sum": 2}


def test_second_order_is_recorded():
    x = paddle.to_tensor(2.0, stop_gradient=False)

    def work():
        [g] = paddle.grad(x**3, x, create_graph=True)
        g.backward()

    assert any(name.startswith("pow_grad/") for name in operators(recorded(work), "backward"))


def test_operators_of_a_compiled_program_have_their_lines():
    @paddle.jit.to_static
    def f(x):
        y = x * 2
        return paddle.tanh(y).sum()

    x = paddle.rand([3])
    x.stop_gradient = False
    f(x)

    result = recorded(lambda: f(x).backward())
    assert [e.name for e in result.of_kind("program")] == ["run_program", "run_program_grad/run_program"]
    forward = [e for e in result.of_kind("operator") if e.phase == "forward"]
    assert "reduce_sum" in {e.name for e in forward}  # the others may have become one operator
    assert all(e.source.startswith(__file__) for e in forward)
    assert operators(result, "backward")


def test_a_program_that_an_executor_runs_is_recorded():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2])
        y = paddle.tanh(x)
    executor = paddle.static.Executor()
    paddle.enable_static()
    try:
        result = recorded(lambda: executor.run(main, feed={"x": np.ones(2, "float32")}, fetch_list=[y]))
    finally:
        paddle.disable_static()
    assert "tanh" in operators(result)


def test_updates_are_the_phase_of_optimization():
    layer = paddle.nn.Linear(2, 2)
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())

    def work():
        layer(paddle.ones([1, 2])).sum().backward()
        sgd.step()

    updates = operators(recorded(work), "optimization")
    assert updates and all("sgd" in name for name in updates)


def test_own_time_leaves_out_what_is_inside():
    x = paddle.ones([2], dtype="int32")
    y = paddle.ones([2])
    result = recorded(lambda: x + y)
    inner, outer = result.of_kind("operator")
    assert (inner.name, outer.name) == ("cast", "elementwise_add")
    assert outer.own == outer.duration - inner.duration
    assert inner.own == inner.duration


def test_results_are_what_they_are_without_a_profiler():
    def work():
        paddle.seed(3)
        layer = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Dropout(0.5), paddle.nn.Linear(4, 1))
        loss = layer(paddle.rand([5, 3])).mean()
        loss.backward()
        return [float(loss), *(p.grad.numpy() for p in layer.parameters())]

    plain = work()
    observed = []
    recorded(lambda: observed.extend(work()), record_shapes=True, profile_memory=True, with_flops=True)
    for a, b in zip(plain, observed, strict=True):
        np.testing.assert_array_equal(a, b)


def test_nothing_is_left_behind():
    assert state.trace is EAGER and state.observer is None
    prof = profiler.Profiler(on_trace_ready=quiet)
    prof.start()
    assert state.trace is not EAGER
    prof.stop()
    assert state.trace is EAGER and state.observer is None
    prof.stop()  # a second time does nothing


def test_a_block_entered_while_recording_and_left_after_it():
    prof = profiler.Profiler(on_trace_ready=quiet)
    prof.start()
    with paddle.static.program_guard(paddle.static.Program()):
        prof.stop()
    count = len(prof.profiler_result.events)
    paddle.ones([1])
    assert state.trace is EAGER
    assert len(prof.profiler_result.events) == count


def test_only_one_profiler_a_thread():
    with profiler.Profiler(on_trace_ready=quiet):
        with pytest.raises(RuntimeError, match="runs already"):
            profiler.Profiler().start()


def test_an_exception_ends_the_recording():
    with pytest.raises(ValueError):
        with profiler.Profiler(on_trace_ready=quiet) as prof:
            paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
    assert state.observer is None
    assert "matmul_v2" in operators(prof.profiler_result)


def test_other_threads_are_not_recorded():
    def work():
        thread = threading.Thread(target=lambda: paddle.tanh(paddle.ones([2])))
        thread.start()
        thread.join()

    assert operators(recorded(work)) == []


def test_shapes_and_operations():
    x, y = paddle.ones([2, 3]), paddle.ones([3, 4])
    [event] = recorded(lambda: paddle.matmul(x, y), record_shapes=True, with_flops=True).of_kind("operator")
    assert event.shapes == "[2,3] [3,4]"
    assert event.flops == 2 * 2 * 3 * 4


def test_convolutions_count_what_a_filter_looks_at():
    x, w = paddle.ones([1, 2, 5, 5]), paddle.ones([3, 2, 3, 3])
    x.stop_gradient = w.stop_gradient = False
    result = recorded(lambda: paddle.nn.functional.conv2d(x, w).sum().backward(), with_flops=True)
    found = [e.flops for e in result.of_kind("operator") if e.name.rpartition("/")[2].startswith("conv")]
    assert [n for n in found if n] == [2 * (3 * 3 * 3) * (2 * 3 * 3)] * 3


def test_the_memory_peak_is_that_of_results_held_together():
    x = paddle.ones([256], dtype="float64")

    def work():
        for _ in range(10):
            paddle.tanh(x)  # each is freed before the next
        a, b = paddle.exp(x), paddle.sqrt(x)
        return a, b, a.reshape([2, 128])  # a view holds nothing more

    result = recorded(work, profile_memory=True)
    assert result.peak_bytes == 2 * 256 * 8
    assert result.memory[-1][1] == 0


def test_the_schedule_decides_what_is_recorded():
    handed = []
    schedule = profiler.make_scheduler(closed=1, ready=1, record=2, repeat=2, skip_first=1)
    prof = profiler.Profiler(scheduler=schedule, on_trace_ready=lambda p: handed.append(p.profiler_result))
    prof.start()
    for _ in range(12):
        paddle.ones([1])
        prof.step()
    prof.stop()
    assert [[e.name for e in result.of_kind("step")] for result in handed] == [
        ["ProfileStep#3", "ProfileStep#4"], ["ProfileStep#7", "ProfileStep#8"]]
    assert [len(operators(result)) for result in handed] == [2, 2]


def test_the_states_are_those_of_paddle():
    schedule = profiler.make_scheduler(closed=1, ready=2, record=3, repeat=2, skip_first=1)
    names = ["CLOSED", "CLOSED", "READY", "READY", "RECORD", "RECORD", "RECORD_AND_RETURN", "CLOSED", "READY", "READY",
             "RECORD", "RECORD", "RECORD_AND_RETURN", "CLOSED", "CLOSED", "CLOSED"]
    assert [schedule(step).name for step in range(16)] == names
    assert [profiler.make_scheduler(closed=0, ready=0, record=2)(s).name for s in range(2)] == [
        "RECORD", "RECORD_AND_RETURN"]


def test_back_to_back_recordings_are_apart():
    handed = []
    schedule = profiler.make_scheduler(closed=0, ready=0, record=1)
    with profiler.Profiler(scheduler=schedule, on_trace_ready=lambda p: handed.append(p.profiler_result)) as prof:
        for _ in range(3):
            paddle.ones([1])
            prof.step()
    assert [len(operators(r)) for r in handed] == [1, 1, 1, 0]


@pytest.mark.parametrize("arguments", [
    {"closed": -1, "ready": 0, "record": 1}, {"closed": 0, "ready": 0, "record": 0}])
def test_a_schedule_without_sense_is_refused(arguments):
    with pytest.raises(ValueError, match="make_scheduler"):
        profiler.make_scheduler(**arguments)


@pytest.mark.parametrize("scheduler, error", [((3, 1), ValueError), (5, TypeError), ((1, 2, 3), TypeError)])
def test_a_scheduler_without_sense_is_refused(scheduler, error):
    with pytest.raises(error, match="scheduler"):
        profiler.Profiler(scheduler=scheduler)


def test_targets_are_checked_and_devices_that_are_not_here_left_out():
    with pytest.raises(ValueError, match="targets"):
        profiler.Profiler(targets=["CPU"])
    target = profiler.ProfilerTarget
    with pytest.warns(UserWarning, match="XPU is not here"):
        assert profiler.Profiler(targets=[target.XPU, target.CPU]).targets == [target.CPU]


def test_utils_tells_whether_a_profiler_runs():
    from proa.profiler import utils

    assert not utils._is_profiler_used and not utils.in_profiler_mode()
    with profiler.Profiler(on_trace_ready=lambda prof: None):
        assert utils._is_profiler_used and utils.in_profiler_mode()
    assert utils.RecordEvent is profiler.RecordEvent and not hasattr(utils, "nothing")


def test_a_profiler_as_a_file_describes_it(tmp_path):
    from proa.profiler.profiler import get_profiler

    path, traces = tmp_path / "profiler.json", tmp_path / "traces"
    called = {"module": "proa.profiler", "use_direct": False, "args": []}
    path.write_text(json.dumps({
        "targets": ["CPU"], "timer_only": False,
        "scheduler": {"make_scheduler": called | {"kwargs": {"closed": 1, "ready": 0, "record": 1, "repeat": 1}}},
        "on_trace_ready": {"export_chrome_tracing": called | {"kwargs": {"dir_name": str(traces)}}}}))
    with get_profiler(str(path)) as prof:
        for _ in range(3):
            paddle.ones([2])
            prof.step()
    assert len(os.listdir(traces)) == 1
    path.write_text(json.dumps({"targets": [1], "scheduler": [3, 4]}))
    with pytest.warns(UserWarning, match="targets in .*json cannot be used"):
        assert get_profiler(str(path)).targets
    with pytest.warns(UserWarning, match="cannot be read"):
        assert get_profiler(str(tmp_path / "none.json")).targets


def test_the_exported_file_is_a_chrome_trace_and_reads_back(tmp_path):
    x = paddle.rand([4])
    with profiler.Profiler(on_trace_ready=profiler.export_chrome_tracing(str(tmp_path), "me"), record_shapes=True,
                           profile_memory=True) as prof:
        with profiler.RecordEvent("work"):
            paddle.tanh(x)
    [name] = os.listdir(tmp_path)
    assert name.startswith("me_time_") and name.endswith(".paddle_trace.json")
    with open(tmp_path / name, encoding="utf-8") as file:
        content = json.load(file)
    spans = [e for e in content["traceEvents"] if e["ph"] == "X"]
    assert {"tanh", "work"} <= {e["name"] for e in spans}
    assert all(isinstance(e["ts"], float) and e["dur"] >= 0 and "pid" in e and "tid" in e for e in spans)
    loaded = profiler.load_profiler_result(str(tmp_path / name))
    kept = prof.profiler_result
    assert [e.name for e in loaded.events] == [e.name for e in kept.events]
    assert loaded.peak_bytes == kept.peak_bytes and [e.shapes for e in loaded.events] == [e.shapes for e in kept.events]
    assert [e.own for e in loaded.events] == [e.own for e in kept.events]


def test_by_default_recordings_go_to_profiler_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with profiler.Profiler():
        paddle.ones([1])
    assert len(os.listdir(tmp_path / "profiler_log")) == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"traceEvents": []}', '{"traceEvents": [{}], "proa": {}}'])
def test_a_file_that_is_no_profile_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(CorruptFileError, match="broken.json"):
        profiler.load_profiler_result(str(path))


def test_protobuf_is_refused_with_a_way_out():
    with pytest.raises(NotImplementedError, match="export_chrome_tracing"):
        profiler.export_protobuf("folder")


def test_the_summary_has_its_tables(capsys):
    layer = paddle.nn.Linear(3, 2)

    def work():
        with profiler.RecordEvent("mine"):
            loss = layer(paddle.ones([4, 3])).sum()
        loss.backward()

    with profiler.Profiler(on_trace_ready=quiet, record_shapes=True, profile_memory=True, with_flops=True) as prof:
        work()
    prof.summary(sorted_by=profiler.SortedKeys.CPUMax, time_unit="us")
    text = capsys.readouterr().out
    for expected in ("By operator", "matmul_v2_grad/matmul_v2", "By line", "loss = layer", "By phase", "backward",
                     "Memory of results", "RecordEvent ranges", "mine", "[4,3] [3,2]", "GFLOP/s"):
        assert expected in text
    prof.summary(views=profiler.SummaryView.UDFView)
    assert "By operator" not in capsys.readouterr().out
    with pytest.raises(ValueError, match="time_unit"):
        prof.summary(time_unit="hours")


def test_a_summary_of_nothing_says_so():
    with pytest.raises(RuntimeError, match="nothing has been recorded"):
        profiler.Profiler().summary()


def test_a_range_as_decorator_may_call_itself():
    @profiler.RecordEvent("again")
    def down(n):
        return n if n == 0 else down(n - 1)

    result = recorded(lambda: down(2))
    assert [e.name for e in result.of_kind("range")] == ["again"] * 3
    down(1)  # without a profiler: nothing


def test_begin_and_end():
    event = profiler.RecordEvent("span")

    def work():
        event.end()  # nothing was begun
        event.begin()
        event.end()

    assert len(recorded(work).of_kind("range")) == 1


class Numbers(paddle.io.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return np.full(2, index, "float32")


def test_waiting_for_batches_is_seen():
    loader = paddle.io.DataLoader(Numbers(), batch_size=2)
    result = recorded(lambda: list(loader))
    assert [e.name for e in result.of_kind("reader")] == ["DataLoader"] * 3


def test_the_timer_tells_samples_a_second():
    with profiler.Profiler(timer_only=True) as prof:
        assert state.trace is EAGER
        for _ in paddle.io.DataLoader(Numbers(), batch_size=2):
            prof.step(num_samples=2)
        text = prof.step_info(unit="images")
        assert text.startswith(" reader_cost: ") and " batch_cost: " in text and text.endswith(" images/s")
        assert prof.step_info() == ""  # nothing since
        prof.step()
        assert prof.step_info("images").endswith(" steps/s")
        assert "reader_cost" not in prof.step_info()
    assert prof.profiler_result is None


def test_a_step_outside_is_refused():
    with pytest.raises(RuntimeError, match="start"):
        profiler.Profiler().step()
