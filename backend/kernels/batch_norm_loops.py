"""The loops of batch_norm: `…_front` for channels in front of the positions, the others for channels last."""

from __future__ import annotations

from .. import loops
from ..loops.names import f64, parallel, sqrt
from .arrays import bound
from .reduce_functions import product_totals, squares_around, total_of


@loops.kernel
def _front(x, scale, bias, y, running_mean, running_variance, mean_out, variance_out, saved, inverses, samples,
           channels, count, keep, change, epsilon):
    for c in parallel(channels, samples * count):
        n = samples * count
        total = f64(0.0)
        for s in range(samples):
            total += total_of(x + (s * channels + c) * count, count)
        mean = 0.0
        mean = total / n
        squares = f64(0.0)
        for s in range(samples):
            squares += squares_around(x + (s * channels + c) * count, mean, count)
        variance = 0.0
        variance = squares / n
        inverse = 1.0 / sqrt(variance + epsilon)
        saved[c] = mean
        inverses[c] = inverse
        mean_out[c] = running_mean[c] * keep + mean * change
        variance_out[c] = running_variance[c] * keep + variance * change
        factor = inverse * scale[c]
        shift = bias[c]
        for s in range(samples):
            start = (s * channels + c) * count
            for i in range(start, start + count):
                y[i] = (x[i] - mean) * factor + shift


@loops.kernel
def _scale_front(x, mean, factor, bias, y, samples, channels, count):
    for p in parallel(samples * channels, max(1, count // 2)):
        c = p % channels
        middle = mean[c]
        slope = factor[c]
        shift = bias[c]
        for i in range(p * count, p * count + count):
            y[i] = (x[i] - middle) * slope + shift


@loops.kernel
def _backward_front(x, g, scale, means, inverses, dx, d_scale, d_bias, samples, channels, count, share):
    for c in parallel(channels, samples * count):
        mean = means[c]
        inverse = inverses[c]
        total, along = f64(0.0), f64(0.0)
        for s in range(samples):
            start = (s * channels + c) * count
            of_g, of_products = product_totals(g + start, x + start, mean, count)
            total += of_g
            along += of_products
        d_bias[c] = total
        d_scale[c] = along * inverse
        factor = inverse * scale[c]
        shift, slope = 0.0, 0.0
        if share > 0.0:
            shift = total * share
            slope = along * inverse * inverse * share
        for s in range(samples):
            start = (s * channels + c) * count
            for i in range(start, start + count):
                dx[i] = (g[i] - shift - (x[i] - mean) * slope) * factor


@loops.function
def column_statistics(x, mean, square, rows, width, step):
    """The means of `width` columns, and the sums of squares around them; rows begin `step` apart.

    Eight rows are added to each other before they are added to a total, which rounds an eighth as often.
    """
    whole = rows // 8 * 8
    for c in range(width):
        mean[c] = 0.0
        square[c] = 0.0
    for r in range(0, whole, 8):
        a = x + r * step
        b = a + 4 * step
        for c in range(width):
            first = (a[c] + a[step + c]) + (a[2 * step + c] + a[3 * step + c])
            mean[c] = mean[c] + (first + ((b[c] + b[step + c]) + (b[2 * step + c] + b[3 * step + c])))
    for r in range(whole, rows):
        row = x + r * step
        for c in range(width):
            mean[c] = mean[c] + row[c]
    for c in range(width):
        mean[c] = mean[c] / rows
    for r in range(0, whole, 4):
        row = x + r * step
        for c in range(width):
            one = row[c] - mean[c]
            two = row[step + c] - mean[c]
            three = row[2 * step + c] - mean[c]
            four = row[3 * step + c] - mean[c]
            square[c] = square[c] + ((one * one + two * two) + (three * three + four * four))
    for r in range(whole, rows):
        row = x + r * step
        for c in range(width):
            away = row[c] - mean[c]
            square[c] = square[c] + away * away


@loops.function
def column_slopes(x, g, mean, inverse, along, total, rows, width, step):
    """The sums of g, and of g * (x - mean) * inverse, over columns as those of `column_statistics`."""
    for c in range(width):
        along[c] = 0.0
        total[c] = 0.0
    whole = rows // 4 * 4
    for r in range(0, whole, 4):
        row = x + r * step
        back = g + r * step
        for c in range(width):
            one, two = back[c], back[step + c]
            three, four = back[2 * step + c], back[3 * step + c]
            total[c] = total[c] + ((one + two) + (three + four))
            first = one * (row[c] - mean[c]) + two * (row[step + c] - mean[c])
            second = three * (row[2 * step + c] - mean[c]) + four * (row[3 * step + c] - mean[c])
            along[c] = along[c] + (first + second)
    for r in range(whole, rows):
        row = x + r * step
        back = g + r * step
        for c in range(width):
            total[c] = total[c] + back[c]
            along[c] = along[c] + back[c] * (row[c] - mean[c])
    for c in range(width):
        along[c] = along[c] * inverse[c]


@loops.kernel
def _part_statistics(x, means, squares, rows, channels, parts):
    for p in parallel(parts, rows // parts * channels):
        first = p * rows // parts
        last = (p + 1) * rows // parts
        column_statistics(x + first * channels, means + p * channels, squares + p * channels, last - first, channels,
                          channels)


@loops.kernel
def _combine(means, squares, running_mean, running_variance, mean_out, variance_out, saved, inverses, rows, channels,
             parts, keep, change, epsilon):
    for c in range(channels):
        total = f64(0.0)
        for p in range(parts):
            total += f64(means[p * channels + c]) * ((p + 1) * rows // parts - p * rows // parts)
        middle = total / rows
        spread = f64(0.0)
        for p in range(parts):
            away = f64(means[p * channels + c]) - middle
            spread += squares[p * channels + c] + away * away * ((p + 1) * rows // parts - p * rows // parts)
        mean, variance = 0.0, 0.0
        mean = middle
        variance = spread / rows
        saved[c] = mean
        inverses[c] = 1.0 / sqrt(variance + epsilon)
        mean_out[c] = running_mean[c] * keep + mean * change
        variance_out[c] = running_variance[c] * keep + variance * change


@loops.kernel
def _whole_last(x, scale, bias, y, running_mean, running_variance, mean_out, variance_out, saved, inverses, rows,
                channels, keep, change, epsilon):
    for b in parallel((channels + 31) // 32, rows * min(channels, 32)):
        first = b * 32
        width = min(32, channels - first)
        mean = saved + first
        inverse = inverses + first
        column_statistics(x + first, mean, inverse, rows, width, channels)
        for c in range(width):
            variance = inverse[c] / rows
            inverse[c] = 1.0 / sqrt(variance + epsilon)
            mean_out[first + c] = running_mean[first + c] * keep + mean[c] * change
            variance_out[first + c] = running_variance[first + c] * keep + variance * change
        for r in range(rows):
            row = x + r * channels + first
            result = y + r * channels + first
            for c in range(width):
                result[c] = (row[c] - mean[c]) * (inverse[c] * scale[first + c]) + bias[first + c]


@loops.kernel
def _backward_whole_last(x, g, scale, means, inverses, dx, d_scale, d_bias, rows, channels, share):
    for b in parallel((channels + 31) // 32, rows * min(channels, 32)):
        first = b * 32
        width = min(32, channels - first)
        mean = means + first
        inverse = inverses + first
        along = d_scale + first
        total = d_bias + first
        column_slopes(x + first, g + first, mean, inverse, along, total, rows, width, channels)
        if share > 0.0:
            for r in range(rows):
                row = x + r * channels + first
                back = g + r * channels + first
                result = dx + r * channels + first
                for c in range(width):
                    normal = (row[c] - mean[c]) * inverse[c]
                    rest = back[c] - total[c] * share - normal * along[c] * share
                    result[c] = rest * (inverse[c] * scale[first + c])
        else:
            for r in range(rows):
                back = g + r * channels + first
                result = dx + r * channels + first
                for c in range(width):
                    result[c] = back[c] * (inverse[c] * scale[first + c])


@loops.kernel
def _scale_last(x, mean, factor, bias, y, rows, channels):
    for r in parallel(rows, max(1, channels // 2)):
        row = x + r * channels
        result = y + r * channels
        for c in range(channels):
            result[c] = (row[c] - mean[c]) * factor[c] + bias[c]


@loops.kernel
def _part_sums(x, g, mean, inverse, d_scale, d_bias, rows, channels, parts):
    for p in parallel(parts, rows // parts * channels):
        first = p * rows // parts
        column_slopes(x + first * channels, g + first * channels, mean, inverse, d_scale + p * channels,
                      d_bias + p * channels, (p + 1) * rows // parts - first, channels, channels)


@loops.kernel
def _backward_last(x, g, mean, factor, along, shift, dx, rows, channels):
    for r in parallel(rows, max(1, channels // 2)):
        row = x + r * channels
        back = g + r * channels
        result = dx + r * channels
        for c in range(channels):
            result[c] = (back[c] - shift[c] - (row[c] - mean[c]) * along[c]) * factor[c]


forward, backward = _front, _backward_front
"""The kernels that count for their whole halves: what they are asked for, all are."""

front = bound(_front, "T* T* T* T* T* T* T* T* T* T* i64 i64 i64 real real real")
scale_front = bound(_scale_front, "T* T* T* T* T* i64 i64 i64")
backward_front = bound(_backward_front, "T* T* T* T* T* T* T* T* i64 i64 i64 real")
part_statistics = bound(_part_statistics, "T* T* T* i64 i64 i64")
combine = bound(_combine, "T* T* T* T* T* T* T* T* i64 i64 i64 real real real")
whole_last = bound(_whole_last, "T* T* T* T* T* T* T* T* T* T* i64 i64 real real real")
backward_whole_last = bound(_backward_whole_last, "T* T* T* T* T* T* T* T* i64 i64 real")
scale_last = bound(_scale_last, "T* T* T* T* T* i64 i64")
part_sums = bound(_part_sums, "T* T* T* T* T* T* i64 i64 i64")
backward_last = bound(_backward_last, "T* T* T* T* T* T* T* i64 i64")
