/* What is brought over for products of tiles (`_tiles.c`, `_filter_tiles.c`), made for each kind of vectors. */
#include "_tile_turns.h"

#include "_panel_blocks.h"

#if HAS_VECTORS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

/* Defines it: vectors of numbers of each spot. */
#define TURNS(TARGET, NAME, VECTOR, KIND, LANES) \
    TARGET static void filters_##NAME(const float *from, Py_ssize_t step, Py_ssize_t count, float *to, Py_ssize_t apart) { \
        const VECTOR half = (VECTOR){0} + 0.5f; \
        for (Py_ssize_t at = 0; at < count; at += LANES) { \
            VECTOR g[TAPS], t[12], u[SPOTS]; \
            ALL for (int n = 0; n < 8; n++) memcpy(&g[n], from + n * step + at, sizeof g[0]); \
            memcpy(&g[8], from + 8 * step + at, sizeof g[0]); \
            ALL for (int n = 0; n < 3; n++) { \
                const VECTOR outer = g[n] + g[6 + n]; \
                t[n] = g[n], t[3 + n] = (outer + g[3 + n]) * half, t[6 + n] = (outer - g[3 + n]) * half, t[9 + n] = g[6 + n]; \
            } \
            ALL for (int n = 0; n < 4; n++) { \
                const VECTOR outer = t[3 * n] + t[3 * n + 2]; \
                u[4 * n] = t[3 * n], u[4 * n + 1] = (outer + t[3 * n + 1]) * half; \
                u[4 * n + 2] = (outer - t[3 * n + 1]) * half, u[4 * n + 3] = t[3 * n + 2]; \
            } \
            STORE_ALL(u) \
        } \
    } \
    TARGET static void images_##NAME(const float *const *places, Py_ssize_t count, float *to, Py_ssize_t apart) { \
        for (Py_ssize_t at = 0; at < count; at += LANES) { \
            VECTOR d[SPOTS], t[SPOTS]; \
            ALL for (int n = 0; n < 8; n++) { \
                memcpy(&d[n], places[n] + at, sizeof d[0]); \
                memcpy(&d[8 + n], places[8 + n] + at, sizeof d[0]); \
            } \
            ALL for (int n = 0; n < 4; n++) { \
                t[n] = d[n] - d[8 + n], t[4 + n] = d[4 + n] + d[8 + n]; \
                t[8 + n] = d[8 + n] - d[4 + n], t[12 + n] = d[4 + n] - d[12 + n]; \
            } \
            ALL for (int n = 0; n < 4; n++) { \
                d[4 * n] = t[4 * n] - t[4 * n + 2], d[4 * n + 1] = t[4 * n + 1] + t[4 * n + 2]; \
                d[4 * n + 2] = t[4 * n + 2] - t[4 * n + 1], d[4 * n + 3] = t[4 * n + 1] - t[4 * n + 3]; \
            } \
            STORE_ALL(d) \
        } \
    } \
    TARGET static void results_##NAME(const float *from, Py_ssize_t apart, Py_ssize_t count, const float *bias, \
                                      const float *const *residuals, int activation, float *const *to, float *check) { \
        VECTOR m[SPOTS], t[8], y[4], found, other, nothing = (VECTOR){0}; \
        memcpy(&found, check, sizeof found); \
        for (Py_ssize_t at = 0; at < count; at += LANES) { \
            ALL for (int n = 0; n < 8; n++) { \
                memcpy(&m[n], from + n * apart + at, sizeof m[0]); \
                memcpy(&m[8 + n], from + (8 + n) * apart + at, sizeof m[0]); \
            } \
            ALL for (int n = 0; n < 4; n++) \
                t[n] = m[n] + m[4 + n] + m[8 + n], t[4 + n] = m[4 + n] - m[8 + n] - m[12 + n]; \
            ALL for (int n = 0; n < 2; n++) { \
                y[2 * n] = t[4 * n] + t[4 * n + 1] + t[4 * n + 2]; \
                y[2 * n + 1] = t[4 * n + 1] - t[4 * n + 2] - t[4 * n + 3]; \
            } \
            ALL for (int n = 0; n < 4; n++) { \
                VECTOR value = y[n]; \
                found += value * nothing; /* which is no number where it is not finite */ \
                if (bias) { \
                    memcpy(&other, bias + at, sizeof other); \
                    value += other; \
                } \
                if (residuals[n]) { \
                    memcpy(&other, residuals[n] + at, sizeof other); \
                    value += other; \
                } \
                FOLLOWED(VECTOR, KIND, value) \
                memcpy(to[n] + at, &value, sizeof value); \
            } \
        } \
        memcpy(check, &found, sizeof found); \
    } \
    TARGET static void slopes_##NAME(const float *const *places, Py_ssize_t count, float *to, Py_ssize_t apart) { \
        for (Py_ssize_t at = 0; at < count; at += LANES) { \
            VECTOR g[4], t[8], u[SPOTS]; \
            ALL for (int n = 0; n < 4; n++) memcpy(&g[n], places[n] + at, sizeof g[0]); \
            ALL for (int n = 0; n < 2; n++) \
                t[n] = g[n], t[2 + n] = g[n] + g[2 + n], t[4 + n] = g[n] - g[2 + n], t[6 + n] = -g[2 + n]; \
            ALL for (int n = 0; n < 4; n++) { \
                u[4 * n] = t[2 * n], u[4 * n + 1] = t[2 * n] + t[2 * n + 1]; \
                u[4 * n + 2] = t[2 * n] - t[2 * n + 1], u[4 * n + 3] = -t[2 * n + 1]; \
            } \
            STORE_ALL(u) \
        } \
    } \
    TARGET static void taps_##NAME(const float *from, Py_ssize_t apart, Py_ssize_t count, float *to, float *check) { \
        const VECTOR half = (VECTOR){0} + 0.5f, nothing = (VECTOR){0}; \
        VECTOR m[SPOTS], t[12], w[3], found; \
        memcpy(&found, check, sizeof found); \
        for (Py_ssize_t at = 0; at < count; at += LANES) { \
            ALL for (int n = 0; n < 8; n++) { \
                memcpy(&m[n], from + n * apart + at, sizeof m[0]); \
                memcpy(&m[8 + n], from + (8 + n) * apart + at, sizeof m[0]); \
            } \
            ALL for (int n = 0; n < 4; n++) { \
                const VECTOR sum = (m[4 + n] + m[8 + n]) * half; \
                t[n] = m[n] + sum, t[4 + n] = (m[4 + n] - m[8 + n]) * half, t[8 + n] = sum + m[12 + n]; \
            } \
            ALL for (int n = 0; n < 3; n++) { \
                const VECTOR sum = (t[4 * n + 1] + t[4 * n + 2]) * half; \
                w[0] = t[4 * n] + sum, w[1] = (t[4 * n + 1] - t[4 * n + 2]) * half, w[2] = sum + t[4 * n + 3]; \
                ALL for (int c = 0; c < 3; c++) { \
                    found += w[c] * nothing; \
                    memcpy(to + (3 * n + c) * count + at, &w[c], sizeof w[0]); \
                } \
            } \
        } \
        memcpy(check, &found, sizeof found); \
    }
#define STORE_ALL(values) \
    ALL for (int n = 0; n < 8; n++) { \
        memcpy(to + n * apart + at, &values[n], sizeof values[0]); \
        memcpy(to + (8 + n) * apart + at, &values[8 + n], sizeof values[0]); \
    }

TURNS(WIDE, in_eights, Floats, EIGHT, 8)
static const Turns in_eights = {filters_in_eights, images_in_eights, results_in_eights, slopes_in_eights,
                                taps_in_eights};
#if HAS_TWO_WAYS
TURNS(, narrow, Floats, PLAIN, 8)
TURNS(WIDEST, in_sixteens, Sixteen, SIXTEEN, 16)
static const Turns narrow = {filters_narrow, images_narrow, results_narrow, slopes_narrow,
                             taps_narrow};
static const Turns in_sixteens = {filters_in_sixteens, images_in_sixteens, results_in_sixteens, slopes_in_sixteens,
                                  taps_in_sixteens};
const Turns *turns_of_tiles(void) {
    return way_of_panels()->lanes == 16 ? &in_sixteens : have_fast_panels() ? &in_eights : &narrow;
}
#else
const Turns *turns_of_tiles(void) { return &in_eights; }
#endif

#endif
