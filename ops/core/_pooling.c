/* Maxima and means of windows of images whose channels lie side by side, by code that is there for any size
   (`ops/nn/pool.py`): of few channels, and before code of a size's own is worth making. A NaN among a window's elements
   is its maximum. Images are shared among threads. */
#include "_team.h"
#include "_vectors.h"

#include <float.h>
#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { LARGEST = 1 << 30 }; /* window, step, and count of windows */

typedef struct {
    const float *x;
    Py_ssize_t line_step, element_step, channels;
    Py_ssize_t first_line, lines, first, elements; /* of the window, as far as it lies in the image */
    float factor, lowest;                          /* of the sum; what the maximum is at least: of padding */
} Window;

/* The channels of a window from `at` on, several at a time; gives the first that is left. `again`: none are left where
   there are as many as a vector has, the last of which then begins before. */
#define POOLED(NAME, VECTOR, LANES, PARTS, LARGER, again) \
    INLINE Py_ssize_t NAME(const Window *of, Py_ssize_t at, int is_mean, float *to) { \
        for (;; at += PARTS * LANES) { \
            if (again && at < of->channels && at + LANES > of->channels && of->channels >= LANES) at = of->channels - LANES; \
            if (at + PARTS * LANES > of->channels) return at; \
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
    }
#define LARGER_NUMBER(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
POOLED(one_number, float, 1, 1, LARGER_NUMBER, 0)
#if HAS_VECTORS
typedef float Quad __attribute__((vector_size(16)));
typedef int32_t QuadBits __attribute__((vector_size(16)));
#define CHOSEN(x, y, where, V, B) ((V)(((B)(x) & (where)) | ((B)(y) & ~(where))))
#define LARGER_VECTOR(x, y) CHOSEN(x, y, ((x) > (y)) | ((x) != (x)), Floats, Ints)
#define LARGER_QUAD(x, y) CHOSEN(x, y, ((x) > (y)) | ((x) != (x)), Quad, QuadBits)
POOLED(four_vectors, Floats, 8, 4, LARGER_VECTOR, 0)
POOLED(one_vector, Floats, 8, 1, LARGER_VECTOR, 1)
POOLED(one_quad, Quad, 4, 1, LARGER_QUAD, 1)
#endif

INLINE void pooled(const Window *of, int is_mean, float *to) {
    Py_ssize_t at = 0;
#if HAS_VECTORS
    at = four_vectors(of, at, is_mean, to);
    at = one_vector(of, at, is_mean, to);
    at = one_quad(of, at, is_mean, to);
#endif
    one_number(of, at, is_mean, to);
}

typedef struct {
    const char *x;
    float *to;
    Py_ssize_t image_step, line_step, element_step; /* the first in bytes */
    Py_ssize_t channels, height, width, rows, columns, high, wide, down, across, top, left;
    int is_mean, counts_padding;
} Images;

/* Where a window begins in an image that has `size` elements, and how many of its elements lie there. */
static Py_ssize_t inside(Py_ssize_t begin, Py_ssize_t window, Py_ssize_t size, Py_ssize_t *first) {
    *first = begin < 0 ? 0 : begin;
    return (begin + window < size ? begin + window : size) - *first;
}

INLINE void some_images_body(const Images *all, Py_ssize_t begin, Py_ssize_t end) {
    float *to = all->to + begin * all->rows * all->columns * all->channels;
    Window of = {.line_step = all->line_step, .element_step = all->element_step, .channels = all->channels};
    for (Py_ssize_t n = begin; n < end; n++)
        for (Py_ssize_t r = 0; r < all->rows; r++)
            for (Py_ssize_t c = 0; c < all->columns; c++, to += all->channels) {
                of.x = (const float *)(all->x + n * all->image_step);
                of.lines = inside(r * all->down - all->top, all->high, all->height, &of.first_line);
                of.elements = inside(c * all->across - all->left, all->wide, all->width, &of.first);
                of.lowest = of.lines < all->high || of.elements < all->wide ? -FLT_MAX : -INFINITY;
                of.factor = 1.0f / (float)(all->counts_padding ? all->high * all->wide : of.lines * of.elements);
                if (all->is_mean) pooled(&of, 1, to);
                else pooled(&of, 0, to);
            }
}
TWO_WAYS(some_images, (const Images *all, Py_ssize_t begin, Py_ssize_t end), (all, begin, end))

static void share_of_images(void *data, Py_ssize_t begin, Py_ssize_t end) { some_images(data, begin, end); }

const char pool_windows_doc[] =
    "pool_windows($module, x, is_mean, counts_padding, window, strides, begin, out, /)\n--\n\n"
    "Maxima or means of windows of float32 images [n, c, h, w] whose channels lie side by side, as those of the result\n"
    "do: `out` rows and columns of windows, the first of which begins `begin` before the image. NotImplemented for arrays\n"
    "that are not such, and where a window lies in the padding alone.";

PyObject *pool_windows(PyObject *module, PyObject *arguments) {
    PyObject *given;
    Images all;
    if (!PyArg_ParseTuple(arguments, "Opp(nn)(nn)(nn)(nn)", &given, &all.is_mean, &all.counts_padding, &all.high, &all.wide,
                          &all.down, &all.across, &all.top, &all.left, &all.rows, &all.columns))
        return NULL;
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 4 || x->dtype != dtypes_by_kind[FLOAT32] ||
        !(x->flags & ALIGNED) || (x->strides[1] != 4 && x->dimensions[1] != 1) || size_of(given) < 1 || all.rows < 1 ||
        all.columns < 1 || (x->strides[0] | x->strides[2] | x->strides[3]) % 4) return declined_form();
    all.channels = x->dimensions[1], all.height = x->dimensions[2], all.width = x->dimensions[3];
    if ((all.high | all.wide | all.down | all.across | all.rows | all.columns) > LARGEST || all.top < 0 || all.left < 0 || all.top >= all.high || all.left >= all.wide || all.down < 1 || all.across < 1 ||
        (all.rows - 1) * all.down - all.top >= all.height || (all.columns - 1) * all.across - all.left >= all.width)
        return declined_form();
    Py_ssize_t made[4] = {x->dimensions[0], all.channels, all.rows, all.columns}, line = 4 * all.channels * all.columns;
    Py_ssize_t strides[4] = {line * all.rows, 4, line, 4 * all.channels};
    PyObject *result = new_array_lying(FLOAT32, 4, made, strides);
    if (!result) return NULL;
    all.x = x->data, all.to = (float *)((Array *)result)->data, all.image_step = x->strides[0];
    all.line_step = x->strides[2] / 4, all.element_step = x->strides[3] / 4;
    Py_ssize_t looks = size_of(result) * all.high * all.wide;
    if (run_parts(share_of_images, &all, made[0], 4 * (looks + size_of(result))) < 0) Py_CLEAR(result);
    return result;
}
