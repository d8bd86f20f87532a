/* softmax of float32 by vectors: read several times by `_softmax.c`, for every processor and for those of wide vectors,
   since what the compiler makes of a vector's arithmetic is settled where that is written. NAMED says as what, FLOATS, INTS
   and BITS of which vectors, DOUBLES and HALF of those of as many halves and of half as many elements. */

enum { NAMED(LANES) = sizeof(FLOATS) / sizeof(float), NAMED(PART) = 32 * NAMED(LANES) };
#define LANES NAMED(LANES)
#define PART NAMED(PART) /* of elements that are added in float32 */

INLINE FLOATS NAMED(loaded)(const float *x) {
    FLOATS v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* Of each pair the larger one; the second where one is a NaN. */
INLINE FLOATS NAMED(larger)(FLOATS v, FLOATS w) {
#ifdef MAXIMUM
    return (FLOATS)MAXIMUM(v, w);
#else
    INTS is_larger = v > w;
    return (FLOATS)((is_larger & (INTS)v) | (~is_larger & (INTS)w));
#endif
}

INLINE float NAMED(largest_of)(FLOATS v) {
    float parts[LANES];
    Quad a, b;
    memcpy(parts, &v, sizeof parts);
    memcpy(&a, parts, sizeof a);
    for (int n = 4; n < LANES; n += 4) {
        memcpy(&b, parts + n, sizeof b);
        QuadBits is_larger = a > b;
        a = (Quad)((is_larger & (QuadBits)a) | (~is_larger & (QuadBits)b));
    }
    float first = a[0] > a[1] ? a[0] : a[1], second = a[2] > a[3] ? a[2] : a[3];
    return first > second ? first : second;
}

/* Adds to sums in float64, so that those of many elements stay accurate. */
INLINE void NAMED(add_to)(DOUBLES sums[2], FLOATS v) {
    HALF a, b;
    memcpy(&a, &v, sizeof a);
    memcpy(&b, (char *)&v + sizeof a, sizeof b);
    sums[0] += __builtin_convertvector(a, DOUBLES);
    sums[1] += __builtin_convertvector(b, DOUBLES);
}

/* exp of what is not above 0, within two units in the last place; 0 below -104, of -inf too; NaN of NaN. As `exp_f32`
   of `backend/loops/math.py`. */
INLINE FLOATS NAMED(power)(FLOATS x) {
    x = NAMED(larger)((FLOATS){0} - 104.0f, x);
    FLOATS shifted = x * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f; /* whole; its lowest bits are n's */
    FLOATS r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    FLOATS p = r * 0.0001991937752f + 0.001394722494f;
    p = p * r + 0.008333262987f;
    p = p * r + 0.0416662544f;
    p = p * r + 0.1666666716f;
    p = p * r + 0.5f;
    p = (p * (r * r) + r) + 1.0f;
    FLOATS ahead = (FLOATS)(((BITS)shifted << 23) + ((127u + 64u) << 23)); /* 2^(n + 64): 2^n may be no normal number */
    return p * ahead * 5.42101086e-20f;
}

/* Rows of a vector at least; the last vector of a row begins within the one before. `fits` is cleared where there is a
   NaN, or a largest element that is not finite: then the sum is a NaN. `logsums`, where wanted, become log(sum(exp(x))). */
static void NAMED(by_rows)(const float *x, float *out, Py_ssize_t rows, Py_ssize_t count, int is_log, double *logsums,
                           int *fits) {
    INTS places;
    for (int n = 0; n < LANES; n++) places[n] = n;
    const Py_ssize_t whole = count / LANES * LANES, last = count - LANES;
    const INTS is_new = places >= (int)(LANES - count % LANES); /* of the last vector; none where the rest is 0 */
    for (Py_ssize_t row = 0; row < rows; row++, x += count, out += count) {
        FLOATS tops = NAMED(loaded)(x + last), totals = {0}, end, v;
        DOUBLES sums[2] = {{0}};
        for (Py_ssize_t n = 0; n < whole; n += LANES) tops = NAMED(larger)(NAMED(loaded)(x + n), tops);
        float top = NAMED(largest_of)(tops);
        for (Py_ssize_t n = 0; n < whole; n += LANES) {
            FLOATS away = NAMED(loaded)(x + n) - top, e = NAMED(power)(away);
            totals += e;
            if (is_log) e = away;
            memcpy(out + n, &e, sizeof e);
            if (n % PART == PART - LANES) {
                NAMED(add_to)(sums, totals);
                totals = (FLOATS){0};
            }
        }
        end = NAMED(loaded)(x + last) - top;
        if (count > whole) {
            FLOATS e = NAMED(power)(end);
            totals += (FLOATS)(is_new & (INTS)e);
            if (!is_log) end = e;
        } else if (!is_log) end = NAMED(loaded)(out + last);
        NAMED(add_to)(sums, totals);
        sums[0] += sums[1];
        double total = 0;
        for (int n = 0; n < LANES / 2; n += 4) total += (sums[0][n] + sums[0][n + 1]) + (sums[0][n + 2] + sums[0][n + 3]);
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
        FLOATS tops = NAMED(loaded)(x + at), totals = {0}, final;
        DOUBLES sums[2] = {{0}};
        for (Py_ssize_t n = at; n < end; n += inner) tops = NAMED(larger)(NAMED(loaded)(x + n), tops);
        for (Py_ssize_t n = at, row = 1; n < end; n += inner, row++) {
            FLOATS away = NAMED(loaded)(x + n) - tops, e = NAMED(power)(away);
            totals += e;
            if (is_log) e = away;
            memcpy(out + n, &e, sizeof e);
            if (row % (PART / LANES) == 0 || row == count) {
                NAMED(add_to)(sums, totals);
                totals = (FLOATS){0};
            }
        }
        for (int n = 0; n < LANES; n++) {
            double total = sums[n / (LANES / 2)][n % (LANES / 2)];
            *fits &= isfinite(total) != 0;
            final[n] = (float)(is_log ? log(total) : 1.0 / total);
        }
        for (Py_ssize_t n = at; n < end; n += inner) {
            FLOATS v = NAMED(loaded)(out + n);
            v = is_log ? v - final : v * final;
            memcpy(out + n, &v, sizeof v);
        }
    }
}
#undef LANES
#undef PART
