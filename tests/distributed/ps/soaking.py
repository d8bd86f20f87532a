"""A soak: parameter servers and trainers, processes all, are killed at random moments (SIGKILL) and started again.

`python soaking.py KILLS SEED` in this folder: two servers and two trainers, in rounds and without. After each kill all
have to come through some rounds before the next: a server that is killed again as soon as it listens
serves nobody. In the end values must be those of training undisturbed (in rounds, to the last bit; without, no value
that was answered may be missing, and none used twice but what a killed trainer did not hear an answer to), checkpoints
must load, and no process may be left.
"""

import argparse
import collections
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from proa.distributed import ps
from serving import Process

TRAINER = pathlib.Path(__file__).parent / "programs" / "train.py"
DEADLINE_S = 120.0
SERVERS = TRAINERS = 2
VICTIMS = [("server", index) for index in range(SERVERS)] + [("trainer", number) for number in range(TRAINERS)]


class Soak:
    """A job in one mode, and what was done to it; `plan` says how far it may go before each kill."""

    def __init__(self, mode, folder, seed, kills):
        self.mode, self.folder, self.kills = mode, pathlib.Path(folder), kills
        self.random, self.done = random.Random(seed), collections.Counter()
        self.in_a_round, self.recoveries = 0, []
        self.plan = np.cumsum([self.random.randint(2, 6) for _ in range(kills + 1)]).tolist()
        self.rounds = self.plan[-1]
        self.servers, self.trainers, self.started = [], [], []

    def run(self, is_harmed=True):
        """Trains with kills, or without; the values that the servers end with."""
        self.folder.mkdir(parents=True)
        try:
            self.servers = [Process(self.mode, TRAINERS, self.folder / "checkpoints", index, SERVERS)
                            for index in range(SERVERS)]
            self.trainers = [self.trainer(number) for number in range(TRAINERS)]
            for goal in self.plan[:-1] if is_harmed else ():
                self.allow(goal)
                self.harm(goal)
            self.allow(self.rounds)
            self.wait_for(self.rounds)
            self.allow(self.rounds + 1)
            for trainer in self.trainers:
                assert trainer.wait(DEADLINE_S) == 0
            for server in self.servers:
                code, said, errors = server.ended()
                assert code == 0 and "done" in said, errors
        finally:
            for process in [*self.trainers, *(server.process for server in self.servers)]:
                if process.poll() is None:
                    process.kill()
                    process.wait(20)
            for server in self.servers:
                server.process.stdout.close()
                server.process.stderr.close()
        with np.load(self.folder / "values.npz") as found:
            return dict(found)

    def trainer(self, number):
        """A trainer, as a process."""
        with open(self.folder / f"log-{number}", "a") as log:
            return subprocess.Popen([sys.executable, str(TRAINER), str(number), str(self.rounds), str(self.folder),
                                     ",".join(server.endpoint for server in self.servers)], stdout=log, stderr=log)

    def allow(self, goal):
        """Lets the trainers go up to a round."""
        (self.folder / "goal.new").write_text(str(goal))
        os.replace(self.folder / "goal.new", self.folder / "goal")

    def came(self):
        """How far each trainer is."""
        paths = [self.folder / f"trainer-{number}" for number in range(TRAINERS)]
        return [int(path.read_text()) if path.exists() else 0 for path in paths]

    def wait_for(self, goal):
        """Waits until all trainers have come to a round."""
        until = time.monotonic() + DEADLINE_S
        while min(self.came()) < goal:
            for number, trainer in enumerate(self.trainers):
                assert trainer.poll() is None, (self.folder / f"log-{number}").read_text()
            for server in self.servers:
                assert server.process.poll() is None, server.process.stderr.read()
            assert time.monotonic() < until, f"trainers came to {self.came()}, not to {goal}"
            time.sleep(0.01)

    def harm(self, goal):
        """Kills one, at a moment before the goal is reached or shortly after, and waits until all have reached it."""
        whom, number = self.random.choice(VICTIMS)
        time.sleep(self.random.uniform(0, 0.15))
        self.in_a_round += min(self.came()) < goal
        self.done[whom] += 1
        begun = time.monotonic()
        if whom == "server":
            self.servers[number].kill()
            self.servers[number].start()
        else:
            self.trainers[number].kill()
            self.trainers[number].wait(20)
            self.trainers[number] = self.trainer(number)
        self.wait_for(goal)
        self.recoveries.append(time.monotonic() - begun)

    # What must be true in the end

    def check(self, found):
        """The values, the checkpoints, the processes."""
        if self.mode == "sync":
            whole = Soak(self.mode, self.folder / "whole", 0, 0)
            whole.plan, whole.rounds = self.plan, self.rounds
            for name, value in whole.run(is_harmed=False).items():
                np.testing.assert_array_equal(found[name], value, err_msg=name)
        else:
            steps = TRAINERS * self.rounds
            for index in range(SERVERS):
                used = np.unique(found[f"w{index}"] / -0.5)
                assert used.size == 1 and steps <= used[0] <= steps + self.done["trainer"], (used, steps)
        for index in range(SERVERS):
            self.check_checkpoint(index, found)
        left = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if str(self.folder) in command(path)]
        assert not left, [command(path) for path in left]

    def check_checkpoint(self, index, found):
        """What a server would begin with is what it ended with."""
        variables = {"w": np.zeros([3, 2], "float32")}
        table = ps.SparseTable(2, rule=ps.RowRule("adam", 0.1), seed=1)
        server = ps.Server("127.0.0.1:0", TRAINERS, self.mode, variables, {}, {"t": table},
                           checkpoints=ps.Checkpoints(self.folder / "checkpoints", index, SERVERS))
        number = server.restore(alone=True)
        assert number == self.rounds if self.mode == "sync" else number
        np.testing.assert_array_equal(variables["w"], found[f"w{index}"])
        mine = np.arange(index, len(found["t"]), SERVERS)
        np.testing.assert_array_equal(table.look_up(mine), found["t"][mine])


def command(path):
    """The command line of a process; nothing for one that has just ended."""
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def soaked(mode, folder, seed, kills):
    """A soak that has held."""
    soak = Soak(mode, folder, seed, kills)
    soak.check(soak.run())
    assert sum(soak.done.values()) == kills
    return soak


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("seed", type=int)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for each in ("sync", "async"):
            start = time.monotonic()
            made = soaked(each, pathlib.Path(place) / each, asked.seed, asked.kills // 2)
            print(f"{each}: {dict(made.done)} killed, {made.in_a_round} before the goal; {made.rounds} rounds; until "
                  f"the goal was reached {statistics.median(made.recoveries):.2f} s, at most "
                  f"{max(made.recoveries):.2f} s; "
                  f"{time.monotonic() - start:.0f} s in all", flush=True)
