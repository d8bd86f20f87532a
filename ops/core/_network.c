/* Activations and pooling of small arrays, within the rounding of their kernels: exp of float64 is the C library's. */
#include "_team.h"
#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { MOST_OF_LOOPS = 2 * MOST_ELEMENTS }; /* compiled at run time, for the processor's own vectors, they catch up */

/* Activations: a function of an element and of up to three attributes, which are 0 where there are none. */

typedef struct {
    void (*of_floats)(const float *, float *, Py_ssize_t, const double *);
    void (*of_doubles)(const double *, double *, Py_ssize_t, const double *);
    PyObject **names[3];
    double defaults[3]; /* as the kernel has them */
    double least, most; /* of the first attribute */
    enum { FEW, FLOATS, ANY } many; /* of which dtypes any number is taken: where vectors compute as fast as any loop */
} Activation;

#define ACTIVATION(NAME, EXPRESSION) \
    INLINE void NAME##_f_body(const float *x, float *restrict out, Py_ssize_t count, const double *attributes) { \
        float p = (float)attributes[0], q = (float)attributes[1], r = (float)attributes[2]; \
        (void)p, (void)q, (void)r; \
        for (Py_ssize_t n = 0; n < count; n++) { \
            float a = x[n]; \
            out[n] = EXPRESSION(float, exp_of_float, 88.0f); \
        } \
    } \
    THREE_WAYS(NAME##_f, (const float *x, float *out, Py_ssize_t count, const double *attributes), \
             (x, out, count, attributes)) \
    static void NAME##_d(const double *x, double *out, Py_ssize_t count, const double *attributes) { \
        double p = attributes[0], q = attributes[1], r = attributes[2]; \
        (void)p, (void)q, (void)r; \
        for (Py_ssize_t n = 0; n < count; n++) { \
            double a = x[n]; \
            out[n] = EXPRESSION(double, exp, 709.0); \
        } \
    }

/* A NaN is neither less nor more: it stays. */
#define BETWEEN(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))
#define RELU(T, EXP, LARGEST) (a < 0 ? (T)0 : a)
#define RELU6(T, EXP, LARGEST) BETWEEN(a, (T)0, p)
#define LEAKY_RELU(T, EXP, LARGEST) (a < 0 ? a * p : a)
#define THRESHOLDED_RELU(T, EXP, LARGEST) (a * (a > p ? (T)1 : (T)0))
#define HARD_SHRINK(T, EXP, LARGEST) (a * ((a < 0 ? -a : a) > p ? (T)1 : (T)0))
#define SOFTSHRINK(T, EXP, LARGEST) (a - BETWEEN(a, -p, p))
#define HARD_SIGMOID(T, EXP, LARGEST) BETWEEN(a * p + q, (T)0, (T)1)
#define HARD_SWISH(T, EXP, LARGEST) (a * BETWEEN(a + r, (T)0, p) / q)
/* 0 where exp would be infinite. */
#define SIGMOID(T, EXP, LARGEST) (-a > LARGEST ? (T)0 : (T)1 / ((T)1 + EXP(-a)))
#define SILU(T, EXP, LARGEST) (a * SIGMOID(T, EXP, LARGEST))

ACTIVATION(relu, RELU)
ACTIVATION(relu6, RELU6)
ACTIVATION(leaky_relu, LEAKY_RELU)
ACTIVATION(thresholded_relu, THRESHOLDED_RELU)
ACTIVATION(hard_shrink, HARD_SHRINK)
ACTIVATION(softshrink, SOFTSHRINK)
ACTIVATION(hard_sigmoid, HARD_SIGMOID)
ACTIVATION(hard_swish, HARD_SWISH)
ACTIVATION(sigmoid, SIGMOID)
ACTIVATION(silu, SILU)

static const double no_attributes[3];
void sigmoid_of_floats(const float *x, float *out, Py_ssize_t count) { sigmoid_f(x, out, count, no_attributes); }
void sigmoid_of_doubles(const double *x, double *out, Py_ssize_t count) { sigmoid_d(x, out, count, no_attributes); }

/* Rows of numbers, of an array or of its result. */
typedef struct {
    const Activation *how;
    int kind;
    const char *x;
    char *out;
    Py_ssize_t rows, width, apart; /* `apart` in bytes */
    double values[3];
} Rows;

/* Some of the rows; of the elements, where there is one row. */
static void some_rows(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Rows *all = of;
    Py_ssize_t item = sizes_by_kind[all->kind], is_one = all->rows == 1, width = is_one ? end - begin : all->width;
    const char *x = all->x + begin * (is_one ? item : all->apart);
    char *out = all->out + begin * (is_one ? item : width * item);
    for (Py_ssize_t row = is_one ? end - 1 : begin; row < end; row++, x += all->apart, out += width * item)
        if (all->kind == FLOAT32) all->how->of_floats((const float *)x, (float *)out, width, all->values);
        else all->how->of_doubles((const double *)x, (double *)out, width, all->values);
}

static PyObject *activate(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const Activation *how = with;
    if (count != 1 || Py_TYPE(inputs[0]) != array_type) return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), named = 0, rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    Rows all = {.how = how, .kind = kind, .x = x->data, .rows = 1, .width = size};
    double *values = all.values;
    if ((kind != FLOAT32 && kind != FLOAT64) || !(x->flags & ALIGNED)) return declined_form();
    if (size > MOST_OF_LOOPS && !(has_wide_vectors && (how->many == ANY || (how->many == FLOATS && kind == FLOAT32)))) return declined_form();
    int is_dense = is_dense_array(inputs[0], sizes_by_kind[kind]);
    if (!is_dense) { /* rows with gaps between them, as `split` gives them */
        if (rank < 2 || x->dimensions[rank - 1] < 8 || !are_rows(x, rank - 1, sizes_by_kind[kind], &all.apart))
            return declined_form();
        all.width = x->dimensions[rank - 1], all.rows = size / all.width;
    }
    for (int n = 0; n < 3; n++) {
        values[n] = how->defaults[n];
        int found = how->names[n] && attrs ? number_attribute(attrs, *how->names[n], values + n) : 0;
        if (found < 0 || !(fabs(values[n]) < 3e38)) return declined_form();
        named += found;
    }
    if (attrs && PyDict_GET_SIZE(attrs) != named) return declined_form();
    if (values[0] < how->least || values[0] > how->most) return declined_form();
    PyObject *result = is_dense ? new_array_like(kind, inputs[0]) : new_array(kind, x->dimensions_count, x->dimensions);
    if (!result) return NULL;
    all.out = ((Array *)result)->data;
    if (run_parts(some_rows, &all, all.rows == 1 ? size : all.rows, 2 * size * sizes_by_kind[kind]) == 0) return result;
    Py_DECREF(result);
    return NULL;
}

/* Pooling of images [n, c, h, w] by windows within what is padded before and behind. */

typedef struct {
    Py_ssize_t images, height, width, kernel[2], step[2], before[2], out[2];
    int is_mean, counts_padding, is_uneven; /* adaptive windows that differ in size */
    Py_ssize_t sizes[2];
} Windows;

/* The places within an image that a window looks at along a dimension. */
INLINE void ends_of_window(const Windows *w, int along, Py_ssize_t n, Py_ssize_t *begin, Py_ssize_t *end) {
    Py_ssize_t size = w->sizes[along], out = w->out[along];
    *begin = w->is_uneven ? n * size / out : n * w->step[along] - w->before[along];
    *end = w->is_uneven ? ((n + 1) * size + out - 1) / out : *begin + w->kernel[along];
    if (*begin < 0) *begin = 0;
    if (*end > size) *end = size;
}

#define POOL(NAME, T) \
    static int NAME(const Windows *w, const T *x, T *out, int32_t *places) { \
        Py_ssize_t top, bottom, left, right; \
        /* `places`, where they are wanted, are those of the first of the maxima */ \
        for (Py_ssize_t image = 0; image < w->images; image++, x += w->height * w->width) \
            for (Py_ssize_t i = 0; i < w->out[0]; i++) { \
                ends_of_window(w, 0, i, &top, &bottom); \
                for (Py_ssize_t j = 0; j < w->out[1]; j++) { \
                    ends_of_window(w, 1, j, &left, &right); \
                    Py_ssize_t place = top * w->width + left; \
                    T found = w->is_mean ? 0 : x[place]; \
                    for (Py_ssize_t row = top; row < bottom; row++) \
                        for (Py_ssize_t column = left; column < right; column++) { \
                            T a = x[row * w->width + column]; \
                            if (w->is_mean) found += a; \
                            else if (a > found) found = a, place = row * w->width + column; \
                            else if (a != a) return 0; \
                        } \
                    if (found - found != 0 && (found != found || w->is_uneven)) return 0; \
                    if (w->is_mean) \
                        found /= (T)(w->counts_padding && !w->is_uneven ? w->kernel[0] * w->kernel[1] : (bottom - top) * (right - left)); \
                    *out++ = found; \
                    if (places) *places++ = (int32_t)place; \
                } \
            } \
        return 1; \
    }

POOL(pool_f, float)
POOL(pool_d, double)

/* Maxima of windows that lie side by side: of their rows first, whole rows at a time. A NaN among them sets `wrong`. */
enum { WIDEST = 2048 };
#define TILES(NAME, T) \
    INLINE void NAME##_body(const Windows *w, const T *x, T *restrict out, int *wrong) { \
        T row[WIDEST]; \
        Py_ssize_t used = w->out[1] * w->kernel[1]; \
        int odd = 0; \
        for (Py_ssize_t image = 0; image < w->images; image++, x += w->height * w->width) \
            for (Py_ssize_t i = 0; i < w->out[0]; i++, out += w->out[1]) { \
                const T *from = x + i * w->kernel[0] * w->width; \
                for (Py_ssize_t n = 0; n < used; n++) odd |= from[n] != from[n], row[n] = from[n]; \
                for (Py_ssize_t k = 1; k < w->kernel[0]; k++) { \
                    from += w->width; \
                    for (Py_ssize_t n = 0; n < used; n++) { \
                        odd |= from[n] != from[n]; \
                        row[n] = from[n] > row[n] ? from[n] : row[n]; \
                    } \
                } \
                if (w->kernel[1] == 2) \
                    for (Py_ssize_t j = 0; j < w->out[1]; j++) \
                        out[j] = row[2 * j + 1] > row[2 * j] ? row[2 * j + 1] : row[2 * j]; \
                else \
                    for (Py_ssize_t j = 0; j < w->out[1]; j++) { \
                        T found = row[j * w->kernel[1]]; \
                        for (Py_ssize_t n = 1; n < w->kernel[1]; n++) { \
                            T a = row[j * w->kernel[1] + n]; \
                            found = a > found ? a : found; \
                        } \
                        out[j] = found; \
                    } \
            } \
        *wrong = odd; \
    } \
    TWO_WAYS(NAME, (const Windows *w, const T *x, T *out, int *wrong), (w, x, out, wrong))

TILES(tiles_f, float)
TILES(tiles_d, double)

/* Means of such windows, in the same way. */
#define MEANS(NAME, T) \
    INLINE void NAME##_body(const Windows *w, const T *x, T *restrict out) { \
        T row[WIDEST], whole = (T)(w->kernel[0] * w->kernel[1]); \
        Py_ssize_t used = w->out[1] * w->kernel[1], wide = w->kernel[1]; \
        for (Py_ssize_t image = 0; image < w->images; image++, x += w->height * w->width) \
            for (Py_ssize_t i = 0; i < w->out[0]; i++, out += w->out[1]) { \
                const T *from = x + i * w->kernel[0] * w->width; \
                for (Py_ssize_t n = 0; n < used; n++) row[n] = from[n]; \
                for (Py_ssize_t k = 1; k < w->kernel[0]; k++) { \
                    from += w->width; \
                    for (Py_ssize_t n = 0; n < used; n++) row[n] += from[n]; \
                } \
                if (wide == 2) \
                    for (Py_ssize_t j = 0; j < w->out[1]; j++) out[j] = (row[2 * j] + row[2 * j + 1]) / whole; \
                else \
                    for (Py_ssize_t j = 0; j < w->out[1]; j++) { \
                        T found = row[j * wide]; \
                        for (Py_ssize_t n = 1; n < wide; n++) found += row[j * wide + n]; \
                        out[j] = found / whole; \
                    } \
            } \
    } \
    TWO_WAYS(NAME, (const Windows *w, const T *x, T *out), (w, x, out))

MEANS(means_f, float)
MEANS(means_d, double)

static int are_tiles(const Windows *w) {
    return !w->is_uneven && !w->before[0] && !w->before[1] && w->kernel[0] == w->step[0] && w->kernel[1] == w->step[1]
        && w->width <= WIDEST;
}

static int read_windows(Windows *w, const Array *x, PyObject *attrs, int has_places) {
    Py_ssize_t kernel[MOST_DIMENSIONS], steps[MOST_DIMENSIONS], pads[MOST_DIMENSIONS], count, more = 0, padded = 0;
    int rounds_up = 0, exclusive = 1, whole = 0, adaptive = 0;
    PyObject *type = PyDict_GetItemWithError(attrs, name_pooling_type);
    if ((!type && !has_places) || !text_attribute(attrs, name_data_format, "NCHW") || !text_attribute(attrs, name_padding_algorithm, "EXPLICIT")
        || integers_attribute(attrs, name_ksize, kernel, &count) <= 0 || count != 2
        || integers_attribute(attrs, name_strides, steps, &more) < 0 || (more && more != 2)
        || integers_attribute(attrs, name_paddings, pads, &padded) < 0 || (padded && padded != 2)
        || truth_attribute(attrs, name_ceil_mode, &rounds_up) < 0 || truth_attribute(attrs, name_exclusive, &exclusive) < 0
        || truth_attribute(attrs, name_global_pooling, &whole) < 0 || truth_attribute(attrs, name_adaptive, &adaptive) < 0
        || rounds_up)
        return 0;
    w->is_mean = type && text_attribute(attrs, name_pooling_type, "avg");
    if (type && !w->is_mean && !text_attribute(attrs, name_pooling_type, "max")) return 0;
    w->counts_padding = !exclusive;
    w->is_uneven = 0;
    w->images = x->dimensions[0] * x->dimensions[1];
    w->height = w->sizes[0] = x->dimensions[2], w->width = w->sizes[1] = x->dimensions[3];
    for (int n = 0; n < 2; n++) {
        Py_ssize_t size = x->dimensions[2 + n], before = padded && !whole && !adaptive ? pads[n] : 0;
        Py_ssize_t window = whole ? size : kernel[n], step = whole || !more ? 1 : steps[n];
        if (adaptive && !whole) {
            if (window < 1 || size < 1) return 0;
            w->out[n] = window;
            if (size % window) w->is_uneven = 1;
            w->kernel[n] = window = step = (size + window - 1) / window;
            w->step[n] = step, w->before[n] = 0;
            continue;
        }
        if (window < 1 || window > MOST_ELEMENTS || step < 1 || before < 0 || before >= window || size + 2 * before < window)
            return 0;
        w->kernel[n] = window, w->step[n] = step, w->before[n] = before;
        w->out[n] = (size + 2 * before - window) / step + 1;
        if ((w->out[n] - 1) * step - before >= size) return 0; /* a window of padding alone */
    }
    return 1;
}

static PyObject *pool(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Windows windows;
    if (count != 1 || !is_plain_array(inputs[0]) || ((Array *)inputs[0])->dimensions_count != 4 || !attrs)
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype);
    Py_ssize_t size = size_of(inputs[0]);
    int has_places = with != NULL;
    if ((kind != FLOAT32 && kind != FLOAT64) || size < 1 || size > most_elements()
        || !read_windows(&windows, x, attrs, has_places))
        return declined_form();
    Py_ssize_t sizes[4] = {x->dimensions[0], x->dimensions[1], windows.out[0], windows.out[1]};
    Py_ssize_t looks = windows.images * windows.out[0] * windows.out[1] * windows.kernel[0] * windows.kernel[1];
    int tiles = !has_places && are_tiles(&windows), wrong = 0, is_costly = windows.is_uneven || has_places;
    Py_ssize_t most = is_costly ? most_elements() : MOST_ELEMENTS; /* libraries and loops begin late with these */
    if (!tiles && (size > most || looks > 16 * MOST_ELEMENTS)) return declined_form();
    PyObject *places = has_places ? new_array(INT32, 4, sizes) : NULL;
    PyObject *result = has_places && !places ? NULL : new_array(kind, 4, sizes);
    if (!result) {
        Py_XDECREF(places);
        return NULL;
    }
    void *data = x->data, *out = ((Array *)result)->data, *at = places ? ((Array *)places)->data : NULL;
    if (tiles && windows.is_mean) {
        if (kind == FLOAT32) means_f(&windows, data, out);
        else means_d(&windows, data, out);
    } else if (!tiles) wrong = !(kind == FLOAT32 ? pool_f(&windows, data, out, at) : pool_d(&windows, data, out, at));
    else if (kind == FLOAT32) tiles_f(&windows, data, out, &wrong);
    else tiles_d(&windows, data, out, &wrong);
    if (!wrong && !places) return result;
    PyObject *both = wrong ? declined_form() : PyTuple_Pack(2, result, places);
    Py_DECREF(result);
    Py_XDECREF(places);
    return both;
}

#define OF(NAME, ...) {#NAME, activate, &(const Activation){NAME##_f, NAME##_d, __VA_ARGS__}, 1}
const FormEntry network_forms[] = {
    OF(relu, {NULL}, {0}, 0, 0, ANY), OF(relu6, {&name_threshold}, {6}, 0, 3e38, ANY),
    OF(leaky_relu, {&name_alpha}, {0.02}, 0, 1, ANY),
    OF(thresholded_relu, {&name_threshold}, {1}, -3e38, 3e38, ANY), OF(hard_shrink, {&name_threshold}, {0.5}, 0, 3e38, ANY),
    OF(softshrink, {&name_lambda}, {0.5}, 0, 3e38, ANY),
    OF(hard_sigmoid, {&name_slope, &name_offset}, {0.2, 0.5}, 0, 3e38, ANY),
    OF(hard_swish, {&name_threshold, &name_scale, &name_offset}, {6, 6, 3}, 0, 3e38, ANY),
    OF(sigmoid, {NULL}, {0}, 0, 0, FLOATS), OF(silu, {NULL}, {0}, 0, 0, FLOATS), {"pool", pool, NULL},
    {"pool_with_places", pool, ""},
    {NULL, NULL, NULL}};
