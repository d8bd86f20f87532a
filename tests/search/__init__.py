"""A search by generated programs: random little Layers, run in every way there is, where all must give the same.

`generator.py` writes a program as Python source (`body.py`, `network.py`, `expressions/` and `statements/` by family),
`stages.py` runs it eagerly, converted, trained, saved, loaded and fine-tuned, `oracle.py` has PaddlePaddle run its
files, `shrinking.py` makes what differs small. `python -m tests.search --help` says how to call it.
"""
