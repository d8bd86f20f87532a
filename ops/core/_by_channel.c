/* Convolutions whose channels have a filter each: the channels lie side by side, so that vectors of them need no panels. */
#include "_panel_blocks.h"

#if HAS_VECTORS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

/* Where each channel has a filter of its own: some windows at a time, channel by channel side by side. `filters` has a row
   for each element of a window, of which those from spots[0] to spots[1] are taken; `places` are those of the windows'
   elements, TOGETHER for each, or NULL where all lie `offsets` behind those of the first elements, which begin at `base`
   and stand `apart` from window to window. */
enum { TOGETHER = 4 };
#define CHANNELS(TARGET, NAME, VECTOR, KIND, LANES, PARTS) \
    TARGET static Py_ssize_t NAME(const Convolution *of, const float *const *places, const float *base, Py_ssize_t apart, \
                                  const Py_ssize_t *offsets, const Py_ssize_t *spots, Py_ssize_t window, \
                                  Py_ssize_t count, Py_ssize_t first, const float *filters, float *out) { \
        const Py_ssize_t channels = of->channels; \
        const int activation = of->activation; \
        for (; first + PARTS * LANES <= channels; first += PARTS * LANES) { \
            VECTOR sums[TOGETHER][PARTS], w[PARTS], x; \
            ALL for (int p = 0; p < PARTS; p++) { \
                memcpy(&w[p], of->bias + first + p * LANES, sizeof x); \
                ALL for (int r = 0; r < TOGETHER; r++) sums[r][p] = w[p]; \
            } \
            for (Py_ssize_t spot = spots[0]; spot < spots[1]; spot++) { \
                ALL for (int p = 0; p < PARTS; p++) \
                    memcpy(&w[p], filters + spot * channels + first + p * LANES, sizeof x); \
                ALL for (int r = 0; r < TOGETHER; r++) \
                    ALL for (int p = 0; p < PARTS; p++) { \
                        const float *from = places ? places[spot * TOGETHER + r] : base + r * apart + offsets[spot]; \
                        memcpy(&x, from + first + p * LANES, sizeof x); \
                        sums[r][p] += x * w[p]; \
                    } \
            } \
            ALL for (int r = 0; r < TOGETHER; r++) \
                ALL for (int p = 0; p < PARTS; p++) { \
                    if (r >= count) continue; \
                    const Py_ssize_t place = (window + r) * channels + first + p * LANES; \
                    VECTOR value = sums[r][p]; \
                    if (of->residual) { \
                        memcpy(&x, of->residual + place, sizeof x); \
                        value += x; \
                    } \
                    FOLLOWED(VECTOR, KIND, value) \
                    memcpy(out + place, &value, sizeof value); \
                } \
        } \
        return first; \
    }
CHANNELS(, one_channel, float, NUMBER, 1, 1)
CHANNELS(WIDE, eight_channels, Floats, EIGHT, 8, 1)
CHANNELS(WIDE, two_eights, Floats, EIGHT, 8, 2)
#if HAS_TWO_WAYS
CHANNELS(WIDEST, sixteen_channels, Sixteen, SIXTEEN, 16, 1)
CHANNELS(WIDEST, two_sixteens, Sixteen, SIXTEEN, 16, 2)
#endif

int multiply_by_channel(const Convolution *of, const float *filters, float *out, Py_ssize_t from, Py_ssize_t to) {
    Py_ssize_t spots = of->high * of->wide;
    const float **places = PyMem_RawMalloc((size_t)(TOGETHER * spots) * sizeof *places);
    Py_ssize_t *offsets = offsets_of(of);
    if (places && offsets) {
        Place at = place_of(of, from);
        Py_ssize_t apart = of->across * of->element_step;
        for (Py_ssize_t window = from; window < to; window += TOGETHER) {
            Py_ssize_t count = least(to - window, TOGETHER), first = 0;
            Py_ssize_t line = at.row * of->down - of->top, element = at.column * of->across - of->left;
            const float *base = of->x + at.image * of->image_step + line * of->line_step + element * of->element_step;
            const float *const *found = NULL;
            Py_ssize_t within[2] = {0, of->high}; /* lines of the window that are of the image: the others add nothing */
            if (line < 0) within[0] = least(of->high, (of->apart_down - 1 - line) / of->apart_down);
            if (line < of->height) within[1] = least(of->high, (of->height - 1 - line) / of->apart_down + 1);
            else within[1] = within[0];
            within[0] *= of->wide, within[1] *= of->wide;
            if (count == TOGETHER && at.column + TOGETHER <= of->columns && element >= 0 &&
                element + (TOGETHER - 1) * of->across + (of->wide - 1) * of->apart_across < of->width)
                at.column += TOGETHER - 1;
            else {
                for (Py_ssize_t r = 0; r < TOGETHER; r++) { /* the last window stands for those that are missing */
                    if (r && r < count) go_on(of, &at);
                    find_places(of, &at, offsets, places + r, TOGETHER);
                }
                found = places;
                within[0] = 0, within[1] = spots;
            }
            go_on(of, &at);
#define WINDOWS of, found, base, apart, offsets, within, window, count, first, filters, out
#if HAS_TWO_WAYS
            if (way_of_panels()->lanes == 16) {
                first = two_sixteens(WINDOWS);
                first = sixteen_channels(WINDOWS);
            }
            if (have_fast_panels())
#endif
            {
                first = two_eights(WINDOWS);
                first = eight_channels(WINDOWS);
            }
            one_channel(WINDOWS);
#undef WINDOWS
        }
    }
    int ended = places && offsets;
    PyMem_RawFree(offsets);
    PyMem_RawFree((void *)places);
    return ended;
}
#endif
