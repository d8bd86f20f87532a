"""Generated programs that train: Layers, rules, and what programs do between their steps, written as Python.

Each runs eagerly, by the compiled loops, with its Layers converted, and eagerly in PaddlePaddle 2.6.2.
"""
