"""Paddle 1.x: `import proa.fluid as fluid`, or `import paddle.fluid` under `python -m proa run --api 1.8`.

A face: it translates 1.x's names, arguments, shapes and defaults to the operators that are there, and computes nothing
of its own.
"""
