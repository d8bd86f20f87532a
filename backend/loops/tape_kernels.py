"""The loops that steps of a tape share: filling, copying, sums, small products."""

from .kernel import kernel


@kernel
def fill_all(out, n, value):
    """One number into all places."""
    for i in range(n):
        out[i] = value


@kernel
def copy_blocks(x, out, outer, inner, first, distance, to, wide):
    """Blocks of `inner` elements from one array into another, each at its own distances."""
    for r in range(outer):
        source = x + (first + r * distance)
        target = out + (to + r * wide)
        for i in range(inner):
            target[i] = source[i]


@kernel
def take(x, numbers, out, n):
    """The elements at given places."""
    for i in range(n):
        out[i] = x[numbers[i]]


@kernel
def sum_rows(x, out, rows, n, divisor):
    """Of each row the sum over `divisor`."""
    for r in range(rows):
        s = 0.0
        for i in range(n):
            s += x[r * n + i]
        out[r] = s / divisor


@kernel
def sum_middle(x, out, outer, n, inner, divisor):
    """Of each column of `outer` matrices the sum over `divisor`."""
    for o in range(outer):
        target = out + o * inner
        for c in range(inner):
            target[c] = 0.0
        for i in range(n):
            source = x + (o * n + i) * inner
            for c in range(inner):
                target[c] = target[c] + source[c]
        for c in range(inner):
            target[c] = target[c] / divisor


@kernel
def _product(x, y, out, m, n, k):
    for i in range(m):
        target = out + i * n
        first = x[i * k]
        for j in range(n):
            target[j] = first * y[j]
        for r in range(1, k):
            factor = x[i * k + r]
            source = y + r * n
            for j in range(n):
                target[j] = target[j] + factor * source[j]


@kernel
def _product_of_rows(x, y, out, m, n, k):
    for i in range(m):
        for j in range(n):
            s = 0.0
            for r in range(k):
                s += x[i * k + r] * y[j * k + r]
            out[i * n + j] = s


@kernel
def _product_of_columns(x, y, out, m, n, k):
    for i in range(m * n):
        out[i] = 0.0
    for r in range(k):
        source = y + r * n
        for i in range(m):
            factor = x[r * m + i]
            target = out + i * n
            for j in range(n):
                target[j] = target[j] + factor * source[j]


@kernel
def _product_of_columns_and_rows(x, y, out, m, n, k):
    for i in range(m):
        for j in range(n):
            s = 0.0
            for r in range(k):
                s += x[r * m + i] * y[j * k + r]
            out[i * n + j] = s


PRODUCTS = {(False, False): _product, (False, True): _product_of_rows, (True, False): _product_of_columns,
             (True, True): _product_of_columns_and_rows}
