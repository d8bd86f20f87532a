"""paddlesci (ppsci): networks that solve differential equations, and networks between functions."""

import os

import numpy as np
import paddle
import ppsci
from shared import FOLDER, SIDE, numbers, run, same_weights

RNG = np.random.default_rng(0)


def laplace(found):
    """u = cos(x) cosh(y) on a square, from its boundary, by the package's own Solver."""
    ppsci.utils.misc.set_random_seed(42)
    model = ppsci.arch.MLP(("x", "y"), ("u",), 3, 20, "tanh")
    same_weights(model, "laplace")
    equation = {"laplace": ppsci.equation.Laplace(dim=2)}
    geometry = {"square": ppsci.geometry.Rectangle((0.0, 0.0), (1.0, 1.0))}
    data = {"dataset": "IterableNamedArrayDataset", "iters_per_epoch": 4}
    loss = ppsci.loss.MSELoss("sum")
    inside = ppsci.constraint.InteriorConstraint(
        equation["laplace"].equations, {"laplace": 0}, geometry["square"], {**data, "batch_size": 64}, loss,
        evenly=True, name="inside")
    border = ppsci.constraint.BoundaryConstraint(
        {"u": lambda out: out["u"]}, {"u": lambda out: np.cos(out["x"]) * np.cosh(out["y"])}, geometry["square"],
        {**data, "batch_size": 32}, loss, name="border")
    solver = ppsci.solver.Solver(
        model, {one.name: one for one in (inside, border)}, os.path.join(FOLDER, f"{SIDE}_laplace"),
        ppsci.optimizer.Adam(1e-3)(model), None, 5, 4, eval_during_train=False, equation=equation, geom=geometry)
    solver.train()
    x = np.linspace(0, 1, 7, dtype="float32").reshape(-1, 1)
    found["u after 20 steps"] = solver.predict({"x": x, "y": 1 - x}, batch_size=7, return_numpy=True)["u"].tolist()
    found["sums of weights"] = [float(one.abs().sum()) for one in model.parameters()]


def burgers(found):
    """Burgers' equation by derivatives of first and second order."""
    model, losses = ppsci.arch.MLP(("t", "x"), ("u",), 3, 16, "sin"), []
    same_weights(model, "burgers")
    optimizer = paddle.optimizer.Adam(1e-2, parameters=model.parameters())
    for _ in range(20):
        t, x = (paddle.to_tensor(RNG.random((64, 1)).astype("float32"), stop_gradient=False) for _ in range(2))
        u = model({"t": t, "x": x})["u"]
        jacobian, hessian = ppsci.autodiff.jacobian, ppsci.autodiff.hessian
        residual = jacobian(u, t) + u * jacobian(u, x) - 0.01 / np.pi * hessian(u, x)
        start = model({"t": t * 0, "x": x})["u"] + paddle.sin(np.pi * x)
        loss = (residual**2).mean() + (start**2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        ppsci.autodiff.clear()
        losses.append(float(loss))
    found["20 steps"] = losses


def network(name, make, shapes):
    def case(found):
        model, rng = make(), np.random.default_rng(1)
        same_weights(model, name)
        given = {key: paddle.to_tensor(rng.normal(size=shape).astype("float32")) for key, shape in shapes.items()}
        (out,) = model(given).values()
        (out**2).mean().backward()
        found["result"] = numbers(out)
        found["norms of gradients"] = [float(one.grad.abs().square().sum().sqrt()) for one in model.parameters()]

    return case


run(laplace=laplace, burgers=burgers,
    deeponet=network("deeponet", lambda: ppsci.arch.DeepONet("u", ("y",), "G", 10, 8, 2, 2, 12, 12),
                     {"u": (3, 10), ("y",): (3, 1)}),
    fourier_operator=network("fourier_operator", lambda: ppsci.arch.TFNO2dNet(
        ("x",), ("y",), 8, 8, 8, in_channels=1, out_channels=1, n_layers=2), {"x": (2, 1, 16, 16)}),
    separable=network("separable", lambda: ppsci.arch.SPINN(("x", "y", "z"), ("u",), 4, 2, 8),
                      {"x": (3, 1), "y": (4, 1), "z": (5, 1)}))
