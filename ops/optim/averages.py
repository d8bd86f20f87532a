"""average_accumulates: the sums of a parameter's values that a running average is made of.

The window of an average begins anew when it holds at least `min_average_window` values and as many as
`average_window` times the updates so far, or `max_average_window`; the sum of the window before stays in `sum_3`.
"""


from ..core.operator import Long, operator
from .rules import updates

_SUMMED_AT_ONCE = 16384  # beyond which float32 sums lose values


def _average_accumulates(xp, param, sum1, sum2, sum3, num_accumulates, old_num_accumulates, num_updates, *,
                         average_window: float = 0.0, max_average_window: Long = 10000,
                         min_average_window: Long = 10000):
    sum1 = sum1 + param
    count, done = num_accumulates + 1, num_updates + 1
    moves = done % _SUMMED_AT_ONCE == 0
    sum2 = xp.where(moves, sum2 + sum1, sum2)
    sum1 = xp.where(moves, 0, sum1)
    limit = xp.minimum(max_average_window, (done * average_window).astype(done.dtype))
    full = (count >= min_average_window) & (count >= limit)
    sum3 = xp.where(full, sum1 + sum2, sum3)
    sum1, sum2 = xp.where(full, 0, sum1), xp.where(full, 0, sum2)
    old = xp.where(full, count, old_num_accumulates)
    one, two, three = (x.astype(param.dtype).reshape(param.shape) for x in (sum1, sum2, sum3))
    return (one, two, three, xp.where(full, 0, count).astype(num_accumulates.dtype), old, done)


average_accumulates_op = operator(
    "average_accumulates",
    "param, in_sum_1, in_sum_2, in_sum_3, in_num_accumulates, in_old_num_accumulates, in_num_updates -> "
    "out_sum_1=in_sum_1, out_sum_2=in_sum_2, out_sum_3=in_sum_3, out_num_accumulates=in_num_accumulates, "
    "out_old_num_accumulates=in_old_num_accumulates, out_num_updates=in_num_updates",
    kernel=_average_accumulates, infer=updates(1, 2, 3, 4, 5, 6),
    unsaid={"max_average_window": 2 ** 63 - 1})
