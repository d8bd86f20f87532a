"""Measurements of proa beside PaddlePaddle and PyTorch, all sides of a workload taking turns in one run.

    python -m benchmarks                        everything, from the repository's root: about an hour
    python -m benchmarks --quick                everything, shorter: about a quarter of an hour on two cores
    python -m benchmarks workloads              training steps and inference: time, memory, distance to the limit
    python -m benchmarks workloads --only mlp lenet --frameworks proa torch --modes eager to_static
    python -m benchmarks files                  saving, loading, a DataLoader
    python -m benchmarks startup                import, first calls of converted models, installed size
    python -m benchmarks programs               first steps of small converted programs, in new processes, with Paddle
    python -m benchmarks operators              a hundred operators at three sizes, with PyTorch
    python -m benchmarks scaling                time and memory against batch, depth and length of the sequence
    python -m benchmarks list                   names and sizes of the workloads
    python -m benchmarks --quick --write docs/performance.md    also puts the tables into the document

Each framework has a Python of its own: named by `--proa`, `--paddle` and `--torch`, or made in a virtual environment
under `--environments` (that fetches some 400 MB once). Every side of a workload is a process that holds the workload
ready and computes only in its turn, with a pause before it in which the threads of the others fall asleep; so what
else the machine does meets all alike. The first result of all sides is compared: weights and data are equal.

`worker` is what runs inside a framework's Python; it knows one framework at a time. Everything else runs in the
Python that was asked and imports no framework.
"""
