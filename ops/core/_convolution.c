/* Convolution of small images by code that is there for any size, before code of a size's own is worth making
   (`static/compiler/epilogues.py`).

   Images have their channels side by side. A window is found by where its elements' channels begin: for twelve windows
   at a time a table has these places, those of the padding lead to zeros. Filters are brought into blocks of sixteen in
   each call; where each channel has a filter of its own, channels are computed side by side. */
#include "_windows.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { FILTERS = 16, WINDOWS = 12 }; /* computed together */

/* The same of neighbouring filters of one window. */
INLINE void finish(const Convolution *of, int activation, const float *sums, Py_ssize_t window, Py_ssize_t first,
                   Py_ssize_t count, float *result) {
    float *to = result + window * of->filters + first;
    const float *added = of->residual ? of->residual + window * of->filters + first : of->zeros;
    Py_ssize_t n = 0;
#if HAS_VECTORS
    for (; n + 8 <= count; n += 8) {
        Floats value, other;
        memcpy(&value, sums + n, sizeof value);
        memcpy(&other, added + n, sizeof other);
        value += other;
        FOLLOWED(Floats, CHOSEN_VECTOR, value)
        memcpy(to + n, &value, sizeof value);
    }
#endif
    for (; n < count; n++) {
        float value = sums[n] + added[n];
        FOLLOWED(float, CHOSEN_NUMBER, value)
        to[n] = value;
    }
}

/* Sums of some windows, which lie `WINDOWS` apart in the table, for a block of filters: sixteen numbers a window. */
#define BLOCK(NAME, VECTOR, LANES, TOGETHER) \
    INLINE void NAME(const float *const *places, Py_ssize_t spots, Py_ssize_t channels, const float *filters, \
                     const float *bias, float *result) { \
        enum { PARTS = FILTERS / LANES }; \
        VECTOR sums[TOGETHER][PARTS], vector; \
        for (int w = 0; w < TOGETHER; w++) \
            for (int p = 0; p < PARTS; p++) { \
                memcpy(&vector, bias + p * LANES, sizeof vector); \
                sums[w][p] = vector; \
            } \
        for (Py_ssize_t spot = 0; spot < spots; spot++, places += WINDOWS) { \
            const float *x[TOGETHER]; \
            for (int w = 0; w < TOGETHER; w++) x[w] = places[w]; \
            for (Py_ssize_t c = 0; c < channels; c++, filters += FILTERS) { \
                VECTOR factors[PARTS]; \
                for (int p = 0; p < PARTS; p++) { \
                    memcpy(&vector, filters + p * LANES, sizeof vector); \
                    factors[p] = vector; \
                } \
                for (int w = 0; w < TOGETHER; w++) \
                    for (int p = 0; p < PARTS; p++) sums[w][p] += x[w][c] * factors[p]; \
            } \
        } \
        for (int w = 0; w < TOGETHER; w++) \
            for (int p = 0; p < PARTS; p++) { \
                vector = sums[w][p]; \
                memcpy(result + w * FILTERS + p * LANES, &vector, sizeof vector); \
            } \
    }

/* Windows from `begin` to `end`, whose places are in the table, for all blocks of filters. */
#define CONVOLVED(NAME, BLOCK_OF, TOGETHER) \
    INLINE void NAME(const Convolution *of, const float *const *table, Py_ssize_t begin, Py_ssize_t end, \
                     const float *filters, const float *bias, float *result) { \
        Py_ssize_t spots = of->high * of->wide; \
        float sums[WINDOWS * FILTERS]; \
        for (Py_ssize_t first = 0; first < of->filters; first += FILTERS) { \
            Py_ssize_t count = of->filters - first < FILTERS ? of->filters - first : FILTERS; \
            const float *const *places = table; \
            for (Py_ssize_t window = begin; window < end; window += WINDOWS, places += spots * WINDOWS) { \
                for (int w = 0; w < WINDOWS; w += TOGETHER) \
                    BLOCK_OF(places + w, spots, of->channels, filters + first * spots * of->channels, bias + first, \
                             sums + w * FILTERS); \
                Py_ssize_t whole = end - window < WINDOWS ? end - window : WINDOWS; \
                if (count == FILTERS) \
                    for (Py_ssize_t w = 0; w < whole; w++) \
                        finish(of, of->activation, sums + w * FILTERS, window + w, first, FILTERS, result); \
                else \
                    for (Py_ssize_t w = 0; w < whole; w++) \
                        finish(of, of->activation, sums + w * FILTERS, window + w, first, count, result); \
            } \
        } \
    }

/* One window, where each channel has a filter of its own: `filters` has a row for each spot. */
#define CHANNELS(NAME, VECTOR, LANES, PARTS) \
    INLINE Py_ssize_t NAME(const Convolution *of, const float *const *places, Py_ssize_t window, Py_ssize_t first, \
                           const float *filters, float *result) { \
        Py_ssize_t spots = of->high * of->wide, channels = of->channels; \
        for (; first + PARTS * LANES <= channels; first += PARTS * LANES) { \
            VECTOR sums[PARTS], x, w; \
            float made[PARTS * LANES]; \
            for (int p = 0; p < PARTS; p++) { \
                memcpy(&x, of->bias + first + p * LANES, sizeof x); \
                sums[p] = x; \
            } \
            for (Py_ssize_t spot = 0; spot < spots; spot++) \
                for (int p = 0; p < PARTS; p++) { \
                    memcpy(&x, places[spot] + first + p * LANES, sizeof x); \
                    memcpy(&w, filters + spot * channels + first + p * LANES, sizeof w); \
                    sums[p] += x * w; \
                } \
            for (int p = 0; p < PARTS; p++) { \
                x = sums[p]; \
                memcpy(made + p * LANES, &x, sizeof x); \
            } \
            finish(of, of->activation, made, window, first, PARTS * LANES, result); \
        } \
        return first; \
    }
#if HAS_VECTORS
CHANNELS(four_vectors, Floats, 8, 4)
CHANNELS(one_vector, Floats, 8, 1)
#endif
CHANNELS(one_number, float, 1, 1)

INLINE void by_channel_body(const Convolution *of, const float *const *places, Py_ssize_t window, const float *filters,
                            float *result) {
    Py_ssize_t first = 0;
#if HAS_VECTORS
    first = four_vectors(of, places, window, first, filters, result);
    first = one_vector(of, places, window, first, filters, result);
#endif
    one_number(of, places, window, first, filters, result);
}

#if HAS_VECTORS
typedef float Sixteen __attribute__((vector_size(64)));
BLOCK(block_of_vectors, Floats, 8, 6)
CONVOLVED(convolved_body, block_of_vectors, 6)
#else
BLOCK(block_of_numbers, float, 1, 1)
CONVOLVED(convolved_body, block_of_numbers, 1)
#endif

#define PARAMETERS (const Convolution *of, const float *const *table, Py_ssize_t begin, Py_ssize_t end, \
                    const float *filters, const float *bias, float *result)
#define ARGUMENTS (of, table, begin, end, filters, bias, result)
#if HAS_TWO_WAYS
BLOCK(block_of_sixteen, Sixteen, 16, 12)
CONVOLVED(convolved_by_sixteen, block_of_sixteen, 12)
__attribute__((target("avx512f"))) static void convolved_widest PARAMETERS { convolved_by_sixteen ARGUMENTS; }
__attribute__((target("avx2,fma"))) static void convolved_wide PARAMETERS { convolved_body ARGUMENTS; }
static void convolved PARAMETERS {
    if (__builtin_cpu_supports("avx512f")) convolved_widest ARGUMENTS;
    else if (has_wide_vectors) convolved_wide ARGUMENTS;
    else convolved_body ARGUMENTS;
}
__attribute__((target("avx2,fma"))) static void by_channel_wide(const Convolution *of, const float *const *places,
                                                                Py_ssize_t window, const float *filters, float *result) {
    by_channel_body(of, places, window, filters, result);
}
static void by_channel(const Convolution *of, const float *const *places, Py_ssize_t window, const float *filters,
                       float *result) {
    if (has_wide_vectors) by_channel_wide(of, places, window, filters, result);
    else by_channel_body(of, places, window, filters, result);
}
#else
static void convolved PARAMETERS { convolved_body ARGUMENTS; }
#define by_channel by_channel_body
#endif

/* The filters in blocks of sixteen, spot by spot and channel by channel, or one row a spot; times the scale. */
static void arrange(const Convolution *of, const float *w, const float *scale, int is_by_channel, float *to) {
    Py_ssize_t spots = of->high * of->wide, channels = is_by_channel ? 1 : of->channels, wide = is_by_channel ? of->filters : FILTERS;
    for (Py_ssize_t f = 0; f < of->filters; f++) {
        float factor = scale ? scale[f] : 1.0f;
        float *place = is_by_channel ? to + f : to + f / FILTERS * FILTERS * spots * channels + f % FILTERS;
        for (Py_ssize_t c = 0; c < channels; c++)
            for (Py_ssize_t s = 0; s < spots; s++) place[(s * channels + c) * wide] = factor * *w++;
    }
}

enum { AT_ONCE = 16 * WINDOWS }; /* windows whose elements stay in the cache for all filters */

/* The whole of it; 0 where there is no memory. */
static int convolve_all(Convolution *of, const float *w, const float *scale, int is_by_channel, float *result) {
    Py_ssize_t spots = of->high * of->wide, windows = of->images * of->rows * of->columns;
    Py_ssize_t whole = (of->filters + FILTERS - 1) / FILTERS * FILTERS, longest = whole > of->channels ? whole : of->channels;
    Py_ssize_t arranged = is_by_channel ? spots * of->filters : whole * spots * of->channels;
    float *filters = PyMem_RawCalloc((size_t)(arranged + 2 * longest), sizeof(float));
    const float **table = PyMem_RawMalloc((size_t)(AT_ONCE * spots) * sizeof *table);
    Py_ssize_t *offsets = PyMem_RawMalloc((size_t)spots * sizeof *offsets);
    if (filters && table && offsets) {
        float *bias = filters + arranged;
        of->zeros = bias + longest;
        if (of->bias) memcpy(bias, of->bias, sizeof *bias * (size_t)of->filters);
        of->bias = bias;
        arrange(of, w, scale, is_by_channel, filters);
        for (Py_ssize_t r = 0; r < of->high; r++)
            for (Py_ssize_t c = 0; c < of->wide; c++)
                offsets[r * of->wide + c] = r * of->apart_down * of->line_step + c * of->apart_across * of->element_step;
        Place at = {0};
        for (Py_ssize_t window = 0; window < windows && is_by_channel; window++, go_on(of, &at)) {
            find_places(of, &at, offsets, table, 1);
            by_channel(of, table, window, filters, result);
        }
        for (Py_ssize_t begin = 0; begin < windows && !is_by_channel; begin += AT_ONCE) {
            Py_ssize_t end = windows - begin < AT_ONCE ? windows : begin + AT_ONCE;
            for (Py_ssize_t n = 0; n < AT_ONCE && begin + n / WINDOWS * WINDOWS < end; n++) {
                find_places(of, &at, offsets, table + n / WINDOWS * WINDOWS * spots + n % WINDOWS, WINDOWS);
                if (begin + n < end - 1 || end < windows) go_on(of, &at); /* the last stands for those that fill a block */
            }
            convolved(of, table, begin, end, filters, bias, result);
        }
    }
    int ended = filters && table && offsets;
    PyMem_RawFree(offsets);
    PyMem_RawFree(filters);
    PyMem_RawFree((void *)table);
    return ended;
}

/* Whether it is an array of float32 images [n, c, h, w] with their channels side by side; `steps` are counted in elements. */
static int are_images(PyObject *given, Py_ssize_t *steps) {
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 4 || x->dtype != dtypes_by_kind[FLOAT32] ||
        !(x->flags & ALIGNED) || (x->strides[1] != 4 && x->dimensions[1] != 1)) return 0;
    for (int n = 0; n < 3; n++) {
        Py_ssize_t step = x->strides[n ? n + 1 : 0];
        if (step % 4) return 0;
        steps[n] = step / 4;
    }
    return size_of(given) > 0;
}

/* The numbers of an array of float32 of so many elements; NULL where None is given, or, with `fits` 0, something else. */
static const float *numbers_of(PyObject *given, Py_ssize_t count, int *fits) {
    if (given == Py_None) return NULL;
    if (is_plain_array(given) && ((Array *)given)->dtype == dtypes_by_kind[FLOAT32] && size_of(given) == count)
        return (const float *)((Array *)given)->data;
    *fits = 0;
    return NULL;
}

const char convolve_doc[] =
    "convolve($module, x, w, scale, bias, residual, strides, begin, dilations, out, activation, /)\n--\n\n"
    "activation(conv(x, w * scale) + bias + residual) of images [n, c, h, w] whose channels lie side by side, as those of\n"
    "the residual and of the result do, without gaps: `out` rows and columns of windows, the first of which begins `begin` before the image. `w` is\n"
    "C-contiguous, [o, c, *window], or [c, 1, *window]. NotImplemented for arrays that are not such.";

PyObject *convolve(PyObject *module, PyObject *arguments) {
    PyObject *x, *w, *scale, *bias, *residual;
    Convolution of = {0};
    if (!PyArg_ParseTuple(arguments, "OOOOO(nn)(nn)(nn)(nn)i", &x, &w, &scale, &bias, &residual, &of.down, &of.across, &of.top,
                          &of.left, &of.apart_down, &of.apart_across, &of.rows, &of.columns, &of.activation))
        return NULL;
    Py_ssize_t steps[3];
    if (!are_images(x, steps) || !is_plain_array(w) || ((Array *)w)->dimensions_count != 4 ||
        ((Array *)w)->dtype != dtypes_by_kind[FLOAT32] || of.rows < 1 || of.columns < 1 || size_of(w) < 1 ||
        of.activation < NOTHING || of.activation >= AFTERWARDS) return declined_form();
    Py_ssize_t *sizes = ((Array *)x)->dimensions, *shape = ((Array *)w)->dimensions;
    of.images = sizes[0], of.channels = sizes[1], of.height = sizes[2], of.width = sizes[3];
    of.image_step = steps[0], of.line_step = steps[1], of.element_step = steps[2];
    of.filters = shape[0], of.high = shape[2], of.wide = shape[3];
    int is_by_channel = shape[1] == 1 && shape[0] == sizes[1], fits = is_by_channel || shape[1] == sizes[1];
    of.x = (const float *)((Array *)x)->data;
    const float *factors = numbers_of(scale, of.filters, &fits);
    of.bias = numbers_of(bias, of.filters, &fits);
    Py_ssize_t made[4] = {of.images, of.filters, of.rows, of.columns};
    Py_ssize_t line = 4 * of.filters * of.columns, strides[4] = {line * of.rows, 4, line, 4 * of.filters};
    if (residual != Py_None) {
        fits = fits && are_images(residual, steps) && !memcmp(((Array *)residual)->dimensions, made, sizeof made) &&
               steps[0] == strides[0] / 4 && steps[1] == line / 4 && steps[2] == of.filters;
        if (fits) of.residual = (const float *)((Array *)residual)->data;
    }
    PyObject *result = fits ? new_array_lying(FLOAT32, 4, made, strides) : declined_form();
    if (!result || !fits) return result;
    int ended;
    Py_BEGIN_ALLOW_THREADS
    ended = convolve_all(&of, (const float *)((Array *)w)->data, factors, is_by_channel, (float *)((Array *)result)->data);
    Py_END_ALLOW_THREADS
    if (ended) return result;
    Py_DECREF(result);
    return PyErr_NoMemory();
}
