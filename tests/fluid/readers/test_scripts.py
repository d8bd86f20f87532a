"""Scripts of Paddle 1.x that read data, as `python -m proa run` runs them."""

import subprocess
import sys

GENERATOR = """
import paddle.fluid.incubate.data_generator as dg


class Lines(dg.MultiSlotDataGenerator):
    def generate_sample(self, line):
        def samples():
            words = [int(word) for word in line.split()]
            yield [("words", words), ("label", [len(words)])]

        return samples


Lines().run_from_stdin()
"""

TRAINED_BY_A_DATASET = """
import sys
import numpy as np
import paddle.fluid as fluid

with open("part-0", "w") as file:
    file.write("7 8 9\\n5\\n4 4\\n")
words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_batch_size(2)
dataset.set_use_var([words, label])
dataset.set_pipe_command(sys.executable + " generator.py")
dataset.set_filelist(["part-0"])
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
exe.train_from_dataset(program=fluid.default_main_program(), dataset=dataset, fetch_list=[label], fetch_info=["label"],
                       print_period=1)
"""


def run(folder, script, **files):
    for name, text in {"main": script, **files}.items():
        (folder / f"{name}.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "proa", "run", "main.py"], capture_output=True, text=True, cwd=folder,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_pipe_command_that_imports_paddle_finds_proa_too(tmp_path):
    printed = run(tmp_path, TRAINED_BY_A_DATASET, generator=GENERATOR)
    assert [line.strip() for line in printed.splitlines() if "data:" in line] == ["data: [3 1]", "data: [2]"]
