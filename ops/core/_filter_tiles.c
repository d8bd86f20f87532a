/* Gradients of 3×3 filters whose windows stand side by side, by fewer multiplications.

   What a tile of 2×2 results gives to a filter takes 36 multiplications for each channel and filter, and 16 by sums and
   differences of the 16 elements that it reads, times those of the results' gradients (Winograd's F(3×3, 2×2), the turned
   form of `_tiles.c`). These are 16 sums over tiles, of which some are taken in the registers at a time and added up.
   Threads share channels and filters, so that sums are the same on any number of them. A gradient that is not finite is
   left to `_filter_gradient.c`, which multiplies nothing by what stands beside it. */
#include "_filter_sums.h"
#include "_packing.h"
#include "_tile_turns.h"

#if HAS_VECTORS

enum { LINE = 16, TILES = 32, BLOCK = 8, MOST = 64, WORTH = 1 << 20 };
/* Numbers of a line of the cache; tiles at a time; channels whose filters are finished together; channels and filters of a
   part; multiplications that are worth a second thread. */

/* What the threads of a team share. */
typedef struct {
    const Convolution *of;
    const float *g;
    const Py_ssize_t *others;              /* from image, filter, line and element of the gradient to the next */
    Py_ssize_t down, across, tiles;        /* of an image, and of all */
    Py_ssize_t groups, panels;             /* parts of the channels and of the filters */
    float *out;
    int failed, is_finite;
} Tiled;

/* Some filters and channels, and what is brought over for them. */
typedef struct {
    const Tiled *all;
    Py_ssize_t filter, filters, channel, channels;
    const float *zeros;
    float *images, *slopes, *sums, *taps; /* for each spot: some tiles of each; the sums of channels; finished filters */
} Part;

/* Where it lies from spot to spot: other lines of the cache than those before. */
INLINE Py_ssize_t apart(Py_ssize_t numbers) { return TILES * numbers + LINE; }

/* Elements and gradients of some tiles. */
static void bring_over(const Part *part, Py_ssize_t begin, Py_ssize_t count) {
    const Tiled *all = part->all;
    Convolution of = *all->of;
    of.x += part->channel, of.zeros = part->zeros;
    for (Py_ssize_t n = 0; n < count; n++) {
        const float *places[SPOTS];
        Py_ssize_t image = (begin + n) / all->across / all->down;
        Py_ssize_t line = (begin + n) / all->across % all->down * 2, element = (begin + n) % all->across * 2;
        find_elements(&of, image, line - of.top, element - of.left, places);
        turns_of_tiles()->images(places, part->channels, part->images + n * part->channels, apart(part->channels));
        const float *g = all->g + image * all->others[0] + part->filter;
        for (Py_ssize_t spot = 0; spot < 4; spot++) {
            Py_ssize_t r = line + spot / 2, c = element + spot % 2;
            places[spot] = r < of.rows && c < of.columns ? g + r * all->others[2] + c * all->others[3] : part->zeros;
        }
        turns_of_tiles()->slopes(places, part->filters, part->slopes + n * part->filters, apart(part->filters));
    }
}

/* Sums over some tiles for a block of channels from `first` on: for each spot, and of a spot for each channel. */
static void sum_up(const Part *part, Py_ssize_t first, Py_ssize_t rows, const Pair *pairs, Py_ssize_t count, int is_added,
                   float *sums) {
    const SumWay *how = way_of_sums();
    Py_ssize_t vectors = part->filters / how->lanes, pieces = (vectors + how->usual - 1) / how->usual;
    Tap tap = {.pairs = pairs, .count = count, .images = 1, .step = part->filters, .is_added = is_added};
    for (Py_ssize_t spot = 0; spot < SPOTS; spot++, sums += rows * part->filters)
        for (Py_ssize_t piece = 0; piece < pieces; piece++) {
            Py_ssize_t from = vectors * piece / pieces, parts = vectors * (piece + 1) / pieces - from;
            Py_ssize_t blocks = (rows + how->rows[parts] - 1) / how->rows[parts];
            tap.g = part->slopes + spot * apart(part->filters) + from * how->lanes;
            for (Py_ssize_t block = 0; block < blocks; block++) {
                Py_ssize_t row = rows * block / blocks;
                tap.x = part->images + spot * apart(part->channels) + first + row;
                tap.to = sums + row * part->filters + from * how->lanes;
                how->sum[parts][rows * (block + 1) / blocks - row](&tap);
            }
        }
}

static void one_part(const Part *part, float *check) {
    const Tiled *all = part->all;
    Py_ssize_t row = all->of->channels * TAPS, wide = part->filters, at_once = SPOTS * BLOCK * wide;
    Pair pairs[TILES];
    for (Py_ssize_t n = 0; n < TILES; n++) pairs[n] = (Pair){n * part->channels, n * wide};
    for (Py_ssize_t begin = 0; begin < all->tiles; begin += TILES) {
        Py_ssize_t count = least(TILES, all->tiles - begin);
        bring_over(part, begin, count);
        for (Py_ssize_t first = 0; first < part->channels; first += BLOCK) {
            Py_ssize_t rows = least(BLOCK, part->channels - first);
            float *sums = part->sums + (all->tiles > TILES ? first / BLOCK * at_once : 0);
            sum_up(part, first, rows, pairs, count, begin > 0, sums);
            if (begin + count < all->tiles) continue;
            for (Py_ssize_t r = 0; r < rows; r++)
                turns_of_tiles()->taps(sums + r * wide, rows * wide, wide, part->taps + r * TAPS * wide, check);
            turn_rows(part->taps, wide, rows * TAPS, wide, all->out + part->filter * row + (part->channel + first) * TAPS, row);
        }
    }
}

static void some_parts(void *data, Py_ssize_t begin, Py_ssize_t end) {
    Tiled *all = data;
    Py_ssize_t lanes = way_of_sums()->lanes, vectors = all->of->filters / lanes, others = all->of->channels / lanes;
    Py_ssize_t size = 2 * SPOTS * apart(MOST) + SPOTS * MOST * MOST + BLOCK * TAPS * MOST + MOST + LINE;
    float *room = PyMem_RawMalloc((size_t)size * sizeof *room), check[LINE] = {0};
    if (!room) __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
    for (Py_ssize_t n = begin; n < end && room; n++) {
        Py_ssize_t panel = n % all->panels, group = n / all->panels;
        Part part = {.all = all, .filter = vectors * panel / all->panels * lanes, .channel = others * group / all->groups * lanes};
        part.filters = vectors * (panel + 1) / all->panels * lanes - part.filter;
        part.channels = others * (group + 1) / all->groups * lanes - part.channel;
        float *zeros = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63);
        memset(zeros, 0, MOST * sizeof *zeros);
        part.zeros = zeros, part.images = zeros + MOST, part.slopes = part.images + SPOTS * apart(part.channels);
        part.taps = part.slopes + SPOTS * apart(part.filters), part.sums = part.taps + BLOCK * TAPS * part.filters;
        one_part(&part, check);
    }
    for (int n = 0; n < LINE; n++)
        if (check[n] != 0.0f) __atomic_store_n(&all->is_finite, 0, __ATOMIC_RELAXED);
    PyMem_RawFree(room);
}

PyObject *filter_gradient_tiles(PyObject *module, PyObject *arguments) {
    PyObject *x, *g;
    Convolution of = {.down = 1, .across = 1, .high = 3, .wide = 3};
    Py_ssize_t steps[4], others[4], lanes = way_of_sums()->lanes;
    if (!PyArg_ParseTuple(arguments, "OO(nn)", &x, &g, &of.top, &of.left)) return NULL;
    if (!are_images(x, steps) || !are_images(g, others) || steps[1] != 1 || others[1] != 1) return declined_form();
    const Py_ssize_t *sizes = ((Array *)x)->dimensions, *results = ((Array *)g)->dimensions;
    of.images = sizes[0], of.channels = sizes[1], of.height = sizes[2], of.width = sizes[3];
    of.image_step = steps[0], of.line_step = steps[2], of.element_step = steps[3];
    of.filters = results[1], of.rows = results[2], of.columns = results[3];
    if (of.channels % lanes || of.filters % lanes || results[0] != of.images) return declined_form();
    PyObject *result = new_array(FLOAT32, 4, (Py_ssize_t[]){of.filters, of.channels, 3, 3});
    if (!result) return NULL;
    of.x = (const float *)((Array *)x)->data;
    Tiled all = {.of = &of, .g = (const float *)((Array *)g)->data, .others = others, .is_finite = 1};
    all.down = (of.rows + 1) / 2, all.across = (of.columns + 1) / 2, all.tiles = of.images * all.down * all.across;
    all.groups = (of.channels + MOST - 1) / MOST, all.panels = (of.filters + MOST - 1) / MOST;
    if (all.groups * all.panels % 2 && of.filters > lanes) all.panels++; /* two threads have as much to do */
    all.out = (float *)((Array *)result)->data;
    double work = (double)all.tiles * SPOTS * (double)of.filters * (double)of.channels;
    int ended = run_parts(some_parts, &all, all.groups * all.panels, work < WORTH ? 0 : WORTH_SHARING);
    if (!ended && !all.failed && all.is_finite) return result;
    Py_DECREF(result);
    return ended < 0 ? NULL : all.failed ? PyErr_NoMemory() : declined_form();
}

#else
PyObject *filter_gradient_tiles(PyObject *module, PyObject *arguments) { return declined_form(); }
#endif

const char filter_gradient_tiles_doc[] =
    "filter_gradient_tiles($module, x, g, begin, /)\n--\n\n"
    "The gradient [o, c, 3, 3] of filters whose windows stand side by side, of images and its result's gradient, in fewer\n"
    "multiplications; NotImplemented for what it does not take, and where an element is not finite.";
