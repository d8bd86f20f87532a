"""A soak: a job that trains is harmed at random moments, and after each harm nothing may hang, be left or be lost.

`python soak.py HARMS SEED` in this folder. Each time one of a job's processes, drawn with what is done to it, gets a
signal: a process that trains, its supervisor, mpiexec, the job's supervisor, the launcher. Where the launcher outlives
it, it starts the job again; where not, the soak does, as a scheduler would. Then the checkpoint must load, what the
harmed life has started must be gone, and in the end the losses must be those of training undisturbed, to the last bit.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

import proa as paddle
from jobs import Job, is_running, wait_for

PROGRAM = pathlib.Path(__file__).parent / "programs" / "restarted.py"
HARMS = [(whom, number) for whom, numbers in {
    "process": (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGSTOP),
    "supervisor of a process": (signal.SIGKILL, signal.SIGTERM),
    "mpiexec": (signal.SIGKILL, signal.SIGTERM), "supervisor of the job": (signal.SIGKILL, signal.SIGTERM),
    "launcher": (signal.SIGKILL, signal.SIGTERM, signal.SIGINT),
    "launcher and supervisor": (signal.SIGKILL,)}.items() for number in numbers]
DEADLINE_S = 90.0  # for whatever is waited for; a stopped process is missed after 5


class Soak:
    """Jobs, one after the other, and what was done to them."""

    def __init__(self, folder, seed, steps=400, pause=0.01, processes=2):
        self.folder, self.random = pathlib.Path(folder), random.Random(seed)
        self.steps, self.pause, self.processes = steps, pause, processes
        self.done = collections.Counter()
        self.recoveries, self.jobs, self.launchers = [], 0, 0
        self.job = None

    def run(self, harms):
        """Harms jobs so many times, and lets the last one end."""
        whole = self.losses_of(self.new_folder("whole"))
        while harms > 0:
            folder = self.new_folder(f"harmed{self.jobs}")
            self.jobs += 1
            harms -= self.harm_one(folder, harms)
            found = paddle.load(str(folder / "checkpoint"))["losses"]
            other = [step for step, (one, two) in enumerate(zip(found, whole, strict=True)) if one != two]
            assert not other, (f"from step {other[0]} on the losses are others than those of training undisturbed, by "
                               f"{max(abs(found[step] - whole[step]) for step in other):.3g}")
        return self

    def new_folder(self, name):
        """A folder for a job."""
        made = self.folder / name
        made.mkdir(parents=True)
        return made

    def start(self, folder):
        """A launcher of the job in a folder."""
        self.launchers += 1
        for file in folder.glob("*.pid"):
            file.unlink()
        with open(folder / "launcher.err", "a") as errors, open(folder / "launcher.out", "a") as output:
            return Job(folder, PROGRAM.read_text(), str(folder / "checkpoint"), "--steps", str(self.steps), "--pause",
                       str(self.pause), processes=self.processes, stderr=errors, stdout=output, environment={
                           "FLAGS_communication_timeout": "5", "FLAGS_kernel_after_elements": "0"},
                       options=["--elastic", "--max_restart", "1000", "--restart_pause", "0.1"])

    def losses_of(self, folder):
        """Of a job that nobody harms."""
        assert self.start(folder).end(DEADLINE_S * 4)[0] == 0
        return list(paddle.load(str(folder / "checkpoint"))["losses"])

    def harm_one(self, folder, most):
        """Harms one job till it ends; how often."""
        count, job = 0, self.start(folder)
        while True:
            pause = self.random.random() ** 2 * 8
            ended = wait_for(lambda: job.launcher.poll() is not None, seconds=pause)
            if ended or count == most:
                code = job.end(DEADLINE_S * 4)[0]
                assert code == 0, f"the launcher ended with exit code {code}: {(folder / 'launcher.err').read_text()}"
                assert not job.folders()
                return count
            if self.harm(job, folder):
                count += 1
                begun = time.monotonic()
                job = self.recovered(job, folder)
                self.recoveries.append(time.monotonic() - begun)

    def harm(self, job, folder):
        """Harms a job; False where what was drawn is not there."""
        whom, number = self.random.choice(HARMS)
        running = job.running()
        supervisors = sorted(process for process, line in running.items() if line.split()[1:3] == ["-I", "-S"])
        trains = [process for process, line in running.items() if line.split()[1:3] == ["-X", "faulthandler"]]
        top = [process for process in supervisors if '"told"' in running[process]]
        targets = {
            "process": trains, "supervisor of a process": [one for one in supervisors if one not in top],
            "mpiexec": [process for process, line in running.items() if "--oversubscribe" in line.split()[:4]],
            "supervisor of the job": top, "launcher": [job.launcher.pid],
            "launcher and supervisor": [job.launcher.pid, *top]}[whom]
        if not targets:
            return False
        self.old, self.ends_launcher, self.stopped = set(running), "launcher" in whom, None
        both = whom == "launcher and supervisor"
        for process in targets if both else [self.random.choice(sorted(targets))]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                return False
            self.stopped = process if number is signal.SIGSTOP else None
        self.done[f"{whom}: {number.name}"] += 1
        self.last = f"{whom}: {number.name}"
        return True

    def is_missed_by_none(self, job):
        """Whether the others have ended when one is stopped: nobody exchanges with it, and it may take its time."""
        return self.stopped is not None and any(path for folder in job.folders() for path in folder.rglob("*.done"))

    def recovered(self, job, folder):
        """The job once it trains again: the same, or where its launcher has ended another one."""
        alive = self.old - {job.launcher.pid}

        def is_gone():
            return job.launcher.poll() is not None or not self.ends_launcher and not any(map(is_running, alive))

        gone = wait_for(lambda: is_gone() or self.is_missed_by_none(job), seconds=DEADLINE_S)
        if gone and not is_gone():
            os.kill(self.stopped, signal.SIGCONT)
            self.done["stopped behind the last exchange"] += 1
            gone = wait_for(is_gone, seconds=DEADLINE_S)
        left = {process: line[:200] for process, line in job.running().items() if process in alive}
        assert gone, f"{self.last}: left after {DEADLINE_S:g} s: {left}"
        if job.launcher.poll() is not None:
            job.end(DEADLINE_S)
            assert job.launcher.returncode or not job.folders()
            if (folder / "checkpoint").exists() and paddle.load(str(folder / "checkpoint"))["step"] == self.steps:
                self.done["after the last step"] += 1
            job = self.start(folder)
        for file in folder.glob("*.pid"):
            if not is_running(int(file.read_text())):
                file.unlink(missing_ok=True)
        if (folder / "checkpoint").exists():
            paddle.load(str(folder / "checkpoint"))
        return job


def main():
    """Soaks, and says what was done."""
    parser = argparse.ArgumentParser()
    parser.add_argument("harms", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(folder, options.seed).run(options.harms)
    times = sorted(soak.recoveries)
    json.dump({"harms": len(times), "jobs": soak.jobs, "launchers": soak.launchers - 1, "kinds": dict(soak.done),
               "seconds": round(time.monotonic() - begun), "until all was gone, median": round(
                   times[len(times) // 2], 2), "longest": round(times[-1], 2)}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
