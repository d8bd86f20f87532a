/* Numbers of 4 bytes whose order in memory changes: rows become columns. */
#ifndef PROA_TURNING_H
#define PROA_TURNING_H

#include "_team.h"
#include "_vectors.h"

#if HAS_TWO_WAYS
#include <immintrin.h>
#endif

enum { TURNED_AT_ONCE = 8 }; /* rows, and numbers of each, that are turned at once */

#if HAS_TWO_WAYS
/* Eight numbers of each of eight rows, `step` from each other, to rows `apart` from each other; with a factor for each. */
__attribute__((target("avx2")))
static inline void turn(const float *from, Py_ssize_t step, const float *factors, float *to, const Py_ssize_t *places,
                      Py_ssize_t apart) {
    __m256 rows[8], halves[8], quarters[8], factor = _mm256_setzero_ps();
    ALL for (int n = 0; n < 8; n++) rows[n] = _mm256_loadu_ps(from + n * step);
    ALL for (int n = 0; n < 8; n += 2) {
        halves[n] = _mm256_unpacklo_ps(rows[n], rows[n + 1]);
        halves[n + 1] = _mm256_unpackhi_ps(rows[n], rows[n + 1]);
    }
    ALL for (int n = 0; n < 8; n += 4)
        ALL for (int m = 0; m < 2; m++) {
            quarters[n + 2 * m] = _mm256_shuffle_ps(halves[n + m], halves[n + m + 2], 0x44);
            quarters[n + 2 * m + 1] = _mm256_shuffle_ps(halves[n + m], halves[n + m + 2], 0xEE);
        }
    if (factors) factor = _mm256_loadu_ps(factors);
    ALL for (int n = 0; n < 4; n++) {
        __m256 low = _mm256_permute2f128_ps(quarters[n], quarters[n + 4], 0x20);
        __m256 high = _mm256_permute2f128_ps(quarters[n], quarters[n + 4], 0x31);
        if (factors) low = _mm256_mul_ps(low, factor), high = _mm256_mul_ps(high, factor);
        _mm256_storeu_ps(to + places[n] * apart, low);
        _mm256_storeu_ps(to + places[n + 4] * apart, high);
    }
}

/* The same of sixteen rows: what is stored fills lines of the cache. */
__attribute__((target("avx512f")))
static inline void turn_sixteen(const float *from, Py_ssize_t step, const float *factors, float *to,
                                const Py_ssize_t *places, Py_ssize_t apart) {
    __m512 rows[8], halves[8], quarters[8], factor = _mm512_setzero_ps();
    ALL for (int n = 0; n < 8; n++) { /* rows 0 to 3 with those four further on, and 8 to 11 */
        const float *row = from + (n + n / 4 * 4) * step;
        __m512d low = _mm512_castpd256_pd512(_mm256_castps_pd(_mm256_loadu_ps(row)));
        rows[n] = _mm512_castpd_ps(_mm512_insertf64x4(low, _mm256_castps_pd(_mm256_loadu_ps(row + 4 * step)), 1));
    }
    ALL for (int n = 0; n < 8; n += 2) {
        halves[n] = _mm512_unpacklo_ps(rows[n], rows[n + 1]);
        halves[n + 1] = _mm512_unpackhi_ps(rows[n], rows[n + 1]);
    }
    ALL for (int n = 0; n < 8; n += 4)
        ALL for (int m = 0; m < 2; m++) {
            quarters[n + 2 * m] = _mm512_shuffle_ps(halves[n + m], halves[n + m + 2], 0x44);
            quarters[n + 2 * m + 1] = _mm512_shuffle_ps(halves[n + m], halves[n + m + 2], 0xEE);
        }
    if (factors) factor = _mm512_loadu_ps(factors);
    ALL for (int n = 0; n < 4; n++) {
        __m512 low = _mm512_shuffle_f32x4(quarters[n], quarters[n + 4], 0x88);
        __m512 high = _mm512_shuffle_f32x4(quarters[n], quarters[n + 4], 0xDD);
        if (factors) low = _mm512_mul_ps(low, factor), high = _mm512_mul_ps(high, factor);
        _mm512_storeu_ps(to + places[n] * apart, low);
        _mm512_storeu_ps(to + places[n + 4] * apart, high);
    }
}
#endif

/* Rows `apart` from each other become columns; their rows stand `step` apart. */
HIDDEN void turn_rows(const float *x, Py_ssize_t apart, Py_ssize_t rows, Py_ssize_t columns, float *out, Py_ssize_t step);

#endif
