"""What a profile shows of steps of several processes: a thread exchanges gradients while others are computed."""

from launching import run
from proa import profiler


def test_exchanges_go_on_beneath_the_backward_pass(tmp_path):
    run(tmp_path, "overlap.py", tmp_path / "profile")
    for rank in range(2):
        [file] = (tmp_path / "profile").glob(f"rank{rank}_*.json")
        result = profiler.load_profiler_result(file)
        exchanged = result.of_kind("exchange")
        computing = [event for event in result.of_kind("operator") if event.phase == "backward"]
        [own] = {event.thread for event in computing}
        beneath = [event for event in exchanged if event.thread != own]
        assert len(exchanged) == 2 * 9 and len(beneath) >= 2 * 7  # the thread that waits may do a pass's last ones
        assert sorted({event.name for event in exchanged}) == ["1 gradient, 1.56 MB", "8 gradients, 0.02 MB"]
        overlapping = [one for one in beneath if any(
            one.begin < other.begin + other.duration and other.begin < one.begin + one.duration for other in computing)]
        assert overlapping  # how many is up to the machine, and what else it does
        passes = [event for event in result.of_kind("range") if event.name == "backward pass"]
        for one in exchanged:
            assert any(p.begin <= one.begin and one.begin + one.duration <= p.begin + p.duration for p in passes)
