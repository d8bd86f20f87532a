/* softmax of float32 by vectors: read twice by `_softmax.c`, for every processor and for those of wide vectors, since
   what the compiler makes of a vector's arithmetic is settled where that is written. NAMED says as what. */

INLINE Floats NAMED(loaded)(const float *x) {
    Floats v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* Of each pair the larger one; the second where one is a NaN. */
INLINE Floats NAMED(larger)(Floats v, Floats w) {
#ifdef HAS_MAXIMUM
    return __builtin_ia32_maxps256(v, w);
#else
    Ints is_larger = v > w;
    return (Floats)((is_larger & (Ints)v) | (~is_larger & (Ints)w));
#endif
}

INLINE float NAMED(largest_of)(Floats v) {
    Half a, b;
    memcpy(&a, &v, sizeof a);
    memcpy(&b, (char *)&v + sizeof a, sizeof b);
    HalfBits is_larger = a > b;
    a = (Half)((is_larger & (HalfBits)a) | (~is_larger & (HalfBits)b));
    float first = a[0] > a[1] ? a[0] : a[1], second = a[2] > a[3] ? a[2] : a[3];
    return first > second ? first : second;
}

/* Adds to sums in float64, so that those of many elements stay accurate. */
INLINE void NAMED(add_to)(Doubles sums[2], Floats v) {
    Half a, b;
    memcpy(&a, &v, sizeof a);
    memcpy(&b, (char *)&v + sizeof a, sizeof b);
    sums[0] += __builtin_convertvector(a, Doubles);
    sums[1] += __builtin_convertvector(b, Doubles);
}

/* exp of what is not above 0, within two units in the last place; 0 below -104, of -inf too; NaN of NaN. As `exp_f32`
   of `backend/loops/math.py`. */
INLINE Floats NAMED(power)(Floats x) {
    x = NAMED(larger)((Floats){0} - 104.0f, x);
    Floats shifted = x * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f; /* whole; its lowest bits are n's */
    Floats r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    Floats p = r * 0.0001991937752f + 0.001394722494f;
    p = p * r + 0.008333262987f;
    p = p * r + 0.0416662544f;
    p = p * r + 0.1666666716f;
    p = p * r + 0.5f;
    p = (p * (r * r) + r) + 1.0f;
    Floats ahead = (Floats)(((Bits)shifted << 23) + ((127u + 64u) << 23)); /* 2^(n + 64): 2^n may be no normal number */
    return p * ahead * 5.42101086e-20f;
}

/* Rows of a vector at least; the last vector of a row begins within the one before. `fits` is cleared where there is a
   NaN, or a largest element that is not finite: then the sum is a NaN. `logsums`, where wanted, become log(sum(exp(x))). */
static void NAMED(by_rows)(const float *x, float *out, Py_ssize_t rows, Py_ssize_t count, int is_log, double *logsums,
                           int *fits) {
    const Ints places = {0, 1, 2, 3, 4, 5, 6, 7};
    const Py_ssize_t whole = count / LANES * LANES, last = count - LANES;
    const Ints is_new = places >= (int)(LANES - count % LANES); /* of the last vector; none where the rest is 0 */
    for (Py_ssize_t row = 0; row < rows; row++, x += count, out += count) {
        Floats tops = NAMED(loaded)(x + last), totals = {0}, end, v;
        Doubles sums[2] = {{0}};
        for (Py_ssize_t n = 0; n < whole; n += LANES) tops = NAMED(larger)(NAMED(loaded)(x + n), tops);
        float top = NAMED(largest_of)(tops);
        for (Py_ssize_t n = 0; n < whole; n += LANES) {
            Floats away = NAMED(loaded)(x + n) - top, e = NAMED(power)(away);
            totals += e;
            if (is_log) e = away;
            memcpy(out + n, &e, sizeof e);
            if (n % PART == PART - LANES) {
                NAMED(add_to)(sums, totals);
                totals = (Floats){0};
            }
        }
        end = NAMED(loaded)(x + last) - top;
        if (count > whole) {
            Floats e = NAMED(power)(end);
            totals += (Floats)(is_new & (Ints)e);
            if (!is_log) end = e;
        } else if (!is_log) end = NAMED(loaded)(out + last);
        NAMED(add_to)(sums, totals);
        sums[0] += sums[1];
        double total = (sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3]);
        float final = (float)(is_log ? log(total) : 1.0 / total);
        if (logsums) logsums[row] = (double)top + log(total);
        *fits &= isfinite(total) != 0;
        for (Py_ssize_t n = 0; n < whole; n += LANES) {
            v = NAMED(loaded)(out + n);
            v = is_log ? v - final : v * final;
            memcpy(out + n, &v, sizeof v);
        }
        end = is_log ? end - final : end * final;
        memcpy(out + last, &end, sizeof end);
    }
}

/* Neighbouring columns, as many as a vector has; the last ones again where they are not a whole vector. */
static void NAMED(by_columns)(const float *x, float *out, Py_ssize_t count, Py_ssize_t inner, int is_log, int *fits) {
    for (Py_ssize_t first = 0; first < inner; first += LANES) {
        Py_ssize_t at = first + LANES > inner ? inner - LANES : first, end = at + count * inner;
        Floats tops = NAMED(loaded)(x + at), totals = {0}, final;
        Doubles sums[2] = {{0}};
        for (Py_ssize_t n = at; n < end; n += inner) tops = NAMED(larger)(NAMED(loaded)(x + n), tops);
        for (Py_ssize_t n = at, row = 1; n < end; n += inner, row++) {
            Floats away = NAMED(loaded)(x + n) - tops, e = NAMED(power)(away);
            totals += e;
            if (is_log) e = away;
            memcpy(out + n, &e, sizeof e);
            if (row % (PART / LANES) == 0 || row == count) {
                NAMED(add_to)(sums, totals);
                totals = (Floats){0};
            }
        }
        for (int n = 0; n < LANES; n++) {
            double total = sums[n / 4][n % 4];
            *fits &= isfinite(total) != 0;
            final[n] = (float)(is_log ? log(total) : 1.0 / total);
        }
        for (Py_ssize_t n = at; n < end; n += inner) {
            Floats v = NAMED(loaded)(out + n);
            v = is_log ? v - final : v * final;
            memcpy(out + n, &v, sizeof v);
        }
    }
}
