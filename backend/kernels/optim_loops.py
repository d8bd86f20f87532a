"""The loops of the updates: over parts of many tensors taken together (see `tensors.py`).

Every product and sum is rounded by itself, as NumPy does it: the results are the same to the last bit. The powers of
adam's betas are read from copies, and written by the part that begins the tensor.
"""

# ruff: noqa: D103 - described by the module that calls them

from __future__ import annotations

from .. import loops
from ..loops.names import parallel, sqrt
from .tensors import data_of, tensor_of


@loops.exact_kernel
def sgd_loop(table, starts, rates, decays, count, total, parts, header):
    for p in parallel(parts, 8192):
        position = p * 16384
        end = min(total, position + 16384)
        t = tensor_of(starts, count, position)
        while position < end:
            stop = min(end, starts[t + 1])
            offset = position - starts[t]
            param = data_of(table, t, header) + offset
            grad = data_of(table, count + t, header) + offset
            rate = rates[t]
            decay = decays[t]
            for i in range(stop - position):
                g = grad[i] + param[i] * decay if decay != 0.0 else grad[i]
                param[i] = param[i] - rate * g
            position = stop
            t += 1


@loops.exact_kernel
def momentum_loop(table, starts, rates, decays, count, total, parts, header, mu, rescale, nesterov,
                  inside):
    for p in parallel(parts, 16384):
        position = p * 16384
        end = min(total, position + 16384)
        t = tensor_of(starts, count, position)
        while position < end:
            stop = min(end, starts[t + 1])
            offset = position - starts[t]
            param = data_of(table, t, header) + offset
            grad = data_of(table, count + t, header) + offset
            velocity = data_of(table, count * 2 + t, header) + offset
            rate = rates[t]
            decay = decays[t]
            for i in range(stop - position):
                g = grad[i] * rescale
                g = g + param[i] * decay if decay != 0.0 else g
                change = -rate * g if inside != 0 else g
                v = velocity[i] * mu + change
                velocity[i] = v
                step = change + v * mu if nesterov != 0 else v
                param[i] = param[i] + (step if inside != 0 else -rate * step)
            position = stop
            t += 1


@loops.exact_kernel
def adam_loop(table, starts, rates, pows1, pows2, decays, coeffs, count, total, parts, header, beta1, rest1, beta2,
              rest2, epsilon):
    for p in parallel(parts, 16384):
        position = p * 16384
        end = min(total, position + 16384)
        t = tensor_of(starts, count, position)
        while position < end:
            stop = min(end, starts[t + 1])
            offset = position - starts[t]
            param = data_of(table, t, header) + offset
            grad = data_of(table, count + t, header) + offset
            moment1 = data_of(table, count * 2 + t, header) + offset
            moment2 = data_of(table, count * 3 + t, header) + offset
            correction = sqrt(1.0 - pows2[t])
            step = rates[t] * correction / (1.0 - pows1[t])
            tiny = correction * epsilon
            decay = decays[t]
            keep = 1.0 - rates[t] * coeffs[t]
            if offset == 0:
                pow1 = data_of(table, count * 4 + t, header)
                pow2 = data_of(table, count * 5 + t, header)
                pow1[0] = pows1[t] * beta1
                pow2[0] = pows2[t] * beta2
            for i in range(stop - position):
                w = param[i] * keep
                g = grad[i] + w * decay if decay != 0.0 else grad[i]
                m = moment1[i] * beta1 + g * rest1
                v = moment2[i] * beta2 + g * g * rest2
                moment1[i] = m
                moment2[i] = v
                param[i] = w - m / (sqrt(v) + tiny) * step
            position = stop
            t += 1
