"""By way of other dtypes: narrow and wide floats, integers of several widths, bools, complex numbers."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production

SAME = """
({0} > 0.1).astype('int32').astype({0}.dtype)
({0} > 0.1) * {0}
{0} * ({0} > {1})
(({0} > 0) ^ ({1} > 0.2)).astype({0}.dtype)
{0}.astype('bfloat16').astype({0}.dtype)
{0}.astype('float16').tanh().astype({0}.dtype)
({0}.astype('float16') + {1}.astype('float16')).astype({0}.dtype)
({0}.astype('float64') * 2.0).astype({0}.dtype)
({0} * 3).astype('int32') + {0}
(({0} * 3).astype('int32') + 1) * 0.5 * {0}
(({0} * 3).astype('int64') % 2).astype({0}.dtype) + {0}
(({0} * 3).astype('int8') // 2).astype({0}.dtype)
({0} * 3).astype('int32').astype('bool').astype({0}.dtype)
(({0} * 4).astype('int64') & 3).astype({0}.dtype) * {0}
(({0} * 4).astype('int32') | 1).astype({0}.dtype) * 0.1
paddle.bitwise_xor(({0} * 4).astype('int64'), paddle.to_tensor(2)).astype({0}.dtype) * 0.1
paddle.real(paddle.complex({0}, {1}) * (0.5 + 1j))
paddle.imag(paddle.complex({0}, {1}) * paddle.complex({1}, {0}))
paddle.abs(paddle.complex({0}, {1}) + 2.0)
paddle.angle(paddle.complex(paddle.abs({0}) + 0.5, {1}))
paddle.complex({0}, {1}).conj().imag()
paddle.as_real(paddle.complex({0}, {1}))[..., 1]
paddle.real(paddle.exp(paddle.complex(paddle.tanh({0}), {1})))
paddle.where({0} > 0, {0}, paddle.to_tensor(1))
paddle.where({0} > 0, 0.5, {0})
paddle.maximum({0}, paddle.to_tensor(0.25, {0}.dtype))
paddle.to_tensor(2) * {0}
{0} + paddle.to_tensor([1]).astype('float16')
paddle.full_like({0}, 2, dtype='int64') * {0}
paddle.ones_like({0}, dtype='bool') * {0}
""".strip().splitlines()


@production(2, "dtypes")
def _by_other_dtypes(body: Body) -> Found | None:
    v = body.value("float")
    if v is None:
        return None
    u = body.rng.choice([u for u in body.all("float") if u.shape == v.shape])
    template = body.pick(*SAME)
    if not v.rank and "to_tensor([1])" in template:
        template = "{0} * 0.5"
    return template.format(v.text, u.text), v.shape, "float"


@production(0.6, "dtypes")
def _transforms(body: Body) -> Found | None:
    """Fourier transforms there and back, along the last axis."""
    v = body.value("float", 1)
    if v is None or not isinstance(v.shape[-1], int) or v.shape[-1] < 2:
        return None
    size, text = v.shape[-1], v.text
    return body.pick(
        (f"paddle.fft.irfft(paddle.fft.rfft({text}) * 0.5, n={size})", v.shape, "float"),
        (f"paddle.abs(paddle.fft.rfft({text}) + 3.0)", (*v.shape[:-1], size // 2 + 1), "float"),
        (f"paddle.real(paddle.fft.fft({text}))", v.shape, "float"),
        (f"paddle.imag(paddle.fft.ifft(paddle.complex({text}, {text} * {text})))", v.shape, "float"),
    )
