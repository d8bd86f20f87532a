"""Steps of OneFlow's train jobs beside those of the same network as a Program of the 2.x API, and calls of jobs.

    OMP_NUM_THREADS=1 python -m proa.benchmarks.oneflow_jobs

The sides take turns in one process; a figure is the processor time of a step, the mean of the round where it was least.
"""

import sys
import time

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
from proa import static

from .format import table

BATCH = 64
flows, rules = flow.optimizer, paddle.optimizer


def rate():
    warmup = flows.warmup.linear(100, 0.1)
    return flows.PolynomialScheduler(0.001, 100_000, warmup=warmup)


RULES = {
    "SGD": (lambda: flows.SGD(rate(), momentum=0), lambda: rules.SGD(0.001)),
    "momentum": (lambda: flows.SGD(rate(), momentum=0.9), lambda: rules.Momentum(0.001)),
    "Adam": (lambda: flows.Adam(rate(), do_bias_correction=True), lambda: rules.Adam(0.001)),
    "AdamW": (lambda: flows.AdamW(rate(), do_bias_correction=True, weight_decay=0.01), lambda: rules.AdamW(0.001)),
    "RMSProp": (lambda: flows.RMSProp(rate()), lambda: rules.RMSProp(0.001)),
    "LAMB": (lambda: flows.LAMB(rate(), weight_decay=0.01), lambda: rules.Lamb(0.001)),
}


def small(images, dense):
    return dense(dense(paddle.reshape(images, [BATCH, 784])[:, :16], 16, True), 10, False)


def mlp(images, dense):
    return dense(dense(dense(paddle.reshape(images, [BATCH, 784]), 256, True), 256, True), 10, False)


NETWORKS = {"16 → 16 → 10": small, "784 → 256 → 256 → 10": mlp}


def job_of(network, rule):
    """A step of a train job."""
    flow.clear_default_session()

    def dense(x, units, active):
        return flow.layers.dense(x, units, activation=flow.nn.relu if active else None,
                                 kernel_initializer=flow.random_normal_initializer(0, 0.1))

    @flow.global_function(type="train")
    def job(images: tp.Numpy.Placeholder((BATCH, 784)), labels: tp.Numpy.Placeholder((BATCH,), flow.int32)) -> tp.Numpy:
        loss = flow.nn.sparse_softmax_cross_entropy_with_logits(labels, network(images, dense))
        rule().minimize(loss)
        return loss

    return job


def program_of(network, rule):
    """A step of a Program by the Executor."""
    main, startup, exe, scope = static.Program(), static.Program(), static.Executor(), static.Scope()
    with static.scope_guard(scope), static.program_guard(main, startup):
        images, labels = static.data("x", [BATCH, 784]), static.data("y", [BATCH], "int32")
        logits = network(images, lambda x, units, active: static.nn.fc(x, units, activation="relu" if active else None))
        loss = paddle.nn.functional.cross_entropy(logits, labels, reduction="none")
        rule().minimize(loss.mean())
        exe.run(startup)
    return lambda x, y: exe.run(main, feed={"x": x, "y": y}, fetch_list=[loss], scope=scope)


def quickest(steps, batch, rounds, seconds):
    """The least mean processor time of a step over the rounds, in microseconds, for each of several in turns."""
    for step in steps:
        for _ in range(50):
            step(*batch)
    least = [float("inf")] * len(steps)
    for _ in range(rounds):
        for n, step in enumerate(steps):
            count, begin = 0, time.process_time()
            while time.process_time() < begin + seconds:
                step(*batch)
                count += 1
            least[n] = min(least[n], (time.process_time() - begin) / count * 1e6)
    return least


def calls_of(count):
    """A job that reads so many small variables: its plan with the arrays in hand, its call, the Executor's."""
    flow.clear_default_session()

    @flow.global_function()
    def job(x: tp.Numpy.Placeholder((4, 3))) -> tp.Numpy:
        for n in range(count):
            x = x + flow.get_variable(f"w{n}", (3,), initializer=flow.zeros_initializer())
        return x * 2.0

    batch = [np.ones((4, 3), np.float32)]
    job(*batch)
    program, outputs, scope, exe = job.job.program, job.job.outputs, job.job.session.scope, static.Executor()
    plan = program.plan(["Input_0"], outputs)
    values = [*batch, *(scope.array(name) for name in plan.inputs[1:])]
    return [lambda x: plan(np, values), job,
            lambda x: exe.run(program, feed={"Input_0": x}, fetch_list=outputs, scope=scope)], batch


def main(rounds=15, seconds=0.1):
    """Prints the tables."""
    rows = []
    for count in (0, 10, 100):
        rows.append([str(count), *(f"{cost:.1f} µs" for cost in quickest(*calls_of(count), rounds, seconds))])
    print(table(["variables", "the plan alone", "the job", "Executor.run"], rows), end="\n\n")
    draw = np.random.default_rng(0)
    batch = draw.normal(size=(BATCH, 784)).astype("float32"), draw.integers(0, 10, BATCH).astype("int32")
    rows = []
    for name, network in NETWORKS.items():
        for rule, (of_flow, of_paddle) in RULES.items():
            job, program = quickest([job_of(network, of_flow), program_of(network, of_paddle)], batch, rounds, seconds)
            rows.append([name, rule, f"{job:.0f} µs", f"{program:.0f} µs", f"{job / program:.2f}"])
    print(table(["network", "rule", "job", "Program", "job ÷ Program"], rows))


if __name__ == "__main__":
    sys.exit(main())
