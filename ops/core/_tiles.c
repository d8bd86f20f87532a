/* Convolutions of 3×3 windows that stand side by side, by fewer multiplications.

   Four results of a tile of 2×2 windows take 36 multiplications for each channel and filter. Sums and differences of the
   16 elements that these windows share, times sums of the filter's, take 16 (Winograd's F(2×2, 3×3): Lavin and Gray, Fast
   Algorithms for Convolutional Neural Networks, 2015). These are 16 products of matrices, of tiles by panels, for some
   tiles at a time, so that what lies between stays in the cache. A number without end would make one of what is none: a
   result that is not finite is left to who multiplies window by window. */
#include "_packing.h"
#include "_panel_blocks.h"
#include "_tile_turns.h"

#include <math.h>

#if HAS_VECTORS

enum { LINE = 16, MOST_TILES = 64, KEPT = 8192, CHANNELS = 32, ALONE = 1 << 21, WIDTH = 64 };
/* Numbers of a line of the cache; tiles at a time, at most and times their channels; channels of a filter that are brought
   over at a time; multiplications that one thread does; filters of a panel, at most. */

/* What the threads of a team share. */
typedef struct {
    const Convolution *of;
    const Weight *by;
    float *filters, *out; /* the filters' sums, for each spot in panels */
    Py_ssize_t apart, down, across, panels; /* from spot to spot of these; tiles of an image; panels of filters */
    int is_by_panels, failed, is_finite;
} Tiled;

/* Filters brought over: some channels of a panel at a time. */
static void some_filters(void *data, Py_ssize_t begin, Py_ssize_t end) {
    Tiled *all = data;
    const Weight *by = all->by;
    Py_ssize_t width = width_of_panels(), pieces = (by->channels + CHANNELS - 1) / CHANNELS;
    float *room = PyMem_RawMalloc((size_t)(TAPS * CHANNELS * WIDTH) * sizeof *room);
    Py_ssize_t *places = PyMem_RawMalloc((size_t)length_of_places(by) * sizeof *places);
    if (!room || !places) __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
    for (Py_ssize_t n = begin; n < end && room && places; n++) {
        Py_ssize_t first = n / pieces * width, channel = n % pieces * CHANNELS;
        Py_ssize_t apart = least(by->filters - first, width), channels = least(by->channels - channel, CHANNELS);
        const float *from = room;
        Py_ssize_t step = channels * apart;
        if (by->panels) {
            Py_ssize_t part = channel / by->together * by->together;
            step = least(by->together, by->channels - part) * apart;
            from = by->panels + first * by->channels * TAPS + part * TAPS * apart + (channel - part) * apart;
        } else fill_part(by, first, channel, channels, apart, room, places);
        turns_of_tiles()->filters(from, step, channels * apart, all->filters + first * by->channels + channel * apart,
                                  all->apart);
    }
    PyMem_RawFree(places);
    PyMem_RawFree(room);
}

/* Where the results of a tile go, and what is added to them or NULL; `none` is where those go that are not there. */
static void find_results(const Tiled *all, Py_ssize_t tile, Py_ssize_t filter, float *none, float **to,
                         const float **residuals) {
    const Convolution *of = all->of;
    Py_ssize_t line = tile / all->across % all->down * 2, element = tile % all->across * 2;
    float *first = all->out + ((tile / all->across / all->down * of->rows + line) * of->columns + element) * of->filters +
                   filter;
    for (Py_ssize_t n = 0; n < 4; n++) {
        int is_there = line + n / 2 < of->rows && element + n % 2 < of->columns;
        to[n] = is_there ? first + (n / 2 * of->columns + n % 2) * of->filters : none;
        residuals[n] = is_there && of->residual ? of->residual + (to[n] - all->out) : NULL;
    }
}

/* Tiles from `from` to `to` by panels from `first` to `last`. */
static void multiply(Tiled *all, Py_ssize_t from, Py_ssize_t to, Py_ssize_t first, Py_ssize_t last) {
    const Way *how = way_of_panels();
    const Convolution *of = all->of;
    Py_ssize_t width = width_of_panels(), channels = of->channels, most = KEPT / channels < 1 ? 1 : KEPT / channels;
    most = least(least(most, MOST_TILES), to - from);
    Py_ssize_t step = most * channels + LINE, apart = most * width + LINE; /* lines of the cache go to different places */
    float *room = PyMem_RawMalloc((size_t)(SPOTS * (step + apart) + 3 * WIDTH) * sizeof *room);
    if (!room) {
        __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    float *nothing = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63), *none = nothing + WIDTH;
    float *images = none + WIDTH, *sums = images + SPOTS * step, check[LINE] = {0};
    memset(nothing, 0, WIDTH * sizeof *nothing);
    for (Py_ssize_t begin = from, count; begin < to; begin += count) {
        Py_ssize_t blocks_of_tiles = (to - begin + most - 1) / most;
        count = (to - begin + blocks_of_tiles - 1) / blocks_of_tiles;
        for (Py_ssize_t n = 0; n < count; n++) {
            const float *places[SPOTS];
            Py_ssize_t tile = begin + n, line = tile / all->across;
            find_elements(of, line / all->down, line % all->down * 2 - of->top, tile % all->across * 2 - of->left, places);
            turns_of_tiles()->images(places, channels, images + n * channels, step);
        }
        for (Py_ssize_t panel = first; panel < last; panel++) {
            Py_ssize_t filter = panel * width, whole = least(of->filters - filter, width), parts = whole / how->lanes;
            Py_ssize_t blocks = (count + how->rows[parts] - 1) / how->rows[parts];
            for (Py_ssize_t spot = 0; spot < SPOTS; spot++) {
                const float *rows[MOST_ROWS];
                Block block = {.places = rows, .spots = 1, .channels = channels, .floor = -INFINITY, .apart = whole};
                block.panel = all->filters + spot * all->apart + filter * channels;
                const char *next = (const char *)(block.panel + (spot + 1 < SPOTS ? all->apart : 0));
                for (Py_ssize_t n = 0; n < blocks; n++) {
                    Py_ssize_t tile = count * n / blocks, end = count * (n + 1) / blocks;
                    for (Py_ssize_t r = 0; r < end - tile; r++) {
                        rows[r] = images + spot * step + (tile + r) * channels;
                        block.start[r] = nothing, block.to[r] = sums + spot * apart + (tile + r) * whole;
                    }
                    block.next = next + n * channels * LINE * (Py_ssize_t)sizeof(float);
                    block.ahead = n < parts ? LINE * (Py_ssize_t)sizeof(float) : 0;
                    how->compute[parts][end - tile](&block);
                }
            }
            for (Py_ssize_t n = 0; n < count; n++) {
                float *places[4];
                const float *residuals[4];
                find_results(all, begin + n, filter, none, places, residuals);
                turns_of_tiles()->results(sums + n * whole, apart, whole, of->bias ? of->bias + filter : NULL, residuals,
                                          of->activation, places, check);
            }
        }
    }
    for (int n = 0; n < LINE; n++)
        if (check[n] != 0.0f) __atomic_store_n(&all->is_finite, 0, __ATOMIC_RELAXED);
    PyMem_RawFree(room);
}

static void some_tiles(void *data, Py_ssize_t begin, Py_ssize_t end) {
    Tiled *all = data;
    if (begin >= end) return;
    if (all->is_by_panels) multiply(all, 0, all->of->images * all->down * all->across, begin, end);
    else multiply(all, begin, end, 0, all->panels);
}

enum { LEAST_RESULTS = 64, LEAST_WIDE = 32 }; /* of an image; channels and filters: with fewer, tiles save nothing */

/* An image's bits do not depend on those that come with it: how many these are is not asked. */
static int are_enough(Py_ssize_t filters, Py_ssize_t channels, Py_ssize_t results) {
    return results >= LEAST_RESULTS && least(filters, channels) >= LEAST_WIDE && filters <= 2 * results &&
           channels <= 2 * results;
}

PyObject *suit_tiles(PyObject *module, PyObject *arguments) {
    Py_ssize_t filters, channels, results;
    if (!PyArg_ParseTuple(arguments, "nnn", &filters, &channels, &results)) return NULL;
    return PyBool_FromLong(are_enough(filters, channels, results));
}

int take_tiles(const Convolution *of, const Weight *by) {
    Py_ssize_t lanes = way_of_panels()->lanes;
    return by->kind == FILTERS && of->high == 3 && of->wide == 3 && of->down == 1 && of->across == 1 &&
           of->apart_down == 1 && of->apart_across == 1 && have_fast_panels() && of->channels % lanes == 0 &&
           of->filters % lanes == 0 && (by->together == by->channels || by->together % CHANNELS == 0) &&
           are_enough(of->filters, of->channels, of->rows * of->columns);
}

int multiply_tiles(const Convolution *of, const Weight *by, float *out) {
    Tiled all = {.of = of, .by = by, .out = out, .is_finite = 1};
    Py_ssize_t width = width_of_panels(), tiles, pieces = (by->channels + CHANNELS - 1) / CHANNELS;
    all.apart = by->filters * by->channels + LINE, all.panels = (by->filters + width - 1) / width;
    all.down = (of->rows + 1) / 2, all.across = (of->columns + 1) / 2, tiles = of->images * all.down * all.across;
    float *room = PyMem_RawMalloc((size_t)(SPOTS * all.apart + LINE) * sizeof *room);
    if (!room) return -1;
    all.filters = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63);
    run_parts_undisturbed(some_filters, &all, all.panels * pieces, by->filters * by->channels * (TAPS + SPOTS) * 4);
    all.is_by_panels = all.panels % 2 == 0 && by->filters > 4 * tiles;
    double work = (double)tiles * SPOTS * (double)of->filters * (double)of->channels;
    if (!all.failed)
        run_parts_undisturbed(some_tiles, &all, all.is_by_panels ? all.panels : tiles, work < ALONE ? 0 : WORTH_SHARING);
    PyMem_RawFree(room);
    return all.failed ? -1 : all.is_finite;
}

PyObject *convolve_tiles(PyObject *module, PyObject *arguments) {
    PyObject *x, *w;
    int kind;
    Convolution of = {.down = 1, .across = 1, .high = 3, .wide = 3};
    Py_ssize_t bottom, right, steps[4];
    if (!PyArg_ParseTuple(arguments, "OOi(nn)(nn)", &x, &w, &kind, &of.top, &of.left, &bottom, &right)) return NULL;
    const Array *filters = (const Array *)w;
    if (!are_images(x, steps) || !is_plain_array(w) || filters->dtype != dtypes_by_kind[FLOAT32] ||
        filters->dimensions_count != 4 || filters->dimensions[2] != 3 || filters->dimensions[3] != 3 ||
        (kind != FILTERS && kind != TURNED)) return declined_form();
    const Py_ssize_t *sizes = ((Array *)x)->dimensions, lanes = way_of_panels()->lanes;
    of.images = sizes[0], of.channels = sizes[1], of.height = sizes[2], of.width = sizes[3];
    of.image_step = steps[0], of.line_step = steps[2], of.element_step = steps[3];
    of.filters = filters->dimensions[kind == TURNED];
    of.rows = of.height + of.top + bottom - 2, of.columns = of.width + of.left + right - 2;
    if (filters->dimensions[kind != TURNED] != of.channels || of.channels % lanes || of.filters % lanes || steps[1] != 1 ||
        of.top < 0 || of.left < 0 || bottom < 0 || right < 0 || of.rows < 1 || of.columns < 1) return declined_form();
    if (know_team() < 0) return NULL;
    Weight by = {kind, of.filters, of.channels, TAPS, CHANNELS, (float *)filters->data, NULL, NULL, 0};
    Py_ssize_t line = of.filters * of.columns, made[4] = {of.images, of.filters, of.rows, of.columns};
    PyObject *result = new_array_lying(FLOAT32, 4, made, (Py_ssize_t[]){4 * line * of.rows, 4, 4 * line, 4 * of.filters});
    float *zeros = PyMem_RawCalloc((size_t)of.channels, sizeof *zeros);
    int ended = -1;
    of.x = (const float *)((Array *)x)->data, of.zeros = zeros;
    if (result && zeros) {
        Py_BEGIN_ALLOW_THREADS
        ended = multiply_tiles(&of, &by, (float *)((Array *)result)->data);
        Py_END_ALLOW_THREADS
    }
    PyMem_RawFree(zeros);
    if (ended > 0) return result;
    Py_XDECREF(result);
    return !ended ? declined_form() : PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

#else
PyObject *convolve_tiles(PyObject *module, PyObject *arguments) { return declined_form(); }
PyObject *suit_tiles(PyObject *module, PyObject *arguments) { Py_RETURN_FALSE; }
int take_tiles(const Convolution *of, const Weight *by) { return 0; }
int multiply_tiles(const Convolution *of, const Weight *by, float *out) { return 0; }
#endif

const char suit_tiles_doc[] =
    "suit_tiles($module, filters, channels, results, /)\n--\n\n"
    "Whether tiles take less time than panels, for so many results of an image.";

const char convolve_tiles_doc[] =
    "convolve_tiles($module, x, w, kind, begin, end, /)\n--\n\n"
    "The convolution of images with 3×3 filters of a `kind` (_panels.h) that stand side by side, in fewer multiplications;\n"
    "NotImplemented for what it does not take, and where a result is not finite.";
