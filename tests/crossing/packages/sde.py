"""paddlesde: stochastic differential equations, solved and differentiated; the same Brownian motion from a seed."""

import numpy as np
import paddle
import paddlesde
from shared import numbers, run

RNG = np.random.default_rng(0)
MATRIX, START = (RNG.normal(size=size).astype("float32") for size in ((3, 3), (2, 3)))


class Equation(paddle.nn.Layer):
    """dy = tanh(y · w) dt + 0.3 cos(y) dW."""

    noise_type = "diagonal"

    def __init__(self, kind):
        super().__init__()
        self.sde_type = kind
        self.w = self.create_parameter([3, 3], default_initializer=paddle.nn.initializer.Assign(0.3 * MATRIX))

    def f(self, t, y):
        return paddle.tanh(y @ self.w)

    def g(self, t, y):
        return 0.3 * paddle.cos(y)


def solved(kind, method):
    def case(found):
        start, equation = paddle.to_tensor(START, stop_gradient=False), Equation(kind)
        area = "space-time" if method == "srk" else "none"
        motion = paddlesde.BrownianInterval(t0=0.0, t1=1.0, size=(2, 3), entropy=7, dtype="float32",
                                            levy_area_approximation=area)
        path = paddlesde.sdeint(equation, start, paddle.linspace(0, 1, 5), bm=motion, method=method, dt=0.05)
        path.square().sum().backward()
        found.update({"path": numbers(path), "gradient of the start": numbers(start.grad),
                      "gradient of w": numbers(equation.w.grad)})

    return case


def motion(found):
    interval = paddlesde.BrownianInterval(t0=0.0, t1=2.0, size=(4,), entropy=3, dtype="float32")
    found["interval"] = [numbers(interval(a, b)) for a, b in ((0, 1), (1, 2), (0, 2), (0.25, 0.5), (0.3, 1.7))]
    tree = paddlesde.BrownianTree(t0=0.0, w0=paddle.zeros([4]), t1=2.0, entropy=3)
    found["tree"] = [numbers(tree(a, b)) for a, b in ((0, 1), (0.25, 0.5))]


run(motion=motion, **{f"{kind}_{method}": solved(kind, method) for kind, method in (
    ("ito", "euler"), ("ito", "milstein"), ("ito", "srk"), ("stratonovich", "midpoint"),
    ("stratonovich", "euler_heun"), ("stratonovich", "heun"))})
