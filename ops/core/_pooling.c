/* Maxima and means of windows of small images whose channels lie side by side, by code that is there for any size
   (`ops/nn/pool.py`), before code of a size's own is worth making. A NaN among a window's elements is its maximum. */
#include "_vectors.h"

#include <float.h>
#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

typedef struct {
    const float *x;
    Py_ssize_t line_step, element_step, channels;
    Py_ssize_t first_line, lines, first, elements; /* of the window, as far as it lies in the image */
    float factor, lowest;                          /* of the sum; what the maximum is at least: of padding */
} Window;

/* The channels of a window from `at` on, several at a time; gives the first that is left. */
#define POOLED(NAME, VECTOR, LANES, PARTS, LARGER) \
    INLINE Py_ssize_t NAME(const Window *of, Py_ssize_t at, int is_mean, float *to) { \
        for (; at + PARTS * LANES <= of->channels; at += PARTS * LANES) { \
            VECTOR found[PARTS], line[PARTS], x; \
            for (int p = 0; p < PARTS; p++) found[p] = is_mean ? (VECTOR){0} : (VECTOR){0} + of->lowest; \
            for (Py_ssize_t r = 0; r < of->lines; r++) { \
                const float *from = of->x + (of->first_line + r) * of->line_step + of->first * of->element_step + at; \
                for (int p = 0; p < PARTS; p++) line[p] = is_mean ? (VECTOR){0} : found[p]; \
                for (Py_ssize_t c = 0; c < of->elements; c++, from += of->element_step) \
                    for (int p = 0; p < PARTS; p++) { \
                        memcpy(&x, from + p * LANES, sizeof x); \
                        if (is_mean) line[p] += x; \
                        else line[p] = LARGER(x, line[p]); \
                    } \
                for (int p = 0; p < PARTS; p++) found[p] = is_mean ? found[p] + line[p] : line[p]; \
            } \
            for (int p = 0; p < PARTS; p++) { \
                x = is_mean ? found[p] * of->factor : found[p]; \
                memcpy(to + at + p * LANES, &x, sizeof x); \
            } \
        } \
        return at; \
    }
#define LARGER_NUMBER(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
POOLED(one_number, float, 1, 1, LARGER_NUMBER)
#if HAS_VECTORS
#define CHOSEN(x, y, where) ((Floats)(((Ints)(x) & (where)) | ((Ints)(y) & ~(where))))
#define LARGER_VECTOR(x, y) CHOSEN(x, y, ((x) > (y)) | ((x) != (x)))
POOLED(four_vectors, Floats, 8, 4, LARGER_VECTOR)
POOLED(one_vector, Floats, 8, 1, LARGER_VECTOR)
#endif

INLINE void pooled_body(const Window *of, int is_mean, float *to) {
    Py_ssize_t at = 0;
#if HAS_VECTORS
    at = is_mean ? four_vectors(of, at, 1, to) : four_vectors(of, at, 0, to);
    at = is_mean ? one_vector(of, at, 1, to) : one_vector(of, at, 0, to);
#endif
    one_number(of, at, is_mean, to);
}
TWO_WAYS(pooled, (const Window *of, int is_mean, float *to), (of, is_mean, to))

/* Where a window begins in an image that has `size` elements, and how many of its elements lie there. */
static Py_ssize_t inside(Py_ssize_t begin, Py_ssize_t window, Py_ssize_t size, Py_ssize_t *first) {
    *first = begin < 0 ? 0 : begin;
    return (begin + window < size ? begin + window : size) - *first;
}

const char pool_windows_doc[] =
    "pool_windows($module, x, is_mean, counts_padding, window, strides, begin, out, /)\n--\n\n"
    "Maxima or means of windows of float32 images [n, c, h, w] whose channels lie side by side, as those of the result\n"
    "do: `out` rows and columns of windows, the first of which begins `begin` before the image. NotImplemented for arrays\n"
    "that are not such, and where a window lies in the padding alone.";

PyObject *pool_windows(PyObject *module, PyObject *arguments) {
    PyObject *given;
    int is_mean, counts_padding;
    Py_ssize_t high, wide, down, across, top, left, rows, columns;
    if (!PyArg_ParseTuple(arguments, "Opp(nn)(nn)(nn)(nn)", &given, &is_mean, &counts_padding, &high, &wide, &down, &across,
                          &top, &left, &rows, &columns))
        return NULL;
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 4 || x->dtype != dtypes_by_kind[FLOAT32] ||
        !(x->flags & ALIGNED) || (x->strides[1] != 4 && x->dimensions[1] != 1) || size_of(given) < 1 || rows < 1 ||
        columns < 1 || (x->strides[0] | x->strides[2] | x->strides[3]) % 4) return declined_form();
    Py_ssize_t images = x->dimensions[0], channels = x->dimensions[1], height = x->dimensions[2], width = x->dimensions[3];
    if (top < 0 || left < 0 || top >= high || left >= wide || (rows - 1) * down - top >= height ||
        (columns - 1) * across - left >= width || down < 1 || across < 1) return declined_form();
    Py_ssize_t made[4] = {images, channels, rows, columns}, line = 4 * channels * columns;
    Py_ssize_t strides[4] = {line * rows, 4, line, 4 * channels};
    PyObject *result = new_array_lying(FLOAT32, 4, made, strides);
    if (!result) return NULL;
    float *to = (float *)((Array *)result)->data;
    Window of = {.line_step = x->strides[2] / 4, .element_step = x->strides[3] / 4, .channels = channels};
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t n = 0; n < images; n++)
        for (Py_ssize_t r = 0; r < rows; r++)
            for (Py_ssize_t c = 0; c < columns; c++, to += channels) {
                of.x = (const float *)(x->data + n * x->strides[0]);
                of.lines = inside(r * down - top, high, height, &of.first_line);
                of.elements = inside(c * across - left, wide, width, &of.first);
                of.lowest = of.lines < high || of.elements < wide ? -FLT_MAX : -INFINITY;
                of.factor = 1.0f / (float)(counts_padding ? high * wide : of.lines * of.elements);
                pooled(&of, is_mean, to);
            }
    Py_END_ALLOW_THREADS
    return result;
}
