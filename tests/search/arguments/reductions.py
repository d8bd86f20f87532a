"""Reductions, orders and products, with axes in every form."""

from __future__ import annotations

from .drawing import Call, function


def _reduced(name: str, extra: tuple[str, ...] = ("",)) -> None:
    @function(name)
    def write(call: Call) -> str:
        shape = call.shape(1 if name in ("std", "var") else 0)
        x, over = call.x(shape), call.over(len(shape))
        return f"paddle.{name}({x}, axis={over}, keepdim={call.choice(True, False)}{call.choice(*extra)})"


for _name in ("sum", "mean", "max", "min", "prod", "logsumexp", "nansum", "nanmean"):
    _reduced(_name)
_reduced("var", (", unbiased=False", ""))


def _along(name: str, arguments: str = "axis={axis}") -> None:
    @function(name)
    def write(call: Call) -> str:
        shape = call.shape(1)
        return f"paddle.{name}({call.x(shape)}, {arguments.format(axis=call.axis(len(shape)))})"


for _name in ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin", "sort", "argsort", "argmax", "argmin", "flip",
              "unbind"):
    _along(_name, "{axis}" if _name == "cumprod" else "axis={axis}")


@function("topk")
def _topk(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    return (f"paddle.topk({call.x(shape)}, {call.below(1, shape[axis] + 1)}, axis={axis}, "
            f"largest={call.choice(True, False)})")


@function("kthvalue")
def _kthvalue(call: Call) -> str:
    shape = call.shape(1)
    axis = call.axis(len(shape))
    return (f"paddle.kthvalue({call.x(shape)}, {call.below(1, shape[axis] + 1)}, axis={axis}, "
            f"keepdim={call.choice(True, False)})")


@function("quantile")
def _quantile(call: Call) -> str:
    shape = call.shape(1)
    return (f"paddle.quantile({call.x(shape)}, {call.choice(0.3, 0.0, [0.2, 0.9])}, axis={call.over(len(shape))}, "
            f"keepdim={call.choice(True, False)})")


@function("norm")
def _norm(call: Call) -> str:
    shape = call.shape(2)
    axis = call.choice("None", call.axis(len(shape)), call.random.sample(range(len(shape)), 2))
    order = call.choice(1, 2, 3.5, "'fro'") if not axis.lstrip("-").isdigit() else call.choice(1, 2, 3.5)
    return f"paddle.linalg.norm({call.x(shape)}, p={order}, axis={axis}, keepdim={call.choice(True, False)})"


for _sign in ("+", "-", "*", "/"):
    @function(_sign)
    def _operands(call: Call, sign: str = _sign) -> str:
        one, other = call.pair()
        return f"{call.x(one)} {sign} {call.positive(other)}"

for _name in ("maximum", "fmin", "atan2", "pow", "remainder", "lerp"):
    @function(_name)
    def _of_two(call: Call, name: str = _name) -> str:
        one, other = call.pair()
        return f"paddle.{name}({call.positive(one)}, {call.positive(other)}{', 0.3' * (name == 'lerp')})"


@function("matmul")
def _matmul(call: Call) -> str:
    one, other = call.pair(0, 2)
    rows, inner, columns = (call.below(1, 4) for _ in range(3))
    over, across = call.below(2), call.below(2)
    x = call.x([*one, *([inner, rows] if over else [rows, inner])])
    y = call.x([*other, *([columns, inner] if across else [inner, columns])])
    return f"paddle.matmul({x}, {y}, {bool(over)}, {bool(across)})"


@function("tensordot")
def _tensordot(call: Call) -> str:
    one, other = call.shape(1, 3), call.shape(1, 3)
    count = call.below(1, min(len(one), len(other)) + 1)
    axes = [call.random.sample(range(len(shape)), count) for shape in (one, other)]
    for n, m in zip(*axes, strict=True):
        other[m] = one[n]
    return f"paddle.tensordot({call.x(one)}, {call.x(other)}, {axes})"


@function("kron")
def _kron(call: Call) -> str:
    return f"paddle.kron({call.x(call.shape(1, 3))}, {call.x(call.shape(1, 3))})"


@function("addmm")
def _addmm(call: Call) -> str:
    rows, inner, columns = (call.below(1, 4) for _ in range(3))
    first = call.random.choice(([rows, columns], [1, columns], [rows, 1], [columns]))
    return (f"paddle.addmm({call.x(first)}, {call.x([rows, inner])}, {call.x([inner, columns])}, "
            f"beta={call.choice(1.0, 0.5, 0.0)}, alpha={call.choice(1.0, 2.0)})")


for _name in ("det", "inv", "pinv"):
    @function(_name)
    def _of_a_matrix(call: Call, name: str = _name) -> str:
        size = call.below(1, 4)
        return f"paddle.linalg.{name}({call.matrix([*call.shape(0, 2), size, size])})"


@function("triangular_solve")
def _triangular(call: Call) -> str:
    size, batch = call.below(1, 4), call.shape(0, 1)
    return (f"paddle.linalg.triangular_solve({call.matrix([*batch, size, size])}, {call.x([*batch, size, 2])}, "
            f"upper={call.choice(True, False)}, transpose={call.choice(True, False)})")


for _name in ("fft", "ifft", "rfft", "ihfft"):
    @function(_name)
    def _spectrum(call: Call, name: str = _name) -> str:
        shape = call.shape(1, 3)
        return (f"paddle.as_real(paddle.fft.{name}({call.x(shape)}, n={call.choice('None', 2, 5)}, "
                f"axis={call.axis(len(shape))}, norm={call.choice('backward', 'ortho', 'forward')!r}))")

for _name in ("fftn", "rfftn"):
    @function(_name)
    def _spectra(call: Call, name: str = _name) -> str:
        shape = call.shape(1, 3)
        axes = call.random.sample(range(len(shape)), call.below(1, len(shape) + 1))
        sizes = call.choice("None", [call.below(2, 6) for _ in axes])
        return f"paddle.as_real(paddle.fft.{name}({call.x(shape)}, s={sizes}, axes={axes}))"
