/* What multiplies some windows by a panel (`_panels.c`), made for each number of windows and vectors.

   The sums stay in the registers while the panel is read; meanwhile the part that is read next is asked for from memory.
   What all these windows have in the padding is left out: a weight that is no number, or without end, meets no zero. */
#include "_panel_blocks.h"

#include <math.h>
#include <stdlib.h>

#if HAS_VECTORS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

#define ONLY_NOW __asm__ volatile("" ::: "memory"); /* what is read behind has no register before: all hold sums */

/* Defines what multiplies so many windows by a panel of so many vectors. */
#define BLOCK(TARGET, NAME, VECTOR, KIND, LANES, PARTS, ROWS) \
    TARGET static void NAME(const Block *of) { \
        VECTOR sums[ROWS][PARTS], w[PARTS]; \
        ALL for (int r = 0; r < ROWS; r++) \
            ALL for (int p = 0; p < PARTS; p++) \
                memcpy(&sums[r][p], of->start[r] + p * LANES, sizeof w[0]); \
        if (of->bias) \
            ALL for (int p = 0; p < PARTS; p++) { \
                memcpy(&w[p], of->bias + p * LANES, sizeof w[0]); \
                ALL for (int r = 0; r < ROWS; r++) sums[r][p] += w[p]; \
            } \
        const float *panel = of->panel; \
        const float *const *places = of->places; \
        const char *next = of->next; \
        const Py_ssize_t channels = of->channels, ahead = of->ahead, apart = of->apart; \
        for (Py_ssize_t spot = 0; spot < of->spots; spot++, places += AT_ONCE) { \
            const float *x[ROWS]; \
            int is_inside = 0; \
            ALL for (int r = 0; r < ROWS; r++) x[r] = places[r] + of->skipped, is_inside |= places[r] != of->zeros; \
            if (!is_inside) { \
                panel += channels * apart; \
                continue; \
            } \
            for (Py_ssize_t c = 0; c < channels; c++, panel += apart, next += ahead) { \
                ALL for (int p = 0; p < PARTS; p++) memcpy(&w[p], panel + p * LANES, sizeof w[0]); \
                __builtin_prefetch(next, 0, 2); \
                ALL for (int r = 0; r < ROWS; r++) \
                    ALL for (int p = 0; p < PARTS; p++) sums[r][p] += x[r][c] * w[p]; \
            } \
        } \
        ONLY_NOW \
        const VECTOR floor = (VECTOR){0} + of->floor; \
        ALL for (int r = 0; r < ROWS; r++) \
            ALL for (int p = 0; p < PARTS; p++) { \
                VECTOR value = LARGER_##KIND(floor, sums[r][p]); \
                memcpy(of->to[r] + p * LANES, &value, sizeof value); \
            } \
    }

/* Defines what brings the sums of some windows, which lie `width` apart, to their place, for so many filters. */
#define FINISHED(VECTOR, KIND, LANES) \
    for (; f + LANES <= filters; f += LANES) { \
        VECTOR value, other; \
        memcpy(&value, sums + f, sizeof value); \
        if (added) { \
            memcpy(&other, added + f, sizeof other); \
            value += other; \
        } \
        FOLLOWED(VECTOR, KIND, value) \
        memcpy(to + f, &value, sizeof value); \
    }
#define FINISH(TARGET, NAME, ...) \
    TARGET static void NAME(const Convolution *of, const float *sums, Py_ssize_t width, Py_ssize_t windows, \
                            Py_ssize_t filters, const float *const *residuals, float *const *places) { \
        const int activation = of->activation; \
        for (Py_ssize_t n = 0; n < windows; n++, sums += width) { \
            const float *added = residuals ? residuals[n] : NULL; \
            float *to = places[n]; \
            Py_ssize_t f = 0; \
            __VA_ARGS__ \
            FINISHED(float, NUMBER, 1) \
        } \
    }
FINISH(WIDE, finish_eights, FINISHED(Floats, EIGHT, 8))
#if HAS_TWO_WAYS
FINISH(, finish_narrow, FINISHED(Floats, PLAIN, 8))
FINISH(WIDEST, finish_sixteens, FINISHED(Sixteen, SIXTEEN, 16) FINISHED(Floats, EIGHT, 8))
#endif

#define BLOCK_8(TARGET, PARTS, ROWS) BLOCK(TARGET, in_eights_##PARTS##_##ROWS, Floats, EIGHT, 8, PARTS, ROWS)
#define NAME_8(PARTS, ROWS) in_eights_##PARTS##_##ROWS,
#if HAS_TWO_WAYS
#define BLOCK_NARROW(TARGET, PARTS, ROWS) BLOCK(TARGET, narrow_##PARTS##_##ROWS, Floats, PLAIN, 8, PARTS, ROWS)
#define NAME_NARROW(PARTS, ROWS) narrow_##PARTS##_##ROWS,
UP_TO_SIX(BLOCK_NARROW, , 1)
UP_TO_SIX(BLOCK_NARROW, , 2)
static const Way narrow = {
    8, 2, {0, 6, 6}, finish_narrow, {{NULL}, {NULL, UP_TO_SIX(NAME_NARROW, 1)}, {NULL, UP_TO_SIX(NAME_NARROW, 2)}}};
#endif
UP_TO_EIGHT(BLOCK_8, WIDE, 1)
UP_TO_SIX(BLOCK_8, WIDE, 2)
static const Way in_eights = {
    8, 2, {0, 8, 6}, finish_eights, {{NULL}, {NULL, UP_TO_EIGHT(NAME_8, 1)}, {NULL, UP_TO_SIX(NAME_8, 2)}}};

#if HAS_TWO_WAYS
#define BLOCK_16(TARGET, PARTS, ROWS) BLOCK(TARGET, in_sixteens_##PARTS##_##ROWS, Sixteen, SIXTEEN, 16, PARTS, ROWS)
#define NAME_16(PARTS, ROWS) in_sixteens_##PARTS##_##ROWS,
UP_TO_EIGHT(BLOCK_16, WIDEST, 1)
UP_TO_EIGHT(BLOCK_16, WIDEST, 2)
UP_TO_EIGHT(BLOCK_16, WIDEST, 3)
UP_TO_SIX(BLOCK_16, WIDEST, 4)
static const Way in_sixteens = {
    16, 4, {0, 8, 8, 8, 6}, finish_sixteens,
    {{NULL}, {NULL, UP_TO_EIGHT(NAME_16, 1)}, {NULL, UP_TO_EIGHT(NAME_16, 2)}, {NULL, UP_TO_EIGHT(NAME_16, 3)},
     {NULL, UP_TO_SIX(NAME_16, 4)}}};

const Way *way_of_panels(void) {
    static const Way *found;
    if (!found) {
        const char *said = getenv("PROA_VECTOR_BYTES");
        int most = said && *said ? atoi(said) : 64;
        found = most >= 64 && __builtin_cpu_supports("avx512f") ? &in_sixteens
                : most >= 32 && has_wide_vectors ? &in_eights : &narrow;
    }
    return found;
}
int have_fast_panels(void) { return way_of_panels() != &narrow; }
#else
const Way *way_of_panels(void) { return &in_eights; }
int have_fast_panels(void) { return 0; }
#endif

#else
int have_fast_panels(void) { return 0; }
#endif
