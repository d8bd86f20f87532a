"""Sides of one workload taking turns: start them all, time them in rounds, and say what each took."""

import contextlib
import dataclasses
import statistics

from . import quiet
from .process import Unavailable, Worker


@dataclasses.dataclass
class Pace:
    """How long to measure: rounds, seconds of a turn, and before it a pause in which other threads fall asleep."""

    rounds: int = 11
    seconds: float = 0.6
    least: int = 3
    pause: float = 0.25
    threads: int = 2
    patience: float = 0.0  # seconds to wait, at most, before a turn, for others to be idle
    device: str = "cpu"


QUICK = {"rounds": 5, "seconds": 0.25, "least": 1}


def summarise(times):
    """Median, quartiles and least of the times of single steps, in seconds."""
    low, middle, high = statistics.quantiles(times, n=4) if len(times) > 1 else times * 3
    return {"median": middle, "low": low, "high": high, "least": min(times), "steps": len(times)}


def take_turns(workers, pace, processor=None):
    """Times of the steps of each worker, by its key; the order turns with every round.

    `processor`, where it is given, takes what a step took of processors in each turn, by key.
    """
    times = {key: [] for key in workers}
    failed = {}
    for number in range(pace.rounds):
        keys = [key for key in workers if key not in failed]
        shift = number % max(1, len(keys))
        for key in keys[shift:] + keys[:shift]:
            quiet.pause(pace.pause, pace.patience)
            try:
                answer = workers[key].ask("run", seconds=pace.seconds, least=pace.least)
                times[key] += answer["times"]
                if processor is not None:
                    processor[key].append(answer["processor"])
            except Unavailable as reason:
                failed[key] = str(reason)
    return times, failed


def _prepare(stack, sides, pythons, question, pace, verbose):
    """Starts the workers, all at once, and waits until each is ready or says why not."""
    workers, found = {}, {}
    started = {side: stack.enter_context(Worker(pythons[side[0]], pace.threads)) for side in sides}
    for (framework, mode), worker in started.items():
        worker.send("prepare", framework=framework, mode=mode, threads=pace.threads, device=pace.device,
                    **question)
    for side, worker in started.items():
        try:
            found[side] = worker.receive()
            workers[side] = worker
        except Unavailable as reason:
            found[side] = {"unavailable": str(reason)}
            if verbose:
                print(worker.log())
    return workers, found


def measure(workload, size, sides, pythons, pace, verbose=False):
    """Times and memory of a workload on each side: a dict by (framework, mode)."""
    with contextlib.ExitStack() as stack:
        question = {"workload": workload, "size": size}
        workers, found = _prepare(stack, sides, pythons, question, pace, verbose)
        processor = {side: [] for side in workers}
        times, failed = take_turns(workers, pace, processor)
        for side, worker in workers.items():
            if side in failed:
                found[side] = {"unavailable": failed[side]}
            else:
                found[side].update(summarise(times[side]), processor=statistics.median(processor[side]),
                                   memory=worker.ask("memory"))
    return found
