/* What multiplies some windows by a panel, in the vectors of this processor. */
#ifndef PROA_PANEL_BLOCKS_H
#define PROA_PANEL_BLOCKS_H

#include "_panels.h"

#if HAS_VECTORS

#if HAS_TWO_WAYS
#include <immintrin.h>
#endif

typedef float Sixteen __attribute__((vector_size(64)));

/* The larger of a bound and a value, and the smaller: a NaN stays. */
#define LARGER_NUMBER(bound, value) ((value) < (bound) ? (bound) : (value))
#define SMALLER_NUMBER(bound, value) ((value) > (bound) ? (bound) : (value))
#define CHOSEN(where, x, y) ((Floats)(((where) & (Ints)(x)) | (~(where) & (Ints)(y))))
#define LARGER_PLAIN(bound, value) CHOSEN((value) < (bound), bound, value)
#define SMALLER_PLAIN(bound, value) CHOSEN((value) > (bound), bound, value)
#if HAS_TWO_WAYS /* of a NaN and a number, these give the second */
#define LARGER_EIGHT(bound, value) ((Floats)_mm256_max_ps((__m256)(bound), (__m256)(value)))
#define SMALLER_EIGHT(bound, value) ((Floats)_mm256_min_ps((__m256)(bound), (__m256)(value)))
#define LARGER_SIXTEEN(bound, value) ((Sixteen)_mm512_max_ps((__m512)(bound), (__m512)(value)))
#define SMALLER_SIXTEEN(bound, value) ((Sixteen)_mm512_min_ps((__m512)(bound), (__m512)(value)))
#define WIDE __attribute__((target("avx2,fma")))
#define WIDEST __attribute__((target("avx512f")))
#else
#define LARGER_EIGHT LARGER_PLAIN
#define SMALLER_EIGHT SMALLER_PLAIN
#define WIDE
#endif

/* What follows the product, of a number or a vector of them. */
#define FOLLOWED(NUMBERS, KIND, value) \
    if (activation == RELU) { \
        const NUMBERS zero = (NUMBERS){0}; \
        value = LARGER_##KIND(zero, value); \
    } else if (activation == HARD_SWISH) { \
        const NUMBERS zero = (NUMBERS){0}, six = (NUMBERS){0} + 6.0f; \
        NUMBERS gate = value + 3.0f; \
        gate = LARGER_##KIND(zero, gate); \
        gate = SMALLER_##KIND(six, gate); \
        value = value * gate * (1.0f / 6.0f); \
    }

enum { AT_ONCE = 192, MOST_PARTS = 4, MOST_ROWS = 8 };
/* Windows whose elements stay in the cache for all panels; vectors of a panel and windows at a time, at most. */

typedef struct {
    const float *const *places; /* of the windows' first elements; those of the next ones lie AT_ONCE further */
    Py_ssize_t skipped, spots, channels; /* channels before those that are read; elements, and channels of each */
    const float *panel, *bias, *zeros;   /* sums begin with `start`, and the bias where there is one */
    const float *start[MOST_ROWS];
    float *to[MOST_ROWS], floor; /* results below it are it */
    Py_ssize_t apart;            /* from channel to channel of the panel */
    const char *next;            /* what is asked for, by lines or not at all */
    Py_ssize_t ahead;
} Block;

typedef void (*Compute)(const Block *of);

/* Brings the sums of some windows, which lie `width` apart, to their places, for so many filters. */
typedef void (*Finish)(const Convolution *of, const float *sums, Py_ssize_t width, Py_ssize_t windows, Py_ssize_t filters,
                       const float *const *residuals, float *const *to);

#define UP_TO_SIX(X, ...) \
    X(__VA_ARGS__, 1) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 5) X(__VA_ARGS__, 6)
#define UP_TO_EIGHT(X, ...) UP_TO_SIX(X, __VA_ARGS__) X(__VA_ARGS__, 7) X(__VA_ARGS__, 8)

/* How a processor does it: the numbers of a vector, the vectors of a panel, the windows at a time for so many of them. */
typedef struct {
    Py_ssize_t lanes, parts, rows[MOST_PARTS + 1];
    Finish finish;
    Compute compute[MOST_PARTS + 1][MOST_ROWS + 1];
} Way;

/* The way is one for a process, in which panels lie so. PROA_VECTOR_BYTES in the environment bounds it. */
HIDDEN const Way *way_of_panels(void);

/* Where each channel has a filter of its own: windows from `from` to `to`; 0 where there is no memory. */
HIDDEN int multiply_by_channel(const Convolution *of, const float *filters, float *out, Py_ssize_t from, Py_ssize_t to);

#endif
#endif
