/* Gradients of filters: of each tap a product over places, those where it meets padding left out.

   An element of a gradient is the sum of what the images have at a tap's places times what the result's gradient has
   there. The sums of some channels, for vectors of filters, stay in the registers for some places of a tap, and are added
   up for all in the cache: these places are read from there for each tap, and a sum of thousands is rounded less. Then
   they are turned to where a filter has them: its channels' taps side by side. Threads share channels and filters, so
   that sums are the same on any number of them. */
#include "_filter_sums.h"
#include "_packing.h"

#include <stdlib.h>

#if HAS_VECTORS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { MOST_TAPS = 1 << 10, LINE = 16, WORTH = 1 << 21, PLACES = 64 };
/* Taps for which there is a table; numbers of a line of the cache; multiplications that are worth a second thread; places
   whose sums are added up at once. */

/* Defines what sums up for so many channels, and so many vectors of filters. */
#define TAP(TARGET, NAME, VECTOR, LANES, PARTS, ROWS) \
    TARGET static void NAME(const Tap *of) { \
        VECTOR sums[ROWS][PARTS], w[PARTS]; \
        ALL for (int r = 0; r < ROWS; r++) \
            ALL for (int p = 0; p < PARTS; p++) sums[r][p] = (VECTOR){0}; \
        const Pair *const end = of->pairs + of->count; \
        const float *x = of->x, *g = of->g; \
        for (Py_ssize_t n = 0; n < of->images; n++, x += of->image_step, g += of->gradient_step) \
            for (const Pair *at = of->pairs; at < end; at++) { \
                const float *by = x + at->x; \
                ALL for (int p = 0; p < PARTS; p++) memcpy(&w[p], g + at->g + p * LANES, sizeof w[0]); \
                ALL for (int r = 0; r < ROWS; r++) \
                    ALL for (int p = 0; p < PARTS; p++) sums[r][p] += by[r] * w[p]; \
            } \
        ALL for (int r = 0; r < ROWS; r++) \
            ALL for (int p = 0; p < PARTS; p++) { \
                float *to = of->to + r * of->step + p * LANES; \
                if (of->is_added) { \
                    memcpy(&w[p], to, sizeof w[0]); \
                    sums[r][p] += w[p]; \
                } \
                memcpy(to, &sums[r][p], sizeof w[0]); \
            } \
    }

#define TAP_8(TARGET, PARTS, ROWS) TAP(TARGET, in_eights_##PARTS##_##ROWS, Floats, 8, PARTS, ROWS)
#define NAME_8(PARTS, ROWS) in_eights_##PARTS##_##ROWS,
UP_TO_EIGHT(TAP_8, WIDE, 1)
UP_TO_SIX(TAP_8, WIDE, 2)
static const SumWay in_eights = {
    8, 2, 2, {0, 8, 6}, {{NULL}, {NULL, UP_TO_EIGHT(NAME_8, 1)}, {NULL, UP_TO_SIX(NAME_8, 2)}}};
#if HAS_TWO_WAYS
#define TAP_NARROW(TARGET, PARTS, ROWS) TAP(TARGET, narrow_##PARTS##_##ROWS, Floats, 8, PARTS, ROWS)
#define NAME_NARROW(PARTS, ROWS) narrow_##PARTS##_##ROWS,
UP_TO_SIX(TAP_NARROW, , 1)
static const SumWay narrow = {8, 1, 1, {0, 6}, {{NULL}, {NULL, UP_TO_SIX(NAME_NARROW, 1)}}};
#define TAP_16(TARGET, PARTS, ROWS) TAP(TARGET, in_sixteens_##PARTS##_##ROWS, Sixteen, 16, PARTS, ROWS)
#define NAME_16(PARTS, ROWS) in_sixteens_##PARTS##_##ROWS,
UP_TO_EIGHT(TAP_16, WIDEST, 1)
UP_TO_EIGHT(TAP_16, WIDEST, 2)
UP_TO_EIGHT(TAP_16, WIDEST, 3)
UP_TO_SIX(TAP_16, WIDEST, 4)
static const SumWay in_sixteens = {
    16, 4, 3, {0, 8, 8, 8, 6},
    {{NULL}, {NULL, UP_TO_EIGHT(NAME_16, 1)}, {NULL, UP_TO_EIGHT(NAME_16, 2)}, {NULL, UP_TO_EIGHT(NAME_16, 3)},
     {NULL, UP_TO_SIX(NAME_16, 4)}}};
const SumWay *way_of_sums(void) {
    return width_of_panels() == in_sixteens.lanes * in_sixteens.parts ? &in_sixteens
           : have_fast_panels() ? &in_eights : &narrow;
}
#else
const SumWay *way_of_sums(void) { return &in_eights; }
#endif

/* A gradient [filters, channels, taps], and what it is made of. */
typedef struct {
    const SumWay *how;
    Tap of;            /* all filters and channels */
    const Pair *pairs; /* of an image, for some of its lines after the other: tap after tap */
    const Py_ssize_t *ends;
    Py_ssize_t filters, channels, taps, images, at_once, parts; /* images at once, parts of their lines */
    Py_ssize_t panels, blocks; /* of filters and of channels */
    float *out;
    int failed;
} Gradient;

static void some_blocks(void *data, Py_ssize_t begin, Py_ssize_t end) {
    Gradient *all = data;
    const SumWay *how = all->how;
    Py_ssize_t vectors = all->filters / how->lanes, taps = all->taps, row = all->channels * taps;
    float *room = PyMem_RawMalloc((size_t)(taps * MOST_ROWS * how->parts * how->lanes + LINE) * sizeof *room);
    if (!room) __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
    float *sums = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63);
    for (Py_ssize_t n = begin; n < end && room; n++) {
        Py_ssize_t panel = n % all->panels, block = n / all->panels;
        Py_ssize_t first = vectors * panel / all->panels, parts = vectors * (panel + 1) / all->panels - first;
        Py_ssize_t filter = first * how->lanes, filters = parts * how->lanes;
        Py_ssize_t channel = all->channels * block / all->blocks;
        Py_ssize_t rows = all->channels * (block + 1) / all->blocks - channel;
        Tap of = all->of;
        of.x += channel, of.g += filter, of.step = taps * filters;
        for (Py_ssize_t image = 0; image < all->images; image += all->at_once) {
            of.images = least(all->at_once, all->images - image), of.pairs = all->pairs;
            for (Py_ssize_t t = 0; t < all->parts * taps; t++, of.pairs += of.count) {
                of.to = sums + t % taps * filters, of.is_added = image || t >= taps;
                of.count = all->ends[t] - (of.pairs - all->pairs);
                how->sum[parts][rows](&of);
            }
            of.x += of.images * of.image_step, of.g += of.images * of.gradient_step;
        }
        turn_rows(sums, filters, rows * taps, filters, all->out + filter * row + channel * taps, row);
    }
    PyMem_RawFree(room);
}

/* The pairs of an image, for so many lines of its result after the other, and where those of each tap end. */
static void find_pairs(const Convolution *of, const Py_ssize_t *others, Py_ssize_t lines, Pair *pairs, Py_ssize_t *ends) {
    const Pair *const begin = pairs;
    for (Py_ssize_t first = 0; first < of->rows; first += lines)
        for (Py_ssize_t tap = 0; tap < of->high * of->wide; tap++) {
            Py_ssize_t down = tap / of->wide * of->apart_down - of->top;
            Py_ssize_t across = tap % of->wide * of->apart_across - of->left;
            for (Py_ssize_t r = first; r < least(first + lines, of->rows); r++)
                for (Py_ssize_t c = 0; c < of->columns; c++) {
                    Py_ssize_t line = r * of->down + down, at = c * of->across + across;
                    if (line >= 0 && line < of->height && at >= 0 && at < of->width)
                        *pairs++ = (Pair){line * of->line_step + at * of->element_step, r * others[2] + c * others[3]};
                }
            *ends++ = pairs - begin;
        }
}

/* Whether it is an array of float32 images [n, c, h, w] with their channels side by side. */
static int find_images(PyObject *given, Py_ssize_t *steps) {
    const Array *x = (const Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 4 || x->dtype != dtypes_by_kind[FLOAT32] ||
        !(x->flags & ALIGNED) || size_of(given) < 1) return 0;
    for (int n = 0; n < 4; n++) {
        if (x->strides[n] % (Py_ssize_t)sizeof(float)) return 0;
        steps[n] = x->strides[n] / (Py_ssize_t)sizeof(float);
    }
    return steps[1] == 1 || x->dimensions[1] == 1;
}

PyObject *filter_gradient(PyObject *module, PyObject *arguments) {
    PyObject *x, *g;
    Convolution of = {0};
    Py_ssize_t steps[4], others[4];
    if (!PyArg_ParseTuple(arguments, "OO(nn)(nn)(nn)(nn)", &x, &g, &of.high, &of.wide, &of.down, &of.across, &of.top,
                          &of.left, &of.apart_down, &of.apart_across)) return NULL;
    const SumWay *how = way_of_sums();
    if (!find_images(x, steps) || !find_images(g, others) || of.high < 1 || of.wide < 1 || of.high > MOST_TAPS ||
        of.high * of.wide > MOST_TAPS) return declined_form();
    const Py_ssize_t *sizes = ((Array *)x)->dimensions, *results = ((Array *)g)->dimensions;
    of.images = sizes[0], of.channels = sizes[1], of.height = sizes[2], of.width = sizes[3];
    of.filters = results[1], of.rows = results[2], of.columns = results[3];
    of.line_step = steps[2], of.element_step = steps[3];
    if (of.filters % how->lanes || results[0] != of.images) return declined_form();
    Py_ssize_t taps = of.high * of.wide, vectors = of.filters / how->lanes;
    PyObject *result = new_array(FLOAT32, 4, (Py_ssize_t[]){of.filters, of.channels, of.high, of.wide});
    Pair *pairs = PyMem_RawMalloc((size_t)(taps * of.rows * of.columns) * sizeof *pairs);
    Py_ssize_t lines = PLACES / of.columns > 1 ? least(PLACES / of.columns, of.rows) : 1;
    Gradient all = {.how = how, .filters = of.filters, .channels = of.channels, .taps = taps, .images = of.images};
    all.parts = (of.rows + lines - 1) / lines;
    all.at_once = all.parts > 1 ? 1 : (PLACES + of.rows * of.columns - 1) / (of.rows * of.columns);
    Py_ssize_t *ends = PyMem_RawMalloc((size_t)(all.parts * taps) * sizeof *ends);
    int ended = -1;
    if (result && pairs && ends) {
        find_pairs(&of, others, lines, pairs, ends);
        all.pairs = pairs, all.ends = ends;
        all.of = (Tap){.image_step = steps[0], .gradient_step = others[0],
                       .x = (const float *)((Array *)x)->data, .g = (const float *)((Array *)g)->data};
        all.out = (float *)((Array *)result)->data;
        all.panels = vectors <= how->parts ? 1 : (vectors + how->usual - 1) / how->usual;
        Py_ssize_t most = how->rows[(vectors + all.panels - 1) / all.panels];
        all.blocks = (of.channels + most - 1) / most;
        if (all.blocks > 1) all.blocks += all.blocks & all.panels & 1; /* two threads have as much to do */
        double work = (double)ends[all.parts * taps - 1] * (double)of.images * (double)of.filters * (double)of.channels;
        ended = run_parts(some_blocks, &all, all.panels * all.blocks, work < WORTH ? 0 : WORTH_SHARING);
    }
    PyMem_RawFree(ends);
    PyMem_RawFree(pairs);
    if (ended == 0 && !all.failed) return result;
    Py_XDECREF(result);
    return ended < 0 && PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

#else
PyObject *filter_gradient(PyObject *module, PyObject *arguments) { return declined_form(); }
#endif

const char filter_gradient_doc[] =
    "filter_gradient($module, x, g, kernel, strides, begin, dilations, /)\n--\n\n"
    "The gradient [o, c, *kernel] of a convolution's filters, of images and its result's gradient; NotImplemented for\n"
    "what it does not take.";
