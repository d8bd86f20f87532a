/* The gradient of maxima of windows, of images whose channels lie side by side (`ops/nn/pool.py`): all of a maximum's to
   the first of equal elements, none where the maximum is a NaN. Images are shared among threads. */
#include "_team.h"
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { LARGEST = 1 << 30 }; /* window or step */

typedef struct {
    const float *x, *out, *g;
    float *result;
    Py_ssize_t height, width, channels, rows, columns; /* of an image and of its windows */
    Py_ssize_t high, wide, down, across, top, left;    /* a window, the steps, and how far the first lies before */
    int overlap, covers;
} Windows;

typedef struct {
    const float *x, *out, *g; /* of the first element that lies in the image */
    float *result;
    Py_ssize_t line_step, channels;
} Window;

#if HAS_VECTORS
typedef float Quad __attribute__((vector_size(16)));
typedef int32_t QuadBits __attribute__((vector_size(16)));

/* Some channels of a window. Of the last ones the first `done` may have been there before: where windows overlap, nothing
   is added to these; where not, the same is written once more. */
#define GIVE(NAME, VECTOR, BITS, COUNT) \
    INLINE void NAME(const Window *of, Py_ssize_t from, int done, int overlap, Py_ssize_t lines, Py_ssize_t elements) { \
        VECTOR maximum, rest, found; \
        const float *x = of->x + from; \
        float *result = of->result + from; \
        memcpy(&maximum, of->out + from, sizeof maximum); \
        memcpy(&rest, of->g + from, sizeof rest); \
        if (overlap && done) \
            for (int n = 0; n < COUNT; n++) rest[n] = n < done ? 0.0f : rest[n]; \
        for (Py_ssize_t line = 0; line < lines; line++, x += of->line_step, result += of->line_step) \
            for (Py_ssize_t n = 0; n < elements; n++) { \
                memcpy(&found, x + n * of->channels, sizeof found); \
                BITS hit = found == maximum; \
                found = (VECTOR){0}; \
                if (overlap) memcpy(&found, result + n * of->channels, sizeof found); \
                found += (VECTOR)((BITS)rest & hit); \
                memcpy(result + n * of->channels, &found, sizeof found); \
                rest = (VECTOR)((BITS)rest & ~hit); \
            } \
    }
GIVE(give_eight, Floats, Ints, 8)
GIVE(give_four, Quad, QuadBits, 4)

INLINE void give(const Window *of, int overlap, Py_ssize_t lines, Py_ssize_t elements) {
    int count = of->channels >= 8 ? 8 : 4;
    for (Py_ssize_t k = 0; k < of->channels; k += count) {
        Py_ssize_t more = k + count - of->channels, from = more > 0 ? k - more : k;
        if (count == 8) give_eight(of, from, (int)(k - from), overlap, lines, elements);
        else give_four(of, from, (int)(k - from), overlap, lines, elements);
    }
}
#endif

static void give_one_by_one(const Window *of, int overlap, Py_ssize_t lines, Py_ssize_t elements) {
    for (Py_ssize_t channel = 0; channel < of->channels; channel++) {
        float rest = of->g[channel];
        for (Py_ssize_t line = 0; line < lines; line++)
            for (Py_ssize_t n = 0; n < elements; n++) {
                Py_ssize_t at = line * of->line_step + n * of->channels + channel;
                int hit = of->x[at] == of->out[channel];
                of->result[at] = (hit ? rest : 0.0f) + (overlap ? of->result[at] : 0.0f);
                if (hit) rest = 0.0f;
            }
    }
}

INLINE void some_images_body(const Windows *w, Py_ssize_t begin, Py_ssize_t end) {
    Py_ssize_t size = w->height * w->width * w->channels, window = begin * w->rows * w->columns * w->channels;
    for (Py_ssize_t image = begin; image < end; image++) {
        if (w->overlap || !w->covers) memset(w->result + image * size, 0, size * sizeof *w->result);
        for (Py_ssize_t r = 0; r < w->rows; r++)
            for (Py_ssize_t c = 0; c < w->columns; c++, window += w->channels) {
                Py_ssize_t top = r * w->down - w->top, left = c * w->across - w->left;
                Py_ssize_t bottom = top + w->high < w->height ? top + w->high : w->height;
                Py_ssize_t right = left + w->wide < w->width ? left + w->wide : w->width;
                top = top < 0 ? 0 : top, left = left < 0 ? 0 : left;
                Py_ssize_t at = image * size + (top * w->width + left) * w->channels;
                Window of = {w->x + at, w->out + window, w->g + window, w->result + at, w->width * w->channels, w->channels};
#if HAS_VECTORS
                if (w->channels >= 4) {
                    if (w->overlap) give(&of, 1, bottom - top, right - left);
                    else if (bottom - top == 2 && right - left == 2) give(&of, 0, 2, 2);
                    else give(&of, 0, bottom - top, right - left);
                    continue;
                }
#endif
                give_one_by_one(&of, w->overlap, bottom - top, right - left);
            }
    }
}
TWO_WAYS(some_images, (const Windows *w, Py_ssize_t begin, Py_ssize_t end), (w, begin, end))

static void share_of_images(void *data, Py_ssize_t begin, Py_ssize_t end) { some_images(data, begin, end); }

static int is_of_images(PyObject *given) {
    Array *array = (Array *)given;
    return is_plain_array(given) && array->dimensions_count == 4 && array->dtype == dtypes_by_kind[FLOAT32];
}

const char pool_gradient_doc[] =
    "pool_gradient($module, x, out, g, window, strides, begin, /)\n--\n\n"
    "The gradient of x [n, h, w, c] where `out` [n, rows, columns, c], whose gradient g is, are maxima of windows, the\n"
    "first of which begins `begin` before the image; all of float32, in order. NotImplemented for other arrays, and where\n"
    "a window lies in the padding alone.";

PyObject *pool_gradient(PyObject *module, PyObject *arguments) {
    PyObject *given, *maxima, *gradient;
    Windows w = {0};
    if (!PyArg_ParseTuple(arguments, "OOO(nn)(nn)(nn)", &given, &maxima, &gradient, &w.high, &w.wide, &w.down, &w.across,
                          &w.top, &w.left))
        return NULL;
    if (!is_of_images(given) || !is_of_images(maxima) || !is_of_images(gradient)) return declined_form();
    const Py_ssize_t *sizes = ((Array *)given)->dimensions, *outs = ((Array *)maxima)->dimensions;
    if (memcmp(outs, ((Array *)gradient)->dimensions, 4 * sizeof *outs) || outs[0] != sizes[0] || outs[3] != sizes[3] ||
        !size_of(given) || !size_of(maxima)) return declined_form();
    w.height = sizes[1], w.width = sizes[2], w.channels = sizes[3], w.rows = outs[1], w.columns = outs[2];
    if ((w.high | w.wide | w.down | w.across) > LARGEST || w.down < 1 || w.across < 1 || w.top < 0 || w.left < 0 || w.top >= w.high || w.left >= w.wide ||
        w.rows > (w.height + w.top - 1) / w.down + 1 || w.columns > (w.width + w.left - 1) / w.across + 1)
        return declined_form();
    w.overlap = w.down < w.high || w.across < w.wide;
    w.covers = w.down == w.high && w.across == w.wide && w.rows * w.down - w.top >= w.height &&
               w.columns * w.across - w.left >= w.width;
    PyObject *result = new_array(FLOAT32, 4, sizes);
    if (!result) return NULL;
    w.x = (const float *)((Array *)given)->data, w.out = (const float *)((Array *)maxima)->data;
    w.g = (const float *)((Array *)gradient)->data, w.result = (float *)((Array *)result)->data;
    if (run_parts(share_of_images, &w, sizes[0], 8 * (size_of(given) + size_of(maxima))) == 0) return result;
    Py_DECREF(result);
    return NULL;
}
