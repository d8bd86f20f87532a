"""Learning rates of dynamic mode, for PaddlePaddle 1.8.5 and for proa: each gives its rates of twelve steps."""

import numpy as np

STEPS = 12
CASES = {
    "piecewise": lambda d: d.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01], begin=0),
    "piecewise_step": lambda d: d.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01], 1, step=2),
    "natural": lambda d: d.NaturalExpDecay(0.1, 4, 0.5),
    "natural_staircase": lambda d: d.NaturalExpDecay(0.1, 4, 0.5, staircase=True, begin=1),
    "exponential": lambda d: d.ExponentialDecay(0.1, 4, 0.9),
    "exponential_staircase": lambda d: d.ExponentialDecay(0.1, 4, 0.9, staircase=True),
    "inverse": lambda d: d.InverseTimeDecay(0.1, 4, 0.5),
    "inverse_staircase": lambda d: d.InverseTimeDecay(0.1, 4, 0.5, True),
    "polynomial": lambda d: d.PolynomialDecay(0.1, 5, 0.01, power=2.0),
    "polynomial_cycle": lambda d: d.PolynomialDecay(0.1, 5, 0.01, power=0.5, cycle=True),
    "cosine": lambda d: d.CosineDecay(0.1, 3, 5),
    "noam": lambda d: d.NoamDecay(64, 5),
    "noam_rate": lambda d: d.NoamDecay(64, 5, begin=3, learning_rate=2.0),
    "warmup": lambda d: d.LinearLrWarmup(0.1, 5, 0.0, 0.1),
    "warmup_start": lambda d: d.LinearLrWarmup(0.1, 5, 0.05, 0.1),
    "warmup_of_decay": lambda d: d.LinearLrWarmup(d.NaturalExpDecay(0.1, 4, 0.5), 5, 0.0, 0.1),
    "step": lambda d: d.StepDecay(0.1, 3, 0.5),
    "multi_step": lambda d: d.MultiStepDecay(0.1, [2, 5, 9], 0.3),
    "lambda": lambda d: d.LambdaDecay(0.1, lambda epoch: 0.9 ** epoch),
    "plateau": lambda d: d.ReduceLROnPlateau(0.1, patience=1, cooldown=1),
    "plateau_max": lambda d: d.ReduceLROnPlateau(0.1, "max", 0.5, 0, threshold=0.1, threshold_mode="abs", min_lr=0.02),
}
LOSSES = [1.0, 0.9, 0.95, 0.94, 0.93, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1]


def run(fluid, name):
    with fluid.dygraph.guard():
        rate = CASES[name](fluid.dygraph)
        found = []
        for step in range(STEPS):
            value = rate()
            found.append(float(value.numpy()[0]) if hasattr(value, "numpy") else float(value))
            if hasattr(rate, "epoch"):
                rate.epoch()
            if name.startswith("plateau"):
                rate.step(fluid.dygraph.to_variable(np.array([LOSSES[step]], "float32")))
        state = rate.state_dict()
    return found, {key: float(value) for key, value in state.items() if value is not None}
