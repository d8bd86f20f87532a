"""One side of a measurement: holds a workload ready in one framework, and times its steps when asked.

Started by `process.Worker`. A line of JSON in is answered by a line of JSON out:

    {"prepare": {"framework": "torch", "workload": "mlp", "mode": "eager", "size": {...}, "threads": 2, "warm": 1}}
    {"run": {"seconds": 0.3, "least": 3}}
    {"memory": {}}
    {"first_steps": {"framework": "paddle", "program": "vae", "threads": 2}}
    {"serve": {"framework": "onnxruntime", "model": "bert", "files": "/tmp/x/bert", "threads": 2, "shapes": 3}}

What frameworks print goes to the standard error. One of several ranks, started by `crew.Crew`, is given a folder, and
reads and answers by the pipes there that bear its number.
"""

import importlib
import importlib.util
import json
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST_SAMPLE = 200e-6  # seconds: shorter steps are timed several at a time


def load_package():
    """Makes `benchmarks` importable without putting the repository's root, or this folder, on the path."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") not in (HERE, os.path.dirname(HERE))]
    spec = importlib.util.spec_from_file_location(
        "benchmarks", os.path.join(HERE, "__init__.py"), submodule_search_locations=[HERE])
    sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)


def timed(step):
    """What a call took, by the clock and of processors, and what it gave."""
    wall, processor = time.perf_counter(), time.process_time()
    result = step()
    return {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}, result


class Side:
    """A workload in a framework, ready to step."""

    def __init__(self):
        self.step = None
        self.repeats = 1
        self.framework = None
        self.after_import = None
        self.device = accelerator.Processor()

    def import_framework(self, name, threads):
        begin = time.perf_counter()
        self.framework = importlib.import_module("paddle" if name == "fluid" else name)
        seconds = time.perf_counter() - begin
        if name == "torch":
            self.framework.set_num_threads(threads)
        ranks.connect(name)
        if name not in ("fluid", served.ONNX):
            # a framework may load its parts only when they are used
            (self.framework.numpy if name == "jax" else self.framework).ones([1])
        self.after_import = memory.resident()
        return seconds

    def prepare(self, framework, workload, mode, size, threads, warm=0.2, device="cpu"):
        import_s = self.import_framework(framework, threads) if self.framework is None else 0.0
        if device != "cpu":
            self.device = accelerator.Accelerator(self.framework, framework)
        module = importlib.import_module(f"benchmarks.workloads.{workload}")
        build = getattr(module, f"in_{framework}" if framework in ("torch", "jax") else "in_paddle")
        begin = time.perf_counter()
        self.step = build(self.framework, mode, size)
        built = time.perf_counter()
        value = self.step()
        self.device.wait()
        first_s = time.perf_counter() - built
        check = getattr(self.step, "check", None)  # what sides are compared by, where the first value says little
        if check:
            value = check()
        self.repeats = 1
        if warm:
            self._settle(warm)
        memory.forget_peak()
        return {"result": values.number(value), "version": self.framework.__version__, "import_s": import_s,
                "build_s": built - begin, "first_s": first_s}

    def first_steps(self, framework, program, threads):
        """Times the first steps of a small program, each of its own size, in this process."""
        self.import_framework(framework, threads)
        module = importlib.import_module(f"benchmarks.programs.{program}")
        step, found = module.build(self.framework), []
        for size in module.SIZES:
            wall, processor = time.perf_counter(), time.process_time()
            value = step(size)
            found.append({"wall": time.perf_counter() - wall, "processor": time.process_time() - processor,
                          "result": value})
        return {"steps": found, "version": self.framework.__version__}

    def write_models(self, names, folder, packages, threads):
        """Writes the files of models, and a page to be read; what of it was not possible, with the reason."""
        self.import_framework("proa", threads)
        sys.path.append(packages)
        saved_models.page(os.path.join(folder, "page.npy"))
        faults = {name: saved_models.write(self.framework, name, os.path.join(folder, name), packages)
                  for name in names}
        return {"faults": {name: fault for name, fault in faults.items() if fault}}

    def serve(self, framework, model, files, threads, shapes):
        """Opens a saved model and runs it on inputs of its first so many shapes; a step is a run of each of them."""
        imported, _ = timed(lambda: self.import_framework(framework, threads))
        given = [saved_models.MODELS[model].inputs(number) for number in range(shapes)]
        first, call = timed(lambda: served.opened(self.framework, framework, files, threads))
        runs, results = [], []
        for arrays in given:
            took, found = timed(lambda arrays=arrays: call(arrays))
            runs.append(took)
            results.append(values.number(found[0]))
        first = {clock: first[clock] + runs[0][clock] for clock in first}
        return self._served(lambda: [call(arrays) for arrays in given], imported, first, runs[1:], results)

    def read_pages(self, framework, files, threads, packages, with_onednn):
        """Reads the page that lies at `files` by rapidocr-paddle; a step reads it again."""
        imported, _ = timed(lambda: self.import_framework(framework, threads))
        picture = numpy.load(files + ".npy")
        first, read = timed(lambda: served.reader(self.framework, framework, packages, threads, with_onednn))
        took, texts = timed(lambda: read(picture))
        return self._served(lambda: read(picture), imported, {c: first[c] + took[c] for c in first}, [], texts)

    def _served(self, step, imported, first, further, results):
        self.step = step
        started = {clock: imported[clock] + first[clock] for clock in first}
        return {"started": started, "first": first, "further": further, "results": results,
                "version": self.framework.__version__, "peak": memory.highest() - self.after_import}

    def _settle(self, seconds):
        self.step()
        times = self.run(seconds, 3)["times"]
        self.repeats = max(1, int(LEAST_SAMPLE / min(times)))

    def run(self, seconds, least):
        """Times steps for so many seconds, after one that is not counted; and the processor time of a step."""
        step, repeats, wait, times = self.step, self.repeats, self.device.wait, []
        step()
        wait()
        processor, end = time.process_time(), time.perf_counter() + seconds
        while len(times) < least or time.perf_counter() < end:
            begin = time.perf_counter()
            for _ in range(repeats):
                step()
            wait()
            times.append((time.perf_counter() - begin) / repeats)
        return {"times": times, "processor": (time.process_time() - processor) / (len(times) * repeats)}

    def run_steps(self, count):
        """Times so many steps, after one that is not counted; and the processor time of a step, of all threads."""
        step, times = self.step, []
        step()
        processor = time.process_time()
        for _ in range(count):
            begin = time.perf_counter()
            step()
            times.append(time.perf_counter() - begin)
        return {"times": times, "processor": (time.process_time() - processor) / count}

    def counts(self):
        """Of a step in proa: Python's calls by this thread, and the messages and bytes that it gives to MPI."""
        calls, messages, given = [0], [0], [0]
        module = sys.modules.get("proa.backend.comm.mpi")
        world = module.connect() if module and ranks.count() > 1 else None
        connected = world and world._comm

        class Counting:
            """MPI's communicator, whose exchanges are counted."""

            def __getattr__(self, name):
                found = getattr(connected, name)
                if not name.startswith("I"):
                    return found

                def call(array=None, *others, **named):
                    messages[0] += 1
                    given[0] += getattr(array, "nbytes", 0)
                    return found(*(() if array is None else (array,)), *others, **named)

                return call

        def count(frame, event, argument):
            calls[0] += event in ("call", "c_call")

        if world:
            world._comm = Counting()
        self.step()
        messages[0] = given[0] = 0
        sys.setprofile(count)
        try:
            self.step()
        finally:
            sys.setprofile(None)
            if world:
                world._comm = connected
        return {"calls": calls[0], "messages": messages[0], "bytes": given[0]}

    def memory(self):
        """Bytes: the peak, the peak since the workload was ready, and what the import and a first tensor left."""
        if isinstance(self.device, accelerator.Accelerator):
            return {"peak": self.device.peak(), "steps": self.device.peak(), "after_import": 0}
        return {"peak": memory.highest(), "steps": memory.peak(), "after_import": self.after_import}


def ends():
    """Where questions come from and answers go."""
    if len(sys.argv) > 1:
        folder, rank = sys.argv[1], ranks.number()
        return open(os.path.join(folder, f"ask.{rank}")), open(os.path.join(folder, f"answer.{rank}"), "w")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return sys.stdin, answers


def main():
    questions, answers = ends()
    side = Side()
    for line in questions:
        (name, arguments), = json.loads(line).items()
        try:
            answer = getattr(side, name)(**arguments)
        except Exception as error:
            traceback.print_exc()
            answer = {"unavailable": f"{type(error).__name__}: {error}".strip()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    sys.stderr.flush()
    if ranks.count() == 1:
        os._exit(0)  # what connects ranks says goodbye first


if __name__ == "__main__":
    load_package()
    import numpy

    from benchmarks import accelerator, memory, ranks, saved_models, served
    from benchmarks.workloads import values

    main()
